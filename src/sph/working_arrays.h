// Working copies of a step, laid out for the sweeps: in the present order of the particles, padded
// to whole clusters. Arrays that neighbours read go on with the extras (images, boundary
// particles).
#pragma once

#include "core/array.h"
#include "geometry/cluster_pairs.h"
#include "sph/walls.h"

#include <array>

namespace talus::sph {

struct WorkingArrays {
  // Read by neighbours: particles, padding, extras.
  ScratchArray<Float4> position;        ///< m; w = rest volume over the largest one
  ScratchArray<Float4> velocity;        ///< m/s, predicted
  ScratchArray<PackedStress> packed;    ///< q = (s - p I)/J^2, Pa
  ScratchArray<float> pressure_change;  ///< of the last pass, over J^2, Pa
  ScratchArray<float> viscosity;        ///< dimensionless
  ScratchArray<float> attraction;       ///< kappa of 2013 Eq. 22, m^3/s^2
  // Of the particle alone.
  ScratchArray<Float4> advected;  ///< velocity without stress, m/s
  ScratchArray<float> compression, rest_density, friction, cohesion;
  ScratchArray<float> inertia_length;  ///< grain diameter of mu(I), m; 0 = rate independent
  ScratchArray<float> p, tension, bond_limit;
  ScratchArray<float> last_p;                   ///< at the end of the last step, Pa
  ScratchArray<float> coherence;                ///< of the stress around, see StressSolve
  ScratchArray<float> slack;                    ///< compression that is left alone
  ScratchArray<float> relaxation;               ///< 1, less near walls
  ScratchArray<float> predicted;                ///< compression at the end of the step
  ScratchArray<float> shear_rate;               ///< 1/s
  ScratchArray<float> stress_step;              ///< squared change of s in the last pass
  std::array<ScratchArray<float>, 6> s;         ///< xx, yy, zz, xy, xz, yz
  std::array<ScratchArray<float>, 3> gradient;  ///< G of sph/sweeps.h
  std::array<ScratchArray<float>, 3> spin;      ///< xy, xz, yz of (L - L^T)/2, 1/s

  /// The arrays of the particle alone, for whoever treats them all the same.
  template <class Self>
  static auto own(Self& self) {
    return std::array{&self.compression, &self.rest_density,   &self.friction,
                      &self.cohesion,    &self.inertia_length, &self.p,
                      &self.tension,     &self.bond_limit,     &self.predicted,
                      &self.shear_rate,  &self.stress_step,    &self.relaxation,
                      &self.slack,       &self.last_p,         &self.coherence};
  }

  void resize(std::size_t padded, std::size_t total) {
    packed.resize(total);
    for (auto* a : {&pressure_change, &viscosity, &attraction}) a->resize(total);
    advected.resize(padded);
    for (auto* a : own(*this)) a->resize(padded);
    for (auto& a : s) a.resize(padded);
    for (auto& a : spin) a.resize(padded);
    for (auto& a : gradient) a.resize(padded);
  }
  std::size_t memory_bytes() const {
    std::size_t bytes = position.memory_bytes() + velocity.memory_bytes() + packed.memory_bytes() +
                        advected.memory_bytes();
    for (const auto* a : {&pressure_change, &viscosity, &attraction}) bytes += a->memory_bytes();
    for (const auto* a : own(*this)) bytes += a->memory_bytes();
    for (const auto& a : s) bytes += a.memory_bytes();
    for (const auto& a : spin) bytes += a.memory_bytes();
    for (const auto& a : gradient) bytes += a.memory_bytes();
    return bytes;
  }
};

}  // namespace talus::sph
