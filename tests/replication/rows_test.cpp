// Scenes of the papers' figures at their small size, to the end: nothing is lost, nothing explodes,
// and what the figure shows is visible in a number. docs/replication.md has the figures.
#include "replication/row.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <map>

namespace talus {
namespace {

TEST(Ihmsen2013, Figure1TheBulldozerCarriesThePile) {
  Row row("bodies/bulldozer");
  ASSERT_TRUE(row);
  const double before = row.quantile(0.5, 0, 0);
  ASSERT_TRUE(row.run_to_end());
  row.expect_sane(0.05);
  EXPECT_GT(row.quantile(0.5, 0, 0), before + 0.7);  // the blade goes to 0.75 m
}

TEST(Ihmsen2013, Figure2SteeperSandStandsSteeper) {
  Row row("sand/piles");
  ASSERT_TRUE(row);
  ASSERT_TRUE(row.run_to_end());
  row.expect_sane(0.02);
  EXPECT_GT(row.height(0.99, 1), 1.1 * row.height(0.99, 0));
  EXPECT_GT(row.height(0.99, 2), 1.1 * row.height(0.99, 1));
}

TEST(Ihmsen2013, Figure3TheWetBlockStandsAndTheDryOneFalls) {
  Row row("sand/blocks");
  ASSERT_TRUE(row);
  ASSERT_TRUE(row.run_until(2.9));
  EXPECT_LT(row.height(0.99, 0), 0.3);
  EXPECT_GT(row.height(0.99, 1), 0.36);
  ASSERT_TRUE(row.run_to_end());  // the wind has dried it
  row.expect_sane(0.05);
  EXPECT_LT(row.height(0.99, 1), 0.33);
}

TEST(Ihmsen2013, Figure4TheBallThrowsUpACrown) {
  Row row("sand/splash");
  ASSERT_TRUE(row);
  const double surface = row.height(0.99);
  ASSERT_TRUE(row.run_until(0.12));
  EXPECT_GT(row.height(1), surface + 0.02);  // small spacing, small crown
  ASSERT_TRUE(row.run_to_end());
  row.expect_sane(0.1);
  EXPECT_LT(row.height(0.99), surface + 0.1);
}

TEST(Ihmsen2013, Figure5TheHeaviestSphereIsCarried) {
  Row row("bodies/spheres");
  ASSERT_TRUE(row);
  ASSERT_TRUE(row.run_to_end());
  row.expect_sane(0.3);
  EXPECT_GT(row.body("heavy").pose.position.x, 0.0);  // it began at -1.16 m, up on the ramp
  EXPECT_GT(row.body("heavy").pose.position.z, 0.1);  // on the ground or above it
  // On the sand or, when it has rolled ahead of it, on the ground.
  EXPECT_GT(row.body("light").pose.position.z, row.body("heavy").pose.position.z - 0.005);
}

TEST(Ihmsen2013, Figure6TheLadderHoldsSandUntilItIsLetGo) {
  Row row("bodies/ladder");
  ASSERT_TRUE(row);
  ASSERT_TRUE(row.run_until(3.0));
  EXPECT_GT(row.height(0.98), 0.6);  // some lies on the rungs
  EXPECT_GT(row.body("rung 1").pose.position.z, 1.6);
  ASSERT_TRUE(row.run_to_end());
  row.expect_sane(0.5);
  EXPECT_LT(row.body("rung 1").pose.position.z, 1.0);
}

/// Sand that has come to rest, from 1.5 s to 3 s.
struct Rest {
  std::size_t pops = 0;  ///< accelerations of a particle beyond 2 g, one for each step
  double fastest = 0;    ///< m/s
};

Rest rest_on(const std::string& boundary) {
  Rest rest;
  Row row("sand/popping", {"size=small", "sph.boundary=" + boundary});
  if (!row || !row.run_until(1.5)) return rest;
  std::map<std::uint64_t, Vec3f> before;
  while (row->time() < row->scene().duration - 1e-9) {
    const double start = row->time();
    if (!row.run_until(start + 1e-6)) return rest;  // one step
    const auto id = row->particles().values<std::uint64_t>("id");
    const auto v = row->particles().values<Vec3f>("velocity");
    for (std::size_t i = 0; i < v.size(); ++i) {
      const auto [last, first] = before.emplace(id[i], v[i]);
      if (!first && norm(Vec3d(v[i] - last->second)) > 2 * 9.81 * (row->time() - start))
        ++rest.pops;
      last->second = v[i];
      rest.fastest = std::max(rest.fastest, double{norm(v[i])});
    }
  }
  testing::Test::RecordProperty("pops_" + boundary, std::to_string(rest.pops));
  testing::Test::RecordProperty("fastest_" + boundary, std::to_string(rest.fastest));
  return rest;
}

TEST(Ihmsen2013, Section51DirectForcingPops) {
  const Rest particles = rest_on("particles"), direct = rest_on("direct_forcing");
  EXPECT_LT(particles.fastest, 0.03);
  EXPECT_GT(direct.fastest, 2 * particles.fastest);
  EXPECT_GT(direct.pops, 10 * (particles.pops + 1));
}

TEST(Alduan2011, Figure1TheAvalancheMovesTheTown) {
  Row row("bodies/town");
  ASSERT_TRUE(row);
  std::vector<Vec3d> before;
  for (const Body& b : row->bodies()) before.push_back(b.state.pose.position);
  ASSERT_TRUE(row.run_to_end());
  row.expect_sane(0.3);
  std::size_t moved = 0, dynamic = 0;
  for (std::size_t b = 0; b < before.size(); ++b) {
    if (row->bodies()[b].motion != BodyMotion::dynamic) continue;
    ++dynamic;
    moved += norm(row->bodies()[b].state.pose.position - before[b]) > 0.1 ? 1 : 0;
  }
  EXPECT_GT(moved, 4u);
  EXPECT_EQ(dynamic, 36u);
}

TEST(Alduan2011, Figure3MoreFrictionStandsHigher) {
  Row row("sand/friction");
  ASSERT_TRUE(row);
  ASSERT_TRUE(row.run_to_end());
  row.expect_sane(0.3);  // 0.1 still glides
  EXPECT_GT(row.height(0.99, 1), 1.2 * row.height(0.99, 0));
  EXPECT_GT(row.height(0.99, 2), 1.2 * row.height(0.99, 1));
}

TEST(Alduan2011, Figure5TheCastleStandsAndIsTorn) {
  Row row("sand/castle");
  ASSERT_TRUE(row);
  const double tower = row.height(0.99);
  ASSERT_TRUE(row.run_until(0.2));  // the first ball arrives
  EXPECT_GT(row.height(0.99), 0.93 * tower);
  const auto high = [&] {
    return std::count_if(row.positions().begin(), row.positions().end(),
                         [&](const Vec3f& x) { return x.x > 0.2f && double{x.z} > 0.25; });
  };
  const auto before = high();
  ASSERT_TRUE(row.run_to_end());
  row.expect_sane(0.3);
  EXPECT_LT(high(), 0.6 * static_cast<double>(before));  // the right tower
}

}  // namespace
}  // namespace talus
