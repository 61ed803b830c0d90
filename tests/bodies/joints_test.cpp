#include "bodies/scenes.h"
#include "scene/defaults.h"
#include "scene/rope.h"

#include <numbers>

namespace talus::test {
namespace {

TEST(Joints, PendulumSwingsWithItsPeriod) {
  Scene scene = empty_scene();
  scene.bodies = {ball("bob", 0.05, {1, 0, 0})};
  scene.joints = {joint("pivot", JointKind::hinge, "bob", "", {0, 0, 0}, {0, 1, 0})};
  scene.bodies[0].shape.pose.position = {std::sin(0.1), 0, -std::cos(0.1)};
  BodyWorld world = make(scene);
  const double inertia = 1 + 0.4 * 0.05 * 0.05;  // about the pivot, per mass
  const double period = 2 * std::numbers::pi * std::sqrt(inertia / g) * (1 + 0.01 / 16);
  std::vector<double> crossings;
  double before = world.bodies()[0].state.pose.position.x;
  for (int i = 0; i < 7000; ++i) {
    world.step(1e-3);
    const double x = world.bodies()[0].state.pose.position.x;
    if (before > 0 && x <= 0) crossings.push_back(world.time() - 1e-3 * x / (x - before));
    before = x;
  }
  ASSERT_GE(crossings.size(), 3u);
  EXPECT_NEAR(crossings[2] - crossings[0], 2 * period, 0.01 * period);
  EXPECT_NEAR(norm(world.bodies()[0].state.pose.position), 1, 1e-3);
}

TEST(Joints, HingeMotorTurnsBodyAAboutTheAxis) {
  Scene scene = empty_scene();
  scene.bodies = {box("rotor", {1, 0.1, 0.1}, {0, 0, 1})};
  Joint motor = joint("motor", JointKind::hinge, "rotor", "", {0, 0, 1}, {0, 0, 1});
  motor.motor_speed = 3;
  motor.motor_limit = 50;
  scene.joints = {motor};
  BodyWorld world = make(scene);
  run(world, 2, 1e-3);
  EXPECT_NEAR(world.bodies()[0].state.angular_velocity.z, 3, 0.01);
  EXPECT_LT(norm(world.bodies()[0].state.pose.position - Vec3d{0, 0, 1}), 1e-3);
  EXPECT_FALSE(world.bodies()[0].asleep);
}

TEST(Joints, MotorTorqueIsLimitedWhateverTheStep) {
  for (const double dt : {2e-4, 2e-3}) {
    Scene scene = empty_scene();
    scene.gravity = {};
    scene.bodies = {box("rotor", {1, 0.1, 0.1}, {})};
    Joint motor = joint("motor", JointKind::hinge, "rotor", "", {}, {0, 0, 1});
    motor.motor_speed = 1000;
    motor.motor_limit = 2;
    scene.joints = {motor};
    BodyWorld world = make(scene);
    run(world, 0.5, dt);
    const double expected = 2 / world.principal_moments(0).z * 0.5;
    EXPECT_NEAR(world.bodies()[0].state.angular_velocity.z, expected, 0.01 * expected);
  }
}

TEST(Joints, HingeStopsAtItsLimits) {
  for (const double sign : {1.0, -1.0}) {
    Scene scene = empty_scene();
    scene.gravity = {};
    scene.bodies = {box("door", {1, 0.1, 2}, {0.5, 0, 0})};
    Joint hinge = joint("hinge", JointKind::hinge, "door", "", {}, {0, 0, 1});
    hinge.lower = -0.5;
    hinge.upper = 0.8;
    hinge.motor_speed = sign * 2;
    hinge.motor_limit = 100;
    scene.joints = {hinge};
    BodyWorld world = make(scene);
    run(world, 2, 1e-3);
    const Vec3d x = rotate(world.bodies()[0].state.pose.rotation, Vec3d{1, 0, 0});
    EXPECT_NEAR(std::atan2(x.y, x.x), sign > 0 ? 0.8 : -0.5, 0.02);
  }
}

TEST(Joints, SliderMovesAlongItsAxisOnlyAndStops) {
  Scene scene = empty_scene();
  scene.bodies = {box("lift", {0.5, 0.5, 0.2}, {0, 0, 1})};
  Joint slider = joint("rail", JointKind::slider, "lift", "", {0, 0, 1}, {0, 0, 1});
  slider.lower = -0.3;
  slider.upper = 0.6;
  slider.motor_speed = 0.5;
  slider.motor_limit = 2000;
  scene.joints = {slider};
  BodyWorld world = make(scene);
  run(world, 0.5, 1e-3);
  EXPECT_NEAR(world.bodies()[0].state.velocity.z, 0.5, 0.01);
  EXPECT_NEAR(world.bodies()[0].state.pose.position.z, 1.25, 0.01);
  run(world, 1.5, 1e-3);
  EXPECT_NEAR(world.bodies()[0].state.pose.position.z, 1.6, 0.01);
  scene.joints[0].motor_limit = 0;
  BodyWorld falling = make(scene);
  run(falling, 2, 1e-3);
  const BodyState& s = falling.bodies()[0].state;
  EXPECT_NEAR(s.pose.position.z, 0.7, 0.01);
  EXPECT_LT(std::hypot(s.pose.position.x, s.pose.position.y), 1e-3);
  EXPECT_NEAR(std::abs(s.pose.rotation.w), 1, 1e-4);
}

TEST(Joints, FixedJointCarriesACantilever) {
  Scene scene = empty_scene();
  scene.bodies = {box("beam", {1, 0.1, 0.1}, {0.5, 0, 1})};
  scene.joints = {joint("weld", JointKind::fixed, "beam", "", {0, 0, 1})};
  BodyWorld world = make(scene);
  run(world, 2, 1e-3);
  EXPECT_LT(norm(world.bodies()[0].state.pose.position - Vec3d{0.5, 0, 1}), 5e-3);
}

TEST(Joints, ForceIsTheWeightAndJointBreaksAtItsLoad) {
  Scene scene = empty_scene();
  scene.bodies = {box("weight", {0.2, 0.2, 0.2}, {0, 0, -0.1})};  // 8 kg
  scene.joints = {joint("hook", JointKind::ball, "weight", "", {0, 0, 0})};
  scene.joints[0].break_force = 150;
  BodyWorld world = make(scene);
  run(world, 0.2, 1e-3);
  EXPECT_NEAR(world.joints()[0].force, 8 * g, 0.01 * 8 * g);
  double pull = 0;
  while (world.joints()[0].intact && pull < 200) {
    pull += 0.05;
    world.bodies()[0].load.force = {0, 0, -pull};
    world.step(1e-3);
  }
  EXPECT_NEAR(pull + 8 * g, 150, 0.03 * 150);
  run(world, 0.5, 1e-3);
  EXPECT_LT(world.bodies()[0].state.pose.position.z, -1);
}

TEST(Joints, ReleasedJointFreesEvenASleeper) {
  Scene scene = empty_scene();
  scene.bodies = {box("weight", {0.2, 0.2, 0.2}, {0, 0, -0.1})};
  scene.joints = {joint("hook", JointKind::ball, "weight", "", {0, 0, 0})};
  scene.joints[0].release_time = 2;
  BodyWorld world = make(scene);
  run(world, 1.999, 1e-3);
  EXPECT_TRUE(world.bodies()[0].asleep);
  EXPECT_TRUE(world.joints()[0].intact);
  EXPECT_NEAR(world.bodies()[0].state.pose.position.z, -0.1, 1e-3);
  run(world, 0.5, 1e-3);
  EXPECT_FALSE(world.joints()[0].intact);
  EXPECT_NEAR(world.bodies()[0].state.pose.position.z, -0.1 - 0.5 * g * 0.25, 0.02);
}

double chain_length(const BodyWorld& world, int links, double link) {
  double length = 0;
  for (int i = 0; i + 1 < links; ++i)
    length +=
        norm(world.bodies()[i + 1].state.pose.position - world.bodies()[i].state.pose.position);
  return length + link;
}

TEST(Joints, ChainUnderLoadKeepsItsLength) {
  Scene scene = empty_scene();
  Rope rope = default_rope();
  rope.name = "chain";
  rope.from = {0, 0, 3};
  rope.to = {0, 0, 1};
  rope.links = 20;
  rope.radius = 0.015;
  rope.from_body = "world";
  rope.to_body = "weight";
  ASSERT_TRUE(add_rope(scene, rope).ok());
  scene.bodies.push_back(box("weight", {0.2, 0.2, 0.2}, {0, 0, 0.9}, 2500));  // 20 kg, 300 links
  BodyWorld world = make(scene);
  double longest = 0, drop = 0;
  for (int i = 0; i < 3000; ++i) {
    world.bodies().back().load.force = {30 * std::sin(i * 2e-3), 0, 0};
    world.step(1e-3);
    longest = std::max(longest, std::abs(chain_length(world, 20, 0.1) - 2));
    const Vec3d first = world.bodies()[0].state.pose.position - Vec3d{0, 0, 3};
    drop = std::max(drop, std::abs(norm(first) - 0.05));
  }
  EXPECT_LT(longest, 0.02);
  EXPECT_LT(drop, 0.002);
  EXPECT_NEAR(world.joints()[19].force, 20 * g, 0.3 * 20 * g);
}

TEST(Joints, RopeRefusesWhatDoesNotFit) {
  Scene scene = empty_scene();
  Rope rope = default_rope();
  rope.name = "r";
  rope.to = {0.1, 0, 0};
  rope.links = 50;
  const Status status = add_rope(scene, rope);
  ASSERT_FALSE(status.ok());
  EXPECT_NE(status.error().message.find("50 links"), std::string::npos);
  EXPECT_TRUE(scene.bodies.empty());
}

}  // namespace
}  // namespace talus::test
