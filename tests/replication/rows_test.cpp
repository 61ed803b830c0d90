// Scenes of the papers' figures at their small size, to the end: nothing is lost, nothing explodes,
// and what the figure shows is visible in a number. docs/replication.md has the figures.
#include "run/simulation.h"
#include "scene/read_scene.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>

namespace talus {
namespace {

/// A scene of scenes/ at its small size.
class Row {
 public:
  explicit Row(const std::string& name) : executor_(2) {
    auto scene = read_scene(TALUS_SOURCE_DIR "/scenes/" + name + ".toml", {"size=small"});
    EXPECT_TRUE(scene.ok()) << (scene.ok() ? "" : scene.error().message);
    if (!scene.ok()) return;
    auto created = Simulation::create(std::move(*scene), executor_);
    EXPECT_TRUE(created.ok()) << (created.ok() ? "" : created.error().message);
    if (created.ok()) simulation_ = std::move(*created);
  }

  Simulation* operator->() { return simulation_.get(); }
  explicit operator bool() const { return simulation_ != nullptr; }

  /// False, and a failure, when a step fails.
  bool run_until(double time) {
    while (simulation_->time() < time - 1e-9) {
      const auto step = simulation_->step();
      if (!step.ok()) {
        ADD_FAILURE() << step.error().message;
        return false;
      }
    }
    return true;
  }
  bool run_to_end() { return run_until(simulation_->scene().duration); }

  std::span<const Vec3f> positions() const {
    return simulation_->particles().values<Vec3f>("position");
  }
  /// Below it lies `share` of a material's particles, m.
  double height(double share, std::uint32_t material = 0) const {
    return quantile(share, material, 2);
  }
  double quantile(double share, std::uint32_t material, int axis) const {
    const auto of = simulation_->particles().values<std::uint32_t>("material");
    std::vector<float> values;
    for (std::size_t i = 0; i < of.size(); ++i)
      if (of[i] == material) values.push_back(positions()[i][axis]);
    std::sort(values.begin(), values.end());
    return values.empty() ? 0
                          : double{values[static_cast<std::size_t>(
                                share * static_cast<double>(values.size() - 1))]};
  }
  const BodyState& body(const std::string& name) const {
    const auto bodies = simulation_->bodies();
    const auto found =
        std::find_if(bodies.begin(), bodies.end(), [&](const Body& b) { return b.name == name; });
    EXPECT_NE(found, bodies.end()) << name;
    return found->state;
  }

  /// After the run: all there, finite, calm and above the ground.
  void expect_sane(double calm) const {
    const double spacing = simulation_->scene().sph.spacing;
    double deepest = 0, fastest = 0;
    for (const Vec3f& x : positions()) {
      ASSERT_TRUE(std::isfinite(x.x) && std::isfinite(x.y) && std::isfinite(x.z));
      deepest = std::max(deepest, -double{x.z});
    }
    double mean = 0;
    const auto velocity = simulation_->particles().values<Vec3f>("velocity");
    for (const Vec3f& v : velocity) {
      mean += double{norm(v)} / static_cast<double>(velocity.size());
      fastest = std::max(fastest, double{norm(v)});
    }
    EXPECT_LT(deepest, 0.5 * spacing);
    EXPECT_LT(mean, calm);
    EXPECT_LT(fastest, 15);
  }

 private:
  Executor executor_;
  std::unique_ptr<Simulation> simulation_;
};

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
  EXPECT_GT(row.body("light").pose.position.z, row.body("heavy").pose.position.z);
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
