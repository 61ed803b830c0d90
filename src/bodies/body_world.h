// The rigid bodies of a scene in motion: scripted ones along their keyframes, dynamic ones by
// gravity, contacts, joints and the load that material puts on them. Bullet is hidden in bullet_*.
#pragma once

#include "bodies/body.h"
#include "core/error.h"
#include "core/parallel.h"
#include "particles/state.h"
#include "scene/scene.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace talus {

struct BodyWorldData;

struct JointStatus {
  std::string name;
  bool intact = true;  ///< neither broken nor released
  double force = 0;    ///< N, that the joint carried in the last step
};

class BodyWorld {
 public:
  BodyWorld(BodyWorld&&) noexcept;
  BodyWorld& operator=(BodyWorld&&) noexcept;
  ~BodyWorld();

  /// In the order of Scene::bodies. Solvers read states and add to the loads.
  std::vector<Body>& bodies();
  const std::vector<Body>& bodies() const;

  /// Advances all bodies by dt seconds. Loads are taken as constant over the step, then set to
  /// zero.
  void step(double dt);

  /// Adds a body while the others move; it comes last. Refuses a name that is taken and a place
  /// where another body is. `spacing` as in make_body_world().
  Status add(const SceneBody& body, double spacing);
  /// Gives a dynamic body another velocity, and wakes it.
  void set_velocity(std::size_t body, const Vec3d& velocity, const Vec3d& angular_velocity);

  /// Wakes everybody when it changes. Part of what save() keeps.
  void set_gravity(const Vec3d& gravity);

  double time() const;  ///< s
  std::vector<JointStatus> joints() const;
  std::size_t contact_points() const;  ///< between bodies, in the last step
  /// kg m^2 about the principal axes of a dynamic body, ascending.
  Vec3d principal_moments(std::size_t body) const;
  /// What the user should know about these bodies, e.g. that sand may pass through a thin one.
  const std::vector<std::string>& warnings() const;

  /// Everything the next step depends on. load(save()) continues with the same bits.
  void save(State& state) const;
  Status load(const State& state);

 private:
  friend Result<BodyWorld> make_body_world(const Scene&, const Executor&, double);
  explicit BodyWorld(std::unique_ptr<BodyWorldData> data);
  std::unique_ptr<BodyWorldData> data_;
};

/// Makes and checks the bodies of a scene. Refuses, with the names: bodies that start inside each
/// other, dynamic bodies without mass or volume, open meshes, keyframes out of order, joints that
/// name unknown bodies.
/// @param spacing m, of the particles that will touch the bodies: resolution of distance fields
Result<BodyWorld> make_body_world(const Scene& scene, const Executor& executor, double spacing);

/// Fills Body::surface of every body with a bounded surface, for solvers that collide with samples.
Status sample_body_surfaces(std::vector<Body>& bodies, double spacing, std::uint64_t seed,
                            const Executor& executor);

}  // namespace talus
