// Yield of granular material: pure functions of stress, pressure and material, for floats and wide
// floats alike. Stress s is the deviatoric stress, positive in tension; p the pressure, Pa.
//
// Drucker-Prager by radial return (Alduán & Otaduy 2011 section 4; Ihmsen 2013 Eq. 4):
//   |s|_F <= sqrt(2) (tan(theta) p + c)
// The papers write sin(theta) and clamp each component. A slope then fails at atan(sin(theta)) or
// lower, and the limit depends on the direction of the axes; in simple shear tau/p must reach
// tan(theta) for the slope to stand at theta.
//
// The model `talus` has a lower limit, and stress and strain rate that do not have the same axes, so
// that slopes start to flow at the angle at which they stop: turned_yield_limit().
#pragma once

#include "math/vec.h"

#include <algorithm>
#include <cmath>

namespace talus::sph {

/// Upper entries (xy, xz, yz) of (L - L^T)/2, L_ab = dv_a/dx_b.
template <class T>
Vec3<T> spin_of(const Mat3<T>& L) {
  const T half(0.5f);
  return {half * (L.row[0].y - L.row[1].x), half * (L.row[0].z - L.row[2].x),
          half * (L.row[1].z - L.row[2].y)};
}

/// Rotates s with the material: s + dt (W s - s W), W the spin above (Jaumann rate).
template <class T>
Sym3<T> jaumann_rotated(const Sym3<T>& s, const Vec3<T>& spin, T dt) {
  const T wxy = spin.x * dt, wxz = spin.y * dt, wyz = spin.z * dt;
  const T two = T(2.0f);
  return {s.xx + two * (wxy * s.xy + wxz * s.xz),
          s.yy + two * (wyz * s.yz - wxy * s.xy),
          s.zz - two * (wxz * s.xz + wyz * s.yz),
          s.xy + wxy * (s.yy - s.xx) + wxz * s.yz + wyz * s.xz,
          s.xz + wxz * (s.zz - s.xx) + wxy * s.yz - wyz * s.xy,
          s.yz + wyz * (s.zz - s.yy) - wxy * s.xz - wxz * s.xy};
}

/// Largest Frobenius norm of the frictional stress.
template <class T>
T yield_limit(T p, T tan_friction, T cohesion) {
  return T(1.41421356f) * (tan_friction * max(p, T(0.0f)) + cohesion);
}

/// Of a cohesion c as soil mechanics means it, the share that the yield limit above counts with. At
/// the foot of a vertical cut the limit bears 2 c'/(1 - tan(theta)), the classic height H = 4 c
/// tan(45 + theta/2)/(rho g) asks for 2 c tan(45 + theta/2); particles without order bear less than
/// the limit says, by a quarter (measured at 20 and 30 degrees, docs/numerics.md). Bounded: above
/// 45 degrees the limit itself holds a cut up.
inline double counted_cohesion(double tan_friction) {
  const double classic = tan_friction + std::sqrt(1 + tan_friction * tan_friction);
  return std::clamp(1.25 * (1 - tan_friction) * classic, 0.3, 1.0);
}

/// tan(theta/2) of tan(theta).
template <class T>
T tangent_of_half(T tangent) {
  using std::sqrt;
  return tangent / (T(1.0f) + sqrt(T(1.0f) + tangent * tangent));
}

/// The limit of the model `talus`: 2 sin(theta/2)/tan(theta) of the one above. With it and the turn
/// below, sand that flows in simple shear rubs with tan(theta), and the steepest slope that any
/// state of stress within the limit holds up is arcsin(2 sin(theta/2)): 31.2 degrees for 30, 43.2
/// for 40. (The limit above, without a turn, holds 35.3 and 57: heaps of 40 degrees then grow to 50
/// and come down in avalanches. Mohr and Coulomb's sin(theta) with a turn by all of theta has no
/// such difference at all, but then heaps of 55 degrees flow down to 46; docs/numerics.md.)
template <class T>
T turned_yield_limit(T p, T tan_friction, T cohesion) {
  using std::sqrt;
  const T d2 = tangent_of_half(tan_friction) * tangent_of_half(tan_friction);
  return yield_limit(p, tan_friction, cohesion) * (T(1.0f) - d2) / sqrt(T(1.0f) + d2);
}

/// How much of a strain rate D is flow: 1 where s is at its limit and D goes on loading it, soon
/// nothing inside, nothing where D unloads. (A response that is turned in unloading too is not
/// elastic: sand that has come to rest stirs twice as much.)
template <class T>
T yielding(const Sym3<T>& s, T limit, const Sym3<T>& D) {
  using std::sqrt;
  const T reached = min(squared_norm(s) / max(limit * limit, T(1e-20f)), T(1.0f));
  const T work =
      s.xx * D.xx + s.yy * D.yy + s.zz * D.zz + T(2.0f) * (s.xy * D.xy + s.xz * D.xz + s.yz * D.yz);
  const T most = sqrt(max(squared_norm(s) * squared_norm(D), T(1e-30f)));
  return reached * reached * min(max(T(2.0f) * work / most, T(0.0f)), T(1.0f));
}

/// The strain rate D that works against the stress: where the material yields it is turned against
/// the vorticity, by half the friction angle in Mohr's plane, and as large as before. Planes of
/// shear then bear more than with stress parallel to D, as grains do that slip along them.
///   de Josselin de Jong 1971, Spencer 1964, Mehrabadi & Cowin 1978: flow by slip on the planes
///   where friction is exhausted, which asks for a turn by all of the friction angle
/// `size`: sqrt(2) |D|; `spin` of spin_of(). Rotation alone turns nothing, since D is 0 there;
/// without vorticity D stays as it is.
template <class T>
Sym3<T> strain_against_stress(const Sym3<T>& D, T size, const Vec3<T>& spin, T tan_friction,
                              T share) {
  using std::sqrt;
  const T vorticity = T(2.0f) * sqrt(squared_norm(spin));
  const T fastest = max(max(size, vorticity), T(1e-12f));
  const T turn = share * tangent_of_half(tan_friction) / fastest;
  const Sym3<T> turned = jaumann_rotated(D, spin, -turn);
  return turned * sqrt(squared_norm(D) / max(squared_norm(turned), T(1e-30f)));
}

/// The factor that brings s back to the yield surface; 1 inside.
template <class T>
T radial_return(const Sym3<T>& s, T limit) {
  using std::sqrt;
  const T n2 = squared_norm(s);
  return select(n2 > limit * limit, limit / sqrt(max(n2, T(1e-30f))), T(1.0f));
}

/// mu(I) = mu + 0.26 I/(I + 0.28), I = rate d / sqrt(p/rho): flowing material rubs harder than
/// resting material (Jop, Forterre & Pouliquen 2006, with their spread mu_2 - mu_s and I_0 for
/// glass beads). d is the grain diameter, m; 0 switches it off.
template <class T>
T rate_dependent_friction(T mu, T shear_rate, T p, T rho, T d) {
  using std::sqrt;
  const T inertial = shear_rate * d * sqrt(rho / max(p, T(1.0f)));
  return mu + T(0.26f) * inertial / (inertial + T(0.28f));
}

}  // namespace talus::sph
