// The state of the solver and the phases of its step. Only the files dem_solver_*.cpp include this.
#pragma once

#include "dem/contact_list.h"
#include "dem/dem_solver.h"
#include "dem/grain_measures.h"
#include "dem/motion.h"
#include "dem/pair_forces.h"
#include "dem/time_step.h"
#include "dem/wall_forces.h"

#include <optional>

namespace talus::dem {

/// Skin of the lists over the smallest sphere's radius, at least and at most.
constexpr double least_skin = 0.18, most_skin = 0.6;

class DemSolver final : public Solver {
 public:
  DemSolver(const Scene& scene, std::vector<Body>& bodies, const Executor& executor)
      : scene_(scene), bodies_(bodies), executor_(executor) {}
  Status create();

  ParticleStore& particles() override {
    publish();
    return store_;
  }
  std::span<const Vec3f> positions() override;
  double particle_mass(std::uint32_t material) const override;
  bool welcomes_changes() override;
  void add(const NewParticles& fresh) override;
  void remove(std::span<const std::uint8_t> keep) override;
  Result<StepReport> step(double max_dt) override;
  void set_gravity(const Vec3d& gravity) override { scene_.gravity = gravity; }
  Status change_velocities(std::span<const Vec3f> change) override;
  Status adopt(const Scene& scene) override;
  double time() const override { return time_; }
  std::uint64_t steps() const override { return steps_; }
  void save(State& state) const override;
  Status load(const State& state) override;
  void prepare_frame() override;
  const ParticleStore* contacts() const override {
    return contact_table_ ? &contact_table_->store() : nullptr;
  }
  std::vector<std::string> notes() const override { return notes_; }
  PhaseTimers& timers() override { return timers_; }
  std::size_t memory_bytes() const override;

 private:
  // The phases of a step, in their order.
  void choose_time_step(double max_dt);
  void apply_turns();
  bool lists_worn() const;
  void measure_travel();
  void update_lists();
  void place_bodies();
  void move();
  void load_bodies();
  Status check_finite() const;

  double least_radius() const;  ///< m, of the spheres of grains of mean size
  Status set_up_laws();
  void register_fields();
  void write_notes();
  void note_forced_step(const StepLimit& limit);
  void set_up_grain(std::size_t i, std::uint32_t material, float scale);
  void set_spin(std::size_t i, const Quatd& q, const Vec3d& angular_velocity);
  void make_room(std::size_t first);
  void publish();
  std::vector<ContactRecord> find_contacts();
  void take_velocities();
  ContactLists::Limits limits() const;
  void ask_for_skins();
  void make_records();
  bool stores_arms() const;  ///< see StepInput
  void wrap();
  struct Scalars {
    double time, last_dt, quantum, skin, travel, body_travel, turn, speed, spin, stiffest,
        largest_size;
  };
  Scalars scalars() const;
  StepInput step_input() const;
  MotionInput motion_input() const;
  std::size_t closing_classes() const;
  double body_speed() const;

  Scene scene_;
  std::vector<Body>& bodies_;
  const Executor& executor_;
  std::vector<GrainShape> shapes_;
  ShapeTable table_;
  PairLaws laws_;
  WallFaces walls_;
  TimeStep time_step_;
  Images images_;
  PairForces pair_forces_ = nullptr;
  WallForces wall_forces_ = nullptr;
  bool stored_ = false;

  Grains grains_;
  Records records_[2];
  std::size_t now_ = 0;  ///< which of them belongs to the present instant
  ContactLists lists_;
  bool listed_ = false;
  std::vector<Posed> listed_poses_;  ///< of the bodies when the lists were made
  /// Classes of gaps looked at since the lists were made. Never fewer: a pair that has touched must
  /// be seen to part, even when measure_travel() finds that the grains are back.
  std::size_t looked_classes_ = 0;
  std::vector<ChunkForces> forces_;  ///< per worker
  struct ChunkTally {
    ContactTally contacts;
    MotionTally motion;
  };
  std::vector<ChunkTally> tallies_;
  struct ChunkLoad {
    BodyLoad load;
    double stiffness = 0;  ///< N/m, of all contacts together
  };
  std::vector<ChunkLoad> chunk_loads_;  ///< chunk x body
  std::vector<std::array<std::int32_t, 3>> image_shift_;

  ParticleStore store_;
  Field<std::uint64_t> id_;
  Field<Vec3f> x_, v_, w_;
  Field<float> radius_;
  Field<std::uint32_t> material_;
  Field<Quatf> rotation_;
  enum class Published { nothing, positions, all } published_ = Published::nothing;
  // On request, of the instant of prepare_frame().
  std::optional<Field<std::uint32_t>> coordination_;
  std::optional<Field<float>> packing_fraction_;
  std::optional<Field<Sym3f>> stress_;
  std::optional<ContactTable> contact_table_;

  double time_ = 0, dt_ = 0, last_dt_ = 0;
  std::uint64_t steps_ = 0;
  double quantum_ = 1;
  double skin_ = 0, dense_skin_ = 0;  ///< m, least of a grain; most of all in a dense flow
  double travel_ = 0;                 ///< skins, of a grain since the lists were made, at most
  double body_travel_ = 0;            ///< m, likewise of a body
  ScratchArray<float> wanted_skins_;
  double turn_ =
      0;  ///< rad, at most, since the orientations of single spheres were brought up to date
  double speed_ = 0, spin_ = 0, stiffest_ = 0;
  float largest_size_ = 0;
  StepReport report_;
  std::vector<std::string> notes_;
  bool forced_step_told_ = false;
  PhaseTimers timers_;
};

}  // namespace talus::dem
