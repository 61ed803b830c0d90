// Yield of granular material: pure functions of stress, pressure and material, for floats and wide
// floats alike. Stress s is the deviatoric stress, positive in tension; p the pressure, Pa.
//
// Drucker-Prager by radial return (Alduán & Otaduy 2011 section 4; Ihmsen 2013 Eq. 4):
//   |s|_F <= sqrt(2) (tan(theta) p + c)
// The papers write sin(theta) and clamp each component. A slope then fails at atan(sin(theta)) or
// lower, and the limit depends on the direction of the axes; in simple shear tau/p must reach
// tan(theta) for the slope to stand at theta.
//
// The model `talus` has a lower limit where sand hardly moves, and stress and strain rate that do
// not have the same axes there: turned_yield_limit().
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

/// Tangent of the angle in Mohr's plane by which the model `talus` turns stress away from the
/// strain rate: half the friction angle where sand hardly moves, nothing where it flows in earnest
/// (faster than 0.3/s), for there a turn feeds waves of pressure, the more the finer the particles
/// are (docs/numerics.md).
template <class T>
T turn_of_stress(T tan_friction, T shear_rate) {
  using std::sqrt;
  const T half = tan_friction / (T(1.0f) + sqrt(T(1.0f) + tan_friction * tan_friction));
  const T rate = shear_rate * T(1 / 0.3f);
  return half / (T(1.0f) + rate * rate);
}

/// The limit with which planes of simple shear slip at tan(theta) when stress is turned by
/// atan(turn). Without a turn it is the one above, and the steepest slope that any state of stress
/// within it holds up is arcsin(tan(theta)): 35.3 degrees for 30, 57 for 40, so that heaps of 40
/// degrees grow far too steep and come down in avalanches. Turned by half of theta the limit is 2
/// sin(theta/2) p, and holds 31.2 and 43.2 degrees.
template <class T>
T turned_yield_limit(T p, T tan_friction, T cohesion, T turn) {
  using std::sqrt;
  return yield_limit(p, tan_friction, cohesion) * sqrt(T(1.0f) + turn * turn) /
         (T(1.0f) + tan_friction * turn);
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
/// the vorticity, by `turn`, and as large as before. Planes of shear then bear more than with
/// stress parallel to D, as grains do that slip along them.
///   de Josselin de Jong 1971, Spencer 1964, Mehrabadi & Cowin 1978: flow by slip on the planes
///   where friction is exhausted, which asks for a turn by all of the friction angle
/// `size`: sqrt(2) |D|; `spin` of spin_of(). Rotation alone turns nothing, since D is 0 there;
/// without vorticity D stays as it is.
template <class T>
Sym3<T> strain_against_stress(const Sym3<T>& D, T size, const Vec3<T>& spin, T turn, T share) {
  using std::sqrt;
  const T vorticity = T(2.0f) * sqrt(squared_norm(spin));
  const T fastest = max(max(size, vorticity), T(1e-12f));
  const Sym3<T> turned = jaumann_rotated(D, spin, -share * turn / fastest);
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
