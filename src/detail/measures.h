// Figures that tell good fine grains from bad ones.
#pragma once

#include "core/parallel.h"
#include "math/vec.h"

#include <span>
#include <vector>

namespace talus::detail {

/// How much grains clump: the counts in small cells vary about the mean of their block of 8^3
/// cells; the index is that variance over the mean, less 1, pooled over all blocks that hold at
/// least 64 grains. Independent, evenly spread grains (Poisson) give 0, grains in clods of n about
/// n - 1. Differences between blocks, the shape of the splash as a whole, do not count.
double clumping_index(std::span<const Vec3f> grains, double cell);

/// Share of the grains in [begin, end) of `grains` that have another one nearer than `distance`.
double close_share(std::span<const Vec3f> grains, double distance, const Executor& executor);

struct ThicknessBin {
  double radius = 0;      ///< m, middle of the ring
  double base = 0;        ///< m, volume of the base particles over the area of the ring
  double grains = 0;      ///< m, twice the mean height of the grains there
  std::size_t count = 0;  ///< grains
};

/// Thickness of a heap that lies on z = 0, in rings about (0, 0). Both means are over the grains of
/// a ring: where sand lies in spots, the gaps between them have no thickness to compare.
std::vector<ThicknessBin> thickness_profile(std::span<const Vec3f> base, double volume,
                                            std::span<const Vec3f> grains, double disc, double ring,
                                            double largest);

}  // namespace talus::detail
