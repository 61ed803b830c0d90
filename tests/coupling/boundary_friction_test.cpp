// Friction of boundary particles, Ihmsen 2013 Eq. 19-21.
#include "coupling/sand_and_bodies.h"
#include "sph/walls.h"

namespace talus::test {
namespace {

constexpr float density = 1600, reach = 0.08f, speed = 10;

sph::BoundaryFriction friction_of(const Vec3f& relative_velocity, float coefficient, float shear) {
  const Vec3f d{0, 0, 0.04f}, gradient{0, 0, -5};  // above a boundary particle
  const Sym3f q{-100, -100, -100, 0, shear, 0};
  return sph::boundary_friction(q, gradient, d, relative_velocity, coefficient, density, 1, reach,
                                speed);
}

TEST(BoundaryFriction, ViscosityActsAgainstApproachOnly) {
  const auto closing = friction_of({0, 0, -1}, 0.5f, 0);
  EXPECT_GT(closing.stronger.z, 0);
  // rho0 sigma h c_s / 2 * v / |d| (nearly) * |V gradW|
  const double expected = 0.5 * density * 0.5 * reach * speed * 0.04 / (0.0016 + 6.4e-5) * 5;
  EXPECT_NEAR(closing.stronger.z / expected, 1, 1e-4);
  EXPECT_EQ(friction_of({0, 0, 1}, 0.5f, 0).stronger, Vec3f{});
  EXPECT_EQ(friction_of({1, 0, 0}, 0.5f, 0).stronger, Vec3f{});
}

TEST(BoundaryFriction, TheStrongerOneCounts) {
  const auto stress_wins = friction_of({0, 0, -1e-4f}, 0.5f, 80);
  EXPECT_EQ(stress_wins.stronger, stress_wins.stress);
  EXPECT_NEAR(std::abs(stress_wins.stress.x), 400, 1e-3) << "the shear, without the pressure";
  EXPECT_EQ(stress_wins.stress.z, 0);
  const auto viscosity_wins = friction_of({0, 0, -1}, 0.5f, 80);
  EXPECT_GT(norm(viscosity_wins.stronger), norm(viscosity_wins.stress));
  EXPECT_EQ(viscosity_wins.stronger.x, 0);
}

/// How far a slab slides in half a second that starts with 1.5 m/s on a plate.
double slide(double friction) {
  constexpr double a = 0.04;
  Scene scene = sand_scene(a);
  scene.sph.model = SphModel::ihmsen2013;
  SceneBody plate = body("plate", ShapeKind::box, {0.8, 0, -0.1});
  plate.shape.size = {3, 0.8, 0.2};
  plate.friction = friction;
  scene.bodies = {plate};
  scene.fills = {bed({10 * a, 10 * a, 3 * a}, {0, 0, 1.5 * a})};
  scene.fills[0].velocity = {1.5, 0, 0};
  Sandbox box(scene);
  box.run(0.5);
  double sum = 0;
  for (const Vec3f& p : box.positions()) sum += double{p.x};
  return sum / static_cast<double>(box.positions().size());
}

TEST(BoundaryFriction, ARougherBodyStopsSandSooner) {
  const double smooth = slide(0), rough = slide(3);
  EXPECT_LT(rough, smooth - 0.01);
  EXPECT_LT(smooth, 0.75) << "the friction of the sand itself remains";
}

}  // namespace
}  // namespace talus::test
