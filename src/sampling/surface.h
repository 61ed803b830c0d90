// Evenly spaced particles on a surface: boundary particles of the solvers, and `talus sample`.
#pragma once

#include "core/parallel.h"
#include "geometry/distance.h"

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace talus {

/// How good a sampling is. Lengths in m.
struct SurfaceQuality {
  double spacing = 0;            ///< asked for
  double farthest = 0;           ///< largest distance of a sample from the surface
  double mean_nearest = 0;       ///< distance to the nearest neighbour on the same side, mean
  double nearest_deviation = 0;  ///< and standard deviation
  double largest_hole = 0;       ///< width: twice the distance of any surface point to its sample
};

struct SurfaceSamples {
  std::vector<Vec3f> points;   ///< local frame of the field
  std::vector<Vec3f> normals;  ///< unit, out of the solid
  SurfaceQuality quality;
  double area = 0;  ///< m^2, estimated
  int iterations = 0;
  std::size_t removed = 0;   ///< excess samples taken away
  std::size_t inserted = 0;  ///< samples put into gaps
};

/// Sees the samples after each iteration, for pictures of the process.
using RelaxationObserver = std::function<void(int iteration, std::span<const Vec3f> points)>;

/// Covers the zero level of a bounded field with samples about `spacing` apart. The number is
/// chosen from the area. Same result for any number of threads.
Result<SurfaceSamples> sample_surface(const DistanceField& field, double spacing,
                                      std::uint64_t seed, const Executor& executor,
                                      const RelaxationObserver& observer = {});

/// Measures any set of samples against a field.
Result<SurfaceQuality> measure_samples(const DistanceField& field, std::span<const Vec3f> points,
                                       double spacing, const Executor& executor);

/// "12034 samples, 0.0% off the surface, ..." in words for the terminal.
std::string describe(const SurfaceSamples& samples);

}  // namespace talus
