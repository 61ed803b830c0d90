// Rows of docs/replication.md that are about grains: Alduan, Tena & Otaduy 2009, at small size.
#include "dem/grain_shape.h"
#include "detail/measures.h"
#include "detail/upsampling_laws.h"
#include "geometry/distance.h"
#include "lab/flank.h"
#include "lab/statistics.h"
#include "replication/detailed_row.h"
#include "replication/row.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <gtest/gtest.h>
#include <numbers>
#include <string>
#include <vector>

namespace talus {
namespace {

struct Heap {
  double angle_deg = 0;  ///< of the cone with the same medians of height and radius
  double flank_deg = 0, flank_error_deg = 0;
  double porosity = 0;  ///< in the core: nearer to the axis than 2 d, 3 d below the top
};

/// The heap of a material that was poured at (x, 0). In a cone the median radius is R/2 and the
/// median height (1 - 2^(-1/3)) H, whatever the porosity, and single grains that roll away do not
/// count. Without a core (the heap is flat) porosity and flank stay 0.
Heap heap_of(Row& row, std::uint32_t material, double x) {
  const Material& m = row->scene().materials[material];
  const double d = m.grain_diameter, degree = std::numbers::pi / 180;
  const auto of = row->particles().values<std::uint32_t>("material");
  const auto packing = row->particles().values<float>("packing_fraction");
  std::vector<Vec3f> position;
  std::vector<double> radius, height, packed, near_axis, core;
  for (std::size_t i = 0; i < of.size(); ++i) {
    if (of[i] != material) continue;
    position.push_back(row.positions()[i] - Vec3f(Vec3d{x, 0, 0}));
    radius.push_back(std::hypot(double{position.back().x}, double{position.back().y}));
    height.push_back(double{position.back().z});
    packed.push_back(double{packing[i]});
    if (radius.back() < 2 * d) near_axis.push_back(height.back());
  }
  Heap heap;
  const double H = lab::quantile(height, 0.5) / (1 - std::cbrt(0.5)),
               R = 2 * lab::quantile(radius, 0.5);
  heap.angle_deg = std::atan(H / R) / degree;
  const double top = near_axis.empty() ? 0 : lab::quantile(near_axis, 0.98);
  for (std::size_t k = 0; k < radius.size(); ++k)
    if (radius[k] < 2 * d && height[k] < top - 3 * d) core.push_back(packed[k]);
  if (core.size() < 10) return heap;
  const double solid = lab::quantile(core, 0.5);
  heap.porosity = 1 - solid;
  const auto shape = load_grain_shape(m.grain_shape, m.grain_spheres);
  EXPECT_TRUE(shape.ok());
  const Flank flank = measure_flank(position, d, shape->volume * d * d * d / solid);
  heap.flank_deg = flank.angle_deg;
  heap.flank_error_deg = flank.error_deg;
  return heap;
}

/// In the order of the scene and of the figure: nine, four, eight, six.
std::array<Heap, 4> heaps_of(Row& row) {
  std::array<Heap, 4> heaps;
  row->prepare_frame();
  for (std::uint32_t k = 0; k < 4; ++k) {
    const Heap& h = heaps[k] = heap_of(row, k, row->scene().pours[k].position.x);
    testing::Test::RecordProperty(
        "heap_of_" + row->scene().materials[k].name,
        fmt::format("{:.1f} degrees, flank {:.1f} +- {:.1f} degrees, porosity {:.3f}", h.angle_deg,
                    h.flank_deg, h.flank_error_deg, h.porosity));
  }
  return heaps;
}

TEST(Alduan2009, Figure3NineSpheresPileSteepestAndCubesLoosest) {
  Row row("grains/shapes");
  ASSERT_TRUE(row);
  ASSERT_TRUE(row.run_to_end());
  const auto [nine, four, eight, six] = heaps_of(row);
  for (const Heap& h : {nine, four, eight, six}) {
    EXPECT_GT(h.angle_deg, 23);
    EXPECT_LT(h.angle_deg, 35);
  }
  EXPECT_GT(nine.angle_deg, (four.angle_deg + eight.angle_deg + six.angle_deg) / 3);
  EXPECT_GT(nine.porosity, eight.porosity + 0.03);
  EXPECT_GT(eight.porosity, four.porosity + 0.02);
  EXPECT_GT(eight.porosity, six.porosity);
}

/// Control: the same pours of spheres; those of the first two with the friction of the clumps, the
/// others without any.
TEST(Alduan2009, Figure3SpheresPileLessAndSmoothOnesNotAtAll) {
  SceneOverrides changes{"size=small"};
  for (const char* name : {"nine", "four", "eight", "six"})
    changes.push_back(fmt::format("material.{}.grain_shape=sphere", name));
  for (const char* name : {"eight", "six"})
    changes.push_back(fmt::format("material.{}.friction_coefficient=0", name));
  Row row("grains/shapes", changes);
  ASSERT_TRUE(row);
  ASSERT_TRUE(row.run_to_end());
  const auto heaps = heaps_of(row);
  for (const int k : {0, 1}) EXPECT_LT(heaps[k].angle_deg, 20);
  for (const int k : {2, 3}) EXPECT_LT(heaps[k].angle_deg, 5);
}

/// After 0.24 s the lump has burst on the ball, and all of it flies.
TEST(Alduan2009, Figure6TheSparseRuleDissolvesClods) {
  DetailedRow row("grains/clods", {"size=small"});
  ASSERT_TRUE(row);
  const auto clumping = [&](const std::string& method) {
    if (!row.add_detail({"detail.method=" + method})) return 0.0;
    auto grains = row.grains(12);
    EXPECT_GT(grains.size(), 20'000u);
    std::erase_if(grains, [](const Vec3f& x) { return x.z < 0.1f; });  // lies on the floor
    const double index =
        detail::clumping_index(grains, 0.5 * row.scene().materials[0].grain_diameter);
    testing::Test::RecordProperty(method, std::to_string(index));
    return index;
  };
  const double fixed = clumping("fixed"), split = clumping("split"), blend = clumping("blend");
  EXPECT_GT(fixed, 3);  // clods of 32 over eight cells each
  EXPECT_LT(4 * split, fixed);
  EXPECT_LT(4 * blend, fixed);
}

/// Where a heap about the z axis is and how far it reaches.
struct Extent {
  double middle = 0;  ///< m, height of the centre of mass
  double reach = 0;   ///< m, radius that holds nine tenths
  double top = 0;     ///< m, height that 99 % are below
};

Extent extent_of(std::span<const Vec3f> position) {
  std::vector<double> radius, height;
  for (const Vec3f& x : position) {
    radius.push_back(std::hypot(double{x.x}, double{x.y}));
    height.push_back(double{x.z});
  }
  return {lab::mean(height), lab::quantile(radius, 0.9), lab::quantile(height, 0.99)};
}

TEST(Alduan2009, Figure4GuidesAndDetailMakeTheSameHeap) {
  DetailedRow cheap("grains/speedup", {"size=small"});
  ASSERT_TRUE(cheap);
  ASSERT_TRUE(cheap.add_detail());
  Row full("grains/speedup", {"size=small_full"});
  ASSERT_TRUE(full);
  ASSERT_TRUE(full.run_to_end());
  const auto grains = cheap.grains(cheap.last_frame());
  const auto as_many = static_cast<double>(full.positions().size());
  EXPECT_NEAR(static_cast<double>(grains.size()), as_many, 0.02 * as_many);
  const Extent wanted = extent_of(full.positions()), found = extent_of(grains);
  RecordProperty("full", fmt::format("{} {} {}", wanted.middle, wanted.reach, wanted.top));
  RecordProperty("detail", fmt::format("{} {} {}", found.middle, found.reach, found.top));
  EXPECT_NEAR(found.middle, wanted.middle, 0.2 * wanted.middle);
  EXPECT_NEAR(found.reach, wanted.reach, 0.2 * wanted.reach);
  EXPECT_NEAR(found.top, wanted.top, 0.25 * wanted.top);
}

/// Distances of points to a body of the scene, negative inside it.
std::vector<double> distances(const Scene& scene, const std::string& body,
                              std::span<const Vec3f> points) {
  std::vector<double> out;
  for (const SceneBody& b : scene.bodies) {
    if (b.name != body) continue;
    const auto field = make_distance_field(b.shape, 0.01);
    EXPECT_TRUE(field.ok()) << (field.ok() ? "" : field.error().message);
    for (const Vec3f& x : points)
      out.push_back(double{(*field)->sample(Vec3f(Vec3d(x) - b.shape.pose.position)).distance});
  }
  EXPECT_EQ(out.size(), points.size()) << body;
  return out;
}

/// While it still pours: no fine grain is in the stone, and they come nearer to it than the guides.
TEST(Alduan2009, Figure7FineGrainsFollowTheStone) {
  DetailedRow row("grains/idol", {"size=small"});
  ASSERT_TRUE(row);
  const std::uint64_t frame = row.last_frame() - 12;
  const auto guides = distances(row.scene(), "idol", row.guides(frame));
  ASSERT_TRUE(row.add_detail({"detail.method=fixed"}));
  const auto fixed = distances(row.scene(), "idol", row.grains(frame));
  ASSERT_TRUE(row.add_detail());
  const auto split = distances(row.scene(), "idol", row.grains(frame));
  const Material& sand = row.scene().materials[0];
  const double radius = detail::grain_radius(0.5 * sand.grain_diameter, row.scene().detail.factor);
  EXPECT_EQ(split.size(), guides.size() * 40);
  EXPECT_GT(lab::quantile(split, 0), 0.4 * radius);  // the smallest have 0.95 of it
  EXPECT_LT(lab::quantile(split, 0.01), 0.65 * lab::quantile(guides, 0.01));
  // Control: grains that only follow their guide know nothing of the stone.
  EXPECT_LT(lab::quantile(fixed, 0), -0.4 * radius);
}

}  // namespace
}  // namespace talus
