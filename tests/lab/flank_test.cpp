#include "lab/flank.h"

#include "core/random.h"

#include <cmath>
#include <gtest/gtest.h>
#include <numbers>

namespace talus {
namespace {

/// Points that fill a cone of radius 1, randomly.
std::vector<Vec3f> cone(double angle_deg, int count) {
  const double height = std::tan(angle_deg * std::numbers::pi / 180);
  std::vector<Vec3f> points;
  for (std::uint64_t k = 0; points.size() < static_cast<std::size_t>(count); ++k) {
    const auto r = random_floats(3, k, Purpose::test);
    const double x = 2 * double{r[0]} - 1, y = 2 * double{r[1]} - 1, z = height * double{r[2]};
    if (z < height * (1 - std::hypot(x, y)))
      points.push_back({static_cast<float>(x), static_cast<float>(y), static_cast<float>(z)});
  }
  return points;
}

TEST(Flank, MeasuresAConeWithinItsError) {
  for (const double angle : {20.0, 30.0, 45.0}) {
    const int count = 20'000;
    const double volume = std::numbers::pi / 3 * std::tan(angle * std::numbers::pi / 180) / count;
    const Flank flank = measure_flank(cone(angle, count), std::cbrt(volume), volume);
    EXPECT_NEAR(flank.angle_deg, angle, 0.7);
    EXPECT_GT(flank.error_deg, 0.0);
    EXPECT_LT(flank.error_deg, 1.0);
  }
}

/// A ring holds few particles near the axis: a hole there, or a spike, is no flank.
TEST(Flank, WhatStandsOnTheAxisHardlyCounts) {
  const int count = 7'000;
  const double volume = std::numbers::pi / 3 * std::tan(40 * std::numbers::pi / 180) / count;
  const double spacing = std::cbrt(volume);
  const std::vector<Vec3f> whole = cone(40, count);
  const double angle = measure_flank(whole, spacing, volume).angle_deg;
  std::vector<Vec3f> hollow, spiked = whole;
  for (const Vec3f& p : whole)
    if (std::hypot(p.x, p.y) > 1.2f * static_cast<float>(spacing)) hollow.push_back(p);
  for (int k = 0; k < 12; ++k) spiked.push_back({0, 0, 0.1f * static_cast<float>(k)});
  EXPECT_NEAR(measure_flank(hollow, spacing, volume).angle_deg, angle, 1.5);
  EXPECT_NEAR(measure_flank(spiked, spacing, volume).angle_deg, angle, 1.5);
}

TEST(Flank, AFlatDiscHasNoFlank) {
  std::vector<Vec3f> disc;
  for (const Vec3f& p : cone(30, 5'000)) disc.push_back({p.x, p.y, 0});
  EXPECT_FALSE(measure_flank({}, 0.05, 1e-4).angle_deg > 0);
  EXPECT_LT(measure_flank(disc, 0.05, 1e-7).angle_deg, 1.0);
}

TEST(FitLine, IgnoresAFewWildPoints) {
  std::vector<double> x, y;
  for (int k = 0; k < 20; ++k) {
    x.push_back(k);
    y.push_back(3 - 0.5 * k + (k % 2 == 0 ? 0.01 : -0.01));
  }
  y[4] = 40;
  y[15] = -40;
  const Line line = fit_line(x, y);
  EXPECT_NEAR(line.slope, -0.5, 0.01);
  EXPECT_NEAR(line.intercept, 3, 0.05);
}

}  // namespace
}  // namespace talus
