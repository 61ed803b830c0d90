// The longest step that resolves what happens.
//   collision  Hertz: t = 2.87 (m*^2/(R* E*^2 v))^(1/5)  (3.22, with the constant put right);
//              linear: t = pi sqrt(m*/k)  (3.23 without damping); a part of it
//   rayleigh   t = pi R sqrt(rho/G)/(0.1631 nu + 0.8766): the time a surface wave needs round the
//              smallest sphere; a part of it
//   contact    the stiffest contact of the step before: pi sqrt(m*/S); a part of it
//   speed      nothing may move more than a tenth of the smallest radius
#pragma once

#include "bodies/body.h"
#include "dem/grain_shape.h"
#include "dem/pair_laws.h"
#include "scene/scene.h"

#include <span>
#include <string_view>

namespace talus::dem {

struct StepLimit {
  double dt = 0;
  std::string_view reason;
};

class TimeStep {
 public:
  TimeStep() = default;
  TimeStep(const Scene& scene, std::span<const GrainShape> shapes, const PairLaws& laws);

  /// @param speed    m/s, greatest of grains and bodies
  /// @param stiffest 1/s^2, greatest stiffness over mass of a contact
  StepLimit limit(double speed, double stiffest) const;
  /// Parts of the limits that a step may last.
  static constexpr double collision_part = 1.0 / 30, rayleigh_part = 0.25, contact_part = 1.0 / 18,
                          travel_part = 0.1;

 private:
  double rayleigh_ = 1e300;
  double collision_ = 1e300;  ///< s at a relative speed of 1 m/s
  double exponent_ = 0;       ///< of the speed
  double least_radius_ = 1e300;
  double slow_ = 0;  ///< m/s, collisions slower than this do not count
};

}  // namespace talus::dem
