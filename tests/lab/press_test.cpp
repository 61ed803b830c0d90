#include "lab/press.h"

#include "frames/scratch_folder.h"
#include "scene/read_scene.h"
#include "scene/write_scene.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>

namespace talus {
namespace {

/// The cylinder of lab/forces at half its width and a fifth of its height, with soft grains.
Scene small_bed() {
  auto scene = read_scene(TALUS_SOURCE_DIR "/lab/forces/cylinder.toml",
                          {"scene.duration=1.5", "material.grains.young_modulus=2e6"});
  EXPECT_TRUE(scene.ok());
  const auto shrink = [](Shape& shape) {
    shape.radius *= 0.5;
    shape.pose.position.z *= 0.25;
  };
  for (Fill& fill : scene->fills) {
    shrink(fill.shape);
    fill.shape.height *= 0.2;
  }
  for (SceneBody& body : scene->bodies)
    if (body.name != "base") shrink(body.shape);
  return *scene;
}

double value_of(const std::vector<Remark>& remarks, const std::string& name) {
  for (const Remark& r : remarks)
    if (r.name == name) return r.value;
  ADD_FAILURE() << name;
  return 0;
}

/// The plunger must feel the bed: one that feels nothing goes on to the base.
TEST(Press, APlungerFeelsTheBedAndGetsPartOfItsStrainBack) {
  const ScratchFolder folder;
  std::filesystem::create_directories(folder.path() / "forces");
  std::ofstream(folder.path() / "forces/cylinder.toml") << to_toml(small_bed());
  const Executor executor(2);
  const LabContext context{executor, folder.path().string(),  (folder.path() / "cache").string(),
                           false,    [](std::string_view) {}, [] { return false; }};
  const auto report = run_oedometer(context);
  ASSERT_TRUE(report.ok()) << report.error().message;
  const double full = value_of(report->remarks, "strain at the full load, %"),
               left = value_of(report->remarks, "strain left, %");
  EXPECT_GT(full, 2);
  EXPECT_LT(full, 40);
  EXPECT_GT(left, 0.1 * full);
  EXPECT_LT(left, 0.9 * full);
  EXPECT_GT(report->quantities[1].value, 0.05);  // work lost in the cycle
}

}  // namespace
}  // namespace talus
