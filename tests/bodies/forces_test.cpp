// Constant forces, gravity that changes, and motion from files.
#include "bodies/scenes.h"

#include <fstream>

namespace talus::test {
namespace {

TEST(Forces, AConstantForceAcceleratesFreeFlightExactly) {
  Scene scene = empty_scene();
  scene.bodies = {ball("ball", 0.1, {0, 0, 10})};
  scene.bodies[0].force = {5, 0, 0};
  scene.bodies[0].force_start = 0.2;
  scene.bodies[0].force_stop = 0.6;
  BodyWorld world = make(scene);
  run(world, 1, 1e-3);
  const BodyState& s = world.bodies()[0].state;
  const double a = 5 / world.bodies()[0].mass;
  EXPECT_NEAR(s.velocity.x, a * 0.4, 1e-3 * a);
  EXPECT_NEAR(s.pose.position.x, a * (0.5 * 0.16 + 0.4 * 0.4), 2e-3 * a);
  EXPECT_NEAR(s.pose.position.z, 10 - 0.5 * g, 1e-6);
}

TEST(Forces, AForceThatBeginsLaterWakesASleeperAndPressesOnTheGround) {
  Scene scene = empty_scene();
  scene.bodies = {ground(0), box("box", {0.2, 0.2, 0.2}, {0, 0, 0.1})};
  scene.bodies[1].force = {20, 0, 0};
  scene.bodies[1].force_start = 2;
  scene.bodies[1].force_stop = 1e6;
  BodyWorld world = make(scene);
  run(world, 1.9, 1e-3);
  EXPECT_TRUE(world.bodies()[1].asleep);
  run(world, 0.6, 1e-3);
  EXPECT_NEAR(world.bodies()[1].state.velocity.x, 20 / 8.0 * 0.5, 0.02);
}

TEST(Forces, GravityThatChangesWakesEverybodyAndIsSaved) {
  Scene scene = empty_scene();
  scene.bodies = {ground(0), box("box", {0.2, 0.2, 0.2}, {0, 0, 0.1})};
  BodyWorld world = make(scene);
  run(world, 1.5, 1e-3);
  ASSERT_TRUE(world.bodies()[1].asleep);
  world.set_gravity({0, 0, -g});
  EXPECT_TRUE(world.bodies()[1].asleep) << "the same gravity changes nothing";
  world.set_gravity({2, 0, -g});
  run(world, 0.25, 1e-3);
  EXPECT_NEAR(world.bodies()[1].state.velocity.x, 0.5, 0.01);
  State state;
  world.save(state);
  BodyWorld resumed = make(scene);
  ASSERT_TRUE(resumed.load(state).ok());
  run(world, 0.1, 1e-3);
  run(resumed, 0.1, 1e-3);
  EXPECT_EQ(world.bodies()[1].state.pose.position.x, resumed.bodies()[1].state.pose.position.x);
}

/// A node that moves from (0, 1, 0) by 2 along x in a second, in axes with y up.
std::string moving_node() {
  const std::string path = testing::TempDir() + "talus_moving_node.gltf";
  std::ofstream(path) << R"({"asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}],
"nodes": [{"name": "cart", "translation": [0, 1, 0]}],
"buffers": [{"byteLength": 32, "uri":
"data:application/octet-stream;base64,AAAAAAAAgD8AAAAAAACAPwAAAAAAAABAAACAPwAAAAA="}],
"bufferViews": [{"buffer": 0, "byteOffset": 0, "byteLength": 8},
                {"buffer": 0, "byteOffset": 8, "byteLength": 24}],
"accessors": [{"bufferView": 0, "componentType": 5126, "count": 2, "type": "SCALAR",
               "min": [0], "max": [1]},
              {"bufferView": 1, "componentType": 5126, "count": 2, "type": "VEC3"}],
"animations": [{"channels": [{"sampler": 0, "target": {"node": 0, "path": "translation"}}],
                "samplers": [{"input": 0, "output": 1, "interpolation": "LINEAR"}]}]})";
  return path;
}

TEST(Animation, ANodeOfAFileMovesAScriptedBody) {
  Scene scene = empty_scene();
  SceneBody cart = box("cart", {0.2, 0.2, 0.2}, {0, 0, 3});
  cart.motion = SceneMotion::scripted;
  cart.shape.pose.rotation = Quatd::from_axis_angle({1, 0, 0}, std::acos(0.0));  // y up to z up
  cart.animation_file = moving_node();
  cart.animation_scale = 1;
  scene.bodies = {cart};
  BodyWorld world = make(scene);
  run(world, 0.25, 1e-2);
  const BodyState& s = world.bodies()[0].state;
  EXPECT_LT(norm(s.pose.position - Vec3d{0.5, 0, 4}), 1e-6);
  EXPECT_NEAR(s.velocity.x, 2, 1e-6);
  run(world, 2, 1e-2);
  EXPECT_LT(norm(world.bodies()[0].state.pose.position - Vec3d{2, 0, 4}), 1e-6);

  scene.bodies[0].animation_node = "wagon";
  const std::string message = error_of(scene);
  EXPECT_NE(message.find("body 'cart'"), std::string::npos) << message;
  EXPECT_NE(message.find("no node 'wagon'; these move: 'cart'"), std::string::npos) << message;
}

}  // namespace
}  // namespace talus::test
