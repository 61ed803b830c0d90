#include "detail/grain_samples.h"
#include "detail/upsampling_laws.h"
#include "synthetic_base.h"

#include <gtest/gtest.h>

namespace talus::detail {
namespace {

float w_at(double distance) {  // Eq. 23 with h = 3 r, written out
  const double q = distance / (3 * base_radius);
  return static_cast<float>(q < 1 ? std::pow(1 - q * q, 3) : 0);
}

WideFloat wide(float x) { return WideFloat(x); }
float alpha(SparseRule rule, float largest, float sum, float falling = 0) {
  return free_share(rule, wide(largest), wide(sum), wide(falling))[3];
}

TEST(Laws, AlphaByHand) {
  // One guide at r/2: w = (1 - 1/36)^3 = 0.918960. As printed alpha = 1 - w; alone it is free.
  const float near = w_at(0.5 * base_radius);
  EXPECT_NEAR(near, 0.918960, 1e-5);
  EXPECT_NEAR(alpha(SparseRule::printed, near, near), 1 - near, 1e-6);
  EXPECT_NEAR(alpha(SparseRule::support, near, near), 1, 1e-6);
  // The same with so much around it that its share is under 0.6: no free flight. At a share of 0.8
  // it is half way between 1 - w and 1.
  EXPECT_EQ(alpha(SparseRule::support, near, near / 0.59f), 0);
  EXPECT_NEAR(alpha(SparseRule::printed, near, near / 0.61f), 1 - near, 1e-6);
  EXPECT_NEAR(alpha(SparseRule::support, near, near / 0.8f), 1 - 0.5f * near, 1e-5);
  // Guides that fall freely free their grains.
  EXPECT_NEAR(alpha(SparseRule::support, near, 2.1f, 0.7f), 0.7f, 1e-6);
  EXPECT_EQ(alpha(SparseRule::printed, near, 2.1f, 0.7f), 0);
  // Farther than r from everybody, 1.2 r: w = (1 - 0.16)^3 = 0.592704.
  const float far = w_at(1.2 * base_radius);
  EXPECT_NEAR(far, 0.592704, 1e-5);
  EXPECT_NEAR(alpha(SparseRule::printed, far, 2.1f), 1 - far, 1e-6)
      << "as printed: in dense sand too";
  EXPECT_EQ(alpha(SparseRule::support, far, 2.1f), 0);
  const float lonely = (far / 0.96f - 0.6f) / 0.4f;
  EXPECT_NEAR(alpha(SparseRule::support, far, 0.96f), 1 - far * (1 - lonely), 1e-5);
  // Nobody near.
  for (const SparseRule rule : {SparseRule::support, SparseRule::printed, SparseRule::never})
    EXPECT_EQ(alpha(rule, 0, 0), 1);
  EXPECT_EQ(alpha(SparseRule::never, far, far), 0);
}

TEST(Laws, FullSupportIsThatOfALattice) {
  double sum = 0, at_corner = 0;
  for (int z = -3; z <= 3; ++z)
    for (int y = -3; y <= 3; ++y)
      for (int x = -3; x <= 3; ++x) {
        sum += static_cast<double>(w_at(2 * base_radius * std::sqrt(x * x + y * y + z * z)));
        const Vec3d d = Vec3d{x + 0.5, y + 0.5, z + 0.5} * (2 * base_radius);
        at_corner += static_cast<double>(w_at(norm(d)));
      }
  EXPECT_NEAR(0.5 * (sum + at_corner), static_cast<double>(full_support), 0.12);
  EXPECT_NEAR(static_cast<double>(weight_at_radius), static_cast<double>(w_at(base_radius)), 1e-6);
}

/// Displacement of the only grain that lies nearest to `at` after one step among given guides.
Vec3d step_grain(const std::vector<Moving>& guides, const Vec3d& at, const CloudSettings& settings,
                 Grain* before = nullptr) {
  const Executor executor(1);
  Drive drive(
      guides.size(),
      [&](std::size_t i, double t) {
        return Moving{guides[i].position + guides[i].velocity * t, guides[i].velocity};
      },
      settings, executor);
  drive.steps = 2;
  const Grains start = grains_of(drive.cloud);
  std::uint64_t id = 0;
  double best = 1e9;
  for (const auto& [k, g] : start)
    if (norm(g.position - at) < best) {
      best = norm(g.position - at);
      id = k;
    }
  BaseFrame next = make_frame(drive.particles, drive.motion, 1);
  BaseInterval interval(drive.now, next, drive.bodies, base_radius, 2, executor);
  interval.enter_step(0, executor);
  drive.cloud.step(drive.now, interval, executor);
  if (before != nullptr) *before = start.at(id);
  return grains_of(drive.cloud).at(id).displacement;
}

TEST(Laws, MeanVelocityByHand) {
  // Three guides in a row, r apart; the grain between them sees weights that one can write down.
  const std::vector<Moving> guides{{{0, 0, 0}, {0.01, 0, 0}},
                                   {{base_radius, 0, 0}, {0, 0.01, 0}},
                                   {{-base_radius, 0, 0}, {0, 0, 0.01}}};
  Grain g{};
  const double dt = frame_time / 2;
  const Vec3d u =
      step_grain(guides, {0.3 * base_radius, 0.1 * base_radius, 0}, cloud_settings(200), &g);
  double sum = 0, most = 0;
  Vec3d mean{};
  for (const Moving& m : guides) {
    const auto w = static_cast<double>(w_at(norm(m.position - g.position)));
    sum += w;
    most = std::max(most, w);
    mean += m.velocity * w;
  }
  ASSERT_LT(most / sum, 0.6);
  ASSERT_GT(most, static_cast<double>(weight_at_radius));
  // Guides in a row cannot tell a rotation, so Eq. 24 stands alone.
  EXPECT_NEAR(norm(u - mean * (dt / sum)), 0, 1e-8);
}

TEST(Laws, BlendOfFlowAndFallByHand) {
  const std::vector<Moving> guides{{{0, 0, 0}, {0.5, 0, 0}}};
  Grain g{};
  const double dt = frame_time / 2;
  CloudSettings settings = cloud_settings(50);
  settings.detail.sparse_rule = SparseRule::printed;
  const Vec3d u = step_grain(guides, {0, 0, 0.8 * base_radius}, settings, &g);
  const double a = 1 - static_cast<double>(w_at(norm(g.position)));
  const Vec3d free = Vec3d{0.5, 0, 0} * dt + settings.gravity * (0.5 * dt * dt);
  EXPECT_GT(a, 0.1);
  EXPECT_NEAR(norm(u - (guides[0].velocity * (dt * (1 - a)) + free * a)), 0, 1e-8);
}

TEST(Laws, SplitByHand) {
  CloudSettings settings = cloud_settings(100);
  settings.detail.method = DetailMethod::split;
  settings.detail.sampling = DetailSampling::sphere;
  const std::vector<Moving> two{{{0, 0, 0}, {0.01, 0, 0}}, {{base_radius, 0, 0}, {0, 0.01, 0}}};
  Grain g{};
  const double dt = frame_time / 2, r = 3 * base_radius;
  const Vec3d u = step_grain(two, {0.4 * base_radius, 0, 0}, settings, &g);
  const double w0 = (3 * r - 2 * norm(g.position - two[0].position)) / (4 * r);
  const double w1 = (3 * r - 2 * norm(g.position - two[1].position)) / (4 * r);
  EXPECT_NEAR(norm(u - (two[0].velocity * w0 + two[1].velocity * w1) * (dt / (w0 + w1))), 0, 1e-7);
  // One guide is too few: external forces alone.
  const Vec3d alone = step_grain({two[0]}, {0, 0, 0}, settings, &g);
  EXPECT_NEAR(norm(alone - (g.displacement + settings.gravity * (dt * dt))), 0, 1e-9);
}

TEST(Samples, SevenCubesAndTheBall) {
  int inside = 0;
  const int n = 70'000;
  Vec3d mean{};
  for (int k = 0; k < n; ++k) {
    const auto base = static_cast<std::uint64_t>(k / 1000);
    const Vec3f p = cube_sample(3, base, static_cast<std::uint32_t>(k % 1000));
    const float far = std::max({std::abs(p.x), std::abs(p.y), std::abs(p.z)});
    EXPECT_LE(far, 2);
    inside += far <= 1 ? 1 : 0;
    mean += Vec3d(p) / n;
    EXPECT_LE(norm(ball_sample(3, base, static_cast<std::uint32_t>(k % 1000))), 1.0f);
  }
  // One cube of seven is the box itself, the other six lie in it with one half.
  EXPECT_NEAR(static_cast<double>(inside) / n, 4.0 / 7, 0.01);
  EXPECT_LT(norm(mean), 0.01);
}

}  // namespace
}  // namespace talus::detail
