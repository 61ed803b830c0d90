// The continuum solver as a class, for the files that define it: sph_solver.cpp has the step,
// sph_solver_bodies.cpp what happens between sand and bodies.
#pragma once

#include "bodies/body_world.h"
#include "geometry/cluster_pairs.h"
#include "sph/body_loads.h"
#include "sph/elastoplastic.h"
#include "sph/first_load.h"
#include "sph/kernel.h"
#include "sph/light_bodies.h"
#include "sph/neighbourhood.h"
#include "sph/sph_solver.h"
#include "sph/stress_solve.h"
#include "sph/time_step.h"
#include "sph/walls.h"

#include <vector>

namespace talus::sph {

inline constexpr float sound_speed = 10;  ///< m/s, c_s of the artificial viscosity

/// What a particle takes from its material and the model, worked out once.
struct MaterialLaw {
  float rest_density, friction;
  float inertia_length;           ///< of mu(I), m; 0 = rate independent
  float attraction;               ///< kappa of 2013 Eq. 22, m^3/s^2
  float bond_maximum;             ///< C of 2011 section 5, Pa
  double cohesion, wet_cohesion;  ///< Pa; the second times wetness
  double viscosity, wet_viscosity;
};

template <class Kernel>
class SphSolver final : public Solver {
 public:
  SphSolver(const Scene& scene, const ModelConstants& model, std::vector<Body>& bodies,
            const Executor& executor);
  Status sample_bodies(std::size_t first = 0);

  ParticleStore& particles() override { return store_; }
  double particle_mass(std::uint32_t material) const override {
    const double a = scene_.sph.spacing;
    return scene_.materials[material].density * a * a * a;
  }
  void add(const NewParticles& fresh) override;
  void remove(std::span<const std::uint8_t> keep) override;
  Result<StepReport> step(double max_dt) override;
  void set_gravity(const Vec3d& gravity) override;
  Status change_velocities(std::span<const Vec3f> change) override;
  Status adopt(const Scene& scene) override;
  double time() const override { return time_; }
  std::uint64_t steps() const override { return steps_; }
  void save(State& state) const override;
  Status load(const State& state) override;
  PhaseTimers& timers() override { return timers_; }
  std::size_t memory_bytes() const override;
  const WallContacts& walls() const { return walls_; }  ///< for tests that count

 private:
  static constexpr std::size_t width = ClusterPairs::width;

  // The phases of a step, in their order.
  StepChoice choose_step(double max_dt, double body_speed) const;
  float highest_pressure(double body_speed) const;
  void update_neighbours();
  void find_rest();
  void pack();
  void update_walls();
  void apply_external_forces();
  void advance_stress(bool damps_noise);
  void iterate_stress();
  void load_bodies();
  void integrate();
  void wake_neighbours();
  Status check_finite() const;

  void register_fields();
  void take_load();
  void work_out_laws();
  MaterialLaw law_of(const Material& material) const;
  bool needs_pair_forces() const;
  void wake_all();
  bool may_rest(std::size_t cluster) const;
  void bound_spin();
  void load_boundary_particles();
  float slow_approach() const;
  void touch_light_bodies();
  void meet_light_bodies();
  void push(std::size_t i, const Vec3f& change);
  void rebound(Body& body, std::span<const LightBody::Contact> contacts);
  void keep_outside_bodies();
  void wrap(Vec3f& x) const;

  Scene scene_;
  ModelConstants model_;
  std::vector<Body>& bodies_;
  const Executor& executor_;
  std::vector<MaterialLaw> laws_;  ///< of the scene's materials
  float spacing_, rest_volume_;
  KernelScale kernel_;
  HalfSpaceTable half_space_;
  Neighbourhood near_;
  WallContacts walls_;
  Rest rest_;

  ParticleStore store_;
  Field<std::uint64_t> id_;
  Field<Vec3f> x_, v_, x_listed_;
  Field<float> radius_, density_, pressure_, strain_rate_, wetness_, bond_;
  Field<std::uint32_t> material_;
  Field<Sym3f> stress_;
  Field<std::uint8_t> asleep_;
  Field<std::uint8_t> calm_;  ///< with told_ only where sand may rest
  Field<Sym3f> told_;

  WorkingArrays w_;
  StressSolve<Kernel> solve_;
  Elastoplastic<Kernel> elastic_;
  BodyLoads loads_;
  std::vector<LightBody> light_;
  std::vector<double> difference_;  ///< m/s, of each body and the sand that touches it

  double time_ = 0;
  std::uint64_t steps_ = 0;
  float dt_ = 0;
  int passes_ = 0;            ///< of the elastoplastic stress in this step
  bool pair_forces_ = false;  ///< others than stress act between particles in this step
  float max_speed_ = 0;
  float reference_pressure_ = 0;  ///< over rest density, m^2/s^2
  float struck_pressure_ = 0;     ///< the same, where sand was struck lately
  StepReport report_;
  PhaseTimers timers_;
};

}  // namespace talus::sph
