// Elementary oblique and spinning impacts, after the set of Chung & Ooi 2011 (Granular Matter 13,
// 643): where a contact slides all the time, the tangential impulse is mu times the normal one, so
// for a sphere of radius r that hits a wall with normal speed v_n and restitution e
//   change of tangential speed = mu (1 + e) v_n,   spin = 5 mu (1 + e) v_n / (2 r)
// whatever the stiffness (their tests 4-6; tests 7, 8 for two spheres). Where it sticks, the
// rebound follows Maw, Barber & Fawcett 1976; bounds are tested there.
#include "grain_bench.h"

namespace talus {
namespace {

constexpr double mu = 0.3, e = 0.8, v_n = 2, r = 0.005;

Scene wall_scene(const char* law) {
  Scene scene = grain_scene();
  scene.dem.tangential_law = law;
  scene.materials[0].restitution = e;
  scene.materials[0].young_modulus = 7e10;
  scene.materials[0].friction = mu;
  return scene;
}

struct Rebound {
  Vec3f v, w;
};

Rebound hit_wall(const char* law, double v_t) {
  const Executor executor(1);
  std::vector<Body> bodies{plane_body(mu)};
  auto solver = make_grains(wall_scene(law), bodies, executor);
  Batch batch;
  batch.add({0, 0, 0.0051f}, {static_cast<float>(v_t), 0, static_cast<float>(-v_n)});
  solver->add(batch.view());
  advance(*solver, 0.002);
  return {of_grain<Vec3f>(*solver, 0, "velocity"), of_grain<Vec3f>(*solver, 0, "angular_velocity")};
}

TEST(Oblique, GrossSlidingFollowsCoulombForBothLaws) {
  // Sliding throughout above a tangent of 3.5 mu (1 + e) or so.
  for (const char* law : {"mindlin", "viscous"}) {
    for (const double v_t : {6.0, 12.0}) {
      const Rebound out = hit_wall(law, v_t);
      EXPECT_NEAR(out.v.z, e * v_n, 0.01 * v_n) << law;
      EXPECT_NEAR(out.v.x, v_t - mu * (1 + e) * v_n, 0.01 * v_t) << law << v_t;
      const double spin = 5 * mu * (1 + e) * v_n / (2 * r);
      EXPECT_NEAR(out.w.y, spin, 0.01 * spin) << law << v_t;
    }
  }
}

TEST(Oblique, SteepImpactsStickAndMayReverseTheContactPoint) {
  const double v_t = 0.3;
  const Rebound out = hit_wall("mindlin", v_t);
  // Angular momentum about the contact is kept: v_t - v_t' = (2/5) r w.
  EXPECT_NEAR(v_t - out.v.x, 0.4 * r * out.w.y, 0.01 * v_t);
  const double surface = std::abs(double{out.v.x} - r * double{out.w.y});
  EXPECT_LT(surface, 0.9 * v_t);  // the spring cannot give back more than it took
}

TEST(Oblique, ASpinningSphereIsSlowedByTheNextWall) {
  // Its spin comes from an oblique impact on the floor; the ceiling slides against it and takes
  // 5 mu (1 + e) v / (2 r) off again.
  const Executor executor(1);
  std::vector<Body> bodies{plane_body(mu), plane_body(mu, 180)};
  bodies[1].state.pose.position = {0, 0, 0.015};
  auto solver = make_grains(wall_scene("mindlin"), bodies, executor);
  Batch batch;
  batch.add({0, 0, 0.0051f}, {9, 0, static_cast<float>(-v_n)});
  solver->add(batch.view());
  advance(*solver, 0.005);
  const auto v = of_grain<Vec3f>(*solver, 0, "velocity");
  const auto w = of_grain<Vec3f>(*solver, 0, "angular_velocity");
  const double spin = 5 * mu * (1 + e) / (2 * r);
  EXPECT_NEAR(v.z, -e * e * v_n, 0.02 * v_n);
  EXPECT_NEAR(w.y, spin * v_n * (1 - e), 0.02 * spin * v_n);
  EXPECT_NEAR(v.x, 9 - mu * (1 + e) * v_n * (1 + e), 0.1);
}

TEST(Oblique, TwoSpheresExchangeSpinAndKeepAngularMomentum) {
  const Executor executor(1);
  std::vector<Body> none;
  auto solver = make_grains(wall_scene("mindlin"), none, executor);
  Batch batch;
  batch.add({0, 0, 0}, {1, 2.5f, 0});
  batch.add({0.010001f, 0, 0}, {-1, -2.5f, 0});
  solver->add(batch.view());
  advance(*solver, 0.0005);
  const auto va = of_grain<Vec3f>(*solver, 0, "velocity"),
             vb = of_grain<Vec3f>(*solver, 1, "velocity");
  const auto wa = of_grain<Vec3f>(*solver, 0, "angular_velocity"),
             wb = of_grain<Vec3f>(*solver, 1, "angular_velocity");
  EXPECT_NEAR(va.x, -e, 0.03);
  EXPECT_NEAR(va.y, 2.5 - mu * (1 + e) * 1, 0.03);
  EXPECT_NEAR(va.y + vb.y, 0, 1e-5);
  EXPECT_NEAR(wa.z, wb.z, 1e-2);
  const double spin = 2.5 * mu * (1 + e) * 1 / r;
  EXPECT_NEAR(std::abs(wa.z), spin, 0.03 * spin);
}

}  // namespace
}  // namespace talus
