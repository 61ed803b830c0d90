#include "sampling/volume.h"

#include "geometry/primitive_distance.h"
#include "sampling/near_points.h"

#include <cmath>
#include <gtest/gtest.h>
#include <numbers>

namespace talus {
namespace {

std::shared_ptr<const DistanceField> box(Vec3d size) {
  Shape shape;
  shape.size = size;
  return *make_primitive_field(shape);
}

std::shared_ptr<const DistanceField> sphere(double radius) {
  Shape shape;
  shape.kind = ShapeKind::sphere;
  shape.radius = radius;
  return *make_primitive_field(shape);
}

struct Spacing {
  double smallest = 1e300, mean = 0, deviation = 0;
};

Spacing nearest_distances(const std::vector<Vec3f>& points, float reach, const Executor& executor) {
  NearPoints near;
  near.build(points, reach, executor);
  Spacing s;
  double sum = 0, squares = 0;
  for (const Vec3f& p : points) {
    float best = reach * reach;
    near.for_near(p, reach, [&](std::uint32_t, const Vec3f&, float d2) {
      if (d2 > 0) best = std::min(best, d2);
    });
    const double d = std::sqrt(best);
    s.smallest = std::min(s.smallest, d);
    sum += d;
    squares += d * d;
  }
  const double n = static_cast<double>(points.size());
  s.mean = sum / n;
  s.deviation = std::sqrt(std::max(0.0, squares / n - s.mean * s.mean));
  return s;
}

TEST(FillVolume, BoxOfWholeSpacingsGetsExactlyItsCount) {
  const Executor executor;
  for (double a : {0.1, 0.03, 1.0 / 3.0, 0.017}) {
    for (Arrangement arrangement :
         {Arrangement::lattice, Arrangement::jittered, Arrangement::relaxed}) {
      const auto points =
          fill_volume(*box({7 * a, 5 * a, 4 * a}), {}, a, arrangement, 0.2, 1, executor);
      ASSERT_TRUE(points.ok()) << points.error().message;
      EXPECT_EQ(points->size(), 7u * 5u * 4u) << a << " " << static_cast<int>(arrangement);
    }
  }
}

TEST(FillVolume, KeepsHalfASpacingFromTheSurface) {
  const Executor executor;
  const auto field = sphere(0.5);
  for (Arrangement arrangement :
       {Arrangement::lattice, Arrangement::jittered, Arrangement::relaxed}) {
    const auto points = fill_volume(*field, {}, 0.05, arrangement, 0.3, 5, executor);
    ASSERT_TRUE(points.ok());
    for (const Vec3f& p : *points) ASSERT_LE(field->sample(p).distance, -0.5 * 0.05 + 0.0006);
  }
}

TEST(FillVolume, PoseMovesPointsIntoTheWorld) {
  const Executor executor;
  const Posed pose{{10, 20, 30}, Quatd::from_axis_angle({0, 0, 1}, std::numbers::pi / 2)};
  const auto field = box({0.4, 0.2, 0.2});
  const auto local = fill_volume(*field, {}, 0.1, Arrangement::lattice, 0, 1, executor);
  const auto world = fill_volume(*field, pose, 0.1, Arrangement::lattice, 0, 1, executor);
  ASSERT_EQ(local->size(), world->size());
  for (std::size_t i = 0; i < local->size(); ++i) {
    const Vec3f p = (*local)[i], q = (*world)[i];
    EXPECT_NEAR(norm(q - Vec3f{10 - p.y, 20 + p.x, 30 + p.z}), 0, 1e-5);
  }
}

TEST(FillVolume, RelaxedIsEvenHasTheRightDensityAndFollowsTheSurface) {
  const Executor executor;
  const double a = 0.05;
  const auto field = sphere(0.5);
  const auto points = fill_volume(*field, {}, a, Arrangement::relaxed, 0, 1, executor);
  ASSERT_TRUE(points.ok());
  const double volume = 4.0 / 3.0 * std::numbers::pi * 0.125;
  EXPECT_NEAR(static_cast<double>(points->size()) * a * a * a / volume, 1, 0.02);
  const Spacing s = nearest_distances(*points, static_cast<float>(1.6 * a), executor);
  EXPECT_GT(s.smallest, 0.6 * a);
  EXPECT_LT(s.deviation / s.mean, 0.08);
  // A lattice leaves steps at the surface; the relaxed arrangement has a full layer there.
  std::size_t layer = 0;
  for (const Vec3f& p : *points)
    if (field->sample(p).distance > -0.55 * a) ++layer;
  const double area = 4 * std::numbers::pi * (0.5 - a / 2) * (0.5 - a / 2);
  EXPECT_GT(static_cast<double>(layer) * a * a / area, 0.7);
}

TEST(FillVolume, SameBitsForAnyNumberOfThreads) {
  const Executor one(1), three(3);
  for (Arrangement arrangement : {Arrangement::jittered, Arrangement::relaxed}) {
    const auto a = fill_volume(*sphere(0.4), {}, 0.04, arrangement, 0.3, 9, one);
    const auto b = fill_volume(*sphere(0.4), {}, 0.04, arrangement, 0.3, 9, three);
    EXPECT_EQ(*a, *b);
  }
  const auto other = fill_volume(*sphere(0.4), {}, 0.04, Arrangement::jittered, 0.3, 10, one);
  EXPECT_NE(*other, *fill_volume(*sphere(0.4), {}, 0.04, Arrangement::jittered, 0.3, 9, one));
}

TEST(FillVolume, RefusesWithTheNumbers) {
  const Executor executor;
  const auto thin = fill_volume(*box({1, 1, 0.01}), {}, 0.1, Arrangement::lattice, 0, 1, executor);
  ASSERT_FALSE(thin.ok());
  EXPECT_NE(thin.error().message.find("thinner"), std::string::npos);
  const auto huge = fill_volume(*box({1, 1, 1}), {}, 1e-4, Arrangement::lattice, 0, 1, executor);
  ASSERT_FALSE(huge.ok());
  EXPECT_NE(huge.error().message.find("1e+12 particles"), std::string::npos)
      << huge.error().message;
  EXPECT_FALSE(
      fill_volume(*box({1, 1, 1}), {}, 0.1, Arrangement::lattice, 0, 1, executor, 999).ok());
  EXPECT_TRUE(
      fill_volume(*box({1, 1, 1}), {}, 0.1, Arrangement::lattice, 0, 1, executor, 1001).ok());
  EXPECT_FALSE(fill_volume(*box({1, 1, 1}), {}, -1, Arrangement::lattice, 0, 1, executor).ok());
  EXPECT_FALSE(fill_volume(*box({1, 1, 1}), {}, 0.1, Arrangement::jittered, 2, 1, executor).ok());
  Shape plane;
  plane.kind = ShapeKind::plane;
  EXPECT_FALSE(
      fill_volume(**make_primitive_field(plane), {}, 0.1, Arrangement::lattice, 0, 1, executor)
          .ok());
  EXPECT_FALSE(parse_arrangement("latice").ok());
}

TEST(EstimateVolume, IsWithinAThousandth) {
  const Executor executor;
  EXPECT_NEAR(*estimate_volume(*sphere(0.5), executor) / (std::numbers::pi / 6), 1, 1e-3);
  EXPECT_NEAR(*estimate_volume(*box({1, 2, 0.3}), executor) / 0.6, 1, 1e-3);
}

}  // namespace
}  // namespace talus
