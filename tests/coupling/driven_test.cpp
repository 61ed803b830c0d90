// Blades, plungers and chains in sand.
#include "coupling/sand_and_bodies.h"
#include "scene/rope.h"

namespace talus::test {
namespace {

constexpr double a = 0.04;

/// How many particles a blade leaves behind that pushes a layer of sand: at constant speed, or
/// along keyframes between which it reaches that speed.
std::size_t left_behind(double speed, double thickness, SphModel model, bool keyframed = false) {
  Scene scene = sand_scene(a);
  scene.sph.model = model;
  const double width = 10 * a;
  scene.bodies = {container(60 * a, width, 0.3)};
  // Seals the channel: its rim is inside the walls, the floor and the ceiling.
  SceneBody blade = body("blade", ShapeKind::box, {-20 * a, 0, 0.6});
  blade.shape.size = {thickness, width + 4 * a, 1.2 + 4 * a};
  blade.motion = SceneMotion::scripted;
  blade.friction = 0.3;
  const double way = std::min(0.5 * speed, 24 * a);
  // A cubic that starts and ends at rest is half as fast again in its middle as on the whole.
  const double seconds = keyframed ? 1.5 * way / speed : way / speed;
  if (keyframed)
    blade.keyframes = {{0, {-20 * a, 0, 0.6}, {}}, {seconds, {-20 * a + way, 0, 0.6}, {}}};
  else
    blade.velocity = {speed, 0, 0};
  scene.bodies.push_back(blade);
  scene.fills = {bed({20 * a, width, 5 * a}, {-8 * a, 0, 2.5 * a})};
  Sandbox box(scene);
  double fastest = 0;
  box.run(seconds, [&] { fastest = std::max(fastest, norm(box.body("blade").state.velocity)); });
  EXPECT_NEAR(fastest, speed, 0.01 * speed);
  const double back = box.body("blade").state.pose.position.x - thickness / 2;
  std::size_t behind = 0;
  for (const Vec3f& p : box.positions()) behind += double{p.x} < back + 0.25 * thickness;
  return behind;
}

TEST(Driven, ABladeLetsNoSandThroughUpToItsTopSpeed) {
  for (const double speed : {0.5, 2.0, 6.0})
    EXPECT_EQ(left_behind(speed, 2 * a, SphModel::talus), 0u) << speed << " m/s";
}

TEST(Driven, NorDoesAKeyframedBlade) {
  for (const double speed : {2.0, 6.0})
    EXPECT_EQ(left_behind(speed, 2 * a, SphModel::talus, true), 0u) << speed << " m/s";
}

TEST(Driven, NorDoesItWithTheBoundariesOfThePapers) {
  EXPECT_EQ(left_behind(2, 2 * a, SphModel::ihmsen2013), 0u);
  EXPECT_EQ(left_behind(2, 2 * a, SphModel::alduan2011), 0u);
}

TEST(Driven, APlungerPressesWithItsForce) {
  // A plate guided by a slider, pressed by a constant force: the floor carries all of it.
  Scene scene = sand_scene(a);
  scene.bodies = {container(10 * a, 10 * a, 0)};
  scene.fills = {bed({10 * a, 10 * a, 6 * a}, {0, 0, 3 * a})};
  SceneBody plate = loose_box("plate", {9.9 * a, 9.9 * a, 3 * a}, {0, 0, 8 * a}, 1000);
  plate.friction = 0;
  plate.force = {0, 0, -400};
  plate.force_start = 0.3;
  scene.bodies.push_back(plate);
  Joint guide = default_joint();
  guide.name = "guide";
  guide.kind = JointKind::slider;
  guide.body_a = "plate";
  guide.anchor = {0, 0, 8 * a};
  guide.axis = {0, 0, 1};
  scene.joints = {guide};
  Sandbox box(scene);
  box.run(1.5);
  double sum = 0;
  int frames = 0;
  box.run(0.5, [&] {
    if (!box->at_frame()) return;
    sum += box->summary().mean_load(0).force.z;
    ++frames;
  });
  const double expected = -g * (box.sand_mass() + box.body("plate").mass) - 400;
  EXPECT_NEAR(sum / frames / expected, 1, 0.01);
  EXPECT_NEAR(box.body("plate").state.pose.position.x, 0, 1e-6);
  EXPECT_GT(box.body("plate").state.pose.position.z, 6 * a) << "the sand carries it";
}

TEST(Driven, AChainThroughSandKeepsItsLengthUnderLoad) {
  Scene scene = sand_scene(a);
  scene.bodies = {container(14 * a, 14 * a)};
  scene.fills = {bed({14 * a, 14 * a, 6 * a}, {0, 0, 3 * a})};
  Rope chain = default_rope();
  chain.name = "chain";
  chain.from = {0, 0, 1.1};
  chain.to = {0, 0, 0.4};
  chain.radius = 0.6 * a;
  chain.links = 7;
  chain.from_body = "world";
  chain.to_body = "weight";
  scene.bodies.push_back(loose_ball("weight", 2 * a, {0, 0, 0.4 - 2 * a}, 8000));
  scene.bodies.back().velocity = {1.5, 0, 0};
  ASSERT_TRUE(add_rope(scene, chain).ok());
  Sandbox box(scene);
  double worst = 0;
  box.run(1, [&] {
    const Body& last = box.body("chain/6");
    const Vec3d top = box.body("chain/0").state.pose.to_world({0, 0, -0.05});
    double length = norm(top - Vec3d{0, 0, 1.1});
    for (int i = 0; i < 6; ++i)
      length += norm(box.body(rope_link_name(chain, i)).state.pose.to_world({0, 0, 0.05}) -
                     box.body(rope_link_name(chain, i)).state.pose.to_world({0, 0, -0.05})) +
                norm(box.body(rope_link_name(chain, i)).state.pose.to_world({0, 0, 0.05}) -
                     box.body(rope_link_name(chain, i + 1)).state.pose.to_world({0, 0, -0.05}));
    length +=
        norm(last.state.pose.to_world({0, 0, 0.05}) - last.state.pose.to_world({0, 0, -0.05}));
    length += norm(last.state.pose.to_world({0, 0, 0.05}) -
                   box.body("weight").state.pose.to_world({0, 0, 2 * a}));
    worst = std::max(worst, std::abs(length / 0.7 - 1));
  });
  EXPECT_LT(worst, 0.01);
}

}  // namespace
}  // namespace talus::test
