// Bodies lighter than the sand that touches them. Within a step sand takes a body for immovable; a
// light one would then be thrown against the sand on its other side, harder each time, since the
// force that it takes to move sand exceeds what the body's own mass stands for.
//
// At the end of a step such a body and the particles that it is about to run into therefore meet
// without rebound. With the body's momentum P after gravity and load, its mass matrix M, and for
// each touching particle i the row J_i = (n, r x n), mass m_i and speed v_i along n, the common
// motion V = (v, omega) is the one that solves
//   M V + sum_i m_i J_i^T max(0, J_i V - v_i - s) = P,
// and particle i gets the impulse m_i max(0, J_i V - v_i - s) along n, the body its opposite: no
// momentum appears or vanishes. V minimises a convex function that is quadratic in pieces; Newton's
// method finds the piece, and with it V, exactly. Anything left over would be divided by the small
// mass of the body: taking all particles that the body approaches before they meet, and leaving out
// those that turn out to be faster, threw a crate of a thirty-second of the sand's density about
// with 30 m/s.
//
// s is what the body's weight alone would do in a few steps to it and the sand together. That is
// left to pressure, or heavier bodies would push sand aside without friction, and creep.
#pragma once

#include "bodies/body.h"
#include "sph/walls.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace talus::sph {

/// The common motion of one body and the sand that it runs into.
class LightBody {
 public:
  struct Contact {
    std::size_t particle;
    Vec3d position, normal;     ///< of the particle, m; out of the body
    double mass, speed;         ///< of the particle, kg; along the normal, m/s
    std::array<double, 6> row;  ///< J
    double gain = 0;            ///< m/s, what meeting the body adds to `speed`
  };

  /// For a new step; contacts are forgotten. `gravity` in m/s^2.
  void begin(const Body& body, const Vec3d& gravity, double dt) {
    contacts_.clear();
    sand_ = sand_turning_ = 0;
    mass_ = body.mass;
    // A lower bound of what it takes to turn it: 2 / trace of the inverse would be sharper.
    turning_ = std::min({body.inertia.xx, body.inertia.yy, body.inertia.zz});
    centre_ = body.state.pose.position;
    weight_speed_ = few_steps * norm(gravity) * dt;
    const Quatd& turn = body.state.pose.rotation;
    own_ = {};
    for (int k = 0; k < 3; ++k) {
      Vec3d axis{};
      axis[k] = 1;
      const Vec3d column = rotate(turn, body.inertia * rotate_inverse(turn, axis));
      own_[k][k] = body.mass;
      for (int r = 0; r < 3; ++r) own_[3 + r][3 + k] = column[r];
    }
    const Vec3d& w = body.state.angular_velocity;
    const Vec3d p = body.state.velocity * body.mass + (gravity * body.mass + body.load.force) * dt;
    const Vec3d l = rotate(turn, body.inertia * rotate_inverse(turn, w)) + body.load.torque * dt;
    momentum_ = {p.x, p.y, p.z, l.x, l.y, l.z};
  }

  void touch(std::size_t particle, const Vec3d& position, const Vec3d& normal, double mass,
             double speed) {
    const Vec3d t = cross(position - centre_, normal);
    contacts_.push_back(
        {particle, position, normal, mass, speed, {normal.x, normal.y, normal.z, t.x, t.y, t.z}});
    sand_ += mass;
    sand_turning_ += mass * squared_norm(position - centre_);
  }

  /// Only who is lighter than the sand around it may need to meet it.
  bool light() const { return sand_ > mass_; }
  /// Share of an impulse of a single particle that does not throw the body.
  double share() const { return light() ? mass_ / (mass_ + sand_) : 1; }
  /// The same of forces that act along the surface too and could make it spin.
  double turning_share() const {
    return light() ? std::min(share(), turning_ / (turning_ + sand_turning_)) : 1;
  }
  const std::vector<Contact>& contacts() const { return contacts_; }

  /// Works out the gain of each contact; none when it weighs more than the sand that it runs into.
  void meet() {
    const double slow = weight_speed_ * share();
    solve();
    double ahead = 0;  // kg that it would run into
    for (const Contact& c : contacts_)
      if (along(c.row) > c.speed + slow) ahead += c.mass;
    if (!(ahead > mass_)) return;
    for (int pass = 0; pass < most_passes; ++pass) {
      bool changed = false;
      for (Contact& c : contacts_) {
        const double gain = std::max(0.0, along(c.row) - c.speed - slow);
        changed = changed || (gain > 0) != (c.gain > 0);
        c.gain = gain;
      }
      if (!changed) return;
      solve(slow);
    }
  }

 private:
  static constexpr double few_steps = 8;
  static constexpr int most_passes = 20;  // three to six are the rule
  using Vector = std::array<double, 6>;
  using Matrix = std::array<Vector, 6>;

  double along(const Vector& row) const {
    double sum = 0;
    for (std::size_t k = 0; k < 6; ++k) sum += row[k] * motion_[k];
    return sum;
  }

  /// The motion if exactly those particles that gain something take part. Cholesky.
  void solve(double slow = 0) {
    Matrix m = own_;
    Vector x = momentum_;
    for (const Contact& c : contacts_) {
      if (!(c.gain > 0)) continue;
      for (std::size_t r = 0; r < 6; ++r) {
        x[r] += c.mass * c.row[r] * (c.speed + slow);
        for (std::size_t k = 0; k <= r; ++k) m[r][k] += c.mass * c.row[r] * c.row[k];
      }
    }
    for (std::size_t r = 0; r < 6; ++r) {
      for (std::size_t k = 0; k <= r; ++k) {
        for (std::size_t i = 0; i < k; ++i) m[r][k] -= m[r][i] * m[k][i];
        m[r][k] = k == r ? std::sqrt(m[r][r]) : m[r][k] / m[k][k];
      }
      for (std::size_t i = 0; i < r; ++i) x[r] -= m[r][i] * x[i];
      x[r] /= m[r][r];
    }
    for (std::size_t r = 6; r-- > 0;) {
      for (std::size_t i = r + 1; i < 6; ++i) x[r] -= m[i][r] * x[i];
      x[r] /= m[r][r];
    }
    motion_ = x;
  }

  Vec3d centre_{};
  double mass_ = 0, sand_ = 0;             ///< kg, of the body; of the particles that touch it
  double turning_ = 0, sand_turning_ = 0;  ///< kg m^2, likewise
  double weight_speed_ = 0;                ///< m/s, by gravity in a few steps
  Matrix own_{};
  Vector momentum_{}, motion_{};
  std::vector<Contact> contacts_;
};

}  // namespace talus::sph
