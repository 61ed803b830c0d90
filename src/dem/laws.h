// Contact laws as pure functions on plain values: T is float, or a wide float for eight contacts.
//   Longmore 2009, "Towards realistic and interactive sand simulation", Eq. 3.1-3.28
//   Alduán, Tena & Otaduy 2009, "Simulation of high-resolution granular media", Eq. 1, 2
//   Tsuji, Tanaka & Ishida 1992 (damping ~ xi^1/4); Mindlin & Deresiewicz 1953; Zhou et al. 1999
//   (rolling); Willett et al. 2000 (capillary bridges)
// Symbols: overlap xi (m), n unit normal from j to i, v relative velocity of i at the contact point
// (m/s), R* and m* effective radius and mass, S = dF_n/dxi (N/m).
//
// A law is composed of normal part, tangential part, rolling part and capillary part.
//   hertz       F = (2/3) S xi + b sqrt(m* S) xi',  S = 2 E* sqrt(R* xi)
//   linear      F = S xi + b sqrt(m* S) xi',        S = k_n                             (3.8)
//   alduan2009  F = k_n xi^3/2 + gamma_n xi^1/2 xi'                                      (Eq. 1)
// Deviations: Eq. 3.18 damps with xi^1/2, whose restitution depends on speed; ours with xi^1/4 does
// not. A contact never pulls (F >= 0) unless it is moist; the damping b is calibrated with that cut
// (restitution.h), so that the restitution asked for is the one measured.
#pragma once

#include "math/vec.h"
#include "math/wide.h"

#include <cmath>

