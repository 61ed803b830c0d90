// Damping from restitution. With damping ~ sqrt(m* S) both normal laws scale to an equation without
// parameters but the damping itself, so restitution does not depend on speed, mass or stiffness:
//   hertz   x'' = -x^3/2 - b sqrt(1.5 x^1/2) x'        linear  x'' = -x - b x'
// A collision ends when the force is zero (it never pulls); for contacts that may pull, closed
// forms exist (3.23-3.25; Antypov & Elliott 2011), with the cut at zero we integrate and invert.
#pragma once

#include "dem/laws.h"

namespace talus::dem {

/// Restitution of a collision with damping b.
double restitution_of(NormalLaw law, double damping);

/// The b that gives restitution e, 0 < e <= 1.
double damping_for(NormalLaw law, double restitution);

}  // namespace talus::dem
