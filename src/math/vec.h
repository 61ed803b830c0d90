// Small vectors and matrices on any scalar-like type: float, double, or a wide float (math/wide.h).
// Plain values, no hidden state, usable on a device.
#pragma once

#include <cmath>
#include <cstdint>

namespace talus {

// Scalar twins of the wide functions (math/wide.h), so that laws can be written once for both.
constexpr float min(float a, float b) { return a < b ? a : b; }
constexpr float max(float a, float b) { return a > b ? a : b; }
constexpr float select(bool m, float a, float b) { return m ? a : b; }

template <class T>
struct Vec3 {
  T x{}, y{}, z{};

  constexpr Vec3() = default;
  constexpr Vec3(T x_, T y_, T z_) : x(x_), y(y_), z(z_) {}
  template <class U>
  constexpr explicit Vec3(const Vec3<U>& v)
      : x(static_cast<T>(v.x)), y(static_cast<T>(v.y)), z(static_cast<T>(v.z)) {}

  constexpr T& operator[](int i) { return i == 0 ? x : i == 1 ? y : z; }
  constexpr const T& operator[](int i) const { return i == 0 ? x : i == 1 ? y : z; }

  constexpr Vec3& operator+=(const Vec3& b) { return *this = *this + b; }
  constexpr Vec3& operator-=(const Vec3& b) { return *this = *this - b; }
  constexpr Vec3& operator*=(T s) { return *this = *this * s; }

  friend constexpr Vec3 operator+(const Vec3& a, const Vec3& b) {
    return {a.x + b.x, a.y + b.y, a.z + b.z};
  }
  friend constexpr Vec3 operator-(const Vec3& a, const Vec3& b) {
    return {a.x - b.x, a.y - b.y, a.z - b.z};
  }
  friend constexpr Vec3 operator-(const Vec3& a) { return {-a.x, -a.y, -a.z}; }
  friend constexpr Vec3 operator*(const Vec3& a, T s) { return {a.x * s, a.y * s, a.z * s}; }
  friend constexpr Vec3 operator*(T s, const Vec3& a) { return {a.x * s, a.y * s, a.z * s}; }
  friend constexpr Vec3 operator/(const Vec3& a, T s) { return a * (T(1) / s); }
  friend constexpr bool operator==(const Vec3&, const Vec3&) = default;
};

using Vec3f = Vec3<float>;
using Vec3d = Vec3<double>;
using Vec3i = Vec3<std::int32_t>;

template <class T>
constexpr T dot(const Vec3<T>& a, const Vec3<T>& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
template <class T>
constexpr Vec3<T> cross(const Vec3<T>& a, const Vec3<T>& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
template <class T>
constexpr T squared_norm(const Vec3<T>& a) {
  return dot(a, a);
}
template <class T>
T norm(const Vec3<T>& a) {
  using std::sqrt;
  return sqrt(dot(a, a));
}
/// The unit vector along a; `fallback` when a is zero.
template <class T>
Vec3<T> normalized(const Vec3<T>& a, const Vec3<T>& fallback = {T(0), T(0), T(1)}) {
  const T n = norm(a);
  return n > T(0) ? a / n : fallback;
}
template <class T>
constexpr Vec3<T> min(const Vec3<T>& a, const Vec3<T>& b) {
  return {a.x < b.x ? a.x : b.x, a.y < b.y ? a.y : b.y, a.z < b.z ? a.z : b.z};
}
template <class T>
constexpr Vec3<T> max(const Vec3<T>& a, const Vec3<T>& b) {
  return {a.x > b.x ? a.x : b.x, a.y > b.y ? a.y : b.y, a.z > b.z ? a.z : b.z};
}
inline bool is_finite(const Vec3f& a) {
  return std::isfinite(a.x) && std::isfinite(a.y) && std::isfinite(a.z);
}

/// Row-major 3x3 matrix.
template <class T>
struct Mat3 {
  Vec3<T> row[3];

  static constexpr Mat3 identity() {
    return {{{T(1), T(0), T(0)}, {T(0), T(1), T(0)}, {T(0), T(0), T(1)}}};
  }
  friend constexpr Vec3<T> operator*(const Mat3& a, const Vec3<T>& v) {
    return {dot(a.row[0], v), dot(a.row[1], v), dot(a.row[2], v)};
  }
  friend constexpr Mat3 operator*(const Mat3& a, const Mat3& b) {
    Mat3 c;
    for (int i = 0; i < 3; ++i)
      c.row[i] = a.row[i].x * b.row[0] + a.row[i].y * b.row[1] + a.row[i].z * b.row[2];
    return c;
  }
  friend constexpr Mat3 operator+(const Mat3& a, const Mat3& b) {
    return {{a.row[0] + b.row[0], a.row[1] + b.row[1], a.row[2] + b.row[2]}};
  }
  friend constexpr Mat3 operator*(const Mat3& a, T s) {
    return {{a.row[0] * s, a.row[1] * s, a.row[2] * s}};
  }
};
using Mat3f = Mat3<float>;
using Mat3d = Mat3<double>;

template <class T>
constexpr Mat3<T> transpose(const Mat3<T>& a) {
  return {{{a.row[0].x, a.row[1].x, a.row[2].x},
           {a.row[0].y, a.row[1].y, a.row[2].y},
           {a.row[0].z, a.row[1].z, a.row[2].z}}};
}
template <class T>
constexpr Mat3<T> outer(const Vec3<T>& a, const Vec3<T>& b) {
  return {{a.x * b, a.y * b, a.z * b}};
}

/// Symmetric 3x3 tensor (stress, strain rate).
template <class T>
struct Sym3 {
  T xx{}, yy{}, zz{}, xy{}, xz{}, yz{};

  friend constexpr Vec3<T> operator*(const Sym3& s, const Vec3<T>& v) {
    return {s.xx * v.x + s.xy * v.y + s.xz * v.z, s.xy * v.x + s.yy * v.y + s.yz * v.z,
            s.xz * v.x + s.yz * v.y + s.zz * v.z};
  }
  friend constexpr Sym3 operator+(const Sym3& a, const Sym3& b) {
    return {a.xx + b.xx, a.yy + b.yy, a.zz + b.zz, a.xy + b.xy, a.xz + b.xz, a.yz + b.yz};
  }
  friend constexpr Sym3 operator-(const Sym3& a, const Sym3& b) {
    return {a.xx - b.xx, a.yy - b.yy, a.zz - b.zz, a.xy - b.xy, a.xz - b.xz, a.yz - b.yz};
  }
  friend constexpr Sym3 operator*(const Sym3& a, T s) {
    return {a.xx * s, a.yy * s, a.zz * s, a.xy * s, a.xz * s, a.yz * s};
  }
  friend constexpr bool operator==(const Sym3&, const Sym3&) = default;
};
using Sym3f = Sym3<float>;
using Sym3d = Sym3<double>;

template <class T>
constexpr T trace(const Sym3<T>& s) {
  return s.xx + s.yy + s.zz;
}
/// s : s, the squared Frobenius norm.
template <class T>
constexpr T squared_norm(const Sym3<T>& s) {
  return s.xx * s.xx + s.yy * s.yy + s.zz * s.zz + T(2) * (s.xy * s.xy + s.xz * s.xz + s.yz * s.yz);
}
/// The traceless part.
template <class T>
constexpr Sym3<T> deviator(const Sym3<T>& s) {
  const T mean = trace(s) / T(3);
  return {s.xx - mean, s.yy - mean, s.zz - mean, s.xy, s.xz, s.yz};
}

}  // namespace talus
