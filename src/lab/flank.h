// The slope of a heap's flank. The profile is the volume of material over each ring, divided by the
// ring's area: unlike the highest particle it does not depend on the roughness of the surface. A
// line is fitted to what lies between 20 % and 80 % of the height (above, the impact of a stream
// flattens the heap; below, single particles roll out) by least squares with Tukey's bisquare
// weights; a ring counts by its area, since a small one holds few particles.
#pragma once

#include "math/vec.h"

#include <span>
#include <vector>

namespace talus {

struct Flank {
  double angle_deg = 0;
  double error_deg = 0;                 ///< standard error, from four quadrants fitted one by one
  double height = 0;                    ///< m, of the top
  std::vector<double> radius, profile;  ///< m
};

/// The heap's axis is vertical (z) through the origin; `volume` is that of one particle.
Flank measure_flank(std::span<const Vec3f> position, double spacing, double volume);

/// Robust straight line y = intercept + slope x.
struct Line {
  double intercept = 0, slope = 0;
};
Line fit_line(std::span<const double> x, std::span<const double> y);
/// The same where points count by their `certainty`, one over the square of their error.
Line fit_line(std::span<const double> x, std::span<const double> y,
              std::span<const double> certainty);

}  // namespace talus
