// The longest step that resolves what happens.
//   collision  Hertz: t = 2.87 (m*^2/(R* E*^2 v))^(1/5)  (3.22, with the constant put right);
//              linear: t = pi sqrt(m*/k)  (3.23 without damping); a part of it
//   rayleigh   t = pi R sqrt(rho/G)/(0.1631 nu + 0.8766): the time a surface wave needs round the
//              smallest sphere; a part of it
//   contact    the stiffest contact of the step before: pi sqrt(m*/S); a part of it
//   damping    of the published law (2009, Eq. 1), whose gamma is given: an impact at v meets at
//              most gamma^2/3 (1.5 m* v)^1/3 of it (N s/m), where the dashpot alone has stopped it;
//              a part of m* over that, and over that of the contacts of the step before
//   speed      nothing may move more than a tenth of the smallest radius, the outer spheres of a
//              grain that spins included: no grain crosses another within a step
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
  /// @param rim      m/s, what spin adds to the speed of a grain's outer spheres
  StepLimit limit(double speed, double stiffest, double rim = 0) const;
  /// Parts of the limits that a step may last.
  static constexpr double collision_part = 1.0 / 30, rayleigh_part = 0.25, contact_part = 1.0 / 18,
                          damping_part = 0.4, travel_part = 0.1;

 private:
  double rayleigh_ = 1e300;
  double collision_ = 1e300;  ///< s at a relative speed of 1 m/s
  double exponent_ = 0;       ///< of the speed
  double damping_ = 0;        ///< s^-2/3 m^-1/3, greatest (gamma / m*)^2/3 of the published law
  double damping_share_ = 0;  ///< s, greatest damping over stiffness of its contacts
  double least_radius_ = 1e300;
  double slow_ = 0;  ///< m/s, collisions slower than this do not count
};

}  // namespace talus::dem
