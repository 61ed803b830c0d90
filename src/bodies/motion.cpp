// Interpolation of keyframes.
//   linear: x(u) = x_k + u (x_{k+1} - x_k), rotation by slerp; u = (t - t_k) / (t_{k+1} - t_k)
//   smooth: cubic Hermite with the slopes of Fritsch & Butland 1984 (harmonic mean of the
//           neighbouring secants, zero where they change sign) per component, zero at both ends.
//           C1, never overshoots a keyframe, rests where two keyframes are equal. Rotation: the
//           angle turned since the first keyframe is interpolated in the same way, then slerped, so
//           the rate is continuous while the axis stays.
#include "bodies/motion.h"

#include <algorithm>

namespace talus {
namespace {

/// A value and its rate at one time.
struct Hermite {
  double value, rate;
};

double slope(double secant_before, double secant_after) {
  if (!(secant_before * secant_after > 0)) return 0;
  return 2 * secant_before * secant_after / (secant_before + secant_after);
}

Hermite hermite(double u, double h, double x0, double x1, double m0, double m1) {
  const double d = x1 - x0;
  const double c2 = 3 * d - h * (2 * m0 + m1);
  const double c3 = h * (m0 + m1) - 2 * d;
  return {x0 + u * (h * m0 + u * (c2 + u * c3)), m0 + u * (2 * c2 + 3 * u * c3) / h};
}

/// Interpolates the scalar given at each keyframe by `at(k)` in segment k.
template <class At>
Hermite interpolate(const std::vector<Keyframe>& keys, std::size_t k, double time,
                    Interpolation kind, At&& at) {
  const auto secant = [&](std::size_t i) {
    return (at(i + 1) - at(i)) / (keys[i + 1].time - keys[i].time);
  };
  const double h = keys[k + 1].time - keys[k].time;
  const double u = (time - keys[k].time) / h;
  if (kind == Interpolation::linear) return {at(k) + u * (at(k + 1) - at(k)), secant(k)};
  const double m0 = k == 0 ? 0 : slope(secant(k - 1), secant(k));
  const double m1 = k + 2 >= keys.size() ? 0 : slope(secant(k), secant(k + 1));
  return hermite(u, h, at(k), at(k + 1), m0, m1);
}

/// Rotation vector (axis times angle, at most pi) from a to b, in the world frame.
Vec3d rotation_vector(const Quatd& a, const Quatd& b) {
  Quatd d = b * conjugate(a);
  if (d.w < 0) d = {-d.w, -d.x, -d.y, -d.z};
  const Vec3d v{d.x, d.y, d.z};
  const double s = norm(v);
  if (s == 0) return {};
  return v * (2 * std::atan2(s, d.w) / s);
}

BodyState keyframed_state(const SceneBody& body, double time) {
  const auto& keys = body.keyframes;
  if (time < keys.front().time) return {{keys.front().position, keys.front().rotation}, {}, {}};
  if (time >= keys.back().time) return {{keys.back().position, keys.back().rotation}, {}, {}};
  const auto after = std::upper_bound(keys.begin(), keys.end(), time,
                                      [](double t, const Keyframe& k) { return t < k.time; });
  const auto k = static_cast<std::size_t>(after - keys.begin()) - 1;

  BodyState state;
  for (int axis = 0; axis < 3; ++axis) {
    const Hermite x = interpolate(keys, k, time, body.interpolation,
                                  [&](std::size_t i) { return keys[i].position[axis]; });
    state.pose.position[axis] = x.value;
    state.velocity[axis] = x.rate;
  }
  // Angles turned since keyframe k, of the keyframes that the interpolation looks at.
  const auto between = [&](std::size_t i) {
    return norm(rotation_vector(keys[i].rotation, keys[i + 1].rotation));
  };
  const auto angle = [&](std::size_t i) {
    if (i + 1 == k) return -between(i);
    double sum = 0;
    for (std::size_t j = k; j < i; ++j) sum += between(j);
    return sum;
  };
  const Vec3d turn = rotation_vector(keys[k].rotation, keys[k + 1].rotation);
  const double full = norm(turn);
  state.pose.rotation = keys[k].rotation;
  if (full > 0) {
    const Hermite a = interpolate(keys, k, time, body.interpolation, angle);
    const Vec3d axis = turn / full;
    state.pose.rotation = normalized(Quatd::from_axis_angle(axis, a.value) * keys[k].rotation);
    state.angular_velocity = axis * a.rate;
  }
  return state;
}

BodyState constant_motion(const SceneBody& body, double time) {
  const Posed& start = body.shape.pose;
  const double span = body.acceleration_stop - body.acceleration_start;
  const double pushed = std::clamp(time - body.acceleration_start, 0.0, std::max(span, 0.0));
  const double coasting =
      std::max(time - std::max(body.acceleration_stop, body.acceleration_start), 0.0);
  BodyState state;
  state.pose.position = start.position + body.velocity * time +
                        body.linear_acceleration * (pushed * (0.5 * pushed + coasting));
  state.pose.rotation = turned(start.rotation, body.angular_velocity, time);
  state.velocity = body.velocity + body.linear_acceleration * pushed;
  state.angular_velocity = body.angular_velocity;
  return state;
}

}  // namespace

BodyState scripted_state(const SceneBody& body, double time) {
  return body.keyframes.empty() ? constant_motion(body, time) : keyframed_state(body, time);
}

Posed scripted_pose(const SceneBody& body, double time) { return scripted_state(body, time).pose; }

Vec3d turning_rate(const Quatd& from, const Quatd& to, double dt) {
  return rotation_vector(from, to) / dt;
}

Quatd turned(const Quatd& rotation, const Vec3d& angular_velocity, double dt) {
  const double rate = norm(angular_velocity);
  if (rate == 0 || dt == 0) return rotation;
  return normalized(Quatd::from_axis_angle(angular_velocity / rate, rate * dt) * rotation);
}

}  // namespace talus
