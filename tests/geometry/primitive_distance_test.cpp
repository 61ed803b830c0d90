// The closed forms against brute force: dense point sets on each surface, built here from the
// definition of the shape and not from the code under test.
#include "geometry/primitive_distance.h"

#include "core/random.h"

#include <cmath>
#include <gtest/gtest.h>
#include <numbers>

namespace talus {
namespace {

struct Case {
  Shape shape;
  std::vector<Vec3d> surface;
};

/// Points of the disc or ring r0..r1 at height z, about `step` apart.
void add_ring(std::vector<Vec3d>& points, double r0, double r1, double z0, double z1, double step) {
  const int rows = std::max(1, static_cast<int>(std::hypot(r1 - r0, z1 - z0) / step));
  for (int i = 0; i <= rows; ++i) {
    const double t = static_cast<double>(i) / rows;
    const double r = r0 + t * (r1 - r0), z = z0 + t * (z1 - z0);
    const int columns = std::max(1, static_cast<int>(2 * std::numbers::pi * r / step));
    for (int k = 0; k < columns; ++k) {
      const double a = 2 * std::numbers::pi * k / columns;
      points.push_back({r * std::cos(a), r * std::sin(a), z});
    }
  }
}

void add_cap(std::vector<Vec3d>& points, double radius, double z, double sign, double step) {
  const int rows = static_cast<int>(radius * std::numbers::pi / 2 / step);
  for (int i = 0; i < rows; ++i) {
    const double a = std::numbers::pi / 2 * i / rows, b = std::numbers::pi / 2 * (i + 1) / rows;
    add_ring(points, radius * std::cos(a), radius * std::cos(b), z + sign * radius * std::sin(a),
             z + sign * radius * std::sin(b), step * 4);
  }
}

constexpr double point_step = 0.015;

Case box_case() {
  Case c;
  c.shape.kind = ShapeKind::box;
  c.shape.size = {1.0, 0.6, 1.4};
  const Vec3d h = c.shape.size * 0.5;
  for (int axis = 0; axis < 3; ++axis) {
    const int u = (axis + 1) % 3, v = (axis + 2) % 3;
    const int nu = static_cast<int>(2 * h[u] / point_step),
              nv = static_cast<int>(2 * h[v] / point_step);
    for (int i = 0; i <= nu; ++i)
      for (int k = 0; k <= nv; ++k)
        for (double side : {-1.0, 1.0}) {
          Vec3d p;
          p[axis] = side * h[axis];
          p[u] = -h[u] + 2 * h[u] * i / nu;
          p[v] = -h[v] + 2 * h[v] * k / nv;
          c.surface.push_back(p);
        }
  }
  return c;
}

Case round_case(ShapeKind kind, double radius, double top, double height, double thickness = 0) {
  Case c;
  c.shape.kind = kind;
  c.shape.radius = radius;
  c.shape.radius_top = top;
  c.shape.height = height;
  c.shape.thickness = thickness;
  const double h = height / 2;
  std::vector<Vec3d>& s = c.surface;
  switch (kind) {
    case ShapeKind::sphere:
      add_cap(s, radius, 0, 1, point_step);
      add_cap(s, radius, 0, -1, point_step);
      break;
    case ShapeKind::capsule:
      add_cap(s, radius, h, 1, point_step);
      add_cap(s, radius, -h, -1, point_step);
      add_ring(s, radius, radius, -h, h, point_step);
      break;
    case ShapeKind::tube: {
      const double wall = thickness * std::hypot(height, top - radius) / height;
      add_ring(s, radius, top, -h, h, point_step);
      add_ring(s, radius + wall, top + wall, -h, h, point_step);
      add_ring(s, radius, radius + wall, -h, -h, point_step);
      add_ring(s, top, top + wall, h, h, point_step);
      break;
    }
    default:
      if (kind == ShapeKind::cylinder) top = radius;
      add_ring(s, radius, top, -h, h, point_step);
      add_ring(s, 0, radius, -h, -h, point_step);
      add_ring(s, 0, top, h, h, point_step);
  }
  return c;
}

std::vector<Case> all_cases() {
  return {box_case(),
          round_case(ShapeKind::sphere, 0.5, 0, 0),
          round_case(ShapeKind::cylinder, 0.4, 0, 0.8),
          round_case(ShapeKind::cone, 0.5, 0.2, 0.7),
          round_case(ShapeKind::cone, 0.5, 0.0, 0.9),
          round_case(ShapeKind::cone, 0.0, 0.5, 0.4),
          round_case(ShapeKind::capsule, 0.3, 0, 0.5),
          round_case(ShapeKind::tube, 0.1, 0.5, 0.6, 0.08),
          round_case(ShapeKind::tube, 0.3, 0.3, 0.6, 0.05)};
}

Vec3f random_point(std::uint64_t id, float extent) {
  const auto r = random_floats(7, id, Purpose::test);
  return {(r[0] - 0.5f) * extent, (r[1] - 0.5f) * extent, (r[2] - 0.5f) * extent};
}

std::string label(const Shape& s) {
  return fmt::format("{} r {} top {} h {}", shape_name(s.kind), s.radius, s.radius_top, s.height);
}

TEST(PrimitiveDistance, AgreesWithTheNearestOfManySurfacePoints) {
  for (const Case& c : all_cases()) {
    const auto field = make_primitive_field(c.shape);
    ASSERT_TRUE(field.ok());
    for (std::uint64_t i = 0; i < 300; ++i) {
      const Vec3f p = random_point(i, 2.4f);
      double best = 1e300;
      for (const Vec3d& q : c.surface) best = std::min(best, squared_norm(Vec3d(p) - q));
      best = std::sqrt(best);
      const float d = std::abs((*field)->sample(p).distance);
      // The nearest of the points is never nearer than the surface, and at most a step further.
      EXPECT_LE(d, best + 1e-5) << label(c.shape);
      EXPECT_GE(d + point_step, best)
          << label(c.shape) << " at " << p.x << " " << p.y << " " << p.z;
    }
  }
}

TEST(PrimitiveDistance, ChangesNoFasterThanThePointMoves) {
  for (const Case& c : all_cases()) {
    const auto field = make_primitive_field(c.shape);
    for (std::uint64_t i = 0; i < 20000; ++i) {
      const Vec3f p = random_point(2 * i, 2.4f);
      const Vec3f q = p + 0.1f * random_point(2 * i + 1, 1.f);
      const float dp = (*field)->sample(p).distance, dq = (*field)->sample(q).distance;
      ASSERT_LE(std::abs(dp - dq), norm(p - q) + 2e-6f) << label(c.shape);
    }
  }
}

TEST(PrimitiveDistance, GradientIsUnitAndLeadsToTheSurface) {
  for (const Case& c : all_cases()) {
    const auto field = make_primitive_field(c.shape);
    for (std::uint64_t i = 0; i < 20000; ++i) {
      const Vec3f p = random_point(i, 2.4f);
      const DistanceSample s = (*field)->sample(p);
      ASSERT_NEAR(norm(s.gradient), 1.f, 1e-5f) << label(c.shape);
      const Vec3f foot = p - s.distance * s.gradient;
      ASSERT_NEAR((*field)->sample(foot).distance, 0.f, 3e-6f) << label(c.shape);
    }
  }
}

TEST(PrimitiveDistance, GradientIsUnitAtKinks) {
  for (const Case& c : all_cases()) {
    const auto field = make_primitive_field(c.shape);
    const Box3d b = (*field)->bounds();
    for (int i = 0; i < 27; ++i) {
      const Vec3f p{static_cast<float>(b.upper.x * (i % 3 - 1)),
                    static_cast<float>(b.upper.y * (i / 3 % 3 - 1)),
                    static_cast<float>(b.upper.z * (i / 9 - 1))};
      EXPECT_NEAR(norm((*field)->sample(p).gradient), 1.f, 1e-5f) << label(c.shape) << " " << i;
    }
  }
}

TEST(PrimitiveDistance, SignTellsInsideFromOutside) {
  Shape tube = round_case(ShapeKind::tube, 0.3, 0.3, 0.6, 0.05).shape;
  const auto field = make_primitive_field(tube);
  EXPECT_GT((*field)->sample({0, 0, 0}).distance, 0);
  EXPECT_NEAR((*field)->sample({0, 0, 0}).distance, 0.3f, 1e-6f);
  EXPECT_LT((*field)->sample({0.32f, 0, 0}).distance, 0);
  EXPECT_GT((*field)->sample({0.36f, 0, 0}).distance, 0);
  EXPECT_NEAR((*field)->sample({0.f, 0.28f, 0.1f}).gradient.y, -1.f, 1e-6f);
}

TEST(PrimitiveDistance, PlaneIsTheHalfSpaceBelow) {
  Shape plane;
  plane.kind = ShapeKind::plane;
  const auto field = make_primitive_field(plane);
  EXPECT_FLOAT_EQ((*field)->sample({5, -3, 0.25f}).distance, 0.25f);
  EXPECT_FLOAT_EQ((*field)->sample({5, -3, -2.f}).distance, -2.f);
  EXPECT_TRUE(std::isinf((*field)->bounds().upper.x));
}

TEST(PrimitiveDistance, InsideOutFlipsDistanceAndGradient) {
  for (Case c : all_cases()) {
    const auto field = make_primitive_field(c.shape);
    c.shape.inside_out = true;
    const auto flipped = make_primitive_field(c.shape);
    const Vec3f p = random_point(3, 1.f);
    EXPECT_EQ((*field)->sample(p).distance, -(*flipped)->sample(p).distance);
    EXPECT_EQ((*field)->sample(p).gradient, -(*flipped)->sample(p).gradient);
  }
}

TEST(PrimitiveDistance, RefusesSizesThatAreNoSizes) {
  Shape box;
  box.size = {1, -2, 1};
  const auto refused = make_primitive_field(box);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().kind, ErrorKind::request);
  EXPECT_NE(refused.error().message.find("size y"), std::string::npos) << refused.error().message;
  Shape sphere;
  sphere.kind = ShapeKind::sphere;
  sphere.radius = std::nan("");
  EXPECT_FALSE(make_primitive_field(sphere).ok());
  Shape cone;
  cone.kind = ShapeKind::cone;
  cone.radius = 0;
  EXPECT_FALSE(make_primitive_field(cone).ok());
}

}  // namespace
}  // namespace talus
