#include "scene/read_scene.h"

#include "scene/defaults.h"
#include "scene/presets.h"
#include "scene/starter.h"
#include "scene/write_scene.h"
#include "scene_text.h"

#include <cmath>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <numbers>

namespace talus {
namespace {

Scene must_read(const std::string& text, const SceneOverrides& overrides = {}) {
  const Result<Scene> scene = parse_scene(text, "s.toml", overrides);
  EXPECT_TRUE(scene.ok()) << (scene ? "" : scene.error().message);
  return scene ? *scene : Scene{};
}

TEST(ReadScene, DefaultsComeFromTheTable) {
  const Scene read = must_read(valid_scene);
  const Scene made = default_scene();
  EXPECT_EQ(read.sph, made.sph);
  EXPECT_EQ(read.dem, made.dem);
  EXPECT_EQ(read.detail, made.detail);
  EXPECT_EQ(read.output, made.output);
  EXPECT_EQ(made.sph.spacing, 0.02);
  EXPECT_EQ(made.gravity, (Vec3d{0, 0, -9.81}));
  EXPECT_EQ(read.name, "s");
  ASSERT_EQ(read.materials.size(), 1u);
  EXPECT_EQ(read.materials[0].name, "dry sand");
  EXPECT_EQ(read.fills[0].name, "fill1");
  EXPECT_TRUE(std::isinf(default_pour().stop));
}

TEST(ReadScene, DefaultMaterialIsThePresetDrySand) {
  Material material = default_material();
  material.name = "dry sand";
  EXPECT_EQ(material, find_preset("dry sand")->material);
}

TEST(ReadScene, EveryPresetIsInRangeAndReadable) {
  ASSERT_EQ(material_presets().size(), 8u);
  for (const Preset& preset : material_presets()) {
    const std::string name = preset.material.name;
    const Scene scene = must_read(valid_scene + "[[material]]\nname = \"m\"\npreset = \"" + name +
                                  "\"\nviscosity = 0.3\n");
    Material expected = preset.material;
    expected.name = "m";
    expected.viscosity = 0.3;
    EXPECT_EQ(scene.materials.at(0), expected) << name;
    // Written values pass the ranges of the table.
    EXPECT_EQ(must_read(to_toml(scene)).materials.at(0), expected) << name;
  }
}

TEST(ReadScene, PresetsCanBeNamedDirectly) {
  const Scene scene = must_read(
      "[[material]]\nname = \"a\"\n[[fill]]\nmaterial = \"gravel\"\nshape = { type = \"sphere\", "
      "radius = 1 }\n");
  ASSERT_EQ(scene.materials.size(), 2u);
  EXPECT_EQ(scene.fills[0].material, 1u);
  EXPECT_EQ(scene.materials[1], find_preset("gravel")->material);
}

TEST(ReadScene, FrictionAsAngleOrCoefficient) {
  const std::string head = valid_scene + "[[material]]\n";
  EXPECT_NEAR(must_read(head + "friction_angle_deg = 30\n").materials[0].friction,
              std::tan(std::numbers::pi / 6), 1e-15);
  EXPECT_EQ(must_read(head + "friction_coefficient = 0.5\n").materials[0].friction, 0.5);
}

TEST(ReadScene, GravityFollowsUp) {
  EXPECT_EQ(must_read(valid_scene + "[scene]\ngravity = 2\nup = \"y\"\n").gravity,
            (Vec3d{0, -2, 0}));
  EXPECT_EQ(must_read(valid_scene + "[scene]\nup = \"x\"\n").gravity, (Vec3d{-9.81, 0, 0}));
  EXPECT_EQ(must_read(valid_scene + "[scene]\ngravity = [1, 2, 3]\n").gravity, (Vec3d{1, 2, 3}));
  const Scene poured = must_read(valid_scene +
                                 "[scene]\nup = \"y\"\n[[pour]]\nposition = [5, 5, 5]\nradius = "
                                 "0.1\nrate = 1\n");
  EXPECT_EQ(poured.pours[0].direction, (Vec3d{0, -1, 0}));
}

TEST(ReadScene, RotationsTurnAboutXThenYThenZ) {
  const auto turned = [](const std::string& key) {
    const Scene scene =
        must_read("[[body]]\nshape = { type = \"sphere\", radius = 1, " + key + " }\n");
    return rotate(scene.bodies[0].shape.pose.rotation, Vec3d{0, 1, 0});
  };
  EXPECT_NEAR(norm(turned("rotation_deg = [90, 0, 0]") - Vec3d{0, 0, 1}), 0, 1e-12);
  EXPECT_NEAR(norm(turned("rotation_deg = [90, 90, 0]") - Vec3d{1, 0, 0}), 0, 1e-12);
  EXPECT_NEAR(norm(turned("rotation_deg = [0, 0, 90]") - Vec3d{-1, 0, 0}), 0, 1e-12);
  const Scene floor = must_read("[[body]]\nshape = { type = \"plane\", axis = [0, 3, 0] }\n");
  EXPECT_NEAR(norm(rotate(floor.bodies[0].shape.pose.rotation, Vec3d{0, 0, 1}) - Vec3d{0, 1, 0}), 0,
              1e-12);
  const Scene ceiling = must_read("[[body]]\nshape = { type = \"plane\", axis = [0, 0, -1] }\n");
  EXPECT_NEAR(rotate(ceiling.bodies[0].shape.pose.rotation, Vec3d{0, 0, 1}).z, -1, 1e-12);
}

TEST(ReadScene, TubeWithoutTopRadiusIsStraight) {
  const Scene scene =
      must_read("[[body]]\nshape = { type = \"tube\", radius = 0.3, height = 1 }\n");
  EXPECT_EQ(scene.bodies[0].shape.radius_top, 0.3);
}

TEST(ReadScene, SizesAreChangesWithAName) {
  const std::string text =
      valid_scene +
      "[[size]]\nname = \"small\"\nset = [\"sph.spacing=0.1\"]\n"
      "[[size]]\nname = \"paper\"\n"
      "set = [\"sph.spacing=0.01\", \"body.floor.friction_coefficient=0.3\"]\n";
  EXPECT_EQ(must_read(text).sph.spacing, 0.02);
  EXPECT_EQ(must_read(text, {"size=small"}).sph.spacing, 0.1);
  const Scene paper = must_read(text, {"size=paper", "sph.spacing=0.05"});
  EXPECT_EQ(paper.sph.spacing, 0.05);  // what the user says comes last
  EXPECT_EQ(paper.bodies[0].friction, 0.3);
  EXPECT_EQ(to_toml(paper).find("[[size]]"), std::string::npos);
}

TEST(ReadScene, OverridesByTableNameAndNumber) {
  const std::string text =
      valid_scene + "[[material]]\nname = \"sand\"\nfriction_coefficient = 0.5\n";
  const Scene scene = must_read(text, {"sph.spacing=0.04", "material.sand.friction_angle_deg=45",
                                       "fill.0.jitter=0.2", "body.floor.shape.position=[0, 0, -2]",
                                       "scene.name=bare word", "material.density=1700"});
  EXPECT_EQ(scene.sph.spacing, 0.04);
  EXPECT_NEAR(scene.materials[0].friction, 1, 1e-12);
  EXPECT_EQ(scene.materials[0].density, 1700);
  EXPECT_EQ(scene.fills[0].jitter, 0.2);
  EXPECT_EQ(scene.bodies[0].shape.pose.position.z, -2);
  EXPECT_EQ(scene.name, "bare word");
}

TEST(ReadScene, OverridesWinOverKeysOfAnotherMethod) {
  // As the scene.toml of a run folder has it: every key that is in use, whatever its value.
  const std::string text = valid_scene + "[detail]\nmethod = \"blend\"\nseparation = true\n";
  EXPECT_EQ(must_read(text, {"detail.method=split"}).detail.method, DetailMethod::split);
  const Scene split = must_read(text, {"detail.method=split", "detail.interpolate_every=3"});
  EXPECT_EQ(to_toml(split).find("separation"), std::string::npos);
  EXPECT_EQ(must_read(to_toml(split), {"detail.method=fixed"}).detail.method, DetailMethod::fixed);
  // Two changes that contradict each other are still a mistake.
  EXPECT_FALSE(
      parse_scene(text, "x.toml", {"detail.separation=false", "detail.method=split"}).ok());
}

TEST(ReadScene, StarterPassesWithoutWarnings) {
  SceneWarnings warnings;
  const Result<Scene> scene = parse_scene(starter_scene("a \"b\""), "x.toml", {}, &warnings);
  ASSERT_TRUE(scene.ok()) << scene.error().message;
  EXPECT_TRUE(warnings.empty()) << warnings.front();
  EXPECT_EQ(scene->name, "a \"b\"");
}

TEST(ReadScene, ReadsAFileAndFindsItsMeshBesideIt) {
  const auto folder = std::filesystem::temp_directory_path() / "talus_read_scene_test";
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "m.obj") << "v 0 0 0\n";
  std::ofstream(folder / "s.toml") << "[[body]]\nshape = { type = \"mesh\", file = \"m.obj\" }\n";
  const Result<Scene> scene = read_scene((folder / "s.toml").string());
  ASSERT_TRUE(scene.ok()) << scene.error().message;
  EXPECT_EQ(scene->bodies[0].shape.file, (folder / "m.obj").string());
  std::filesystem::remove_all(folder);
}

/// Every table, with values that are not defaults and numbers that do not print short.
const std::string full_scene = R"toml(
[scene]
name = "full \"quotes\" \\ and Düne"
up = "y"
gravity = [0.1, -9.7, 0.333333333333333333]
duration = 1.7
frame_rate = 23.976
seed = 9007199254740993
periodic = [true, false, false]
domain_lower = [-3, 0, 0]
domain_upper = [3, 0, 0]
[sph]
model = "alduan2011"
bilateral = true
spacing = 0.05
[dem]
tangential_law = "viscous"
[[material]]
name = "a"
preset = "wet sand"
friction_angle_deg = 31
colour = [0.1, 0.2, 0.7]
[[fill]]
name = "heap"
shape = { type = "cone", radius = 0.7, radius_top = 0.2, height = 0.5, rotation_deg = [10, 20, 30] }
material = "rice"
angular_velocity = [0, 0.1, 0]
[[pour]]
position = [0, 3, 0]
direction = [0.3, -1, 0.2]
radius = 0.1
rate = 3
stop = 1.1
[[sink]]
shape = { type = "plane", axis = [0.1, 1, 0], position = [0, -4, 0] }
start = 0.5
[[wetting]]
shape = { type = "capsule", radius = 0.2, height = 0.3 }
rate = -0.7
[[body]]
name = "floor"
shape = { type = "plane", axis = [0, 1, 0], position = [0, -1, 0] }
[[body]]
name = "truck"
shape = { type = "box", size = [2, 1, 1], position = [0, 5, 0] }
motion = "scripted"
linear_acceleration = [1.3, 0, 0]
acceleration_start = 0.5
[[body]]
name = "blade"
shape = { type = "cylinder", radius = 0.5, height = 2, position = [0, 9, 0] }
motion = "scripted"
interpolation = "linear"
[[body.keyframe]]
time = 0.1
position = [0, 9, 0]
rotation_deg = [0, 0, 17]
[[body.keyframe]]
time = 0.9
position = [1, 9, 0]
[[body]]
name = "ball"
shape = { type = "sphere", radius = 0.3, position = [0, 20, 0] }
motion = "dynamic"
mass = 2.5
velocity = [0, -1, 0]
friction_angle_deg = 20
[[joint]]
type = "hinge"
body_a = "ball"
body_b = "truck"
anchor = [0, 12, 0]
axis = [1, 1, 1]
lower_deg = -30
upper_deg = 45
release_time = 1
[[camera]]
position = [3, 4, 5]
target = [0, 0, 0]
[[camera]]
time = 1
position = [3, 5, 5]
target = [0, 0, 0]
f_stop = 2.8
[render]
sun_direction = [1, 2, 0.5]
motion_blur = true
[detail]
factor = 200
method = "split"
[output]
fields = ["pressure", "wetness"]
checkpoint_every = 60
)toml";

