// What a base solver (continuum sand, grains) offers to whoever drives it: run/, the live view,
// Python, benchmarks. A step has no hidden state: particles() plus save() is all there is.
#pragma once

#include "core/error.h"
#include "core/timer.h"
#include "math/quat.h"
#include "math/vec.h"
#include "particles/state.h"
#include "particles/store.h"
#include "scene/scene.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace talus {

/// What one step did; printed as progress, written as statistics.
struct StepReport {
  double dt = 0;                    ///< s
  std::string_view dt_reason = "";  ///< which limit set dt, e.g. "speed", "depth", "frame"
  int pressure_iterations = 0;
  int friction_iterations = 0;
  double mean_density_error = 0;  ///< compression only, fraction of rest density
  double max_density_error = 0;
  double stress_change = 0;    ///< last relative change of stress
  double max_speed = 0;        ///< m/s
  std::uint64_t asleep = 0;    ///< particles at rest that cost less
  std::uint64_t contacts = 0;  ///< grains: touching pairs
};

/// Material that enters during a run, or at its start.
struct NewParticles {
  std::span<const Vec3f> position;
  std::span<const Vec3f> velocity;
  std::span<const std::uint64_t> id;        ///< unique for ever
  std::span<const std::uint32_t> material;  ///< index into Scene::materials
  std::span<const float> size_scale;        ///< grains: factor on the template's size; may be empty
  std::span<const Quatf> rotation = {};     ///< grains: orientation; empty: random, by id
  std::span<const Vec3f> angular_velocity = {};  ///< grains: rad/s; empty: none
};

class Solver {
 public:
  virtual ~Solver() = default;

  /// Always has the fields id (u64), position (vec3f, m), velocity (vec3f, m/s), radius (f32, m),
  /// material (u32). Particle order changes from step to step; ids do not.
  virtual ParticleStore& particles() = 0;
  const ParticleStore& particles() const { return const_cast<Solver*>(this)->particles(); }
  /// The positions of particles() alone, for those who look after every step.
  virtual std::span<const Vec3f> positions() { return particles().values<Vec3f>("position"); }

  /// kg, of one particle of a material at a size scale of 1.
  virtual double particle_mass(std::uint32_t material) const = 0;

  /// Whether add() and remove() cost little just now. A solver with lists of neighbours has to make
  /// new ones after them: it welcomes them when it is about to do so anyway.
  virtual bool welcomes_changes() { return true; }
  virtual void add(const NewParticles& particles) = 0;
  /// Removes particles with keep[i] == 0.
  virtual void remove(std::span<const std::uint8_t> keep) = 0;

  /// Advances by at most max_dt seconds (the time left in the frame). Fails, with the particle, the
  /// step and a guess at the cause, when the state is no longer finite.
  virtual Result<StepReport> step(double max_dt) = 0;

  /// Tilting the world while it runs: live view, slopes.
  virtual void set_gravity(const Vec3d& gravity) = 0;

  /// Adds to the velocity of each particle, m/s, in the present order of particles(): a hand that
  /// stirs the material.
  virtual Status change_velocities(std::span<const Vec3f>) {
    return request_error("this solver takes no pushes while it runs");
  }
  /// Takes over what changed in the scene while it runs: bodies added at the end of the vector that
  /// the solver was made with, and the laws of materials (friction, cohesion, stiffness, ...).
  /// Sizes, densities and shapes of the material stay.
  virtual Status adopt(const Scene&) {
    return request_error("this solver takes no new bodies or materials while it runs");
  }

  virtual double time() const = 0;  ///< s
  virtual std::uint64_t steps() const = 0;

  /// Everything the next step depends on. load(save()) continues with the same bits.
  virtual void save(State& state) const = 0;
  virtual Status load(const State& state) = 0;

  /// Brings up to date what only frames hold: fields of output.fields that cost time to find, and
  /// contacts(). Does not change what the next steps do.
  virtual void prepare_frame() {}
  /// Contacts of the instant of prepare_frame(), one item each, when output.fields asks for them.
  virtual const ParticleStore* contacts() const { return nullptr; }

  /// What the user should know before a run: doubtful input that was taken all the same.
  virtual std::vector<std::string> notes() const { return {}; }

  virtual PhaseTimers& timers() = 0;
  virtual std::size_t memory_bytes() const = 0;
};

}  // namespace talus
