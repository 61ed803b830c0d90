#include "sph/walls.h"

#include <cmath>
#include <gtest/gtest.h>

namespace talus::sph {
namespace {

constexpr float spacing = 0.05f;

KernelScale kernel() { return make_kernel_scale<WendlandC2>(spacing, 2.12f * spacing); }

TEST(HalfSpace, AFirstLayerAtHalfASpacingIsAtRestDensity) {
  const KernelScale k = kernel();
  const auto table = HalfSpaceTable::make<WendlandC2>(k, spacing);
  double fluid = 0;
  for (int x = -3; x <= 3; ++x)
    for (int y = -3; y <= 3; ++y)
      for (int z = 0; z <= 3; ++z) {
        const double r = spacing * std::sqrt(double(x * x + y * y + z * z));
        fluid += std::pow(double{spacing}, 3) * k.value_factor *
                 WendlandC2::value(static_cast<float>(r / k.h));
      }
  EXPECT_NEAR(fluid + table.value(spacing / 2), 1, 0.01);
}

TEST(HalfSpace, SlopeIsTheDerivativeOfValue) {
  const auto table = HalfSpaceTable::make<WendlandC2>(kernel(), spacing);
  for (const float d : {0.1f, 0.3f, 0.5f, 0.9f, 1.4f}) {
    const float e = 0.02f * spacing, x = d * spacing;
    const float numeric = (table.value(x + e) - table.value(x - e)) / (2 * e);
    EXPECT_NEAR(table.slope(x) * spacing, numeric * spacing, 0.01);
  }
  EXPECT_NEAR(table.value(table.reach()), 0, 1e-3);
}

TEST(HalfSpace, SlopeTellsWhatIsMissing) {
  const auto table = HalfSpaceTable::make<WendlandC2>(kernel(), spacing);
  for (const float d : {0.2f, 0.5f, 0.8f, 1.2f}) {
    const float x = d * spacing;
    EXPECT_NEAR(table.value_of_slope(-table.slope(x)), table.value(x), 0.01) << d;
  }
  EXPECT_EQ(table.value_of_slope(0), 0);
  EXPECT_NEAR(table.value_of_slope(1e6f), table.value(0), 1e-3);
}

TEST(HalfSpace, TwoPerpendicularWallsFillTheCornerOfALattice) {
  // A particle half a spacing from both walls: what lies behind both counts once.
  const KernelScale kernel = make_kernel_scale<WendlandC2>(spacing, 2.12f * spacing);
  const HalfSpaceTable table = HalfSpaceTable::make<WendlandC2>(kernel, spacing);
  double behind_one = 0, behind_both = 0, slope_one = 0, slope_both = 0;
  for (int x = -3; x <= -1; ++x)
    for (int y = -3; y <= 3; ++y)
      for (int z = -3; z <= 3; ++z) {
        const Vec3f d =
            Vec3f{static_cast<float>(x), static_cast<float>(y), static_cast<float>(z)} * spacing;
        const float q = norm(d) * kernel.inverse_h;
        const double volume = std::pow(double{spacing}, 3);
        const double value = volume * kernel.value_factor * WendlandC2::value(q);
        const double slope = -volume * kernel.slope_factor * WendlandC2::slope(q) * d.x;
        behind_one += value;
        slope_one += slope;
        behind_both += y < 0 ? value : 0;
        slope_both += y < 0 ? slope : 0;
      }
  const float at = spacing / 2;
  EXPECT_NEAR(table.covered(at, at), behind_both / behind_one, 0.004);
  EXPECT_NEAR(table.covered_slope(at, at), slope_both / slope_one, 0.004);
  EXPECT_NEAR(table.covered(at, table.reach()), 0, 1e-3);  // the second wall is out of reach
}

TEST(WallForce, SlidingIsLimitedByCoulombFriction) {
  WallContact w{};
  w.normal = {0, 0, 1};
  w.gradient = {0, 0, -1};
  w.friction = 0.3f;
  PackedStress q{};  // p = 100, shear 80
  q.xx = q.yy = q.zz = -100;
  q.xz = 80;
  const Vec3f f = wall_force(w, q);  // of the particle and of its mirror image
  EXPECT_NEAR(f.z, wall_mirror * 100, 1e-4);
  EXPECT_NEAR(std::abs(f.x), wall_mirror * 30, 1e-4);
  w.friction = 10;
  EXPECT_NEAR(std::abs(wall_force(w, q).x), wall_mirror * 80, 1e-4);
}

TEST(DirectForcing, PutsBackAndStopsWhoEnters) {
  Body body;
  body.shape.kind = ShapeKind::plane;
  body.friction = 0.5;
  body.field = *make_distance_field(body.shape, spacing);
  Vec3f x{0, 0, -0.001f}, v{1, 0, -2};
  const BodyFrame frame = BodyFrame::of(body);
  const Vec3f impulse = direct_forcing(body, frame, 0.0f, 0.01f, x, v);
  EXPECT_NEAR(v.z, 0, 1e-6);
  EXPECT_NEAR(v.x, 0, 1e-6);  // friction takes up to 0.5 * 2 m/s
  EXPECT_NEAR(impulse.z, 2, 1e-6);
  EXPECT_NEAR(x.z, 0, 1e-6);
  Vec3f far{0, 0, 1}, still{0, 0, -2};
  EXPECT_EQ(direct_forcing(body, frame, 0.0f, 0.01f, far, still), Vec3f{});
}

}  // namespace
}  // namespace talus::sph
