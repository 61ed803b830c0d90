// The promised quality, on bodies whose true surface is known here independently of the field.
#include "sampling/surface.h"

#include "geometry/mesh_distance.h"
#include "geometry/mesh_shapes.h"
#include "geometry/primitive_distance.h"

#include <cmath>
#include <ctime>
#include <gtest/gtest.h>
#include <numbers>

namespace talus {
namespace {

std::shared_ptr<const DistanceField> mesh_field(Mesh mesh, double spacing) {
  auto options = choose_voxels(mesh, spacing);
  EXPECT_TRUE(options.ok());
  options->cache_folder.clear();
  auto field = MeshField::create(std::move(mesh), *options);
  EXPECT_TRUE(field.ok());
  return *field;
}

std::shared_ptr<const DistanceField> primitive(ShapeKind kind) {
  Shape shape;
  shape.kind = kind;
  shape.radius = 0.5;
  shape.radius_top = 0.25;
  return *make_primitive_field(shape);
}

SurfaceSamples sampled(const DistanceField& field, double spacing) {
  const Executor executor;
  auto samples = sample_surface(field, spacing, 1, executor);
  EXPECT_TRUE(samples.ok());
  std::printf("%s\n", describe(*samples).c_str());
  return *samples;
}

void expect_even(const SurfaceSamples& s) {
  EXPECT_LT(s.quality.nearest_deviation / s.quality.mean_nearest, 0.10);
  EXPECT_NEAR(s.quality.mean_nearest / s.quality.spacing, 0.95, 0.08);
}

void expect_covered(const SurfaceSamples& s) {
  EXPECT_LT(s.quality.farthest, 0.01 * s.quality.spacing);
  EXPECT_LE(s.quality.largest_hole, 1.5 * s.quality.spacing);
}

TEST(SampleSurface, Sphere) {
  const double a = 0.03;
  const SurfaceSamples s = sampled(*primitive(ShapeKind::sphere), a);
  expect_even(s);
  expect_covered(s);
  EXPECT_NEAR(s.area / std::numbers::pi, 1, 0.01);
  for (const Vec3f& p : s.points) ASSERT_NEAR(norm(p), 0.5, 0.01 * a);
  for (std::size_t i = 0; i < s.points.size(); ++i)
    ASSERT_GT(dot(s.normals[i], s.points[i]), 0.499f);
  // Holes measured with the real surface: points of the sphere drawn at random.
  double widest = 0;
  for (int i = 0; i < 3000; ++i) {
    const double z = 2 * (i + 0.5) / 3000 - 1, t = i * 2.399963;
    const double r = std::sqrt(1 - z * z);
    const Vec3f p(0.5 * Vec3d{r * std::cos(t), r * std::sin(t), z});
    float best = 1e9f;
    for (const Vec3f& q : s.points) best = std::min(best, squared_norm(p - q));
    widest = std::max(widest, 2 * std::sqrt(static_cast<double>(best)));
  }
  EXPECT_LE(widest, 1.5 * a);
  EXPECT_LE(widest, s.quality.largest_hole + 0.1 * a);
}

TEST(SampleSurface, AreaOfFacesAlongTheGridIsRightForAnySpacing) {
  const Executor executor;
  for (const double a : {0.03, 0.04, 0.05, 0.0625, 0.1}) {
    const auto s = sample_surface(*primitive(ShapeKind::box), a, 1, executor);
    EXPECT_NEAR(s->area / 6, 1, 0.02) << a;
  }
}

TEST(SampleSurface, CubeWithSharpEdges) {
  const double a = 0.05;
  for (const auto& field : {primitive(ShapeKind::box), mesh_field(box_mesh({1, 1, 1}), a)}) {
    const SurfaceSamples s = sampled(*field, a);
    expect_covered(s);
    for (const Vec3f& p : s.points)
      ASSERT_NEAR(std::max({std::abs(p.x), std::abs(p.y), std::abs(p.z)}), 0.5, 0.01 * a);
    for (int corner = 0; corner < 8; ++corner) {
      const Vec3f c{corner & 1 ? 0.5f : -0.5f, corner & 2 ? 0.5f : -0.5f,
                    corner & 4 ? 0.5f : -0.5f};
      float best = 1e9f;
      for (const Vec3f& q : s.points) best = std::min(best, norm(c - q));
      EXPECT_LT(best, 0.75 * a);
    }
  }
}

TEST(SampleSurface, TrefoilKnot) {
  const double a = 0.03;
  const SurfaceSamples s = sampled(*mesh_field(trefoil(0.8, 0.15, 400, 48), a), a);
  expect_even(s);
  expect_covered(s);
}

TEST(SampleSurface, UnevenTriangles) {
  const double a = 0.04;
  const SurfaceSamples s = sampled(*mesh_field(uneven_blob(0.6, 60, 40), a), a);
  expect_even(s);
  expect_covered(s);
}

TEST(SampleSurface, SpikyStar) {
  const double a = 0.04;
  expect_covered(sampled(*mesh_field(spiky_star(0.25, 0.6, 2), a), a));
}

TEST(SampleSurface, BothSidesOfASheetThinnerThanTheSpacing) {
  const double a = 0.05;
  Shape sheet;
  sheet.size = {1, 1, 0.02};
  const SurfaceSamples s = sampled(**make_primitive_field(sheet), a);
  std::size_t above = 0, below = 0;
  for (const Vec3f& p : s.points) {
    above += p.z > 0.0099f;
    below += p.z < -0.0099f;
  }
  EXPECT_GT(static_cast<double>(above) * a * a, 0.9);
  EXPECT_GT(static_cast<double>(below) * a * a, 0.9);
}

TEST(SampleSurface, SameBitsForAnyNumberOfThreads) {
  const Executor one(1), three(3);
  const auto field = primitive(ShapeKind::cone);
  const auto a = sample_surface(*field, 0.06, 4, one), b = sample_surface(*field, 0.06, 4, three);
  EXPECT_EQ(a->points, b->points);
  EXPECT_EQ(a->normals, b->normals);
  EXPECT_NE(a->points, sample_surface(*field, 0.06, 5, one)->points);
}

TEST(SampleSurface, ObserverSeesEveryIteration) {
  const Executor executor;
  int calls = 0;
  const auto s = sample_surface(*primitive(ShapeKind::sphere), 0.1, 1, executor,
                                [&](int iteration, std::span<const Vec3f> points) {
                                  EXPECT_EQ(iteration, calls++);
                                  EXPECT_FALSE(points.empty());
                                });
  EXPECT_EQ(calls, s->iterations + 1);
}

TEST(SampleSurface, BadInput) {
  const Executor executor;
  EXPECT_FALSE(sample_surface(*primitive(ShapeKind::plane), 0.1, 1, executor).ok());
  EXPECT_FALSE(sample_surface(*primitive(ShapeKind::sphere), 0, 1, executor).ok());
  EXPECT_FALSE(sample_surface(*primitive(ShapeKind::sphere), std::nan(""), 1, executor).ok());
  EXPECT_FALSE(sample_surface(*primitive(ShapeKind::sphere), 1e-7, 1, executor).ok());
}

TEST(SampleSurface, SpacingLargerThanTheBodyStillGivesASample) {
  const SurfaceSamples s = sampled(*primitive(ShapeKind::sphere), 3);
  EXPECT_GE(s.points.size(), 1u);
}

TEST(SampleSurface, MeasureNoticesDamage) {
  const Executor executor;
  const auto field = primitive(ShapeKind::sphere);
  SurfaceSamples s = sampled(*field, 0.05);
  std::erase_if(s.points, [](const Vec3f& p) { return norm(p - Vec3f{0.5f, 0, 0}) < 0.1f; });
  const auto q = measure_samples(*field, s.points, 0.05, executor);
  EXPECT_GT(q->largest_hole, 0.19);
}

TEST(SampleSurface, HundredThousandInTenSecondsOnTwoCores) {
  // Processor time of all threads, since other programs may be running.
  const double a = 0.0057;
  const auto field = primitive(ShapeKind::sphere);
  const std::clock_t start = std::clock();
  const SurfaceSamples s = sampled(*field, a);
  const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  std::printf("%zu samples in %.2f s of processor time\n", s.points.size(), seconds);
  EXPECT_GT(s.points.size(), 100000u);
  EXPECT_LT(seconds, 20);
  expect_even(s);
  expect_covered(s);
}

}  // namespace
}  // namespace talus
