#include "dem/time_step.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace talus::dem {

TimeStep::TimeStep(const Scene& scene, std::span<const GrainShape> shapes, const PairLaws& laws) {
  const NormalLaw law = normal_law_of(scene);
  exponent_ = law == NormalLaw::linear ? 0 : -0.2;
  for (std::size_t a = 0; a < scene.materials.size(); ++a) {
    const Material& m = scene.materials[a];
    const double d = m.grain_diameter * (1 - m.grain_size_spread);
    const double r = shapes[a].least * d;
    const double mass = m.grain_density * shapes[a].volume * d * d * d;
    const double shear = m.young_modulus / (2 * (1 + m.poisson_ratio));
    rayleigh_ = std::min(rayleigh_, std::numbers::pi * r * std::sqrt(m.grain_density / shear) /
                                        (0.1631 * m.poisson_ratio + 0.8766));
    least_radius_ = std::min(least_radius_, r);
    for (std::size_t b = 0; b < laws.surfaces(); ++b) {
      // Against an equal grain, or a body: half the mass and radius, or all of it.
      const double share = b < scene.materials.size() ? 0.5 : 1.0;
      const double k = static_cast<double>(laws(a, b).stiffness);
      const double hertz = law == NormalLaw::hertz ? 2.0 / 3.0 * k * std::sqrt(share * r) : k;
      // Strong damping is quicker than the collision.
      const double damping = law == NormalLaw::alduan2009 ? 0 : double{laws(a, b).damping};
      const double undamped = law == NormalLaw::linear
                                  ? std::numbers::pi * std::sqrt(share * mass / k)
                                  : 3.218 * std::pow(share * mass / hertz, 0.4);
      collision_ = std::min(collision_, undamped / std::max(1.0, 2 * damping));
      if (law != NormalLaw::alduan2009) continue;
      const double gamma = double{laws(a, b).damping};
      damping_ = std::max(damping_, std::pow(gamma / (share * mass), 2.0 / 3.0));
      damping_share_ = std::max(damping_share_, gamma / (1.5 * k));
    }
    slow_ = std::max(slow_, 0.1 * std::sqrt(norm(scene.gravity) * d));
  }
  slow_ = std::max(slow_, 1e-3);
}

StepLimit TimeStep::limit(double speed, double stiffest, double rim) const {
  const double impact = std::max(2 * speed, slow_);
  StepLimit best{collision_part * collision_ * std::pow(impact, exponent_), "collision"};
  const auto consider = [&](double dt, std::string_view reason) {
    if (dt < best.dt) best = {dt, reason};
  };
  consider(rayleigh_part * rayleigh_, "rayleigh");
  if (stiffest > 0) consider(contact_part * std::numbers::pi / std::sqrt(stiffest), "contact");
  if (damping_ > 0) consider(damping_part / (damping_ * std::cbrt(1.5 * impact)), "damping");
  if (damping_share_ * stiffest > 0)
    consider(damping_part / (damping_share_ * stiffest), "damping");
  if (speed + rim > 0) consider(travel_part * least_radius_ / (speed + rim), "speed");
  return best;
}

}  // namespace talus::dem
