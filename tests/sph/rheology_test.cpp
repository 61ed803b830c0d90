#include "sph/rheology.h"

#include "math/quat.h"

#include <cmath>
#include <gtest/gtest.h>

namespace talus::sph {
namespace {

/// R s R^T.
Sym3f turned(const Sym3f& s, const Quatf& q) {
  const Mat3f r = to_matrix(q);
  const Mat3f m{{{s.xx, s.xy, s.xz}, {s.xy, s.yy, s.yz}, {s.xz, s.yz, s.zz}}};
  const Mat3f t = r * m * transpose(r);
  return {t.row[0].x, t.row[1].y, t.row[2].z, t.row[0].y, t.row[0].z, t.row[1].z};
}

TEST(Yield, SimpleShearReachesTheTangentOfTheAngle) {
  const float p = 1000, mu = std::tan(0.6f);
  Sym3f s{};
  s.xz = 5000;
  s = s * radial_return(s, yield_limit(p, mu, 0.0f));
  EXPECT_NEAR(s.xz / p, mu, 1e-5);
}

TEST(Yield, CohesionAddsToShearStrength) {
  Sym3f s{};
  s.xy = 1e6f;
  s = s * radial_return(s, yield_limit(0.0f, 0.5f, 300.0f));
  EXPECT_NEAR(s.xy, 300, 0.01);
}

TEST(Yield, DoesNotDependOnTheAxes) {
  const Sym3f s{300, -100, -200, 50, 70, -20};
  const float limit = 200;
  for (int k = 0; k < 20; ++k) {
    const Quatf q =
        normalized(Quatf{1, 0.3f * static_cast<float>(k), -0.7f, 0.11f * static_cast<float>(k)});
    EXPECT_NEAR(radial_return(turned(s, q), limit), radial_return(s, limit), 1e-5);
  }
}

TEST(Yield, InsideNothingChanges) {
  EXPECT_EQ(radial_return(Sym3f{1, -1, 0, 0, 0, 0}, 10.0f), 1.0f);
  EXPECT_EQ(radial_return(Sym3f{}, 0.0f), 1.0f);
}

TEST(Rate, FrictionGrowsWithTheInertialNumberUpToTheSpread) {
  const float mu = 0.5f;
  EXPECT_EQ(rate_dependent_friction(mu, 0.0f, 100.0f, 1600.0f, 0.001f), mu);
  EXPECT_EQ(rate_dependent_friction(mu, 100.0f, 100.0f, 1600.0f, 0.0f), mu);
  float last = mu;
  for (const float rate : {1.0f, 10.0f, 100.0f, 1e4f}) {
    const float now = rate_dependent_friction(mu, rate, 100.0f, 1600.0f, 0.001f);
    EXPECT_GT(now, last);
    last = now;
  }
  EXPECT_LT(last, mu + 0.26f);
}

TEST(Jaumann, FollowsARotationOfTheMaterial) {
  const Sym3f s{300, -100, -200, 50, 70, -20};
  const Vec3f omega{0.3f, -0.5f, 0.8f};
  // L = omega x: L_xy = -omega_z, L_xz = omega_y, L_yz = -omega_x.
  const Vec3f spin{-omega.z, omega.y, -omega.x};
  const float dt = 1e-3f;
  Sym3f r = s;
  for (int k = 0; k < 1000; ++k) r = jaumann_rotated(r, spin, dt);
  const Sym3f exact = turned(s, Quatf::from_axis_angle(normalized(omega), norm(omega)));
  EXPECT_NEAR(r.xx, exact.xx, 0.5);
  EXPECT_NEAR(r.yy, exact.yy, 0.5);
  EXPECT_NEAR(r.xy, exact.xy, 0.5);
  EXPECT_NEAR(r.xz, exact.xz, 0.5);
  EXPECT_NEAR(r.yz, exact.yz, 0.5);
  EXPECT_NEAR(trace(r), 0, 1e-2);
}

}  // namespace
}  // namespace talus::sph
