// Bodies lighter than the sand that touches them. Within a step sand takes a body for immovable; a
// light one would then be thrown against the sand on its other side, harder each time, since the
// force that it takes to move sand exceeds what the body's own mass stands for.
//
// At the end of a step such a body and the particles that it is about to run into therefore meet
// without rebound. With the body's predicted motion V* = (v, omega), mass matrix M, and for each
// touching particle i that it approaches the row J_i = (n, r x n) and mass m_i, the common motion
// is
//   (M + sum_i m_i J_i^T J_i) V = M V* + sum_i m_i J_i^T (n . v_i),
// and particle i gets the impulse m_i max(0, J_i V - n . v_i) along n, the body its opposite: no
// momentum appears or vanishes.
#pragma once

#include "bodies/body.h"
#include "sph/walls.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace talus::sph {

/// The common motion of one body and the sand that it runs into.
class LightBody {
 public:
  LightBody() = default;
  /// `acceleration` is what acts on it besides the sand, m/s^2.
  LightBody(const Body& body, const Vec3d& acceleration, double dt)
      : at_(body.state.pose.position) {
    const Box3d box = body.field->bounds();
    const double inertia =  // the mean of a box; a wrong one shifts the common motion, no momentum
        body.mass * 2 / 9 * squared_norm((box.upper - box.lower) * 0.5);
    const Vec3d v = body.state.velocity + (acceleration + body.load.force / body.mass) * dt;
    const Vec3d w = body.state.angular_velocity + body.load.torque * (dt / inertia);
    motion_ = {v.x, v.y, v.z, w.x, w.y, w.z};
    for (std::size_t k = 0; k < 6; ++k) {
      matrix_[k][k] = k < 3 ? body.mass : inertia;
      right_[k] = matrix_[k][k] * motion_[k];
    }
  }

  /// Speed of the body's point at x along n.
  double speed(const Vec3d& x, const Vec3d& n) const {
    const auto j = row(x, n);
    double sum = 0;
    for (std::size_t k = 0; k < 6; ++k) sum += j[k] * motion_[k];
    return sum;
  }
  /// A particle that moves along n with `v` and is run into unless the body is slower than v +
  /// slow.
  void meet(const Vec3d& x, const Vec3d& n, double mass, double v, double slow) {
    if (speed(x, n) <= v + slow) return;
    const auto j = row(x, n);
    touching_ += mass;
    for (std::size_t r = 0; r < 6; ++r) {
      right_[r] += mass * j[r] * v;
      for (std::size_t c = 0; c <= r; ++c) matrix_[r][c] += mass * j[r] * j[c];
    }
  }
  double touching() const { return touching_; }  ///< kg of sand that it runs into

  /// From here on speed() is that of the common motion. Cholesky.
  void solve() {
    for (std::size_t r = 0; r < 6; ++r) {
      for (std::size_t c = 0; c <= r; ++c) {
        for (std::size_t k = 0; k < c; ++k) matrix_[r][c] -= matrix_[r][k] * matrix_[c][k];
        matrix_[r][c] = c == r ? std::sqrt(matrix_[r][r]) : matrix_[r][c] / matrix_[c][c];
      }
      for (std::size_t k = 0; k < r; ++k) right_[r] -= matrix_[r][k] * right_[k];
      right_[r] /= matrix_[r][r];
    }
    for (std::size_t r = 6; r-- > 0;) {
      for (std::size_t k = r + 1; k < 6; ++k) right_[r] -= matrix_[k][r] * right_[k];
      right_[r] /= matrix_[r][r];
    }
    motion_ = right_;
  }

 private:
  std::array<double, 6> row(const Vec3d& x, const Vec3d& n) const {
    const Vec3d t = cross(x - at_, n);
    return {n.x, n.y, n.z, t.x, t.y, t.z};
  }

  Vec3d at_{};
  std::array<double, 6> motion_{}, right_{};
  std::array<std::array<double, 6>, 6> matrix_{};
  double touching_ = 0;
};

}  // namespace talus::sph