namespace talus::dem {

enum class NormalLaw { hertz, linear, alduan2009 };
enum class TangentialLaw { viscous, mindlin };

/// Constants of one pair of materials, or of a material and a body.
template <class T>
struct PairLaw {
  T stiffness;        ///< hertz: 2 E* (Pa); linear: k_n (N/m); alduan2009: k_n (N/m^3/2)
  T damping;          ///< hertz, linear: b; alduan2009: gamma_n (N s/m^3/2)
  T shear_ratio;      ///< k_t / S
  T shear_root;       ///< its square root
  T shear_viscosity;  ///< N s/m of the viscous law; 0: shear_damping sqrt(m* k_t)
  T friction;         ///< Coulomb coefficient
  T rolling;          ///< rolling moment = rolling R* F_n
  T capillary;        ///< N/m: pull = capillary R*
  T reach;            ///< a bridge breaks at this gap over R*
};

/// Puts the constants of one pair into a lane of eight pairs' ones.
inline void set_lane(PairLaw<WideFloat>& w, int lane, const PairLaw<float>& p) {
  w.stiffness.set(lane, p.stiffness);
  w.damping.set(lane, p.damping);
  w.shear_ratio.set(lane, p.shear_ratio);
  w.shear_root.set(lane, p.shear_root);
  w.shear_viscosity.set(lane, p.shear_viscosity);
  w.friction.set(lane, p.friction);
  w.rolling.set(lane, p.rolling);
  w.capillary.set(lane, p.capillary);
  w.reach.set(lane, p.reach);
}

/// Share of critical damping of the viscous tangential law when no coefficient is given. Five such
/// contacts on a grain stay stable at the automatic step.
constexpr float shear_damping = 0.5f;

template <class T>
struct Normal {
  T elastic;    ///< N
  T damping;    ///< N s/m
  T stiffness;  ///< S, N/m
};

namespace law_detail {
inline float root(float a) { return std::sqrt(a); }
inline WideFloat root(WideFloat a) { return sqrt(a); }
template <class T>
T positive(T a) {
  return max(a, T(0.0f));
}
template <class T>
constexpr T tiny() {
  return T(1e-30f);
}
}  // namespace law_detail

/// `xi` >= 0.
template <NormalLaw law, class T>
[[gnu::always_inline]] inline Normal<T> normal_response(const PairLaw<T>& p, T xi,
                                                        T effective_radius, T effective_mass) {
  using law_detail::root;
  if constexpr (law == NormalLaw::hertz) {
    const T s = p.stiffness * root(effective_radius * xi);
    return {T(2.0f / 3.0f) * s * xi, p.damping * root(effective_mass * s), s};
  } else if constexpr (law == NormalLaw::linear) {
    return {p.stiffness * xi, p.damping * root(effective_mass * p.stiffness), p.stiffness};
  } else {
    const T s = root(xi);
    return {p.stiffness * s * xi, p.damping * s, T(1.5f) * p.stiffness * s};
  }
}

/// What two particles that touch, or are bridged, know of each other.
template <class T>
struct Touch {
  T overlap;         ///< m; negative = gap
  Vec3<T> normal;    ///< from j to i
  Vec3<T> velocity;  ///< of i relative to j at the contact point
  T effective_radius, effective_mass;
};

/// Stored by contacts of the law with memory.
template <class T>
struct Slide {
  Vec3<T> displacement;  ///< m, tangential, of i relative to j since the contact began to stick
  T stiffness;           ///< N/m, S of the step before
};

template <class T>
struct ContactForce {
  T normal;            ///< N, >= 0: the repulsive part, which friction knows
  T pull;              ///< N, capillary
  Vec3<T> tangential;  ///< N on i
  T stiffness;         ///< N/m, for the step limit
  Vec3<T> on_i(const Vec3<T>& n) const { return n * (normal - pull) + tangential; }
};

/// Eq. 2 of 2009 and 3.28: drag, at most Coulomb's.
template <class T>
[[gnu::always_inline]] inline Vec3<T> viscous_friction(const PairLaw<T>& p, const Vec3<T>& v_t,
                                                       T normal, T stiffness, T mass) {
  using law_detail::root;
  const T automatic = T(shear_damping) * root(mass * p.shear_ratio * stiffness);
  const T coefficient = select(p.shear_viscosity > T(0.0f), p.shear_viscosity, automatic);
  const T speed = root(dot(v_t, v_t) + law_detail::tiny<T>());
  return v_t * -min(coefficient, p.friction * normal / speed);
}

/// Mindlin with stored displacement (3.12 and 3.17, put right): turned into the present tangent
/// plane, shortened when the contact softens (else unloading would create energy), moved on by
/// v dt, and cut back to Coulomb's limit when it slides. What is stored then is the limit without
/// the dashpot: with it, a sphere that slides fast would drag less than Coulomb as the dashpot
/// fades.
template <class T>
[[gnu::always_inline]] inline Vec3<T> stored_friction(const PairLaw<T>& p, const Touch<T>& touch,
                                                      const Vec3<T>& v_t, const Normal<T>& normal,
                                                      T normal_force, T dt, Slide<T>& slide) {
  using law_detail::root;
  const T softened = min(T(1.0f), normal.stiffness / max(slide.stiffness, law_detail::tiny<T>()));
  Vec3<T> xi = slide.displacement * softened;
  xi = xi - touch.normal * dot(xi, touch.normal) + v_t * dt;
  const T k = p.shear_ratio * normal.stiffness;
  const T gamma = normal.damping * p.shear_root;
  const Vec3<T> trial = xi * -k - v_t * gamma;
  const T size = root(dot(trial, trial) + law_detail::tiny<T>());
  // One division for both mu F / size and 1 / k.
  const T inverse = T(1.0f) / max(size * k, law_detail::tiny<T>());
  const T kept = min(T(1.0f), p.friction * normal_force * k * inverse);
  const Vec3<T> force = trial * kept;
  const Vec3<T> slid = force * (-size * inverse);
  const auto sliding = kept < T(1.0f);
  slide.displacement = {select(sliding, slid.x, xi.x), select(sliding, slid.y, xi.y),
                        select(sliding, slid.z, xi.z)};
  slide.stiffness = normal.stiffness;
  return force;
}

/// Constant while the particles touch, then falling linearly to nothing at the rupture distance.
template <class T>
[[gnu::always_inline]] inline T capillary_pull(const PairLaw<T>& p, T overlap, T effective_radius) {
  const T reach = p.reach * effective_radius + law_detail::tiny<T>();
  const T gap = law_detail::positive(-overlap);
  return p.capillary * effective_radius * law_detail::positive(T(1.0f) - gap / reach);
}

template <NormalLaw law, TangentialLaw tangential, class T>
[[gnu::always_inline]] inline ContactForce<T> contact_force(const PairLaw<T>& p,
                                                            const Touch<T>& touch, T dt, bool moist,
                                                            Slide<T>& slide) {
  const T xi = law_detail::positive(touch.overlap);
  Normal<T> normal = normal_response<law>(p, xi, touch.effective_radius, touch.effective_mass);
  const T v_n = dot(touch.velocity, touch.normal);
  if constexpr (law == NormalLaw::linear) {
    // The dashpot acts at once, from some instant between two steps. What it misses or exceeds in
    // the first one is made up for, or restitution would depend on that instant.
    const T entered = xi / max(-v_n * dt, law_detail::tiny<T>());
    const auto fresh = (v_n < T(0.0f)) & (entered < T(1.0f));
    normal.damping = select(fresh, normal.damping * (T(0.5f) + entered), normal.damping);
  }
  ContactForce<T> out;
  out.normal = law_detail::positive(normal.elastic - normal.damping * v_n);
  out.normal = select(touch.overlap > T(0.0f), out.normal, T(0.0f));
  out.pull = moist ? capillary_pull(p, touch.overlap, touch.effective_radius) : T(0.0f);
  out.stiffness = normal.stiffness;
  const Vec3<T> v_t = touch.velocity - touch.normal * v_n;
  if constexpr (tangential == TangentialLaw::viscous)
    out.tangential = viscous_friction(p, v_t, out.normal, normal.stiffness, touch.effective_mass);
  else
    out.tangential = stored_friction(p, touch, v_t, normal, out.normal, dt, slide);
  return out;
}

/// Moment on i against rolling of i over j, `spin` = omega_i - omega_j; opposite on j. Without
/// memory: drag for slow rolling, so that it does not chatter about zero; piles of spheres creep.
template <class T>
[[gnu::always_inline]] inline Vec3<T> rolling_moment(const PairLaw<T>& p, const Touch<T>& touch,
                                                     const ContactForce<T>& force,
                                                     const Vec3<T>& spin) {
  using law_detail::root;
  const T r = touch.effective_radius;
  const T drag =
      T(shear_damping) * r * r * root(touch.effective_mass * p.shear_ratio * force.stiffness);
  const T rate = root(dot(spin, spin) + law_detail::tiny<T>());
  return spin * -min(drag, p.rolling * r * force.normal / rate);
}

/// The same with memory (Iwashita & Oda 1998; Ai et al. 2011, type C): a spring of k_t R*^2 that
/// the rolling winds up, a dashpot beside it, both cut at the limit; spheres then come to rest.
template <class T>
[[gnu::always_inline]] inline Vec3<T> stored_rolling(const PairLaw<T>& p, const Touch<T>& touch,
                                                     const ContactForce<T>& force,
                                                     const Vec3<T>& spin, T dt, Slide<T>& turn) {
  using law_detail::root;
  const T r = touch.effective_radius, k_t = p.shear_ratio * force.stiffness, k = k_t * r * r;
  const T drag = T(shear_damping) * r * r * root(touch.effective_mass * k_t);
  const T softened = min(T(1.0f), force.stiffness / max(turn.stiffness, law_detail::tiny<T>()));
  const Vec3<T> angle = turn.displacement * softened + spin * dt;
  const Vec3<T> trial = angle * -k - spin * drag;
  const T size = root(dot(trial, trial) + law_detail::tiny<T>());
  const T kept = min(T(1.0f), p.rolling * r * force.normal / size);
  const Vec3<T> moment = trial * kept;
  const T winds = T(1.0f) / max(k, law_detail::tiny<T>());
  const auto rolls = kept < T(1.0f);
  turn.displacement = {select(rolls, moment.x * -winds, angle.x),
                       select(rolls, moment.y * -winds, angle.y),
                       select(rolls, moment.z * -winds, angle.z)};
  turn.stiffness = force.stiffness;
  return moment;
}

}  // namespace talus::dem
