// The numerical constants of each model, in one place. Users choose a model; these are not scene
// keys. docs/numerics.md tells where each model leaves the printed equations, and why.
#pragma once

#include "scene/scene.h"

namespace talus::sph {

enum class KernelShape { wendland_c2, cubic_spline, spiky };

struct ModelConstants {
  KernelShape kernel = KernelShape::wendland_c2;
  float support = 2.12f;          ///< kernel radius h over spacing a
  float skin = 0.1f;              ///< neighbour lists reach this fraction of h further
  bool elastoplastic = true;      ///< p and s live on from step to step (sph/elastoplastic.h);
                                  ///< false: both start each step from zero (the papers)
  bool fill_surface = true;       ///< count the empty half space above a free surface as if full
  bool friction_is_sine = false;  ///< limit by sin(theta) as printed instead of tan(theta)
  bool rate_dependent = true;     ///< friction grows with the inertial number, mu(I)
  float stability = 1.5f;       ///< (R/2) w_p + R w_s stays below this; R = KernelScale::worst_wave
  float pressure_share = 0.5f;  ///< of `stability`, used by pressure
  float separation = 0;         ///< discrete particle forces below this distance, over a
  int least_iterations = 1;
  bool sleeping = false;        ///< particles slower than 2 g dt have their velocity taken (2013)
  bool resting = false;         ///< clusters that have been calm for long are not swept (rest.h)
  float friction_sign = 1;      ///< -1: the sign printed in 2013 Eq. 5; tests show that it fails
  bool cohesive_bonds = false;  ///< Alduán 2011 section 5
  SphBoundary boundary = SphBoundary::half_space;
};

ModelConstants constants_of(SphModel model);

}  // namespace talus::sph
