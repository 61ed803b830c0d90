// A resumed world continues with the same bits, also on another number of threads.
#include "bodies/scenes.h"
#include "scene/defaults.h"
#include "scene/rope.h"

namespace talus::test {
namespace {

/// Stack of 20 boxes, a motor, a chain with a weight, a joint that breaks, one that is released, a
/// blade that pushes into it all.
Scene everything() {
  Scene scene = empty_scene();
  scene.bodies = {ground()};
  for (int i = 0; i < 20; ++i) {
    scene.bodies.push_back(box("box" + std::to_string(i), {0.2, 0.2, 0.2}, {0, 0, 0.1 + 0.2 * i}));
    scene.bodies.back().shape.pose.rotation = Quatd::from_axis_angle({0, 0, 1}, 0.1 * i);
  }
  SceneBody rotor = box("rotor", {1.5, 0.1, 0.1}, {2, 0, 1});
  SceneBody pin = ball("pin", 0.08, {2.5, 0, 0.08});
  pin.shape.kind = ShapeKind::cylinder;
  pin.shape.radius = 0.08;
  pin.shape.height = 0.7;
  pin.shape.pose.position.z = 0.35;
  SceneBody blade = box("blade", {0.1, 0.6, 0.5}, {-1.2, 0, 0.26});
  blade.motion = SceneMotion::scripted;
  blade.keyframes = {{0, {-1.2, 0, 0.26}, {}}, {1.5, {-0.05, 0, 0.26}, {}}};
  SceneBody hung = box("hung", {0.3, 0.3, 0.3}, {0, 2, 2});
  hung.restitution = 0.4;
  scene.bodies.insert(scene.bodies.end(), {rotor, pin, blade, hung});
  Joint motor = joint("motor", JointKind::hinge, "rotor", "", {2, 0, 1}, {0, 1, 0});
  motor.motor_speed = 4;
  motor.motor_limit = 60;
  Joint weak = joint("weak", JointKind::fixed, "hung", "", {0, 2, 2.15});
  weak.break_force = 400;
  scene.joints = {motor, weak};
  Rope rope = default_rope();
  rope.name = "chain";
  rope.from = {0, -2, 2};
  rope.to = {1, -2, 2};
  rope.links = 10;
  rope.radius = 0.02;
  rope.from_body = "world";
  rope.to_body = "load";
  rope.release_time = 0.9;
  EXPECT_TRUE(add_rope(scene, rope).ok());
  scene.bodies.push_back(box("load", {0.2, 0.2, 0.2}, {1.1, -2, 2}));
  return scene;
}

double step_size(int i) { return 2e-4 + 3e-3 * ((i * 7919) % 101) / 101.0; }

void advance(BodyWorld& world, int from, int to) {
  for (int i = from; i < to; ++i) {
    for (Body& b : world.bodies())
      if (b.name == "hung") b.load.force = {0, 0, -0.5 * i};
    world.step(step_size(i));
  }
}

State state_of(const BodyWorld& world) {
  State state;
  world.save(state);
  return state;
}

void expect_same(const State& a, const State& b) {
  ASSERT_EQ(a.entries().size(), b.entries().size());
  for (const auto& [name, entry] : a.entries()) {
    const State::Entry* other = b.find(name);
    ASSERT_NE(other, nullptr) << name;
    EXPECT_TRUE(entry.data == other->data) << name;
  }
}

TEST(Resume, ContinuesWithTheSameBitsFromAnyStep) {
  const Scene scene = everything();
  BodyWorld straight = make(scene);
  constexpr int last = 1600;
  std::vector<State> saved;
  const std::vector<int> stops = {1, 137, 600, 1000};
  int done = 0;
  for (const int stop : stops) {
    advance(straight, done, stop);
    saved.push_back(state_of(straight));
    done = stop;
  }
  advance(straight, done, last);
  const State end = state_of(straight);
  const auto joints = straight.joints();
  EXPECT_FALSE(joints[1].intact);                  // broke
  EXPECT_FALSE(joints[joints.size() - 1].intact);  // released
  for (std::size_t k = 0; k < stops.size(); ++k) {
    BodyWorld resumed = make(scene, 0.01, 4);
    ASSERT_TRUE(resumed.load(saved[k]).ok());
    expect_same(state_of(resumed), saved[k]);
    advance(resumed, stops[k], last);
    expect_same(state_of(resumed), end);
  }
}

TEST(Resume, AlsoAcrossSleep) {
  Scene scene = empty_scene();
  scene.bodies = {ground(), box("a", {0.2, 0.2, 0.2}, {0, 0, 0.1}),
                  box("b", {0.2, 0.2, 0.2}, {0, 0, 0.3}), ball("late", 0.1, {0.02, 0, 6})};
  BodyWorld straight = make(scene);
  run(straight, 1.0, 1e-3);
  ASSERT_TRUE(straight.bodies()[2].asleep);
  const State saved = state_of(straight);
  run(straight, 1.5, 1e-3);
  BodyWorld resumed = make(scene);
  ASSERT_TRUE(resumed.load(saved).ok());
  run(resumed, 1.5, 1e-3);
  expect_same(state_of(resumed), state_of(straight));
}

TEST(Resume, RefusesTheCheckpointOfAnotherScene) {
  const State saved = state_of(make(everything()));
  Scene other = everything();
  other.bodies.push_back(box("more", {0.1, 0.1, 0.1}, {9, 9, 9}));
  BodyWorld world = make(other);
  const Status status = world.load(saved);
  ASSERT_FALSE(status.ok());
  EXPECT_NE(status.error().message.find("the scene was changed"), std::string::npos);
  EXPECT_FALSE(world.load(State{}).ok());
}

}  // namespace
}  // namespace talus::test
