#include "lab/fit.h"

#include "core/random.h"
#include "lab/force_fits.h"

#include <cmath>
#include <gtest/gtest.h>

namespace talus::lab {
namespace {

double noise(std::uint64_t seed, std::uint64_t k) {
  double sum = 0;
  for (const float u : random_floats(seed, k, Purpose::test)) sum += double{u} - 0.5;
  return sum * std::sqrt(3.0);  // variance 1 from four evenly spread numbers
}

TEST(Fit, FindsTheParametersOfNoiselessPoints) {
  const auto law = [](std::span<const double> p, double x) { return p[0] * std::pow(x, p[1]); };
  std::vector<double> x, y;
  for (int k = 1; k < 8; ++k) {
    x.push_back(k);
    y.push_back(3 * std::pow(k, 2.5));
  }
  const Fit fit = fit_curve(law, std::vector<double>{1, 1}, x, y);
  ASSERT_TRUE(fit.converged);
  EXPECT_NEAR(fit.parameter[0], 3, 1e-6);
  EXPECT_NEAR(fit.parameter[1], 2.5, 1e-6);
}

TEST(Fit, NineteenOfTwentyConfidenceIntervalsHoldTheTruth) {
  const auto line = [](std::span<const double> p, double x) { return p[0] + p[1] * x; };
  int held = 0;
  constexpr int rounds = 400;
  for (std::uint64_t round = 0; round < rounds; ++round) {
    std::vector<double> x, y, error;
    for (std::uint64_t k = 0; k < 8; ++k) {
      x.push_back(static_cast<double>(k));
      error.push_back(k % 2 == 0 ? 0.1 : 0.3);
      y.push_back(2 - 0.5 * x.back() + error.back() * noise(round, k));
    }
    const Fit fit = fit_curve(line, std::vector<double>{0, 0}, x, y, error);
    held += std::abs(fit.parameter[1] + 0.5) < fit.error[1];
  }
  EXPECT_GT(held, 0.92 * rounds);
  EXPECT_LT(held, 0.98 * rounds);
}

TEST(Fit, TooFewPointsAreNotFitted) {
  const auto line = [](std::span<const double> p, double x) { return p[0] + p[1] * x; };
  const std::vector<double> two{1, 2};
  EXPECT_FALSE(fit_curve(line, std::vector<double>{0, 0}, two, two).converged);
}

/// Samples of f with density `curve`, by rejection.
template <class Curve>
std::vector<double> drawn(Curve&& curve, double highest, std::size_t n) {
  std::vector<double> out;
  for (std::uint64_t k = 0; out.size() < n; ++k) {
    const auto u = random_floats(11, k, Purpose::test);
    const double f = 10 * double{u[0]};
    if (double{u[1]} * highest < curve(f)) out.push_back(f);
  }
  return out;
}

TEST(ForceFits, ReturnTheCurvesThatSamplesWereDrawnFrom) {
  const double silbert[] = {2.55, 0.65, 1.35};
  const Histogram h =
      histogram(drawn([&](double f) { return exponential_curve(silbert, f); }, 1.2, 30'000), 0);
  const Fit fit = fit_exponential(h);
  ASSERT_TRUE(fit.converged);
  EXPECT_NEAR(fit.parameter[2], 1.35, 0.05);
  EXPECT_NEAR(fit.parameter[1], 0.65, 0.05);
  const double gamma[] = {3.36, 0.30};
  const Histogram g =
      histogram(drawn([&](double f) { return gamma_curve(gamma, f); }, 1, 30'000), 0);
  const Fit fit_g = fit_gamma(g);
  EXPECT_NEAR(fit_g.parameter[0], 3.36, 0.1);
  EXPECT_NEAR(fit_g.parameter[1], 0.30, 0.01);
}

TEST(ForceFits, AGaussianTailIsToldFromAnExponentialOne) {
  const auto tail_of = [](double power) {
    return fit_tail(
               histogram(drawn([&](double f) { return std::exp(-std::pow(f, power)); }, 1, 30'000),
                         0))
        .parameter[2];
  };
  EXPECT_NEAR(tail_of(1), 1, 0.15);
  EXPECT_NEAR(tail_of(2), 2, 0.25);
}

}  // namespace
}  // namespace talus::lab
