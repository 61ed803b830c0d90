// Distributions from samples, as Longmore 2009, section 7.2.1, makes them: the empirical cumulative
// distribution, read at the edges of bins by the rule of Freedman & Diaconis (1981), differenced.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace talus::lab {

struct Histogram {
  std::vector<double> x;        ///< middles of the bins
  std::vector<double> density;  ///< probability per unit of x
  std::vector<double> error;    ///< standard error of the density, from the count
  std::vector<std::size_t> count;
  double width = 0;  ///< of a bin
};

/// Bins of 2 (q75 - q25) / n^(1/3) from `lower` on.
Histogram histogram(std::span<const double> samples, double lower);
/// Bins of equal width from lower to upper; what lies outside is left out and not normalised for.
Histogram histogram(std::span<const double> samples, double lower, double upper, std::size_t bins);

double mean(std::span<const double> samples);
/// Value below which `share` of the samples lie.
double quantile(std::span<const double> samples, double share);
/// Largest difference of two cumulative distributions (Kolmogorov & Smirnov).
double largest_difference(std::span<const double> a, std::span<const double> b);

}  // namespace talus::lab
