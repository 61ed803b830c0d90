// A plunger under a given load on a bed of grains, as a user would set it up: it comes to rest, and
// the table of forces says so.
#include "dem/grain_shape.h"
#include "frames/scratch_folder.h"
#include "run/bouncing_scene.h"
#include "run/runner.h"
#include "run/same_run.h"
#include "scene/write_scene.h"

#include <cmath>
#include <gtest/gtest.h>
#include <map>
#include <sstream>

namespace talus {
namespace {

constexpr double load = 2;  // kg, some forty times the bed below it

/// `pressed`: a light plunger with a force on it instead of a heavy one.
Scene loaded_bed(const char* shape, bool pressed = false) {
  Scene scene = default_scene();
  scene.name = "plunger";
  scene.solver = SolverKind::dem;
  scene.gravity = {0, 0, -9.81};
  scene.duration = 1.5;  // the plunger swings for a second
  scene.frame_rate = 10;
  Material m = default_material();
  m.name = "grains";
  m.grain_shape = shape;
  m.grain_diameter = 0.01;
  m.grain_size_spread = 0.1;
  m.grain_density = 2500;
  m.young_modulus = 1e7;
  m.restitution = 0.3;
  m.friction = 0.3;
  scene.materials = {m};
  scene.fills = {box_fill("bed", {0.05, 0.05, 0.04}, {0, 0, 0.025})};
  SceneBody box = default_body();
  box.name = "box";
  box.shape = box_shape({0.052, 0.052, 0.3}, {0, 0, 0.15});
  box.shape.inside_out = true;
  box.friction = 0;  // or the walls would carry part of the load (Janssen)
  SceneBody plunger = default_body();
  plunger.name = "plunger";
  plunger.motion = SceneMotion::dynamic;
  plunger.shape = box_shape({0.05, 0.05, 0.01}, {0, 0, 0.06});
  plunger.mass = pressed ? 0.25 * load : load;
  if (pressed) plunger.force = {0, 0, -0.75 * load * 9.81};
  plunger.friction = 0.3;
  scene.bodies = {box, plunger};
  Joint guide;
  guide.name = "guide";
  guide.kind = JointKind::slider;
  guide.body_a = "plunger";
  guide.anchor = {0, 0, 0.06};
  guide.axis = {0, 0, 1};
  guide.lower = 1;
  guide.upper = -1;
  scene.joints = {guide};
  return scene;
}

/// Rows of forces.csv of the last frame, by body.
std::map<std::string, std::vector<double>> last_forces(const std::filesystem::path& folder) {
  std::ifstream in(folder / "forces.csv");
  std::string line;
  std::map<std::string, std::vector<double>> rows;
  while (std::getline(in, line)) {
    std::istringstream cells(line);
    std::string frame, cell, name;
    std::vector<double> numbers;
    std::getline(cells, frame, ',');
    while (std::getline(cells, cell, ',')) {
      char* end = nullptr;
      const double value = std::strtod(cell.c_str(), &end);
      if (end == cell.c_str() || *end != 0)
        name = cell;
      else
        numbers.push_back(value);
    }
    rows[name] = numbers;
  }
  return rows;
}

TEST(Plunger, RestsOnGrainsAndTheTablesTellItsLoad) {
  for (const auto& [shape, pressed] :
       {std::pair{"sphere", false}, {"clump4", false}, {"clump4", true}}) {
    ScratchFolder folder;
    const Executor executor(2);
    const Scene scene = loaded_bed(shape, pressed);
    RunOptions options;
    options.folder = folder / "run";
    options.program = "talus test";
    options.progress = ProgressMode::quiet;
    const auto end = start_run(scene, to_toml(scene), options, executor);
    ASSERT_TRUE(end.ok()) << end.error().message;
    auto frame = FrameFile::open(frame_path(folder / "run", 15));
    ASSERT_TRUE(frame.ok());
    const auto& plunger = frame->info().bodies[1];
    EXPECT_LT(norm(plunger.state.velocity), 5e-3) << shape;
    EXPECT_GT(plunger.state.pose.position.z, 0.02);
    const auto radius = *frame->read<float>("radius", executor);
    double bed = 0;
    for (const float r : radius)
      bed += 2500 * load_grain_shape(shape, 0)->volume * std::pow(2 * double{r}, 3);
    const auto rows = last_forces(folder / "run");
    ASSERT_TRUE(rows.count("plunger") == 1 && rows.count("box") == 1);
    // Columns after frame and body: time, then the mean force.
    std::ifstream in(folder / "run" / "forces.csv");
    std::string header;
    std::getline(in, header);
    ASSERT_NE(header.find("force_z"), std::string::npos) << header;
    const double up = frame->info().bodies[1].load.force.z;
    const double down = frame->info().bodies[0].load.force.z;
    EXPECT_NEAR(up, 9.81 * load, 0.02 * 9.81 * load) << shape;
    EXPECT_NEAR(-down, 9.81 * (load + bed), 0.02 * 9.81 * (load + bed)) << shape;
    bool told = false;
    for (const double value : rows.at("plunger")) told |= std::abs(value - up) < 1e-6 * up;
    EXPECT_TRUE(told);
  }
}

}  // namespace
}  // namespace talus
