// Forces between the spheres of a chunk's list of pairs.
#pragma once

#include "dem/step_input.h"

namespace talus::dem {

/// Finds the pairs that touch, and adds their forces and moments.
using PairForces = void (*)(const StepInput&, ChunkList&, ChunkForces&, ContactTally&);

/// The loop for a combination of laws; spheres need fewer loads than clumps.
PairForces pair_forces(NormalLaw normal, TangentialLaw tangential, bool clumps);

}  // namespace talus::dem
