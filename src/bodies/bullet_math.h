// Between our vectors and Bullet's. Private to src/bodies/bullet_*.
#pragma once

#include "math/quat.h"

#include <LinearMath/btTransform.h>

namespace talus {

inline btVector3 to_bullet(const Vec3d& v) { return {v.x, v.y, v.z}; }
inline btQuaternion to_bullet(const Quatd& q) { return {q.x, q.y, q.z, q.w}; }
inline btTransform to_bullet(const Posed& p) {
  return btTransform(to_bullet(p.rotation), to_bullet(p.position));
}
inline Vec3d from_bullet(const btVector3& v) { return {v.x(), v.y(), v.z()}; }
inline Quatd from_bullet(const btQuaternion& q) { return {q.w(), q.x(), q.y(), q.z()}; }

}  // namespace talus
