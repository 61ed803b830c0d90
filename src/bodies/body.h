// Rigid bodies as the solvers see them: geometry by signed distance or surface particles, a motion,
// and the load that material puts on them.
#pragma once

#include "geometry/distance.h"
#include "math/quat.h"

#include <memory>
#include <string>
#include <vector>

namespace talus {

enum class BodyMotion { fixed, scripted, dynamic };

/// Where a body is and how it moves, at one instant. World frame, about the centre of mass; fixed
/// and scripted bodies have no mass, and the origin of their shape takes its place.
struct BodyState {
  Posed pose;                ///< body frame (centre of mass, shape's local axes) to world
  Vec3d velocity{};          ///< m/s of the centre of mass
  Vec3d angular_velocity{};  ///< rad/s
};

/// Reaction of the material, summed over a step by the solver, in a fixed order.
struct BodyLoad {
  Vec3d force{};   ///< N
  Vec3d torque{};  ///< N m about the centre of mass
};

/// What material did to a dynamic body of late, for its rebound (sph/rebound.h).
struct RecentPush {
  Vec3d gained{};         ///< m/s, that its pushes gave the body, fading
  Vec3d mean_velocity{};  ///< m/s, of the body, averaged over the same time
};

struct Body {
  std::string name;
  BodyMotion motion = BodyMotion::fixed;
  Shape shape;                                 ///< as the scene gave it; its pose is in `state`
  std::shared_ptr<const DistanceField> field;  ///< local frame of the shape
  Vec3d field_offset{};                        ///< shape origin relative to the centre of mass
  std::vector<Vec3f> surface;                  ///< evenly spaced samples, body frame; may be empty
  double friction = 0.5;                       ///< Coulomb coefficient against material
  double restitution = 0;                      ///< rebound speed over impact speed
  double mass = 0;                             ///< kg; 0 = immovable
  Sym3d inertia{};                             ///< kg m^2, body frame
  bool asleep = false;  ///< dynamic and at rest: its pose did not change in the last step
  BodyState state;
  BodyLoad load;
  RecentPush recent;
};

/// Velocity of the point of the body that is at world position p.
inline Vec3d velocity_at(const BodyState& s, const Vec3d& p) {
  return s.velocity + cross(s.angular_velocity, p - s.pose.position);
}

/// An upper bound of how far a point within `arm` of the origin of a body goes between two poses,
/// m.
inline double farthest_move(const Posed& from, const Posed& to, double arm) {
  const Quatd turn = to.rotation * conjugate(from.rotation);
  const double chord = 2 * norm(Vec3d{turn.x, turn.y, turn.z});              // of a unit circle
  return norm(to.position - from.position) + (chord > 0 ? chord * arm : 0);  // planes have no end
}

/// Adds a force on the body at `state` that acts at world position p.
inline void add_force(BodyLoad& load, const BodyState& state, const Vec3d& p, const Vec3d& force) {
  load.force += force;
  load.torque += cross(p - state.pose.position, force);
}

}  // namespace talus
