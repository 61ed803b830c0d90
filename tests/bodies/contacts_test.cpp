// Bodies against bodies: slopes, stacks, rebounds, concave shapes, containers.
#include "bodies/scenes.h"
#include "geometry/mesh_shapes.h"

#include <numbers>

namespace talus::test {
namespace {

/// Distance that a block slides down a slope within 1 s.
double slide(double slope_deg, double mu_slope, double mu_block, double turn = 0) {
  const double angle = slope_deg * std::numbers::pi / 180;
  Scene scene = empty_scene();
  scene.bodies = {ground(mu_slope), box("block", {0.2, 0.2, 0.1}, {0, 0, 0.05})};
  // Turning gravity instead of the ground keeps the block's start exact.
  scene.gravity =
      Vec3d{std::cos(turn) * std::sin(angle), std::sin(turn) * std::sin(angle), -std::cos(angle)} *
      g;
  scene.bodies[1].friction = mu_block;
  BodyWorld world = make(scene);
  run(world, 1, 1e-3);
  const Vec3d p = world.bodies()[1].state.pose.position;
  return std::hypot(p.x, p.y);
}

TEST(Contacts, BlockSticksBelowAndSlidesAboveTheFrictionAngle) {
  const double critical = std::atan(0.5) * 180 / std::numbers::pi;
  for (const double turn : {0.0, 0.4, std::numbers::pi / 4}) {
    EXPECT_LT(slide(critical - 0.5, 0.5, 0.5, turn), 1e-4) << turn;
    EXPECT_GT(slide(critical + 0.5, 0.5, 0.5, turn), 0.02) << turn;
  }
}

TEST(Contacts, SlidesAsFastAsCoulombSays) {
  for (const double turn : {0.0, 0.5}) {
    const double angle = 35 * std::numbers::pi / 180;
    const double expected = 0.5 * g * (std::sin(angle) - 0.5 * std::cos(angle));
    EXPECT_NEAR(slide(35, 0.5, 0.5, turn), expected, 0.01 * expected);
  }
}

TEST(Contacts, FrictionOfAPairIsTheGeometricMean) {
  // sqrt(0.25 * 1) = 0.5: between 26 and 27 degrees.
  EXPECT_LT(slide(26, 0.25, 1.0), 1e-4);
  EXPECT_GT(slide(27.2, 0.25, 1.0), 0.01);
}

TEST(Contacts, BallRollsDownWithFiveSeventhsOfTheSlope) {
  const double angle = 0.3;
  Scene scene = empty_scene();
  scene.gravity = Vec3d{std::sin(angle), 0, -std::cos(angle)} * g;
  scene.bodies = {ground(0.8), ball("ball", 0.1, {0, 0, 0.1})};
  BodyWorld world = make(scene);
  run(world, 1, 1e-3);
  const double expected = 0.5 * 5.0 / 7.0 * g * std::sin(angle);
  EXPECT_NEAR(world.bodies()[1].state.pose.position.x, expected, 0.01 * expected);
}

TEST(Contacts, ReboundHasTheGivenRestitutionAtAnyStep) {
  for (const double dt : {1e-4, 1e-3, 4e-3})
    for (const bool as_box : {false, true}) {
      Scene scene = empty_scene();
      scene.bodies = {
          ground(), as_box ? box("b", {0.2, 0.2, 0.2}, {0, 0, 1.1}) : ball("b", 0.1, {0, 0, 1.1})};
      scene.bodies[1].restitution = 0.7;
      BodyWorld world = make(scene);
      double fastest_down = 0, fastest_up = 0;
      for (double t = 0; t < 0.7; t += dt) {
        world.step(dt);
        fastest_down = std::min(fastest_down, world.bodies()[1].state.velocity.z);
        fastest_up = std::max(fastest_up, world.bodies()[1].state.velocity.z);
      }
      EXPECT_NEAR(fastest_up / -fastest_down, 0.7, 0.03) << dt << as_box;
    }
}

TEST(Contacts, FreeFlightIsExact) {
  Scene scene = empty_scene();
  scene.bodies = {ball("ball", 0.1, {0, 0, 0})};
  scene.bodies[0].velocity = {3, 0, 4};
  BodyWorld world = make(scene);
  run(world, 1, 4e-3);
  EXPECT_LT(norm(world.bodies()[0].state.pose.position - Vec3d{3, 0, 4 - g / 2}), 1e-10);
}

TEST(Contacts, TorqueFreeSpinKeepsAngularMomentum) {
  Scene scene = empty_scene();
  scene.gravity = {};
  scene.bodies = {box("racket", {0.1, 0.3, 0.6}, {})};
  scene.bodies[0].angular_velocity = {0.02, 5, 0.01};  // about the unstable middle axis
  BodyWorld world = make(scene);
  // Axes of a box are its own; moments ascending: z, y, x.
  const auto momentum = [&] {
    const BodyState& s = world.bodies()[0].state;
    const Vec3d local = rotate_inverse(s.pose.rotation, s.angular_velocity);
    const Vec3d m = world.principal_moments(0);
    return rotate(s.pose.rotation, Vec3d{local.x * m.z, local.y * m.y, local.z * m.x});
  };
  const Vec3d start = momentum();
  run(world, 2, 5e-4);
  EXPECT_LT(norm(momentum() - start), 0.02 * norm(start));
}

TEST(Contacts, StackOfTenBoxesStandsStill) {
  Scene scene = empty_scene();
  scene.bodies = {ground()};
  for (int i = 0; i < 10; ++i)
    scene.bodies.push_back(box("box" + std::to_string(i), {0.2, 0.2, 0.2}, {0, 0, 0.1 + 0.2 * i}));
  BodyWorld world = make(scene);
  run(world, 0.4, 1e-3);
  std::vector<Vec3d> start;
  for (const Body& b : world.bodies()) start.push_back(b.state.pose.position);
  double fastest = 0;
  for (int i = 0; i < 9600; ++i) {
    world.step(1e-3);
    for (const Body& b : world.bodies()) fastest = std::max(fastest, norm(b.state.velocity));
  }
  for (std::size_t i = 1; i < start.size(); ++i) {
    EXPECT_LT(norm(world.bodies()[i].state.pose.position - start[i]), 1e-3) << i;
    EXPECT_TRUE(world.bodies()[i].asleep);
  }
  EXPECT_LT(fastest, 5e-3);
}

TEST(Contacts, StackStandsAlsoWithoutSleepAndWithUnevenSteps) {
  Scene scene = empty_scene();
  scene.bodies = {ground()};
  for (int i = 0; i < 10; ++i)
    scene.bodies.push_back(box("box" + std::to_string(i), {0.2, 0.2, 0.2}, {0, 0, 0.1 + 0.2 * i}));
  BodyWorld world = make(scene);
  double fastest = 0;
  double t = 0;
  for (int i = 0; t < 4; ++i) {
    const double dt = 2e-4 + 3e-3 * ((i * 7919) % 101) / 101.0;
    // A flickering load, too small to move anything, keeps the stack awake.
    world.bodies()[10].load.force = {0, 0, i % 2 ? 8.0 : -8.0};
    world.step(dt);
    t += dt;
    if (t > 0.5)
      for (const Body& b : world.bodies()) fastest = std::max(fastest, norm(b.state.velocity));
  }
  EXPECT_LT(fastest, 2e-2);
  EXPECT_NEAR(world.bodies()[10].state.pose.position.z, 1.9, 5e-3);
  EXPECT_LT(std::hypot(world.bodies()[10].state.pose.position.x,
                       world.bodies()[10].state.pose.position.y),
            5e-3);
}

TEST(Contacts, SleepersWakeWhenHitAndWhenLoaded) {
  Scene scene = empty_scene();
  scene.bodies = {ground(), box("a", {0.2, 0.2, 0.2}, {0, 0, 0.1}),
                  box("b", {0.2, 0.2, 0.2}, {0, 0, 0.3}), ball("bullet", 0.05, {-6, 0, 0.3}, 5000)};
  // Flies for 1.2 s and comes down where it started, at the side of the upper box.
  scene.bodies[3].velocity = {4.9, 0, 0.5 * g * 1.2};
  BodyWorld world = make(scene);
  run(world, 1.0, 1e-3);
  EXPECT_TRUE(world.bodies()[1].asleep && world.bodies()[2].asleep);
  EXPECT_FALSE(world.bodies()[3].asleep);
  run(world, 0.4, 1e-3);
  EXPECT_FALSE(world.bodies()[2].asleep);
  EXPECT_GT(world.bodies()[2].state.pose.position.x, 0.05);

  BodyWorld pushed = make(scene);
  run(pushed, 0.8, 1e-3);
  EXPECT_TRUE(pushed.bodies()[2].asleep);
  for (int i = 0; i < 200; ++i) {
    pushed.bodies()[2].load.force = {60, 0, 0};
    pushed.step(1e-3);
  }
  EXPECT_FALSE(pushed.bodies()[2].asleep);
  EXPECT_GT(pushed.bodies()[2].state.pose.position.x, 0.01);
}

TEST(Contacts, TheLoadThatWakesASleeperDoesNotThrowIt) {
  // Sand that took it for immovable presses with more than it would against a body that gives way.
  Scene scene = empty_scene();
  scene.bodies = {ground(), box("a", {0.2, 0.2, 0.2}, {0, 0, 0.1})};
  BodyWorld world = make(scene);
  run(world, 1.0, 1e-3);
  ASSERT_TRUE(world.bodies()[1].asleep);
  world.bodies()[1].load.force = {1e6, 0, 0};
  world.step(1e-3);
  EXPECT_FALSE(world.bodies()[1].asleep);
  EXPECT_LT(norm(world.bodies()[1].state.velocity), 0.02);
  world.bodies()[1].load.force = {1e3, 0, 0};
  world.step(1e-3);
  EXPECT_GT(world.bodies()[1].state.velocity.x, 0.05);
}

TEST(Contacts, BowlingBallFellsPins) {
  Scene scene = empty_scene();
  scene.bodies = {ground(0.3), ball("ball", 0.11, {-2, 0, 0.11}, 1300)};
  scene.bodies[1].velocity = {7, 0.2, 0};
  for (int row = 0; row < 4; ++row)
    for (int k = 0; k <= row; ++k) {
      SceneBody pin = box("pin" + std::to_string(scene.bodies.size()), {},
                          {row * 0.264, (k - row / 2.0) * 0.305, 0.19});
      pin.shape.kind = ShapeKind::cylinder;
      pin.shape.radius = 0.05;
      pin.shape.height = 0.38;
      pin.mass = 1.5;
      pin.friction = 0.4;
      pin.restitution = 0.5;
      scene.bodies.push_back(pin);
    }
  BodyWorld world = make(scene);
  const auto momentum = [&] {
    Vec3d p{};
    for (const Body& b : world.bodies()) p += b.state.velocity * b.mass;
    return p;
  };
  const double start = norm(momentum());
  double energy_before =
      0.5 * world.bodies()[1].mass * squared_norm(world.bodies()[1].state.velocity);
  run(world, 0.5, 5e-4);
  EXPECT_LT(momentum().x, start);
  EXPECT_GT(momentum().x, 0.5 * start);  // friction of the floor takes only some of it
  double energy = 0;
  for (const Body& b : world.bodies()) energy += 0.5 * b.mass * squared_norm(b.state.velocity);
  EXPECT_LT(energy, energy_before);
  run(world, 2.5, 1e-3);
  int fallen = 0;
  for (std::size_t i = 2; i < world.bodies().size(); ++i) {
    const Vec3d up = rotate(world.bodies()[i].state.pose.rotation, Vec3d{0, 0, 1});
    if (up.z < 0.7) ++fallen;
    EXPECT_GT(world.bodies()[i].state.pose.position.z, 0.04) << i;  // none sinks in
  }
  EXPECT_GE(fallen, 5);
}

TEST(Contacts, EveryShapeComesToRestOnTheGroundAndOnABox) {
  for (const ShapeKind kind : {ShapeKind::box, ShapeKind::sphere, ShapeKind::cylinder,
                               ShapeKind::cone, ShapeKind::capsule, ShapeKind::tube})
    for (const bool on_box : {false, true}) {
      Scene scene = empty_scene();
      scene.bodies = {ground()};
      SceneBody table = box("table", {4, 4, 1}, {0, 0, 0.5});
      table.motion = SceneMotion::fixed;
      if (on_box) scene.bodies[0] = table;
      SceneBody body = box("body", {0.3, 0.3, 0.3}, {0, 0, (on_box ? 1.0 : 0.0) + 0.32});
      body.shape.kind = kind;
      body.shape.radius = 0.15;
      body.shape.radius_top = kind == ShapeKind::tube ? 0.15 : 0.05;
      body.shape.height = 0.3;
      body.shape.thickness = 0.04;
      scene.bodies.push_back(body);
      BodyWorld world = make(scene);
      run(world, 3, 2e-3);
      const BodyState& s = world.bodies()[1].state;
      const double floor = on_box ? 1.0 : 0.0;
      EXPECT_LT(norm(s.velocity), 0.02) << static_cast<int>(kind) << on_box;
      EXPECT_GT(s.pose.position.z, floor + 0.05) << static_cast<int>(kind) << on_box;
      EXPECT_LT(s.pose.position.z, floor + 0.32) << static_cast<int>(kind) << on_box;
    }
}

TEST(Contacts, ContainerHoldsBallsAndAScriptedOneCarriesThem) {
  for (const ShapeKind kind : {ShapeKind::box, ShapeKind::cylinder, ShapeKind::sphere}) {
    Scene scene = empty_scene();
    SceneBody drum = box("drum", {1, 1, 1}, {0, 0, 0});
    drum.shape.kind = kind;
    drum.shape.radius = 0.5;
    drum.shape.height = 1;
    drum.shape.inside_out = true;
    drum.motion = SceneMotion::scripted;
    drum.angular_velocity = {2, 0, 0};
    drum.velocity = {0.5, 0, 0};
    scene.bodies = {drum};
    for (int i = 0; i < 6; ++i)
      scene.bodies.push_back(
          ball("b" + std::to_string(i), 0.08, {0.2 * (i % 3) - 0.2, 0.2 * (i / 3) - 0.1, 0}));
    BodyWorld world = make(scene);
    run(world, 4, 2e-3);
    for (std::size_t i = 1; i < world.bodies().size(); ++i) {
      const Body& b = world.bodies()[i];
      const Vec3d local = world.bodies()[0].state.pose.to_body(b.state.pose.position);
      const DistanceSample s = world.bodies()[0].field->sample(Vec3f(local));
      EXPECT_GT(s.distance, 0.08 - 0.01) << static_cast<int>(kind) << " " << i;
    }
  }
}

SceneBody from_mesh(const std::string& name, const Mesh& mesh, const Vec3d& position) {
  const std::string file = ::testing::TempDir() + "contacts_" + name + ".ply";
  EXPECT_TRUE(write_mesh(file, mesh).ok());
  SceneBody body = box(name, {}, position);
  body.shape.kind = ShapeKind::mesh;
  body.shape.file = file;
  return body;
}

TEST(Contacts, DynamicTorusKeepsItsHole) {
  Scene scene = empty_scene();
  SceneBody peg = box("peg", {0.3, 0.3, 2}, {0, 0, 1});
  peg.motion = SceneMotion::fixed;
  scene.bodies = {ground(), peg, from_mesh("ring", torus(0.5, 0.12, 48, 24), {0, 0, 1.2})};
  BodyWorld world = make(scene, 0.05);
  run(world, 2, 2e-3);
  const BodyState& s = world.bodies()[2].state;
  EXPECT_NEAR(s.pose.position.z, 0.12, 0.02);  // fell along the peg to the ground
  EXPECT_LT(std::hypot(s.pose.position.x, s.pose.position.y), 0.2);
  EXPECT_LT(norm(s.velocity), 0.02);
}

TEST(Contacts, BlockSlidesOverTheTrianglesOfAMeshWithoutCatching) {
  Scene scene = empty_scene();
  const double angle = 35 * std::numbers::pi / 180;
  scene.gravity = Vec3d{std::sin(angle), 0, -std::cos(angle)} * g;
  SceneBody plate = from_mesh("plate", box_mesh({8, 1, 1}, 20), {0, 0, -0.5});
  plate.motion = SceneMotion::fixed;
  scene.bodies = {plate, box("block", {0.2, 0.2, 0.1}, {-3, 0.013, 0.051})};
  BodyWorld world = make(scene, 0.2);
  run(world, 1, 1e-3);
  const double expected = 0.5 * g * (std::sin(angle) - 0.5 * std::cos(angle));
  EXPECT_NEAR(world.bodies()[1].state.pose.position.x + 3, expected, 0.05 * expected);
}

TEST(Contacts, FastBallDoesNotJumpThroughAPlate) {
  Scene scene = empty_scene();
  scene.gravity = {};
  SceneBody plate = box("plate", {0.02, 2, 2}, {0, 0, 0});
  plate.motion = SceneMotion::fixed;
  scene.bodies = {plate, ball("ball", 0.05, {-1, 0, 0})};
  scene.bodies[1].velocity = {60, 0, 0};  // 0.24 m in one step
  BodyWorld world = make(scene);
  run(world, 0.1, 4e-3);
  EXPECT_LT(world.bodies()[1].state.pose.position.x, 0);
}

}  // namespace
}  // namespace talus::test
