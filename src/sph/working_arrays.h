// Working copies of a step, laid out for the sweeps: in the present order of the particles, padded
// to whole clusters. Arrays that neighbours read go on with the extras (images, boundary
// particles).
#pragma once

#include "core/array.h"
#include "geometry/cluster_pairs.h"
#include "sph/walls.h"

#include <array>

namespace talus::sph {

/// The affine motion around a particle, as neighbours read it.
struct AffineMotion {
  Vec3f row[3];  ///< dv_a/dx_b, exact for affine motions, 1/s
  float known;   ///< 1, or 0 where there are too few neighbours to tell
};

struct WorkingArrays {
  // Read by neighbours: particles, padding, extras.
  ScratchArray<Float4> position;      ///< m; w = rest volume over the largest one
  ScratchArray<Float4> velocity;      ///< m/s, predicted
  ScratchArray<PackedStress> packed;  ///< q = (s - p I)/J^2, Pa
  // Of the particle alone.
  ScratchArray<float> compression, rest_density, friction, cohesion;
  ScratchArray<float> inertia_length;    ///< grain diameter of mu(I), m; 0 = rate independent
  ScratchArray<float> p;                 ///< Pa
  ScratchArray<float> relaxation;        ///< 1, less near walls
  ScratchArray<float> predicted;         ///< compression at the end of the step
  ScratchArray<float> shear_rate;        ///< 1/s
  std::array<ScratchArray<float>, 6> s;  ///< xx, yy, zz, xy, xz, yz
  std::array<ScratchArray<float>, 3> gradient;  ///< G of sph/sweeps.h
  // Where there are forces between pairs besides stress; `advected` in the papers' models too.
  ScratchArray<float> viscosity;   ///< read by neighbours; dimensionless
  ScratchArray<float> attraction;  ///< read by neighbours; kappa of 2013 Eq. 22, m^3/s^2
  ScratchArray<Float4> advected;   ///< papers: velocity without stress; else its change in a pass
  // Of the papers' models.
  ScratchArray<float> tension, bond_limit;
  ScratchArray<float> stress_step;  ///< squared change of s in the last pass
  // Of sph/elastoplastic.h, which sizes them.
  ScratchArray<AffineMotion> affine;       ///< read by neighbours
  ScratchArray<Float4> moved;              ///< m, within the step
  ScratchArray<PackedStress> mean_packed;  ///< of the passes, only with boundary particles

  /// The arrays of the particle alone that all have one float, for whoever treats them the same.
  template <class Self>
  static auto own(Self& self) {
    return std::array{&self.compression, &self.rest_density,   &self.friction,
                      &self.cohesion,    &self.inertia_length, &self.p,
                      &self.predicted,   &self.shear_rate,     &self.relaxation,
                      &self.s[0],        &self.s[1],           &self.s[2],
                      &self.s[3],        &self.s[4],           &self.s[5],
                      &self.gradient[0], &self.gradient[1],    &self.gradient[2]};
  }

  void resize(std::size_t padded, std::size_t total, bool of_papers, bool pair_forces) {
    packed.resize(total);
    if (pair_forces)
      for (auto* a : {&viscosity, &attraction}) a->resize(total);
    if (pair_forces || of_papers) advected.resize(padded);
    for (auto* a : own(*this)) a->resize(padded);
    if (of_papers)
      for (auto* a : {&tension, &bond_limit, &stress_step}) a->resize(padded);
  }
  std::size_t memory_bytes() const {
    std::size_t bytes = position.memory_bytes() + velocity.memory_bytes() + packed.memory_bytes() +
                        advected.memory_bytes() + affine.memory_bytes() + moved.memory_bytes() +
                        mean_packed.memory_bytes();
    for (const auto* a : {&viscosity, &attraction, &tension, &bond_limit, &stress_step})
      bytes += a->memory_bytes();
    for (const auto* a : own(*this)) bytes += a->memory_bytes();
    return bytes;
  }
};

}  // namespace talus::sph
