// How a fine grain follows the coarse flow. Pure functions on plain values, for float and
// WideFloat.
//
// Ihmsen, Wahl & Teschner 2013, section 4.2:
//   w(d) = max(0, 1 - d^2/h^2)^3,  h = 3 r                                              (Eq. 23)
//   v* = sum w v_j / sum w                                                              (Eq. 24)
//   v(t + dt) = (1 - alpha) v* + alpha (v(t) + dt g)                                    (Eq. 25)
//   alpha = 1 - max w   if max w / sum w >= 0.6, or if max w <= w(r); else 0
//   x(t + dt) = x(t) + dt v(t + dt)                                                     (Eq. 26)
// Alduan, Tena & Otaduy 2009, section 4.3:
//   w(d) = (3 R - 2 d) / (4 R) for d < R, v = sum w v_j / sum w when two or more guides are
//   nearer than R; else only external forces                                            (Eq. 3-4)
// Symbols: r radius of a base particle, h = R its reach, d distance of grain and guide, all in m.
//
// Where we deviate, and why:
// - A grain carries its displacement u = dt v of the step about the half step, u' = u + dt^2 g in
//   free flight: with velocities understood at half steps Eq. 25-26 are exact on a parabola. Guides
//   contribute their displacement over the step, so that grains move exactly as far as the base.
// - Guides also carry the rotation of their neighbourhood. A grain beside its guides would
// otherwise
//   move with their mean position, and be left behind when the base turns as a whole.
// - As printed, the second case of alpha also holds inside dense sand (half of a lattice is farther
//   than r from every particle), and grains there sink until they are near a particle. The rule
//   `support` asks for sparseness in both cases: sum w below 45 % of what a filled neighbourhood
//   gives; at a flat surface it is 51 %. It counts base particles only: a wall does not carry a
//   grain before it touches it.
// - As printed, a grain near a lone guide stays with it (alpha = 1 - w is small there), so spray
//   flies in clods. One guide alone tells nothing of the flow around it: `support` lets alpha rise
//   to 1 as the share of max w in sum w goes from 0.6 to 1. Below 0.1 it counts as 0: grains at a
//   resting surface would creep for seconds.
// - A base particle whose acceleration is that of gravity feels no contact, nor do grains about it:
//   where guides fall freely, `support` lets grains fly on their own (alpha = their share in sum
//   w).
#pragma once

#include "math/wide.h"
#include "scene/scene.h"

#include <algorithm>
#include <cmath>

namespace talus::detail {

constexpr float reach = 3;                       ///< h / r
constexpr float weight_at_radius = 0.70233196f;  ///< w(r) = (1 - 1/9)^3
constexpr float lone_share = 0.6f;               ///< of max w in sum w
constexpr float least_share = 0.1f;              ///< of free flight; less would be creep
constexpr float full_support = 2.1543f;          ///< sum w on a lattice of spacing 2 r
constexpr float sparse_support = 0.45f * full_support;
/// Fine grains fill this share of the base particle's ball: the packing of sand in its cube.
constexpr float ball_share = 1.15f;

/// Radius of a fine grain; m.
inline double grain_radius(double base_radius, double factor) {
  return base_radius * std::cbrt(ball_share / factor);
}

/// w of Eq. 23, from t = 1 - d^2/h^2 clamped at 0.
template <class T>
T weight(T t) {
  return t * t * t;
}

/// alpha, from max w, sum w, and the share of freely falling guides in sum w. Without any guide it
/// is 1.
template <class T>
T free_share(SparseRule rule, T largest, T sum, T falling) {
  const auto lone = largest >= T(lone_share) * sum;
  const auto far = largest <= T(weight_at_radius);
  if (rule == SparseRule::never) return select(sum > T(0), T(0), T(1));
  if (rule == SparseRule::printed) return select(lone | far, T(1) - largest, T(0));
  const T share = select(sum > T(0), largest / sum, T(1));
  const T loneliness = max((share - T(lone_share)) * T(1 / (1 - lone_share)), T(0));
  const T free = T(1) - largest * (T(1) - min(loneliness, T(1)));
  const auto sparse = (lone | (far & (sum < T(sparse_support)))) & (free >= T(least_share));
  return max(select(sparse, free, T(0)), min(falling, T(1)));
}

/// How freely a guide falls: 1 when its acceleration is gravity, 0 when it differs by a fifth of
/// it.
inline float falling_share(const Vec3d& acceleration, const Vec3d& gravity) {
  const double g = norm(gravity);
  if (!(g > 0)) return 0;
  const double off = norm(acceleration - gravity) / g;
  // Rounding of stored velocities must not hold back what falls freely.
  return static_cast<float>(std::min(1.0, std::max(0.0, 1.25 * (1 - off / 0.2))));
}

/// x turned by the rotation vector a, less x itself. Rodrigues with series in |a|^2: exact to float
/// precision up to half a radian, which no step reaches.
template <class T>
Vec3<T> turned_by(const Vec3<T>& a, const Vec3<T>& x) {
  const T q = dot(a, a);
  const T s = T(1) + q * (T(-1.0f / 6) + q * T(1.0f / 120));
  const T c = T(0.5f) + q * (T(-1.0f / 24) + q * T(1.0f / 720));
  const Vec3<T> once = cross(a, x);
  return once * s + cross(a, once) * c;
}

}  // namespace talus::detail
