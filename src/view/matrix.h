// 4x4 matrices as OpenGL takes them: columns one after the other, points as columns.
#pragma once

#include "math/quat.h"

#include <array>
#include <cmath>

namespace talus::view {

struct Mat4 {
  std::array<float, 16> m{};

  float& at(int row, int column) { return m[static_cast<std::size_t>(4 * column + row)]; }
  float at(int row, int column) const { return m[static_cast<std::size_t>(4 * column + row)]; }

  static Mat4 identity() {
    Mat4 a;
    for (int i = 0; i < 4; ++i) a.at(i, i) = 1;
    return a;
  }

  friend Mat4 operator*(const Mat4& a, const Mat4& b) {
    Mat4 c;
    for (int row = 0; row < 4; ++row)
      for (int column = 0; column < 4; ++column)
        for (int k = 0; k < 4; ++k) c.at(row, column) += a.at(row, k) * b.at(k, column);
    return c;
  }
};

/// Of a point, without the division by w.
inline Vec3f transform(const Mat4& a, const Vec3f& p) {
  return {a.at(0, 0) * p.x + a.at(0, 1) * p.y + a.at(0, 2) * p.z + a.at(0, 3),
          a.at(1, 0) * p.x + a.at(1, 1) * p.y + a.at(1, 2) * p.z + a.at(1, 3),
          a.at(2, 0) * p.x + a.at(2, 1) * p.y + a.at(2, 2) * p.z + a.at(2, 3)};
}

/// World to eye: x right, y up, looking along -z.
inline Mat4 look_along(const Vec3d& position, const Vec3d& right, const Vec3d& up,
                       const Vec3d& forward) {
  Mat4 a = Mat4::identity();
  const Vec3d rows[3] = {right, up, -forward};
  for (int i = 0; i < 3; ++i) {
    for (int k = 0; k < 3; ++k) a.at(i, k) = static_cast<float>(rows[i][k]);
    a.at(i, 3) = static_cast<float>(-dot(rows[i], position));
  }
  return a;
}

/// `half_width`, `half_height`: tangents of half the angles of view.
inline Mat4 perspective(float half_width, float half_height, float near, float far) {
  Mat4 a;
  a.at(0, 0) = 1 / half_width;
  a.at(1, 1) = 1 / half_height;
  a.at(2, 2) = -(far + near) / (far - near);
  a.at(2, 3) = -2 * far * near / (far - near);
  a.at(3, 2) = -1;
  return a;
}

/// A box of eye space that is 2 `half` wide and high, from `near` to `far`.
inline Mat4 orthographic(float half, float near, float far) {
  Mat4 a = Mat4::identity();
  a.at(0, 0) = a.at(1, 1) = 1 / half;
  a.at(2, 2) = -2 / (far - near);
  a.at(2, 3) = -(far + near) / (far - near);
  return a;
}

inline Mat4 placement(const Posed& pose) {
  Mat4 a = Mat4::identity();
  const Mat3<double> r = to_matrix(pose.rotation);
  for (int row = 0; row < 3; ++row) {
    for (int column = 0; column < 3; ++column)
      a.at(row, column) = static_cast<float>(r.row[row][column]);
    a.at(row, 3) = static_cast<float>(pose.position[row]);
  }
  return a;
}

}  // namespace talus::view
