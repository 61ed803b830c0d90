// Bodies on and in sand that come to rest, and stay.
#include "coupling/sand_and_bodies.h"
#include "sph/sph_solver_impl.h"

namespace talus::test {
namespace {

constexpr double a = 0.04;

/// A bed of 16 x 16 x 7 particles in a box.
Scene box_of_sand() {
  Scene scene = sand_scene(a);
  scene.bodies = {container(16 * a, 16 * a)};
  scene.fills = {bed({16 * a, 16 * a, 7 * a}, {0, 0, 3.5 * a})};
  return scene;
}

TEST(Rest, ABodyFloatingOnSandSettlesAndDoesNotDrift) {
  Scene scene = box_of_sand();
  scene.bodies.push_back(loose_box("float", {6 * a, 6 * a, 4 * a}, {0, 0, 9.5 * a}, 800));
  Sandbox box(scene);
  box.run(2);
  const Posed settled = box.body("float").state.pose;
  box.run(5);
  const Posed later = box.body("float").state.pose;
  EXPECT_LT(norm(later.position - settled.position), 0.02 * a);
  const Quatd turn = later.rotation * conjugate(settled.rotation);
  EXPECT_LT(2 * norm(Vec3d{turn.x, turn.y, turn.z}), 0.01);
  EXPECT_LT(norm(box.body("float").state.velocity), 1e-3);
  EXPECT_GT(later.position.z, 7 * a) << "it floats: half of it stays above the surface";
}

/// How often what is known of the bodies' surroundings was looked for anew, in 0.2 s.
std::uint64_t searches(SphBoundary boundary, double blade_speed) {
  Scene scene = box_of_sand();
  scene.sph.boundary = boundary;
  scene.bodies.push_back(loose_box("float", {6 * a, 6 * a, 3 * a}, {-3 * a, 0, 9 * a}, 800));
  SceneBody blade = body("blade", ShapeKind::box, {5 * a, 0, 15 * a});
  blade.shape.size = {2 * a, 8 * a, 4 * a};
  blade.motion = SceneMotion::scripted;
  blade.keyframes = {{0, {5 * a, 0, 15 * a}, {}},
                     {2, {5 * a, 0, 15 * a}, {}},
                     {4, {5 * a, 0, 15 * a + 2 * blade_speed}, {}}};
  blade.interpolation = Interpolation::linear;
  scene.bodies.push_back(blade);
  Sandbox box(scene);
  box.run(2);
  const auto& walls = dynamic_cast<const sph::SphSolver<sph::WendlandC2>&>(box->solver()).walls();
  const std::uint64_t before = walls.searches();
  box.run(0.2);
  return walls.searches() - before;
}

TEST(Rest, BodiesThatDoNotMoveAreNotLookedForAgain) {
  for (const SphBoundary boundary : {SphBoundary::half_space, SphBoundary::particles}) {
    const std::uint64_t still = searches(boundary, 0), moving = searches(boundary, 0.5);
    std::printf("searches in 0.2 s: %d at rest, %d with a blade that moves\n",
                static_cast<int>(still), static_cast<int>(moving));
    EXPECT_LE(still, 2u);
    EXPECT_GE(moving, 10u);
  }
}

TEST(Rest, ForcesOnTheFloorAreTheWeight) {
  Scene scene = box_of_sand();
  scene.bodies.push_back(loose_ball("ball", 2.5 * a, {0, 0, 9.6 * a}, 2400));
  Sandbox box(scene);
  box.run(2);
  Vec3d impulse{};
  double time = 0;
  box.run(1, [&] {
    if (!box->at_frame()) return;
    impulse += box->summary().mean_load(0).force;
    time += 1;
  });
  const double weight = g * (box.sand_mass() + box.body("ball").mass);
  const Vec3d force = impulse / time;
  EXPECT_NEAR(-force.z / weight, 1, 0.01);
  EXPECT_LT(std::abs(force.x) + std::abs(force.y), 0.01 * weight);
}

/// How far a block slides on a bed of sand that is tilted by `tilt_deg`, within a second.
double slide_on_sand(double block_friction, double tilt_deg) {
  Scene scene = sand_scene(a, 35);
  scene.periodic = {true, true, false};
  scene.domain_lower = {-10 * a, -6 * a, 0};
  scene.domain_upper = {10 * a, 6 * a, 10};
  SceneBody floor = body("floor", ShapeKind::plane, {});
  floor.friction = 10;
  scene.bodies = {floor};
  scene.fills = {bed({20 * a, 12 * a, 5 * a}, {0, 0, 2.5 * a})};
  scene.bodies.push_back(loose_box("block", {8 * a, 6 * a, 2 * a}, {0, 0, 6.1 * a}, 800));
  scene.bodies.back().friction = block_friction;
  Sandbox box(scene);
  box.run(0.7);
  const double tilt = tilt_deg * std::numbers::pi / 180;
  for (int k = 1; k <= 50; ++k) {
    const double now = tilt * k / 50;
    box->set_gravity({g * std::sin(now), 0, -g * std::cos(now)});
    box.run(0.01);
  }
  const double before = box.body("block").state.pose.position.x;
  box.run(1);
  return box.body("block").state.pose.position.x - before;
}

TEST(Rest, ABlockOnASlopeOfSandSticksAndSlidesNearItsAngle) {
  const double friction = tangent(22);
  EXPECT_LT(slide_on_sand(friction, 20), 0.05 * a);
  // It has sunk in and ploughs: of 22 degrees it still holds at 30, and smooth it slides at 30.
  EXPECT_GT(slide_on_sand(0, 30), 0.1);
}

/// How much faster a plate gets on a bed of sand that is tilted, from 0.3 to 0.6 s. It reaches over
/// all of a world without ends: nothing lies before its front edge that it could plough.
double endless_plate(double friction, double tilt_deg) {
  const double tilt = tilt_deg * std::numbers::pi / 180;
  Scene scene = sand_scene(a, 35);
  scene.gravity = {g * std::sin(tilt), 0, -g * std::cos(tilt)};
  scene.periodic = {true, true, false};
  scene.domain_lower = {-6 * a, -4 * a, 0};
  scene.domain_upper = {6 * a, 4 * a, 10};
  SceneBody floor = body("floor", ShapeKind::plane, {});
  floor.friction = 10;
  const double share = 12 * 8 / (60.0 * 24);  // of the plate, the part that is in the world
  scene.bodies = {floor, loose_box("plate", {60 * a, 24 * a, 2 * a}, {0, 0, 6.1 * a}, 800 * share)};
  scene.bodies[1].friction = friction;
  scene.fills = {bed({12 * a, 8 * a, 5 * a}, {0, 0, 2.5 * a})};
  Sandbox box(scene);
  box.run(0.3);
  const double before = box.body("plate").state.velocity.x;
  box.run(0.3);
  return (box.body("plate").state.velocity.x - before) / 0.3;
}

TEST(Rest, APlateWithoutAFrontEdgeSlidesAtItsAngle) {
  // Coulomb: at rest, and +0.37 m/s^2. The block above slides later because it ploughs.
  const double friction = tangent(22), below = endless_plate(friction, 20),
               above = endless_plate(friction, 24);
  std::printf("plate: %.3f m/s^2 at 20 degrees, %.3f at 24\n", below, above);
  EXPECT_LT(std::abs(below), 0.02);
  EXPECT_NEAR(above, 0.37, 0.15);
}

TEST(Rest, ABlockOnASolidSlopeWithSandAroundItSticksAndSlidesAtItsAngle) {
  for (const double tilt_deg : {20.0, 32.0}) {
    const double tilt = tilt_deg * std::numbers::pi / 180;
    Scene scene = sand_scene(a);
    scene.gravity = {g * std::sin(tilt), 0, -g * std::cos(tilt)};
    SceneBody slope = body("slope", ShapeKind::plane, {});
    slope.friction = tangent(26);
    scene.bodies = {slope, loose_box("block", {0.3, 0.3, 0.2}, {0, 0, 0.1}, 1500)};
    scene.bodies[1].friction = tangent(26);
    Sandbox box(scene);
    box.run(1);
    const double way = box.body("block").state.pose.position.x;
    const double coulomb = 0.5 * g * (std::sin(tilt) - tangent(26) * std::cos(tilt));
    EXPECT_NEAR(way, std::max(coulomb, 0.0), 0.02 * std::max(coulomb, 0.1)) << tilt_deg;
  }
}

}  // namespace
}  // namespace talus::test
