// Where a scripted body is at any time: a pure function of the scene, so that a resumed run cannot
// drift from one that never stopped.
#pragma once

#include "bodies/body.h"
#include "scene/scene.h"

namespace talus {

/// Pose of the shape's origin at time t (s), exactly on the keyframes or the constant motion.
/// Before the first and after the last keyframe the body rests there.
Posed scripted_pose(const SceneBody& body, double time);

/// Pose and instantaneous velocity at time t; at a corner of the motion, that of the time after t.
BodyState scripted_state(const SceneBody& body, double time);

/// The constant angular velocity (rad/s, world) that turns `from` into `to` within dt, the short
/// way.
Vec3d turning_rate(const Quatd& from, const Quatd& to, double dt);

/// Orientation after turning with constant world angular velocity for dt.
Quatd turned(const Quatd& rotation, const Vec3d& angular_velocity, double dt);

}  // namespace talus
