// Smooth and cellular noise in three dimensions, from integer hashes.
#pragma once

#include "math/vec.h"

#include <cstdint>

namespace talus {

struct NoiseValue {
  float value;     ///< 0..1
  Vec3f gradient;  ///< per unit of the lattice
};

/// Value noise with a quintic blend: one smooth bump per lattice cell.
NoiseValue value_noise(const Vec3f& p, std::uint32_t seed);

struct CellNoise {
  Vec3f to_point;      ///< from the nearest feature point to p
  float nearest;       ///< distance to it
  float second;        ///< distance to the second nearest
  std::uint32_t cell;  ///< hash of the nearest
};

/// One jittered feature point per lattice cell.
CellNoise cell_noise(const Vec3f& p, std::uint32_t seed);

}  // namespace talus
