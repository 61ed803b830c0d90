// Motions with a known answer.
#include "synthetic_base.h"

#include <gtest/gtest.h>

namespace talus::detail {
namespace {

const Executor& two_threads() {
  static const Executor executor(2);
  return executor;
}

TEST(Motion, TranslationIsExact) {
  const auto start = block(5);
  const Vec3d v{0.7, -0.4, 0.3};
  CloudSettings settings = cloud_settings();
  settings.gravity = {};
  Drive drive(
      start.size(),
      [&](std::size_t i, double t) {
        return Moving{start[i] + v * t, v};
      },
      settings, two_threads());
  const Grains before = grains_of(drive.cloud);
  drive.run(50, two_threads());
  const Grains after = grains_of(drive.cloud);
  ASSERT_EQ(before.size(), after.size());
  for (const auto& [id, g] : before)
    EXPECT_NEAR(norm(after.at(id).position - (g.position + v * 1.0)), 0, 2e-6) << id;
}

TEST(Motion, RotationIsExact) {
  const auto start = block(6);
  const Vec3d centre{0.06, 0.06, 0.06}, axis = normalized(Vec3d{1, 2, 3});
  const double rate = 3;
  CloudSettings settings = cloud_settings();
  settings.gravity = {};
  const auto turn = [&](const Vec3d& p, double t) {
    return centre + rotate(Quatd::from_axis_angle(axis, rate * t), p - centre);
  };
  Drive drive(
      start.size(),
      [&](std::size_t i, double t) {
        const Vec3d x = turn(start[i], t);
        return Moving{x, cross(axis * rate, x - centre)};
      },
      settings, two_threads());
  const Grains before = grains_of(drive.cloud);
  drive.run(50, two_threads());  // 1 s: almost half a turn
  const Grains after = grains_of(drive.cloud);
  // Free grains beside the corners (alpha > 0) keep their own velocity; all others turn.
  double worst = 0;
  std::size_t far = 0;
  for (const auto& [id, g] : before) {
    const double error = norm(after.at(id).position - turn(g.position, 1.0));
    if (error > 0.01 * base_radius)
      ++far;
    else
      worst = std::max(worst, error);
  }
  EXPECT_LT(worst, 1e-4);
  EXPECT_LT(static_cast<double>(far), 0.25 * static_cast<double>(before.size()));
  CloudSettings bound = settings;
  bound.detail.sparse_rule = SparseRule::never;
  Drive all(start.size(), drive.motion, bound, two_threads());
  all.run(50, two_threads());
  for (const auto& [id, g] : grains_of(all.cloud))
    EXPECT_NEAR(norm(g.position - turn(before.at(id).position, 1.0)), 0, 0.003 * base_radius) << id;
}

TEST(Motion, FreeFallFollowsTheParabola) {
  // Guides far from each other: their grains leave them, then nobody is near.
  const Vec3d v{0.5, 0.2, 2};
  const CloudSettings settings = cloud_settings(30);
  const auto motion = [&](std::size_t i, double t) {
    const Vec3d x0{0.2 * static_cast<double>(i), 0, 1};
    return Moving{x0 + v * t + settings.gravity * (0.5 * t * t), v + settings.gravity * t};
  };
  Drive drive(4, motion, settings, two_threads());
  const Grains before = grains_of(drive.cloud);
  drive.run(40, two_threads());
  const double t = 40 * frame_time;
  for (const auto& [id, g] : grains_of(drive.cloud)) {
    const Vec3d wanted = before.at(id).position + v * t + settings.gravity * (0.5 * t * t);
    EXPECT_NEAR(norm(g.position - wanted), 0, 1e-5) << id;
  }
}

TEST(Motion, NothingDriftsAtRest) {
  // A truncated pyramid on the ground.
  std::vector<Vec3d> start;
  for (int z = 0; z < 5; ++z)
    for (int y = -10 + 2 * z; y <= 10 - 2 * z; ++y)
      for (int x = -10 + 2 * z; x <= 10 - 2 * z; ++x)
        start.push_back(Vec3d{1.0 * x, 1.0 * y, z + 0.5} * (2 * base_radius));
  Drive drive(
      start.size(),
      [&](std::size_t i, double) {
        return Moving{start[i], {}};
      },
      cloud_settings(), two_threads(), {}, bodies_of({plane_floor()}, two_threads()));
  const Grains at_once = grains_of(drive.cloud);
  drive.run(200, two_threads());  // 4 s: grains above the surface come down to it
  const Grains settled = grains_of(drive.cloud);
  std::size_t inside = 0;
  for (const auto& [id, g] : at_once) {
    const double from_axis = std::max(std::abs(g.position.x), std::abs(g.position.y));
    if (g.position.z > 0.06 || g.position.z < 0.02 || from_axis > 0.1) continue;
    ++inside;
    EXPECT_EQ(settled.at(id).position, g.position) << "moved inside resting sand";
  }
  EXPECT_GT(inside, 500u);
  drive.run(300, two_threads());
  double worst = 0;
  for (const auto& [id, g] : grains_of(drive.cloud))
    worst = std::max(worst, norm(g.position - settled.at(id).position));
  EXPECT_LT(worst, 0.02 * base_radius) << "drift between 4 s and 10 s";
}

TEST(Motion, TheCentreOfMassFollowsTheBase) {
  // Sheared, stretched and turned at once.
  const auto start = block(8);
  const Mat3d rate{{{0.2, 0.8, 0}, {-0.4, -0.2, 0.3}, {0, 0.1, 0}}};
  const auto motion = [&](std::size_t i, double t) {
    const Vec3d c{0.08, 0.08, 0.08}, d = start[i] - c, d1 = rate * d, d2 = rate * d1;
    return Moving{start[i] + d1 * t + d2 * (0.5 * t * t), d1 + d2 * t};
  };
  CloudSettings settings = cloud_settings(50);
  settings.gravity = {};
  Drive drive(start.size(), motion, settings, two_threads());
  drive.run(25, two_threads());
  // The grains of the particles of one half of the block.
  Vec3d grains{}, base{};
  double n = 0, m = 0;
  for (const auto& [id, g] : grains_of(drive.cloud)) {
    if (start[id / 50].x > 0.08) continue;
    grains += g.position;
    ++n;
  }
  for (std::size_t i = 0; i < start.size(); ++i) {
    if (start[i].x > 0.08) continue;
    base += motion(i, 25 * frame_time).position;
    ++m;
  }
  // Random starts alone move the mean of n grains by r / sqrt(n).
  const double h = 3 * base_radius;
  EXPECT_NEAR(norm(grains / n - base / m), 0, 0.01 * h + base_radius / std::sqrt(n));
}

TEST(Motion, GrainsComeAndGoWithTheirParticles) {
  const auto start = block(3);
  const Executor executor(1);
  Drive drive(
      start.size(),
      [&](std::size_t i, double) {
        return Moving{start[i], {}};
      },
      cloud_settings(10), executor);
  EXPECT_EQ(grains_of(drive.cloud).size(), 270u);
  // Particle 4 drains, particles 27 and 28 are poured in.
  BaseFrame next = make_frame(
      29,
      [&](std::size_t i, double) {
        return i < 27 ? Moving{start[i], {}} : Moving{{0.5, 0.0, 0.1 * static_cast<double>(i)}, {}};
      },
      1);
  next.id.erase(next.id.begin() + 4);
  next.position.erase(next.position.begin() + 4);
  next.velocity.erase(next.velocity.begin() + 4);
  next.radius.erase(next.radius.begin() + 4);
  next.material.erase(next.material.begin() + 4);
  drive.cloud.enter_frame(next, drive.bodies, 0.01, executor);
  const Grains grains = grains_of(drive.cloud);
  EXPECT_EQ(grains.size(), 280u);
  EXPECT_EQ(grains.count(45), 0u);
  EXPECT_EQ(grains.count(270), 1u);
  EXPECT_EQ(grains.count(289), 1u);
}

TEST(Motion, FixedGrainsKeepTheirPlace) {
  const auto start = block(3);
  CloudSettings settings = cloud_settings(10);
  settings.detail.method = DetailMethod::fixed;
  const auto motion = [&](std::size_t i, double t) {
    const Vec3d v{static_cast<double>(i), 1, 0};
    return Moving{start[i] + v * t, v};
  };
  Drive drive(start.size(), motion, settings, two_threads());
  const Grains before = grains_of(drive.cloud);
  drive.run(20, two_threads());
  for (const auto& [id, g] : grains_of(drive.cloud)) {
    const Vec3d moved = motion(id / 10, 20 * frame_time).position - start[id / 10];
    EXPECT_NEAR(norm(g.position - before.at(id).position - moved), 0, 1e-5);
  }
}

/// A swirling block above a floor, with a ball that falls into it.
Grains swirl(Share share, int threads, DetailMethod method = DetailMethod::blend) {
  static const auto start = block(16);
  const Executor executor(threads);
  CloudSettings settings = cloud_settings(8);
  settings.detail.method = method;
  SceneBody ball = default_body();
  ball.name = "ball";
  ball.shape.kind = ShapeKind::sphere;
  ball.shape.radius = 0.05;
  ball.shape.pose.position = {0.1, 0.2, 0.5};
  ball.motion = SceneMotion::scripted;
  ball.velocity = {0, 0, -2};
  const auto motion = [&](std::size_t i, double t) {
    const Vec3d d = start[i] - Vec3d{0.16, 0.16, 0};
    const Vec3d v{-3 * d.y, 3 * d.x, 2 * norm(d) * (1 + static_cast<double>(i % 7))};
    return Moving{start[i] + v * t - Vec3d{0, 0, 4.9 * t * t}, v - Vec3d{0, 0, 9.8 * t}};
  };
  Drive drive(start.size(), motion, settings, executor, share,
              bodies_of({plane_floor(), ball}, executor));
  drive.run(8, executor);
  return grains_of(drive.cloud);
}

TEST(Shares, AnySplitGivesTheSameBits) {
  for (const DetailMethod method : {DetailMethod::blend, DetailMethod::split}) {
    const Grains whole = swirl({}, 2, method);
    EXPECT_EQ(whole.size(), 4096u * 8u);
    Grains joined;
    for (const Share& share : {Share{0, 2, 0, 1}, Share{1, 2, 0, 1}})
      joined.merge(swirl(share, 1, method));
    EXPECT_EQ(joined.size(), whole.size());
    EXPECT_TRUE(joined == whole);
  }
}

TEST(Shares, AnyNumberOfThreadsGivesTheSameBits) { EXPECT_TRUE(swirl({}, 1) == swirl({}, 3)); }

TEST(Shares, EveryParticleBelongsToOneShare) {
  for (std::uint64_t id = 0; id < 200'000; id += 977) {
    int owners = 0;
    for (int slice = 0; slice < 3; ++slice)
      for (int part = 0; part < 1 + slice; ++part)
        owners += Share{slice, 3, part, 1 + slice}.owns(id) ? 1 : 0;
    EXPECT_EQ(owners, 1) << id;
  }
}

}  // namespace
}  // namespace talus::detail
