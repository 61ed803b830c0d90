// Masses, and bad input.
#include "bodies/scenes.h"
#include "frames/scratch_folder.h"
#include "geometry/mesh_shapes.h"

#include <numbers>

namespace talus::test {
namespace {

bool mentions(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(BodySetup, SphereAndBoxInertiaAreExact) {
  Scene scene = empty_scene();
  scene.bodies = {ball("sphere", 0.3, {0, 0, 5}, 2500),
                  box("box", {0.2, 0.5, 0.9}, {3, 0, 5}, 800)};
  const BodyWorld world = make(scene);
  const double ball_mass = 2500 * 4.0 / 3.0 * std::numbers::pi * 0.027;
  EXPECT_NEAR(world.bodies()[0].mass, ball_mass, 1e-6 * ball_mass);
  const double i = 0.4 * ball_mass * 0.09;
  for (int axis = 0; axis < 3; ++axis) EXPECT_NEAR(world.principal_moments(0)[axis], i, 1e-6 * i);
  const double m = 800 * 0.2 * 0.5 * 0.9;
  EXPECT_NEAR(world.bodies()[1].mass, m, 1e-6 * m);
  EXPECT_NEAR(world.principal_moments(1).x, m / 12 * (0.04 + 0.25), 1e-6 * m);
  EXPECT_NEAR(world.principal_moments(1).y, m / 12 * (0.04 + 0.81), 1e-6 * m);
  EXPECT_NEAR(world.principal_moments(1).z, m / 12 * (0.25 + 0.81), 1e-6 * m);
}

TEST(BodySetup, GivenMassReplacesDensity) {
  Scene scene = empty_scene();
  scene.bodies = {box("box", {1, 1, 1}, {})};
  scene.bodies[0].mass = 12;
  const BodyWorld world = make(scene);
  EXPECT_NEAR(world.bodies()[0].mass, 12, 1e-12);
  EXPECT_NEAR(world.principal_moments(0).x, 2, 1e-9);
}

TEST(BodySetup, CentreOfMassOfAConeIsNotItsOrigin) {
  Scene scene = empty_scene();
  SceneBody cone = box("cone", {}, {1, 2, 3});
  cone.shape.kind = ShapeKind::cone;
  cone.shape.radius = 0.5;
  cone.shape.radius_top = 0;
  cone.shape.height = 2;
  scene.bodies = {cone};
  const BodyWorld world = make(scene);
  EXPECT_NEAR(world.bodies()[0].state.pose.position.z, 3 - 1 + 0.5, 1e-9);  // h/4 above the base
  EXPECT_NEAR(world.bodies()[0].field_offset.z, 0.5, 1e-9);
}

TEST(BodySetup, RefusesBodiesInsideEachOther) {
  Scene scene = empty_scene();
  scene.bodies = {ground(), box("lower", {1, 1, 1}, {0, 0, 0.5}),
                  box("upper", {1, 1, 1}, {0, 0, 1.4})};
  const std::string error = error_of(scene);
  EXPECT_TRUE(mentions(error, "'lower'") && mentions(error, "'upper'") && mentions(error, "0.1 m"))
      << error;
  scene.bodies[2].shape.pose.position.z = 1.5;
  EXPECT_EQ(error_of(scene), "");
  scene.bodies[1].shape.pose.position.z = 0.3;
  EXPECT_TRUE(mentions(error_of(scene), "'ground'")) << error_of(scene);
}

TEST(BodySetup, RefusesABodyWhollyInsideAMesh) {
  const std::string file = ::testing::TempDir() + "bodies_icosphere.ply";
  ASSERT_TRUE(write_mesh(file, icosphere(1, 2)).ok());
  Scene scene = empty_scene();
  SceneBody rock = box("rock", {}, {});
  rock.shape.kind = ShapeKind::mesh;
  rock.shape.file = file;
  rock.motion = SceneMotion::fixed;
  scene.bodies = {rock, ball("swallowed", 0.1, {0.2, 0, 0})};
  EXPECT_TRUE(mentions(error_of(scene, 0.1), "'swallowed'")) << error_of(scene, 0.1);
  scene.bodies[1].shape.pose.position = {0, 0, 1.2};
  EXPECT_EQ(error_of(scene, 0.1), "");
}

TEST(BodySetup, RefusesOpenMeshAsSolid) {
  const std::string file = ::testing::TempDir() + "bodies_open.ply";
  Mesh mesh = box_mesh({1, 1, 1}, 4);
  mesh.triangles.resize(mesh.triangles.size() - 8);
  ASSERT_TRUE(write_mesh(file, mesh).ok());
  Scene scene = empty_scene();
  SceneBody rock = box("rock", {}, {});
  rock.shape.kind = ShapeKind::mesh;
  rock.shape.file = file;
  scene.bodies = {rock};
  const std::string error = error_of(scene);
  EXPECT_TRUE(mentions(error, "'rock'") && mentions(error, file)) << error;
}

TEST(BodySetup, RefusesMasslessFlatAndEndlessDynamicBodies) {
  Scene scene = empty_scene();
  scene.bodies = {box("ghost", {1, 1, 1}, {}, 0)};
  EXPECT_TRUE(mentions(error_of(scene), "dynamic body 'ghost' has no mass")) << error_of(scene);
  scene.bodies = {box("sheet", {1, 1, 0}, {})};
  EXPECT_TRUE(mentions(error_of(scene), "'sheet'")) << error_of(scene);
  scene.bodies = {ground()};
  scene.bodies[0].motion = SceneMotion::dynamic;
  scene.bodies[0].density = 1;
  EXPECT_TRUE(mentions(error_of(scene), "no end")) << error_of(scene);
}

TEST(BodySetup, RefusesBadJointsAndKeyframes) {
  Scene scene = empty_scene();
  scene.file = "yard.toml";
  scene.bodies = {ground(), box("door", {1, 0.1, 2}, {0, 0, 2})};
  scene.joints = {joint("hinge", JointKind::hinge, "dor", "", {})};
  EXPECT_TRUE(mentions(error_of(scene), "yard.toml: joint 'hinge' names the unknown body 'dor'"))
      << error_of(scene);
  scene.joints = {joint("hinge", JointKind::hinge, "door", "", {}, {})};
  EXPECT_TRUE(mentions(error_of(scene), "axis")) << error_of(scene);
  scene.joints = {joint("j", JointKind::ball, "ground", "", {})};
  EXPECT_TRUE(mentions(error_of(scene), "no dynamic body")) << error_of(scene);
  scene.joints = {joint("j", JointKind::ball, "door", "door", {})};
  EXPECT_TRUE(mentions(error_of(scene), "itself")) << error_of(scene);
  scene.joints.clear();
  scene.bodies[1].motion = SceneMotion::scripted;
  scene.bodies[1].keyframes = {{1, {}, {}}, {0.5, {}, {}}};
  EXPECT_TRUE(mentions(error_of(scene), "keyframe 2 at 0.5 s")) << error_of(scene);
}

TEST(BodySetup, SurfaceSamplesLieOnTheBody) {
  Scene scene = empty_scene();
  SceneBody cone = box("cone", {}, {1, 2, 3});
  cone.shape.kind = ShapeKind::cone;
  cone.shape.radius = 0.5;
  cone.shape.radius_top = 0.2;
  cone.shape.height = 1;
  scene.bodies = {ground(), cone};
  BodyWorld world = make(scene, 0.1);
  const Executor executor(2);
  ASSERT_TRUE(sample_body_surfaces(world.bodies(), 0.1, 1, executor).ok());
  EXPECT_TRUE(world.bodies()[0].surface.empty());  // a plane has no end
  const Body& body = world.bodies()[1];
  EXPECT_GT(body.surface.size(), 150u);
  for (const Vec3f& p : body.surface)
    EXPECT_LT(std::abs(body.field->sample(p - Vec3f(body.field_offset)).distance), 0.005);
}

std::vector<std::string> warnings_about(const Mesh& mesh, double spacing) {
  const ScratchFolder folder;  // several tests ask at the same time
  const std::string file = (folder / "thin.ply").string();
  EXPECT_TRUE(write_mesh(file, mesh).ok());
  // Of other shapes the scene has told before (tests/scene).
  Scene scene = empty_scene();
  scene.bodies = {box("plate", {}, {}), box("sheet", {1, 1, 0.004}, {0, 0, 5})};
  scene.bodies[0].shape.kind = ShapeKind::mesh;
  scene.bodies[0].shape.file = file;
  return make(scene, spacing).warnings();
}

TEST(BodySetup, WarnsAboutThinMeshesHoweverTheyStand) {
  Mesh plate = box_mesh({1, 1, 0.02f}, 4);
  const auto upright = warnings_about(plate, 0.05);
  ASSERT_EQ(upright.size(), 1u);
  EXPECT_TRUE(mentions(upright[0], "'plate' is down to 0.02 m thin")) << upright[0];
  const Quatd turn = normalized(Quatd{0.8, 0.3, -0.4, 0.2});
  for (Vec3f& v : plate.vertices) v = Vec3f(rotate(turn, Vec3d(v)));
  EXPECT_EQ(warnings_about(plate, 0.05).size(), 1u) << "its bounds are not thin";

  // A shell: closed parts one in the other, the inner one a cavity.
  Mesh shell = icosphere(0.5, 3);
  Mesh cavity = icosphere(0.47, 3);
  for (auto t : cavity.triangles) {
    std::swap(t[0], t[1]);
    for (auto& v : t) v += static_cast<std::uint32_t>(shell.vertices.size());
    shell.triangles.push_back(t);
  }
  shell.vertices.insert(shell.vertices.end(), cavity.vertices.begin(), cavity.vertices.end());
  EXPECT_EQ(warnings_about(shell, 0.05).size(), 1u);
  EXPECT_TRUE(warnings_about(shell, 0.02).empty());
}

TEST(BodySetup, SharpEdgesAreNotThin) {
  EXPECT_TRUE(warnings_about(box_mesh({1, 1, 1}), 0.05).empty());
  EXPECT_TRUE(warnings_about(box_mesh({1, 1, 0.06f}, 4), 0.05).empty());
  EXPECT_TRUE(warnings_about(torus(0.7, 0.2, 40, 20), 0.05).empty());
}

}  // namespace
}  // namespace talus::test
