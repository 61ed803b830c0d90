// Yield of granular material: pure functions of stress, pressure and material, for floats and wide
// floats alike. Stress s is the deviatoric stress, positive in tension; p the pressure, Pa.
//
// Drucker-Prager by radial return (Alduán & Otaduy 2011 section 4; Ihmsen 2013 Eq. 4):
//   |s|_F <= sqrt(2) (tan(theta) p + c)
// The papers write sin(theta) and clamp each component. A slope then fails at atan(sin(theta)) or
// lower, and the limit depends on the direction of the axes; in simple shear tau/p must reach
// tan(theta) for the slope to stand at theta.
#pragma once

#include "math/vec.h"

#include <algorithm>
#include <cmath>

namespace talus::sph {

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

}  // namespace talus::sph
