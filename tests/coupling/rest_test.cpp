// Bodies on and in sand that come to rest, and stay.
#include "coupling/sand_and_bodies.h"

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
  // Its front edge ploughs, which takes some three degrees; without that it would go 0.7 m.
  EXPECT_GT(slide_on_sand(friction, 30), 0.1);
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
