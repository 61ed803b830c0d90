// The load of sand that is filled in at rest: what a bed would bear once it has settled. Without it
// a bed begins without stress, falls for a moment, and is compressed by more than its weight asks
// for.
#pragma once

#include "bodies/body.h"
#include "math/vec.h"

#include <span>
#include <vector>

namespace talus::sph {

struct Filled {
  std::span<const Vec3f> position, velocity;
  Vec3d gravity;
  float spacing = 0;
};

/// g times the depth below the top, m^2/s^2, of every particle that stands on a body; 0 of those
/// that hang in the air or move. The sand is cut into columns along gravity, two spacings wide; a
/// gap of more than 1.6 spacings ends a column.
std::vector<float> heads_of(const Filled& sand, std::span<const Body> bodies);

/// What the sand will bear at its bottom, m^2/s^2: of a bed the mean way of particles from their
/// middle along gravity is a quarter of the depth; a few far away do not change it.
float expected_load(const Filled& sand);

}  // namespace talus::sph
