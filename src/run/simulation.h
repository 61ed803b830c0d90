// A scene in motion, without files: for the program, the live view, Python, tests.
//
//   Executor executor;
//   auto simulation = Simulation::create(scene, executor);
//   while ((*simulation)->frame() < 100) {
//     auto report = (*simulation)->step();   // never passes the time of the next frame
//     if ((*simulation)->at_frame()) ...     // frame() was just reached
//   }
#pragma once

#include "bodies/body_world.h"
#include "core/error.h"
#include "core/parallel.h"
#include "frames/frame.h"
#include "run/frame_summary.h"
#include "run/nozzle.h"
#include "run/particle_batch.h"
#include "run/region.h"
#include "run/solver_factory.h"
#include "scene/scene.h"
#include "solver/solver.h"

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace talus {

struct Energy {
  double kinetic = 0;    ///< J, of translation
  double potential = 0;  ///< J, zero at the origin
};

class Simulation {
 public:
  /// Fills the scene; time 0, frame 0. `executor` outlives the simulation.
  static Result<std::unique_ptr<Simulation>> create(Scene scene, const Executor& executor,
                                                    const SolverFactory& factory = make_solver);
  Simulation(const Simulation&) = delete;
  Simulation& operator=(const Simulation&) = delete;

  /// Drains, pours, steps the solver, wets, moves the bodies.
  Result<StepReport> step();

  /// Tilting the world while it runs. Part of what save() keeps.
  void set_gravity(const Vec3d& gravity);

  // Interference while it runs (run/interference.cpp). Each leaves scene() as it has become, so
  // that a simulation made of scene() that loads what this one saved goes on with the same bits.

  /// The body comes last among bodies(). Material where it appears gives way or, without
  /// SceneBody::carve, is a reason to refuse; another body always is.
  Status add_body(const SceneBody& body);
  /// A nozzle that opens now; its number. Pour::start is taken as now.
  Result<std::size_t> add_pour(Pour pour);
  /// Closes a nozzle of the scene, or one that was added.
  void stop_pour(std::size_t pour);
  /// Brings material and dynamic bodies within `radius` of a point towards a velocity: fully at the
  /// point, not at all at the rim.
  Status push(const Vec3d& point, double radius, const Vec3d& velocity);
  /// Takes over friction, cohesion, viscosity, stiffness, restitution, ...; size, density, shape
  /// and name of the material stay as they are.
  Status change_material(std::size_t index, const Material& material);
  Status add_sink(const Sink& sink);
  /// Fills a shape now, around bodies and particles that are in its way. Returns how many came.
  Result<std::size_t> add_fill(const Fill& fill);
  /// Single particles of a material, with new ids; the caller sees to it that they find room.
  /// Returns the first of the ids, which ascend.
  std::uint64_t add_particles(std::span<const Vec3f> position, std::span<const Vec3f> velocity,
                              std::uint32_t material);
  /// Adds to the velocities, in the order of particles(): forces that no solver knows.
  Status kick(std::span<const Vec3f> change);

  /// A field without a copy, for somebody who may hold it longer than to the next step: as soon as
  /// the simulation goes on, the values stay those of the instant they were shared at.
  Result<SharedField> share_field(std::string_view name) const;

  double time() const { return solver_->time(); }  ///< s
  std::uint64_t steps() const { return solver_->steps(); }
  std::uint64_t frame() const { return frame_; }  ///< the last one reached; 0 at the start
  bool at_frame() const { return at_frame_; }     ///< no step since it was reached
  std::uint64_t frame_count() const;              ///< frames of the scene after frame 0

  const Scene& scene() const { return scene_; }
  const Solver& solver() const { return *solver_; }
  PhaseTimers& timers() { return solver_->timers(); }
  const ParticleStore& particles() const { return solver().particles(); }
  const std::vector<Body>& bodies() const { return world_.bodies(); }
  /// Since the last frame; right at a frame, the interval that led to it.
  const FrameSummary& summary() const { return summary_; }
  Energy energy() const;
  /// Finds what only frames hold, before particles() are written; changes nothing else.
  void prepare_frame();
  /// Description of the present instant for write_frame().
  FrameInfo frame_info() const;
  /// What the user should know: what was carved, dropped, doubtful. Frames may bring more of them.
  const std::vector<std::string>& notes() const { return notes_; }
  /// Particles there will be if nothing drains, up to `frame`.
  std::uint64_t expected_particles(std::uint64_t frame) const;
  std::size_t memory_bytes() const { return solver_->memory_bytes(); }

  /// Everything the next step depends on. load(save()) continues with the same bits.
  void save(State& state) const;
  /// On failure the simulation is no longer usable.
  Status load(const State& state);

 private:
  Simulation(Scene scene, const Executor& executor, BodyWorld world);
  Status create_regions();
  Status fill();
  void drain();
  bool nozzle_hurries() const;
  void pour();
  ParticleBatch due_emissions(double now);
  void drop_blocked(ParticleBatch& batch) const;
  void wet(double time, double dt);
  void take_notes();
  Result<std::uint64_t> mark_inside(const Shape& shape);
  void let_go() const;

  struct WettingRegion {
    Region region;
    double rate;
  };

  Scene scene_;
  const Executor& executor_;
  BodyWorld world_;
  std::unique_ptr<Solver> solver_;
  std::vector<Nozzle> nozzles_;
  std::vector<Region> sinks_;
  std::vector<WettingRegion> wettings_;
  FrameSummary summary_;
  std::vector<std::string> notes_;
  std::size_t taken_notes_ = 0;  ///< of the solver's
  std::vector<std::uint8_t> marks_;
  std::uint64_t next_id_ = 0;
  std::uint64_t frame_ = 0;
  bool at_frame_ = true;
  mutable bool shared_ = false;  ///< somebody may hold memory of the particles
};

/// Refuses output.fields that the solver does not have.
Status check_output_fields(const Scene& scene, const Solver& solver);

}  // namespace talus
