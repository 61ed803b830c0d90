// Unit quaternions for orientation, body to world.
#pragma once

#include "math/vec.h"

namespace talus {

template <class T>
struct Quat {
  T w{1}, x{}, y{}, z{};

  static Quat from_axis_angle(const Vec3<T>& unit_axis, T radians) {
    const T s = std::sin(radians / 2);
    return {std::cos(radians / 2), unit_axis.x * s, unit_axis.y * s, unit_axis.z * s};
  }
  friend constexpr Quat operator*(const Quat& a, const Quat& b) {
    return {a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z,
            a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
            a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
            a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
  }
  friend constexpr bool operator==(const Quat&, const Quat&) = default;
};
using Quatf = Quat<float>;
using Quatd = Quat<double>;

template <class T>
constexpr Quat<T> conjugate(const Quat<T>& q) {
  return {q.w, -q.x, -q.y, -q.z};
}
template <class T>
Quat<T> normalized(const Quat<T>& q) {
  const T n = std::sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
  if (!(n > T(0))) return {};
  const T s = T(1) / n;
  return {q.w * s, q.x * s, q.y * s, q.z * s};
}
/// Rotates v from the body to the world frame.
template <class T>
constexpr Vec3<T> rotate(const Quat<T>& q, const Vec3<T>& v) {
  const Vec3<T> u{q.x, q.y, q.z};
  const Vec3<T> t = T(2) * cross(u, v);
  return v + q.w * t + cross(u, t);
}
template <class T>
constexpr Vec3<T> rotate_inverse(const Quat<T>& q, const Vec3<T>& v) {
  return rotate(conjugate(q), v);
}
template <class T>
constexpr Mat3<T> to_matrix(const Quat<T>& q) {
  const Vec3<T> a = rotate(q, Vec3<T>{T(1), T(0), T(0)});
  const Vec3<T> b = rotate(q, Vec3<T>{T(0), T(1), T(0)});
  const Vec3<T> c = rotate(q, Vec3<T>{T(0), T(0), T(1)});
  return {{{a.x, b.x, c.x}, {a.y, b.y, c.y}, {a.z, b.z, c.z}}};
}

/// Rigid placement: world = rotate(rotation, body) + position.
template <class T>
struct Pose {
  Vec3<T> position{};
  Quat<T> rotation{};

  Vec3<T> to_world(const Vec3<T>& p) const { return rotate(rotation, p) + position; }
  Vec3<T> to_body(const Vec3<T>& p) const { return rotate_inverse(rotation, p - position); }
  friend constexpr bool operator==(const Pose&, const Pose&) = default;
};
using Posed = Pose<double>;
using Posef = Pose<float>;

}  // namespace talus
