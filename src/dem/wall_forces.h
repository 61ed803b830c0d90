// Forces between the spheres of a chunk and the smooth faces of bodies.
#pragma once

#include "dem/step_input.h"

namespace talus::dem {

using WallForces = void (*)(const StepInput&, ChunkList&, ChunkForces&, ContactTally&);

WallForces wall_forces(NormalLaw normal, TangentialLaw tangential);

}  // namespace talus::dem
