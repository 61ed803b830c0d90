#include "bodies/motion.h"

#include "bodies/scenes.h"

#include <limits>
#include <numbers>

namespace talus::test {
namespace {

Quatd about_z(double angle) { return Quatd::from_axis_angle({0, 0, 1}, angle); }

SceneBody blade(Interpolation interpolation) {
  SceneBody body = box("blade", {0.2, 1, 0.4}, {});
  body.motion = SceneMotion::scripted;
  body.interpolation = interpolation;
  body.keyframes = {{0.5, {0, 0, 1}, {}},
                    {1.5, {2, 0, 1}, about_z(0.8)},
                    {2.5, {2, 0, 1}, about_z(0.8)},
                    {4.0, {2, 3, 0}, about_z(-0.5)}};
  return body;
}

double angle_between(const Quatd& a, const Quatd& b) { return norm(turning_rate(a, b, 1.0)); }

TEST(Motion, PassesThroughKeyframesAndRestsOutside) {
  for (const auto kind : {Interpolation::linear, Interpolation::smooth}) {
    const SceneBody body = blade(kind);
    for (const Keyframe& key : body.keyframes) {
      const Posed pose = scripted_pose(body, key.time);
      EXPECT_LT(norm(pose.position - key.position), 1e-14);
      EXPECT_LT(angle_between(pose.rotation, key.rotation), 1e-7);
    }
    EXPECT_EQ(scripted_pose(body, 0).position, (Vec3d{0, 0, 1}));
    EXPECT_EQ(scripted_state(body, 9).velocity, Vec3d{});
    EXPECT_EQ(scripted_state(body, 9).pose.position, (Vec3d{2, 3, 0}));
  }
}

TEST(Motion, VelocityIsTheDerivativeOfThePose) {
  for (const auto kind : {Interpolation::linear, Interpolation::smooth})
    for (double t = 0.55; t < 4; t += 0.1) {
      const SceneBody body = blade(kind);
      constexpr double h = 1e-5;
      const Posed a = scripted_pose(body, t - h), b = scripted_pose(body, t + h);
      const BodyState s = scripted_state(body, t);
      EXPECT_LT(norm((b.position - a.position) / (2 * h) - s.velocity), 1e-6) << t;
      EXPECT_LT(norm(turning_rate(a.rotation, b.rotation, 2 * h) - s.angular_velocity), 1e-5) << t;
    }
}

TEST(Motion, SmoothNeverOvershootsAndHasNoJolts) {
  const SceneBody body = blade(Interpolation::smooth);
  Vec3d before = scripted_state(body, 0.4).velocity;
  for (double t = 0.4; t < 4.2; t += 1e-3) {
    const BodyState s = scripted_state(body, t);
    EXPECT_LE(s.pose.position.x, 2.0);
    EXPECT_GE(s.pose.position.x, 0.0);
    EXPECT_LT(norm(s.velocity - before), 0.02) << t;
    before = s.velocity;
  }
  EXPECT_LT(norm(scripted_state(body, 2.0).velocity), 1e-14);  // pause between equal keyframes
}

TEST(Motion, ConstantVelocityTurnAndAcceleration) {
  SceneBody body = box("drum", {1, 1, 1}, {1, 2, 3});
  body.motion = SceneMotion::scripted;
  body.velocity = {0.5, 0, 0};
  body.angular_velocity = {0, 0, 3};
  body.linear_acceleration = {0, 0, 2};
  body.acceleration_start = 1;
  body.acceleration_stop = 3;
  const BodyState s = scripted_state(body, 4);
  EXPECT_LT(norm(s.pose.position - Vec3d{3, 2, 3 + 0.5 * 2 * 4 + 4 * 1}), 1e-12);
  EXPECT_LT(norm(s.velocity - Vec3d{0.5, 0, 4}), 1e-12);
  EXPECT_LT(angle_between(s.pose.rotation, about_z(12)), 1e-7);
  body.acceleration_stop = std::numeric_limits<double>::infinity();
  EXPECT_LT(norm(scripted_state(body, 4).velocity - Vec3d{0.5, 0, 6}), 1e-12);
}

TEST(Motion, WorldFollowsKeyframesExactlyWithUnevenSteps) {
  Scene scene = empty_scene();
  scene.bodies = {blade(Interpolation::smooth), box("loose", {0.1, 0.1, 0.1}, {5, 5, 5})};
  BodyWorld world = make(scene);
  double t = 0;
  for (int i = 0; i < 2000; ++i) {
    const double dt = 1e-4 + 4e-3 * ((i * 7919) % 101) / 101.0;
    world.step(dt);
    t += dt;
    const Posed expected = scripted_pose(scene.bodies[0], t);
    ASSERT_EQ(world.bodies()[0].state.pose, expected) << i;
  }
  EXPECT_GT(t, 4.0);
}

}  // namespace
}  // namespace talus::test
