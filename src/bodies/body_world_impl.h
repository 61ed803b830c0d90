// Inside of BodyWorld. Private to src/bodies.
#pragma once

#include "bodies/body_world.h"
#include "bodies/bullet_contacts.h"
#include "bodies/bullet_joints.h"

#include <set>

namespace talus {

/// Memory of a dynamic body that decides about sleep. Plain numbers, no padding.
struct RestMemory {
  double slow_time = 0;                 ///< s, for how long it hardly moved
  Vec3d mean_force{}, mean_torque{};    ///< N, N m: load, smoothed over some steps
  Vec3d sleep_force{}, sleep_torque{};  ///< the same when it fell asleep
};

struct BodyWorldData {
  Vec3d gravity{};
  double time = 0, previous_dt = 0;
  std::vector<SceneBody> scene_bodies;
  std::vector<Joint> scene_joints;
  std::vector<std::string> warnings;

  std::vector<Body> bodies;
  std::vector<Rigid> rigids;
  std::vector<Quatd> principal_axes;  ///< Bullet's body frame to ours
  std::vector<Vec3d> principal_moments;
  std::vector<double> radius;  ///< m, half the largest extent
  std::vector<RestMemory> rest;
  std::vector<std::unique_ptr<RigidJoint>> joints;
  std::unique_ptr<btRigidBody> world_anchor;
  double smallest_size = 0;  ///< m, of the dynamic bodies
  std::size_t contact_points = 0;

  Contacts contacts;
  JointSolver solver;

  bool any_dynamic() const { return smallest_size > 0; }
  double slop() const { return 1e-3 * smallest_size; }  ///< m, overlap left alone, against jitter
  /// Copies pose and velocity of a body to its Bullet object.
  void place(std::size_t body);
  void wake(std::size_t body);
  Vec3d force_on(std::size_t body) const;

  // The phases of a step, in order.
  void aim_scripted(double dt);
  void switch_forces();
  void weigh_loads(double dt);
  void release_joints();
  void find_contacts(double dt);
  std::vector<std::uint32_t> wake_islands();
  void solve(double dt);
  void integrate(double dt, const std::vector<bool>& held);
  void break_joints();
  void rest_islands(double dt, const std::vector<std::uint32_t>& island);
  void place_scripted();

  /// Pairs of bodies that a whole joint connects; they do not collide.
  std::set<std::array<std::uint32_t, 2>> joined() const;
};

}  // namespace talus
