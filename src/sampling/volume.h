// Filling a shape with material: the starting positions of particles and grains.
#pragma once

#include "core/parallel.h"
#include "geometry/distance.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace talus {

enum class Arrangement {
  lattice,   ///< cubic, aligned to the shape's local bounds and centred in them
  jittered,  ///< the lattice, each point moved by up to jitter * spacing along each axis
  relaxed,   ///< even and without axes, a layer of points following each curved surface
};

/// "lattice", "jittered", "relaxed".
Result<Arrangement> parse_arrangement(std::string_view name);

/// Points in the world frame, inside the shape and at least spacing/2 from its surface, so that a
/// box of n x m x k spacings gets exactly n m k of them. An error when none fits, and when there
/// would be more than `max_points`; 0 takes what the memory of this machine can hold.
Result<std::vector<Vec3f>> fill_volume(const DistanceField& field, const Posed& pose,
                                       double spacing, Arrangement arrangement, double jitter,
                                       std::uint64_t seed, const Executor& executor,
                                       std::size_t max_points = 0);

/// m^3 of the solid, by sampling the distance on a grid of cells_per_axis along the longest side;
/// the error is about a thousandth for 96. Exact volumes: geometry/mass_properties.h.
Result<double> estimate_volume(const DistanceField& field, const Executor& executor,
                               int cells_per_axis = 96);

}  // namespace talus
