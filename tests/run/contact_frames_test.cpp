// Frames with the contacts of grains: written by a run, read back here and in Python as the
// documents show it, equal after a resume; fields that a solver does not have are refused.
#include "dem/grain_shape.h"
#include "frames/frame.h"
#include "frames/scratch_folder.h"
#include "run/bouncing_scene.h"
#include "run/runner.h"
#include "run/same_run.h"
#include "run/simulation.h"
#include "scene/write_scene.h"

#include <cmath>
#include <cstdlib>
#include <gtest/gtest.h>

namespace talus {
namespace {

/// 64 grains fall a little and come to rest on a floor.
Scene resting_grains() {
  Scene scene = default_scene();
  scene.name = "resting";
  scene.solver = SolverKind::dem;
  scene.gravity = {0, 0, -9.81};
  scene.duration = 1;
  scene.frame_rate = 4;
  Material m = default_material();
  m.name = "beads";
  m.grain_shape = "clump4";
  m.grain_diameter = 0.02;
  m.grain_size_spread = 0;
  m.young_modulus = 5e6;
  m.restitution = 0.3;
  m.friction = 0.5;
  scene.materials = {m};
  scene.fills = {box_fill("block", {0.08, 0.08, 0.08}, {0, 0, 0.05})};
  SceneBody floor = default_body();
  floor.name = "floor";
  floor.shape.kind = ShapeKind::plane;
  floor.friction = 0.6;
  scene.bodies = {floor};
  scene.output.fields = {"contacts", "coordination", "packing_fraction", "stress"};
  return scene;
}

RunOptions quiet(const std::filesystem::path& folder) {
  RunOptions options;
  options.folder = folder;
  options.program = "talus test";
  options.progress = ProgressMode::quiet;
  return options;
}

/// The n-th block of Python of docs/run-folder.md.
std::string snippet(int number) {
  std::ifstream page(TALUS_SOURCE_DIR "/docs/run-folder.md");
  std::string line, text;
  int block = -1;
  bool inside = false;
  while (std::getline(page, line)) {
    if (!inside && line == "```python") {
      inside = true;
      ++block;
    } else if (inside && line == "```") {
      inside = false;
    } else if (inside && block == number) {
      text += line + "\n";
    }
  }
  return text;
}

TEST(ContactFrames, AreReadBackHereAndInPython) {
  ScratchFolder folder;
  const Executor executor(2);
  const Scene scene = resting_grains();
  const auto end = start_run(scene, to_toml(scene), quiet(folder / "a"), executor);
  ASSERT_TRUE(end.ok()) << end.error().message;
  const auto file = frame_path(folder / "a", 4);
  auto frame = FrameFile::open(file);
  ASSERT_TRUE(frame.ok()) << frame.error().message;
  const auto force = frame->read<float>("contacts/normal_force", executor);
  ASSERT_TRUE(force.ok()) << force.error().message;
  EXPECT_GT(force->size(), 64u);
  EXPECT_EQ(frame->read<Vec3f>("contacts/point", executor)->size(), force->size());
  EXPECT_EQ(frame->read<std::uint32_t>("coordination", executor)->size(), frame->count());
  EXPECT_EQ(frame->table_fields().size(), 9u);
  EXPECT_FALSE(frame->read<float>("contacts/nothing", executor).ok());

  if (std::system("/usr/bin/python3 -c 'import numpy, zstandard' 2>/dev/null") != 0)
    GTEST_SKIP() << "python3-numpy or python3-zstandard is not installed";
  const std::string lines = snippet(1);
  ASSERT_NE(lines.find("contacts/"), std::string::npos);
  std::ofstream script(folder / "test.py");
  // Every grain rests: the forces of its contacts carry its weight, and are no news to the floor.
  script
      << snippet(0) << lines << "mass = "
      << load_grain_shape("clump4", 0)->volume * std::pow(0.02, 3) *
             scene.materials[0].grain_density
      << "\n"
      << "off = numpy.linalg.norm(total - [0, 0, 9.81 * mass], axis=1)\n"
      << "assert off.mean() < 0.01 * 9.81 * mass, off / mass / 9.81\n"
      << "assert abs(info['bodies'][0]['force'][2] + 64 * 9.81 * mass) < 0.02 * 64 * 9.81 * mass\n"
      << "assert field['coordination'].min() >= 1 and len(field['id']) == 64\n";
  script.close();
  const std::string command =
      "/usr/bin/python3 " + (folder / "test.py").string() + " " + file.string() + " > /dev/null";
  EXPECT_EQ(std::system(command.c_str()), 0);
}

TEST(ContactFrames, AreTheSameAfterAnInterruption) {
  ScratchFolder folder;
  const Executor executor(2);
  const Scene scene = resting_grains();
  ASSERT_TRUE(start_run(scene, to_toml(scene), quiet(folder / "a"), executor).ok());
  RunOptions options = quiet(folder / "b");
  options.interrupted = [left = std::make_shared<int>(700)] { return --*left < 0; };
  const auto stopped = start_run(scene, to_toml(scene), options, executor);
  ASSERT_TRUE(stopped.ok()) << stopped.error().message;
  ASSERT_EQ(*stopped, RunEnd::interrupted);
  ASSERT_TRUE(resume_run(scene, quiet(folder / "b"), executor).ok());
  for (std::uint64_t f = 0; f <= 4; ++f)
    EXPECT_EQ(file_bytes(frame_path(folder / "a", f)), file_bytes(frame_path(folder / "b", f)))
        << f;
}

TEST(ContactFrames, FieldsThatASolverDoesNotHaveAreRefused) {
  const Executor executor(1);
  for (const char* name : {"pressure", "wetness"}) {
    Scene scene = resting_grains();
    scene.output.fields = {name};
    const auto simulation = Simulation::create(scene, executor);
    ASSERT_FALSE(simulation.ok()) << name;
    EXPECT_NE(simulation.error().message.find(name), std::string::npos);
    EXPECT_NE(simulation.error().message.find("contacts"), std::string::npos);
  }
}

}  // namespace
}  // namespace talus
