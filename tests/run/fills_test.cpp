#include "run/fills.h"

#include "run/bouncing_scene.h"
#include "run/simulation.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>

namespace talus {
namespace {

Body box_body(const Vec3d& size, const Vec3d& centre) {
  Body body;
  body.name = "stone";
  body.field = *make_distance_field(box_shape(size, {}), 0.05);
  body.state.pose.position = centre;
  return body;
}

TEST(Fills, NumbersParticlesAndGivesThemTheFillsMotion) {
  Executor executor(2);
  Scene scene = bouncing_scene();
  scene.fills[0].velocity = {1, 0, 0};
  auto filled = sample_fills(scene, {}, executor);
  ASSERT_TRUE(filled.ok()) << filled.error().message;
  const ParticleBatch& batch = filled->particles;
  EXPECT_EQ(batch.size(), 1000u);
  EXPECT_TRUE(filled->notes.empty());
  for (std::size_t i = 0; i < batch.size(); ++i) {
    EXPECT_EQ(batch.id[i], i);
    EXPECT_NEAR(batch.velocity[i].x, 1 - 3 * batch.position[i].y, 1e-5);
    EXPECT_NEAR(batch.velocity[i].y, 3 * batch.position[i].x, 1e-5);
  }
}

/// Two materials of different shapes, each with the sizes it asks for: even within 1 -+ spread.
TEST(Fills, GrainsHaveTheSizesOfTheirMaterial) {
  const Executor executor(2);
  Scene scene = bouncing_scene();
  scene.solver = SolverKind::dem;
  scene.pours.clear();
  scene.sinks.clear();
  scene.fills = {box_fill("coarse", {0.6, 0.6, 0.6}, {0, 0, 0.6}),
                 box_fill("fine", {0.4, 0.4, 0.4}, {2, 0, 0.6})};
  scene.materials.push_back(scene.materials[0]);
  scene.materials[0].grain_shape = "clump6";
  scene.materials[0].grain_diameter = 0.05;
  scene.materials[0].grain_size_spread = 0.4;
  scene.materials[1].name = "other";
  scene.materials[1].grain_shape = "sphere";
  scene.materials[1].grain_diameter = 0.03;
  scene.materials[1].grain_size_spread = 0.1;
  scene.fills[1].material = 1;
  const auto simulation = Simulation::create(scene, executor);
  ASSERT_TRUE(simulation.ok()) << simulation.error().message;
  const auto radius = (*simulation)->particles().values<float>("radius");
  const auto material = (*simulation)->particles().values<std::uint32_t>("material");
  for (std::uint32_t m = 0; m < 2; ++m) {
    const double d = scene.materials[m].grain_diameter, s = scene.materials[m].grain_size_spread;
    double n = 0, sum = 0, squares = 0, least = 1, most = 0;
    for (std::size_t i = 0; i < radius.size(); ++i) {
      if (material[i] != m) continue;
      const double size = 2 * double{radius[i]} / d;
      ++n;
      sum += size;
      squares += (size - 1) * (size - 1);
      least = std::min(least, size);
      most = std::max(most, size);
    }
    ASSERT_GT(n, 1000) << m;
    EXPECT_NEAR(sum / n, 1, 0.1 * s) << m;
    EXPECT_NEAR(std::sqrt(squares / n), s / std::sqrt(3.0), 0.05 * s) << m;
    EXPECT_GE(least, 1 - s - 1e-6) << m;
    EXPECT_LE(most, 1 + s + 1e-6) << m;
  }
}

TEST(Fills, ABodyCarvesItsPlace) {
  Executor executor(2);
  const Scene scene = bouncing_scene();
  const Body stone = box_body({0.2, 0.2, 0.2}, {0, 0, 0.6});
  auto filled = sample_fills(scene, {stone}, executor);
  ASSERT_TRUE(filled.ok());
  // The stone takes 4 x 4 x 4 of the lattice exactly: samples that just touch it stay.
  EXPECT_EQ(filled->particles.size(), 1000u - 64u);
  ASSERT_EQ(filled->notes.size(), 1u);
  EXPECT_NE(filled->notes[0].find("64 particles carved away by body 'stone'"), std::string::npos);
  for (const Vec3f& p : filled->particles.position)
    EXPECT_GE(stone.field->sample(p - Vec3f(0, 0, 0.6f)).distance, 0.49f * 0.05f);
}

TEST(Fills, ALaterFillGivesWay) {
  Executor executor(2);
  Scene scene = bouncing_scene();
  scene.fills.push_back(box_fill("overlap", {0.5, 0.5, 0.5}, {0.27, 0, 0.6}));
  scene.fills.push_back(box_fill("flush", {0.5, 0.5, 0.5}, {0, 0, 1.1}));
  auto filled = sample_fills(scene, {}, executor);
  ASSERT_TRUE(filled.ok());
  const auto& p = filled->particles.position;
  for (std::size_t i = 0; i < p.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      ASSERT_GE(norm(p[i] - p[j]), 0.699f * 0.05f) << i << " " << j;
  ASSERT_EQ(filled->notes.size(), 1u) << "fills that only touch lose nothing";
  EXPECT_NE(filled->notes[0].find("'overlap'"), std::string::npos);
  EXPECT_EQ(filled->particles.id.back(), filled->particles.size() - 1);
}

TEST(Fills, AnEmptyFillIsNoted) {
  Executor executor(1);
  const Scene scene = bouncing_scene();
  auto filled = sample_fills(scene, {box_body({2, 2, 2}, {0, 0, 0.6})}, executor);
  ASSERT_TRUE(filled.ok());
  EXPECT_EQ(filled->particles.size(), 0u);
  EXPECT_NE(filled->notes.back().find("is empty"), std::string::npos);
}

}  // namespace
}  // namespace talus
