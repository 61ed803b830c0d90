// The splash of the papers in numbers: grains of `fixed` fly as clods, those of `blend` spread.
#include "core/random.h"
#include "detail/measures.h"
#include "synthetic_base.h"

#include <gtest/gtest.h>

namespace talus::detail {
namespace {

constexpr double a = 2 * base_radius;

/// A slab that is thrown up: velocities grow outwards, so the base thins out as it flies.
double splash_clumping(DetailMethod method, SparseRule rule) {
  const Executor executor(2);
  std::vector<Vec3d> start;
  for (int z = 0; z < 4; ++z)
    for (int y = -9; y < 9; ++y)
      for (int x = -9; x < 9; ++x) start.push_back(Vec3d{x + 0.5, y + 0.5, z + 0.5} * a);
  CloudSettings settings = cloud_settings(100);
  settings.detail.method = method;
  settings.detail.sparse_rule = rule;
  const auto motion = [&](std::size_t i, double t) {
    const auto r = random_floats(5, i, Purpose::test);
    const Vec3d noise{r[0] - 0.5, r[1] - 0.5, r[2] - 0.5};
    const Vec3d v = Vec3d{6 * start[i].x, 6 * start[i].y, 3 + 10 * start[i].z} + noise * 0.25;
    return Moving{start[i] + v * t + settings.gravity * (0.5 * t * t), v + settings.gravity * t};
  };
  Drive drive(start.size(), motion, settings, executor);
  drive.run(15, executor);  // 0.3 s: about three times as wide as at the start
  return clumping_index(positions_of(grains_of(drive.cloud)), 0.5 * a);
}

TEST(Clumping, IndexOfKnownSets) {
  std::vector<Vec3f> even, clods;
  for (std::uint32_t k = 0; k < 100'000; ++k) {
    const auto u = random_floats(1, k, Purpose::test);
    even.push_back({u[0], u[1], u[2]});
    const auto c = random_floats(2, k / 10, Purpose::test);
    clods.push_back({c[0] + 1e-4f * u[0], c[1] + 1e-4f * u[1], c[2] + 1e-4f * u[2]});
  }
  EXPECT_NEAR(clumping_index(even, 0.025), 0, 0.05);
  EXPECT_NEAR(clumping_index(clods, 0.025), 9, 0.7) << "clods of ten";
}

TEST(Clumping, BlendSpreadsTheSplash) {
  const double blend = splash_clumping(DetailMethod::blend, SparseRule::support);
  const double fixed = splash_clumping(DetailMethod::fixed, SparseRule::support);
  const double split = splash_clumping(DetailMethod::split, SparseRule::support);
  const double bound = splash_clumping(DetailMethod::blend, SparseRule::never);
  RecordProperty("blend", std::to_string(blend));
  EXPECT_LT(3 * blend, fixed) << "blend " << blend << " fixed " << fixed << " split " << split
                              << " alpha = 0 " << bound;
  EXPECT_LT(blend, split);
  EXPECT_GT(3 * bound, fixed) << "the test must tell alpha = 0 from the real rule";
}

}  // namespace
}  // namespace talus::detail
