// Smoothing kernels, as functions of q = r/h in [0, 1), h the support radius.
//   cubic spline   Monaghan 2005; Ihmsen, Wahl & Teschner 2013, section 3.5
//   Wendland C2    Wendland 1995; Dehnen & Aly 2012: no pairing of particles at any neighbour count
//   spiky          Müller, Charypar & Gross 2003 (gradients of Alduán & Otaduy 2011)
// value(q) and slope(q) are the shapes w and w'(q)/q without the factors 1/h^3 and 1/h^5;
// KernelScale holds those, chosen so that a cubic lattice of spacing a sums to exactly one
// (NUMERICS: a factor from the continuous integral leaves the lattice off rest density by up to a
// percent).
// `steepest` bounds -slope(q), so that -slope/steepest fits a WideUnit.
#pragma once

#include "math/vec.h"

namespace talus::sph {

struct WendlandC2 {
  template <class T>
  static T value(T q) {
    const T t = max(T(1.0f) - q, T(0.0f));
    const T t2 = t * t;
    return t2 * t2 * (T(4.0f) * q + T(1.0f));
  }
  static constexpr float steepest = 20;
  /// w'(q)/q; finite at q = 0.
  template <class T>
  static T slope(T q) {
    const T t = max(T(1.0f) - q, T(0.0f));
    return T(-steepest) * t * t * t;
  }
};

struct CubicSpline {
  template <class T>
  static T value(T q) {
    const T outer = max(T(1.0f) - q, T(0.0f));
    const T inner = max(T(0.5f) - q, T(0.0f));
    return T(2.0f) * outer * outer * outer - T(8.0f) * inner * inner * inner;
  }
  static constexpr float steepest = 12;
  template <class T>
  static T slope(T q) {
    const T outer = max(T(1.0f) - q, T(0.0f));
    const T inner = max(T(0.5f) - q, T(0.0f));
    return (T(-6.0f) * outer * outer + T(24.0f) * inner * inner) / max(q, T(1e-6f));
  }
};

/// Density by poly6, gradients by spiky: the pair is not consistent (the slope is not the
/// derivative of the value), which is how the 2011 paper has it; we keep the spiky shape for both
/// so that predicted and summed density agree.
struct Spiky {
  template <class T>
  static T value(T q) {
    const T t = max(T(1.0f) - q, T(0.0f));
    return t * t * t;
  }
  static constexpr float steepest = 30;
  template <class T>
  static T slope(T q) {
    const T t = max(T(1.0f) - q, T(0.0f));
    return T(-3.0f) * t * t / max(q, T(0.1f));
  }
};

/// W(r) = value_factor * value(r/h); gradW_ij = slope_factor * slope(r/h) * (x_i - x_j).
struct KernelScale {
  float h = 0;
  float inverse_h = 0;
  float value_factor = 0;
  float slope_factor = 0;
  /// a^6 * sum_j |gradW_ij|^2 over a full lattice neighbourhood, 1/m^2.
  float gradient_sum = 0;
  /// max over wave vectors of |sum_j a^3 gradW sin(k x_j)|^2, in units of gradient_sum: how much
  /// more strongly the worst short wave reacts than a lone particle. Sets the largest stable
  /// relaxation.
  float worst_wave = 0;
  /// a^3 * sum_j |gradW_ij|/r_ij over a full lattice neighbourhood, 1/m^2.
  float weight_sum = 0;
};

template <class Kernel>
KernelScale make_kernel_scale(float spacing, float support);

}  // namespace talus::sph
