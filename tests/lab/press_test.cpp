#include "lab/press.h"

#include "frames/scratch_folder.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>

namespace talus {
namespace {

/// The cylinder of lab/forces with a few hundred soft grains.
constexpr const char* small_bed = R"(
[scene]
name = "small_cylinder"
solver = "dem"
duration = 1.5
frame_rate = 20

[dem]
tangential_law = "mindlin"

[[material]]
name = "grains"
grain_shape = "clump4"
grain_diameter = 0.01
grain_size_spread = 0
grain_density = 2500
young_modulus = 2e6
restitution = 0.3
friction_coefficient = 0.5

[[fill]]
name = "column"
material = "grains"
arrangement = "lattice"
velocity = [0, 0, -0.5]
shape = { type = "cylinder", radius = 0.036, height = 0.08, position = [0, 0, 0.05] }

[[body]]
name = "wall"
shape = { type = "tube", radius = 0.04, height = 0.2, thickness = 0.02, position = [0, 0, 0.1] }

[[body]]
name = "base"
shape = { type = "cylinder", radius = 0.05, height = 0.02, position = [0, 0, -0.01] }

[[body]]
name = "plunger"
motion = "scripted"
shape = { type = "cylinder", radius = 0.0395, height = 0.02, position = [0, 0, 0.13] }

[output]
fields = ["contacts"]
)";

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
  std::ofstream(folder.path() / "forces/cylinder.toml") << small_bed;
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
