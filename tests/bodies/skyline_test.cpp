#include "bodies/skyline.h"

#include <cmath>
#include <gtest/gtest.h>

namespace talus::test {
namespace {

double real(std::size_t i) { return static_cast<double>(i); }

TEST(Skyline, SolvesSystemsOfAnyProfile) {
  const std::vector<std::size_t> first = {0, 0, 1, 0, 3, 2, 6, 4};
  const std::size_t n = first.size();
  Skyline matrix(first);
  std::vector<std::vector<double>> dense(n, std::vector<double>(n, 0));
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = first[i]; j <= i; ++j) {
      const double value = i == j ? 10.0 + real(i) : std::sin(3.0 * real(i) + 7.0 * real(j));
      matrix.at(i, j) = dense[i][j] = dense[j][i] = value;
    }
  std::vector<double> x(n), b(n, 0);
  for (std::size_t i = 0; i < n; ++i) x[i] = std::cos(5.0 * real(i));
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) b[i] += dense[i][j] * x[j];
  matrix.factorize(1e-12);
  matrix.solve(b);
  for (std::size_t i = 0; i < n; ++i) EXPECT_NEAR(b[i], x[i], 1e-12);
}

TEST(Skyline, RedundantRowsStayFinite) {
  Skyline matrix({0, 0});
  matrix.at(0, 0) = matrix.at(1, 0) = matrix.at(1, 1) = 1;
  std::vector<double> b = {1, 1};
  matrix.factorize(1e-9);
  matrix.solve(b);
  EXPECT_NEAR(b[0] + b[1], 1, 1e-6);
}

}  // namespace
}  // namespace talus::test
