// Rows of docs/replication.md where grains splash, pile up, run out and push: Alduan, Tena & Otaduy
// 2009, Fig. 8, and Longmore 2009, section 7.2, at small size, each with a control.
#include "lab/statistics.h"
#include "replication/row.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace talus {
namespace {

void record(const std::string& name, const std::vector<double>& values) {
  testing::Test::RecordProperty(name, fmt::format("{:.4g}", fmt::join(values, " ")));
}

double total_energy(Row& row) {
  const Energy energy = row->energy();
  return energy.kinetic + energy.potential;
}

/// To `end` in parts of 0.1 s. Grains that nothing drives must not gain energy, nor be lost, nor
/// be pressed into each other or into bodies beyond what soft grains give way.
bool run_sanely(Row& row, double end) {
  const std::size_t grains = row.positions().size();
  double before = total_energy(row);
  const double tolerance = 0.002 * before;
  for (double t = 0.1; t < end + 0.099; t += 0.1) {
    if (!row.run_until(std::min(t, end))) return false;
    const double now = total_energy(row);
    EXPECT_LT(now, before + tolerance) << "at " << row->time() << " s";
    before = now;
    EXPECT_LT(row.deepest_in_solids(), 0) << "at " << row->time() << " s";
  }
  EXPECT_EQ(row.positions().size(), grains);
  return true;
}

/// Solid part of the room around the grains, of those that have most of it around them.
double densest(Row& row) {
  row->prepare_frame();
  const auto packing = row->particles().values<float>("packing_fraction");
  return lab::quantile(std::vector<double>(packing.begin(), packing.end()), 0.95);
}

struct Splash {
  double reach = 0;   ///< m, radius that holds nine tenths
  double sparse = 0;  ///< share of grains with less than 5 % of solid around them
};

Splash splash_of(Row& row) {
  row->prepare_frame();
  std::vector<double> radius;
  for (const Vec3f& x : row.positions()) radius.push_back(std::hypot(double{x.x}, double{x.y}));
  const auto packing = row->particles().values<float>("packing_fraction");
  const auto sparse =
      std::count_if(packing.begin(), packing.end(), [](float p) { return p < 0.05f; });
  const Splash out{lab::quantile(radius, 0.9),
                   static_cast<double>(sparse) / static_cast<double>(packing.size())};
  record("splash_at_" + std::to_string(row->time()), {out.reach, out.sparse});
  return out;
}

TEST(Alduan2009, Figure8TheRocketSplashes) {
  Row row("grains/rocket");
  ASSERT_TRUE(row);
  const Splash start = splash_of(row);
  ASSERT_TRUE(run_sanely(row, row->scene().duration));
  row.expect_sane(0.3);
  const Splash end = splash_of(row);
  EXPECT_GT(end.reach, 4 * start.reach);
  EXPECT_GT(end.sparse, start.sparse + 0.2);
  EXPECT_LT(densest(row), 0.7);
}

/// Control: dropped without a speed of its own it slumps to a heap.
TEST(Alduan2009, Figure8WithoutSpeedItSlumps) {
  Row row("grains/rocket", {"size=small"}, [](Scene& scene) {
    for (Fill& fill : scene.fills) fill.velocity = {};
  });
  ASSERT_TRUE(row);
  const Splash start = splash_of(row);
  ASSERT_TRUE(run_sanely(row, row->scene().duration));
  const Splash end = splash_of(row);
  EXPECT_LT(end.reach, 3.5 * start.reach);
  EXPECT_LT(end.sparse, start.sparse + 0.15);
}

struct Dunes {
  double left = 0, saddle = 0, right = 0;  ///< m, height of the surface along the middle
};

Dunes dunes_of(Row& row) {
  const double d = row->scene().materials[0].grain_diameter;
  const auto surface = [&](double x) {
    std::vector<double> height;
    for (const Vec3f& p : row.positions())
      if (std::hypot(double{p.x} - x, double{p.y}) < 2.5 * d) height.push_back(double{p.z});
    return height.empty() ? 0 : lab::quantile(height, 0.95);
  };
  Dunes dunes;
  for (double x = 2 * d; x < 0.4; x += 0.5 * d) {
    dunes.left = std::max(dunes.left, surface(-x));
    dunes.right = std::max(dunes.right, surface(x));
  }
  dunes.saddle = surface(0);
  record("dunes", {dunes.left, dunes.saddle, dunes.right});
  return dunes;
}

TEST(Longmore2009, Figure716TwoColumnsMakeTwoDunes) {
  Row row("grains/dunes", {"size=small", "output.fields=[\"packing_fraction\"]"});
  ASSERT_TRUE(row);
  ASSERT_TRUE(run_sanely(row, row->scene().duration));
  row.expect_sane(0.01);  // a stable formation
  EXPECT_GT(densest(row), 0.4);
  EXPECT_LT(densest(row), 0.7);
  const Dunes dunes = dunes_of(row);
  EXPECT_GT(std::min(dunes.left, dunes.right), 1.7 * dunes.saddle);
  EXPECT_NEAR(dunes.left, dunes.right, 0.2 * dunes.left);
  EXPECT_GT(dunes.saddle, 0.5 * row->scene().materials[0].grain_diameter);  // they meet
}

/// Control: smooth spheres level out.
TEST(Longmore2009, Figure716SmoothSpheresMakeNoDunes) {
  Row row("grains/dunes", {"size=small"}, [](Scene& scene) {
    for (Material& m : scene.materials) {
      m.grain_shape = "sphere";
      m.friction = 0;
    }
    for (SceneBody& b : scene.bodies) b.friction = 0;
  });
  ASSERT_TRUE(row);
  ASSERT_TRUE(run_sanely(row, row->scene().duration));
  const Dunes dunes = dunes_of(row);
  EXPECT_LT(std::max(dunes.left, dunes.right), 1.5 * dunes.saddle);
}

constexpr double hole_height = 0.62;

double still_above(const Row& row) {
  const auto above = std::count_if(row.positions().begin(), row.positions().end(),
                                   [](const Vec3f& x) { return double{x.z} > hole_height; });
  return static_cast<double>(above) / static_cast<double>(row.positions().size());
}

/// When a share of the grains is still above the hole, s.
double time_of_share(Row& row, double share) {
  double before = still_above(row), t = row->time();
  while (before > share) {
    if (!row.run_until(t + 0.01)) return t;
    const double now = still_above(row);
    if (now <= share) return t + 0.01 * (before - share) / (before - now);
    before = now;
    t = row->time();
    if (t > row->scene().duration) {
      ADD_FAILURE() << before << " of the grains never came through";
      return t;
    }
  }
  return t;
}

/// The first third still falls into the cone; the last sixth leaves it with no more sand over the
/// hole than the hole is wide.
TEST(Longmore2009, Figure717SandRunsOutAtAConstantRate) {
  Row row("grains/hourglass", {"size=small", "output.fields=[\"packing_fraction\"]"});
  ASSERT_TRUE(row);
  const double first = time_of_share(row, 0.65), second = time_of_share(row, 0.5),
               third = time_of_share(row, 0.35), fourth = time_of_share(row, 0.2);
  record("times_s", {first, second, third, fourth});
  const double mean = (fourth - first) / 3;
  EXPECT_NEAR(second - first, mean, 0.15 * mean);
  EXPECT_NEAR(third - second, mean, 0.15 * mean);
  EXPECT_NEAR(fourth - third, mean, 0.15 * mean);
  ASSERT_TRUE(run_sanely(row, row->scene().duration));
  row.expect_sane(0.5);  // the last ones still roll
  EXPECT_EQ(still_above(row), 0);
  EXPECT_GT(row.height(0.99), 2 * row->scene().materials[0].grain_diameter);  // a heap underneath
}

/// Control: through a hole narrower than a grain none comes, and the wall lets none through.
TEST(Longmore2009, Figure717NoneComesThroughTheWall) {
  Row row("grains/hourglass", {"size=small"}, [](Scene& scene) {
    for (SceneBody& b : scene.bodies)
      if (b.name == "funnel") b.shape.radius = 0.008;
    for (Fill& f : scene.fills) f.shape.pose.position.z += 0.1;  // clear of the wall
  });
  ASSERT_TRUE(row);
  ASSERT_TRUE(run_sanely(row, 0.4));
  EXPECT_EQ(still_above(row), 1);
}

/// Height of the upright axis' end: 1 as it stood, 0 lying, -1 upside down.
double uprightness(const Row& row, const std::string& body) {
  return rotate(row.body(body).pose.rotation, Vec3d{0, 0, 1}).z;
}

TEST(Longmore2009, Figure718TheAvalancheTopplesBothBlocks) {
  Row row("grains/tower");
  ASSERT_TRUE(row);
  ASSERT_TRUE(run_sanely(row, row->scene().duration));
  row.expect_sane(0.5);
  record("upright", {uprightness(row, "lower block"), uprightness(row, "upper block")});
  EXPECT_LT(std::abs(uprightness(row, "lower block")), 0.7);
  EXPECT_LT(std::abs(uprightness(row, "upper block")), 0.7);
  EXPECT_LT(row.body("upper block").pose.position.z, 0.2);  // it was at 0.3 m
}

/// Control: without grains they stand.
TEST(Longmore2009, Figure718WithoutAnAvalancheTheyStand) {
  Row row("grains/tower", {"size=small"}, [](Scene& scene) { scene.fills.clear(); });
  ASSERT_TRUE(row);
  ASSERT_TRUE(row.run_to_end());
  for (const char* name : {"lower block", "upper block"}) {
    EXPECT_GT(uprightness(row, name), 0.999) << name;
    EXPECT_NEAR(row.body(name).pose.position.x, 0.1, 0.002) << name;
  }
}

int standing_pins(const Row& row) {
  int standing = 0;
  for (int pin = 1; pin <= 10; ++pin)
    standing += uprightness(row, "pin " + std::to_string(pin)) > 0.95 ? 1 : 0;
  return standing;
}

TEST(Longmore2009, Figure725TheBallFellsThePins) {
  Row row("bodies/bowling", {});
  ASSERT_TRUE(row);
  ASSERT_TRUE(row.run_to_end());
  const int standing = standing_pins(row);
  RecordProperty("standing", standing);
  EXPECT_LE(standing, 4);
  for (const Body& b : row->bodies()) {
    const Vec3d& x = b.state.pose.position;
    EXPECT_TRUE(std::isfinite(x.x) && std::isfinite(x.y) && std::isfinite(x.z)) << b.name;
    EXPECT_GT(x.z, -0.55) << b.name;  // the pit's floor, whose own origin is at -0.5
  }
}

/// Control: without the ball they stand.
TEST(Longmore2009, Figure725WithoutTheBallThePinsStand) {
  Row row("bodies/bowling", {}, [](Scene& scene) {
    std::erase_if(scene.bodies, [](const SceneBody& b) { return b.name == "ball"; });
  });
  ASSERT_TRUE(row);
  ASSERT_TRUE(row.run_to_end());
  EXPECT_EQ(standing_pins(row), 10);
}

/// What became of the boxes of scenes/grains/bowling_boxes.toml.
struct Boxes {
  int count = 0, moved = 0;  ///< moved: by more than half a box
  double top = 0;            ///< m, of the highest middle
  double widest = 0;         ///< m, farthest middle from the plane between the panes
};

Boxes boxes_of(const Row& row, const Scene& before) {
  Boxes out;
  for (const SceneBody& b : before.bodies) {
    if (!b.name.starts_with("box")) continue;
    const Vec3d x = row.body(b.name).pose.position;
    EXPECT_TRUE(std::isfinite(norm(x))) << b.name;
    EXPECT_GT(x.z, 0.07) << b.name << ": in the floor";
    ++out.count;
    out.moved += norm(x - b.shape.pose.position) > 0.08 ? 1 : 0;
    out.top = std::max(out.top, x.z);
    out.widest = std::max(out.widest, std::abs(x.y));
  }
  return out;
}

/// The row to its end, without the bodies that leave.
Boxes bowled(const std::function<bool(const std::string&)>& leaves) {
  Scene before;
  Row row("grains/bowling_boxes", {}, [&](Scene& scene) {
    std::erase_if(scene.bodies, [&](const SceneBody& b) { return leaves(b.name); });
    before = scene;
  });
  if (!row || !row.run_to_end()) return {};
  return boxes_of(row, before);
}

TEST(Longmore2009, Figure725TheBallFellsTheStackBetweenThePanes) {
  const Boxes boxes = bowled([](const std::string&) { return false; });
  RecordProperty("moved", boxes.moved);
  EXPECT_EQ(boxes.count, 26);
  EXPECT_GE(boxes.moved, 18);
  EXPECT_LT(boxes.top, 0.45);     // 0.72 m before
  EXPECT_LT(boxes.widest, 0.22);  // 0.29 m to the glass, half a box is 0.08 m
}

/// Controls: without the ball the stack stands, without the glass boxes lie beyond it.
TEST(Longmore2009, Figure725WithoutTheBallTheStackStands) {
  const Boxes boxes = bowled([](const std::string& name) { return name == "ball"; });
  EXPECT_EQ(boxes.moved, 0);
  EXPECT_GT(boxes.top, 0.70);
}

TEST(Longmore2009, Figure725WithoutTheGlassBoxesFallOut) {
  const Boxes boxes = bowled([](const std::string& name) { return name.ends_with("pane"); });
  EXPECT_GT(boxes.widest, 0.35);
}

}  // namespace
}  // namespace talus
