#include "lab/statistics.h"

#include "core/random.h"

#include <cmath>
#include <gtest/gtest.h>
#include <numeric>

namespace talus::lab {
namespace {

std::vector<double> exponential_samples(std::size_t n) {
  std::vector<double> out;
  for (std::uint64_t k = 0; k < n; ++k)
    out.push_back(-std::log(1 - double{random_floats(5, k, Purpose::test)[0]}));
  return out;
}

TEST(Statistics, AHistogramHoldsEverySampleAndItsDensityAddsUpToOne) {
  const auto samples = exponential_samples(20'000);
  const Histogram h = histogram(samples, 0);
  EXPECT_EQ(std::accumulate(h.count.begin(), h.count.end(), std::size_t{0}), samples.size());
  double area = 0;
  for (const double p : h.density) area += p * h.width;
  EXPECT_NEAR(area, 1, 1e-9);
  // Freedman & Diaconis: 2 ln 3 / n^(1/3).
  EXPECT_NEAR(h.width, 2 * std::log(3.0) / std::cbrt(20'000.0), 0.02 * h.width);
}

TEST(Statistics, DensitiesFollowTheLawWithinTheirErrors) {
  const Histogram h = histogram(exponential_samples(50'000), 0);
  int within = 0, bins = 0;
  for (std::size_t k = 0; k < h.x.size() && h.x[k] < 3; ++k, ++bins) {
    const double whole = (std::exp(-(h.x[k] - h.width / 2)) - std::exp(-(h.x[k] + h.width / 2)));
    within += std::abs(h.density[k] - whole / h.width) < 2 * h.error[k];
  }
  EXPECT_GT(within, 0.85 * bins);
}

TEST(Statistics, TheLargestDifferenceTellsDistributionsApart) {
  const auto a = exponential_samples(5'000);
  std::vector<double> shifted = a, b = exponential_samples(5'000);
  for (double& x : shifted) x += 0.5;
  EXPECT_EQ(largest_difference(a, b), 0);
  // 1 - e^(-1/2) at the start of the shifted one.
  EXPECT_NEAR(largest_difference(a, shifted), 0.39, 0.03);
}

TEST(Statistics, NothingAndConstantsAreNoTrap) {
  EXPECT_TRUE(histogram(std::vector<double>{}, 0).x.empty());
  EXPECT_TRUE(histogram(std::vector<double>(10, 1.0), 0).x.empty());
  EXPECT_EQ(quantile(std::vector<double>{}, 0.5), 0);
  EXPECT_EQ(quantile(std::vector<double>{3, 1, 2}, 0.5), 2);
  EXPECT_EQ(mean(std::vector<double>{}), 0);
}

}  // namespace
}  // namespace talus::lab
