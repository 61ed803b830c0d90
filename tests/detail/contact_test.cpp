// Grains and bodies.
#include "detail/measures.h"
#include "synthetic_base.h"

#include <gtest/gtest.h>

namespace talus::detail {
namespace {

const Executor& two_threads() {
  static const Executor executor(2);
  return executor;
}

double deepest(const Drive& drive) {
  double worst = 1e9;
  for (std::size_t b = 0; b < drive.bodies.size(); ++b) {
    const Body& body = drive.bodies.bodies[b];
    const Posed pose =
        drive.bodies.state_at(b, drive.now.info, drive.now.info, drive.now.info.time).pose;
    for (const auto& [id, g] : grains_of(drive.cloud))
      worst = std::min(
          worst,
          static_cast<double>(
              body.field->sample(Vec3f(pose.to_body(g.position) - body.field_offset)).distance));
  }
  return worst;
}

TEST(Contact, NoGrainIsInAWallOrTheGround) {
  // Sand slides over the ground against a block that stands in its way; the base goes round it.
  SceneBody box = default_body();
  box.name = "box";
  box.shape.kind = ShapeKind::box;
  box.shape.size = {0.1, 0.1, 0.2};
  box.shape.pose.position = {0.3, 0.06, 0.1};
  const auto start = block(6);
  Drive drive(
      start.size(),
      [&](std::size_t i, double t) {
        const Vec3d v{1, start[i].y > 0.06 ? 0.5 : -0.5, 0};
        return Moving{start[i] + v * t, v};
      },
      cloud_settings(), two_threads(), {}, bodies_of({plane_floor(), box}, two_threads()));
  EXPECT_GE(deepest(drive), -1e-6) << "at the start";
  for (int k = 0; k < 25; ++k) {
    drive.frame(two_threads());
    ASSERT_GE(deepest(drive), -1e-5) << "frame " << k;
  }
}

TEST(Contact, AThinFastBladeTakesGrainsAlong) {
  // 10 mm of steel at 6 m/s: 60 mm in a step. The grains lie alone, without base to follow.
  SceneBody blade = default_body();
  blade.name = "blade";
  blade.shape.kind = ShapeKind::box;
  blade.shape.size = {0.01, 1, 0.3};
  blade.shape.pose.position = {-0.3, 0, 0.15};
  blade.motion = SceneMotion::scripted;
  blade.velocity = {6, 0, 0};
  CloudSettings settings = cloud_settings(40);
  settings.detail.sparse_rule = SparseRule::support;
  // The base particle itself jumps out of the way at once; its grains stay behind.
  Drive drive(
      1,
      [&](std::size_t, double t) {
        return Moving{{t > 0 ? 5.0 : 0.0, 0, 0.02}, {}};
      },
      settings, two_threads(), {}, bodies_of({plane_floor(), blade}, two_threads()));
  drive.run(5, two_threads());  // the blade is at 0.3 m
  std::size_t ahead = 0, near = 0;
  for (const auto& [id, g] : grains_of(drive.cloud)) {
    if (g.position.x > 1) continue;  // followed the base in the first step
    ++near;
    if (g.position.x > 0.3) ++ahead;
  }
  EXPECT_EQ(ahead, near);
  EXPECT_GE(deepest(drive), -1e-5);
}

TEST(Contact, GrainsFallThroughGapsThatParticlesCannotPass) {
  // Two beams half a particle apart; the base rests on them, its free grains trickle through.
  SceneBody left = default_body(), right = default_body();
  left.name = "left";
  left.shape.kind = ShapeKind::box;
  left.shape.size = {0.1, 0.3, 0.02};
  left.shape.pose.position = {-0.056, 0, 0.2};
  right = left;
  right.name = "right";
  right.shape.pose.position = {0.056, 0, 0.2};
  CloudSettings settings = cloud_settings(200);
  Drive drive(
      1,
      [&](std::size_t, double) {
        return Moving{{0, 0, 0.222}, {}};
      },
      settings, two_threads(), {}, bodies_of({left, right}, two_threads()));
  drive.run(25, two_threads());
  std::size_t through = 0;
  const Grains grains = grains_of(drive.cloud);
  for (const auto& [id, g] : grains) through += g.position.z < 0.18 ? 1 : 0;
  EXPECT_GT(through, grains.size() / 20);
  EXPECT_LT(through, grains.size());
  EXPECT_GE(deepest(drive), -1e-5);
}

/// A round heap of base particles on the ground that gets thin towards its edge.
std::vector<Vec3d> thin_heap() {
  std::vector<Vec3d> out;
  const double a = 2 * base_radius;
  for (int y = -16; y <= 16; ++y)
    for (int x = -16; x <= 16; ++x) {
      const double r = std::hypot(x, y) * a;
      const double height = 0.12 * (1 - r / 0.32);
      for (int z = 0; (z + 0.5) * a <= height; ++z) out.push_back({x * a, y * a, (z + 0.5) * a});
      // Scattered single particles beyond the last full layer.
      if (r > 0.27 && r < 0.33 && (x * 7 + y * 13) % 3 == 0) out.push_back({x * a, y * a, 0.5 * a});
    }
  return out;
}

struct HeapResult {
  double close = 0;
  std::vector<ThicknessBin> profile;
};

HeapResult settle_heap(bool separation) {
  const auto start = thin_heap();
  CloudSettings settings = cloud_settings(250);
  settings.detail.separation = separation;
  Drive drive(
      start.size(),
      [&](std::size_t i, double) {
        return Moving{start[i], {}};
      },
      settings, two_threads(), {}, bodies_of({plane_floor()}, two_threads()));
  drive.run(25, two_threads());
  const auto all = positions_of(grains_of(drive.cloud));
  std::vector<Vec3f> toe, base;
  for (const Vec3f& p : all)
    if (std::hypot(p.x, p.y) > 0.28f) toe.push_back(p);
  for (const Vec3d& p : start) base.push_back(Vec3f(p));
  return {close_share(toe, settings.radius(), two_threads()),
          thickness_profile(base, std::pow(2 * base_radius, 3), all, 3 * base_radius, 0.02, 0.34)};
}

TEST(Separation, ThinSandKeepsItsThickness) {
  const HeapResult with = settle_heap(true), without = settle_heap(false);
  // Closer than half a diameter to another grain, at the toe.
  EXPECT_LT(with.close, 0.92 * without.close) << with.close << " " << without.close;
  // The ring about the last particles.
  const ThicknessBin &stacked = with.profile[15], &sunk = without.profile[15];
  const double error_with = std::abs(stacked.grains - stacked.base) / stacked.base;
  const double error_without = std::abs(sunk.grains - sunk.base) / sunk.base;
  EXPECT_LT(error_with, 0.15) << stacked.grains << " against " << stacked.base;
  EXPECT_GT(error_without, 0.4) << sunk.grains << " against " << sunk.base;
}

}  // namespace
}  // namespace talus::detail
