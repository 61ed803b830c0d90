#include "math/quat.h"

#include "core/random.h"

#include <gtest/gtest.h>
#include <numbers>

namespace talus {
namespace {

constexpr double pi = std::numbers::pi;

void expect_near(const Vec3d& a, const Vec3d& b, double tolerance = 1e-14) {
  EXPECT_NEAR(a.x, b.x, tolerance);
  EXPECT_NEAR(a.y, b.y, tolerance);
  EXPECT_NEAR(a.z, b.z, tolerance);
}

Quatd random_rotation(std::uint64_t id) {
  const auto r = random_floats(22, id, Purpose::test);
  const Vec3d axis = normalized(Vec3d{r[0] - 0.5, r[1] - 0.5, r[2] - 0.5});
  return Quatd::from_axis_angle(axis, 2 * pi * r[3]);
}

TEST(Quat, QuarterTurns) {
  const double quarter = pi / 2;
  expect_near(rotate(Quatd::from_axis_angle({0, 0, 1}, quarter), {1, 0, 0}), {0, 1, 0});
  expect_near(rotate(Quatd::from_axis_angle({1, 0, 0}, quarter), {0, 1, 0}), {0, 0, 1});
  expect_near(rotate(Quatd::from_axis_angle({0, 1, 0}, quarter), {0, 0, 1}), {1, 0, 0});
}

TEST(Quat, ProductIsTheRightRotationFirst) {
  for (std::uint64_t i = 0; i < 50; ++i) {
    const Quatd a = random_rotation(2 * i), b = random_rotation(2 * i + 1);
    const Vec3d v{0.3, -1, 2};
    expect_near(rotate(a * b, v), rotate(a, rotate(b, v)), 1e-13);
    expect_near(rotate_inverse(a, rotate(a, v)), v, 1e-13);
    expect_near(to_matrix(a) * v, rotate(a, v), 1e-13);
    EXPECT_NEAR(norm(rotate(a, v)), norm(v), 1e-13);
  }
}

TEST(Quat, MatrixIsOrthogonalWithoutReflection) {
  const Mat3d m = to_matrix(random_rotation(5));
  expect_near(cross(m.row[0], m.row[1]), m.row[2]);
  EXPECT_NEAR(norm(m.row[0]), 1, 1e-14);
}

TEST(Quat, NormalizingRestoresLengthAndSurvivesZero) {
  const Quatd q = normalized(Quatd{2, 0, 0, 2});
  EXPECT_NEAR(q.w * q.w + q.z * q.z, 1, 1e-15);
  EXPECT_EQ(normalized(Quatd{0, 0, 0, 0}), Quatd{});
}

TEST(Pose, WorldAndBodyAreInverse) {
  const Posed pose{{1, 2, 3}, random_rotation(9)};
  const Vec3d p{-4, 5, 0.5};
  expect_near(pose.to_body(pose.to_world(p)), p, 1e-13);
  expect_near(pose.to_world({}), pose.position);
}

}  // namespace
}  // namespace talus