TEST(WriteScene, ReadsBackEqual) {
  for (const std::string& text : {full_scene, valid_scene, starter_scene("x")}) {
    const Scene scene = must_read(text);
    const std::string written = to_toml(scene);
    const Result<Scene> again = parse_scene(written, scene.file);
    ASSERT_TRUE(again.ok()) << again.error().message << "\n" << written;
    EXPECT_TRUE(*again == scene) << written;
    EXPECT_EQ(to_toml(*again), written);
  }
}

TEST(WriteScene, AChangedSceneIsNotEqual) {
  Scene scene = must_read(full_scene);
  const Scene original = scene;
  scene.bodies[2].keyframes[1].rotation.w = 0.5;
  EXPECT_FALSE(scene == original);
}

TEST(ValidateScene, ScenesMadeInCodeGetTheSameChecks) {
  Scene scene = default_scene();
  EXPECT_FALSE(validate_scene(scene).ok());  // nothing in it
  scene.materials.push_back(default_material());
  scene.fills.push_back(default_fill());
  SceneWarnings warnings;
  EXPECT_TRUE(validate_scene(scene, &warnings).ok());
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_EQ(warnings[0].find("scene: warning: there is no [[body]]"), 0u) << warnings[0];
  scene.sph.spacing = 1e-5;
  EXPECT_NE(validate_scene(scene).error().message.find("1e+15 particles"), std::string::npos);
}

}  // namespace
}  // namespace talus
