#include "math/vec.h"

#include "core/random.h"

#include <gtest/gtest.h>
#include <limits>

namespace talus {
namespace {

Vec3d random_vec(std::uint64_t id) {
  const auto r = random_floats(21, id, Purpose::test);
  return {4.0 * r[0] - 2, 4.0 * r[1] - 2, 4.0 * r[2] - 2};
}

TEST(Vec, Arithmetic) {
  Vec3d a{1, 2, 3};
  const Vec3d b{4, -5, 6};
  EXPECT_EQ(a + b, (Vec3d{5, -3, 9}));
  EXPECT_EQ(a - b, (Vec3d{-3, 7, -3}));
  EXPECT_EQ(-a, (Vec3d{-1, -2, -3}));
  EXPECT_EQ(2.0 * a, a * 2.0);
  EXPECT_EQ(b / 2.0, (Vec3d{2, -2.5, 3}));
  a += b;
  EXPECT_EQ(a, (Vec3d{5, -3, 9}));
  a -= b;
  a *= 3;
  EXPECT_EQ(a, (Vec3d{3, 6, 9}));
  EXPECT_EQ(a[0] + a[1] + a[2], 18);
  EXPECT_EQ(min(a, b), (Vec3d{3, -5, 6}));
  EXPECT_EQ(max(a, b), (Vec3d{4, 6, 9}));
}

TEST(Vec, ProductsObeyTheirIdentities) {
  for (std::uint64_t i = 0; i < 200; i += 2) {
    const Vec3d a = random_vec(i), b = random_vec(i + 1);
    const Vec3d c = cross(a, b);
    EXPECT_NEAR(dot(a, c), 0, 1e-12);
    EXPECT_NEAR(dot(b, c), 0, 1e-12);
    // Lagrange: |a x b|^2 + (a.b)^2 = |a|^2 |b|^2
    EXPECT_NEAR(squared_norm(c) + dot(a, b) * dot(a, b), squared_norm(a) * squared_norm(b), 1e-10);
    EXPECT_NEAR(norm(normalized(a)), 1, 1e-14);
  }
}

TEST(Vec, NormalizedZeroIsTheFallback) {
  EXPECT_EQ(normalized(Vec3f{}), (Vec3f{0, 0, 1}));
  EXPECT_EQ(normalized(Vec3f{}, Vec3f{1, 0, 0}), (Vec3f{1, 0, 0}));
}

TEST(Vec, FiniteMeansAllComponents) {
  constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  constexpr float inf = std::numeric_limits<float>::infinity();
  EXPECT_TRUE(is_finite(Vec3f{1, 2, 3}));
  EXPECT_FALSE(is_finite(Vec3f{nan, 2, 3}));
  EXPECT_FALSE(is_finite(Vec3f{1, -inf, 3}));
  EXPECT_FALSE(is_finite(Vec3f{1, 2, nan}));
}

TEST(Mat3, ProductsAndTranspose) {
  const Mat3d a{{{1, 2, 3}, {4, 5, 6}, {7, 8, 10}}};
  const Mat3d b{{{2, 0, 1}, {1, 3, 0}, {0, 1, 4}}};
  const Vec3d v{1, -1, 2};
  EXPECT_EQ((a * b) * v, a * (b * v));
  EXPECT_EQ(Mat3d::identity() * v, v);
  const Mat3d ab_t = transpose(a * b), bt_at = transpose(b) * transpose(a);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(ab_t.row[i], bt_at.row[i]);
  EXPECT_EQ((a + b) * v, a * v + b * v);
  EXPECT_EQ((a * 2.0) * v, (a * v) * 2.0);
}

TEST(Mat3, OuterProductProjects) {
  const Vec3d a{1, 2, 3}, b{4, 5, 6}, v{7, 8, 9};
  EXPECT_EQ(outer(a, b) * v, a * dot(b, v));
}

TEST(Sym3, ActsAsTheFullMatrix) {
  const Sym3d s{1, 2, 3, 4, 5, 6};
  const Mat3d full{{{1, 4, 5}, {4, 2, 6}, {5, 6, 3}}};
  const Vec3d v{1, -2, 3};
  EXPECT_EQ(s * v, full * v);
  double frobenius = 0;
  for (const Vec3d& row : full.row) frobenius += squared_norm(row);
  EXPECT_DOUBLE_EQ(squared_norm(s), frobenius);
  EXPECT_EQ(s + s, s * 2.0);
  EXPECT_EQ(s - s, Sym3d{});
}

TEST(Sym3, DeviatorHasNoTraceAndKeepsShear) {
  const Sym3d s{1, 2, 6, 4, 5, 6};
  const Sym3d d = deviator(s);
  EXPECT_NEAR(trace(d), 0, 1e-15);
  EXPECT_EQ(trace(s), 9);
  EXPECT_EQ(d.xy, s.xy);
  EXPECT_EQ(d.xz, s.xz);
  EXPECT_EQ(d.yz, s.yz);
}

}  // namespace
}  // namespace talus
