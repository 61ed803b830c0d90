// A script opens a gate before a column of grains, as a user would write it: none passes before,
// and the table of forces tells who leaned on it.
#include "run/bouncing_scene.h"
#include "run/simulation.h"

#include <algorithm>
#include <gtest/gtest.h>

namespace talus {
namespace {

constexpr double opens = 0.4, gate_x = 0.03;

Scene gated_column() {
  Scene scene = default_scene();
  scene.name = "gate";
  scene.solver = SolverKind::dem;
  scene.gravity = {0, 0, -9.81};
  scene.duration = 1;
  scene.frame_rate = 20;
  Material m = default_material();
  m.name = "grains";
  m.grain_shape = "sphere";
  m.grain_diameter = 0.01;
  m.grain_size_spread = 0.1;
  m.grain_density = 2500;
  m.young_modulus = 2e6;
  m.friction = 0.1;
  m.rolling_friction = 0;
  scene.materials = {m};
  scene.fills = {box_fill("column", {0.05, 0.05, 0.15}, {0, 0, 0.085})};
  SceneBody box = default_body();
  box.name = "channel";
  box.shape = box_shape({0.6, 0.06, 0.6}, {0.27, 0, 0.3});
  box.shape.inside_out = true;
  box.friction = 0.1;
  SceneBody gate = default_body();
  gate.name = "gate";
  gate.shape = box_shape({0.01, 0.056, 0.2}, {gate_x + 0.005, 0, 0.1});
  gate.motion = SceneMotion::scripted;
  gate.friction = 0;
  Keyframe shut, open;
  shut.time = opens;
  shut.position = gate.shape.pose.position;
  open.time = opens + 0.1;
  open.position = gate.shape.pose.position + Vec3d{0, 0, 0.3};
  gate.keyframes = {shut, open};
  scene.bodies = {box, gate};
  return scene;
}

double passed(const Simulation& simulation) {
  const auto x = simulation.particles().values<Vec3f>("position");
  const auto n = std::count_if(x.begin(), x.end(),
                               [](const Vec3f& p) { return double{p.x} > gate_x + 0.012; });
  return static_cast<double>(n) / static_cast<double>(x.size());
}

TEST(Gate, OpensByItsScriptAndLetsTheGrainsOut) {
  const Executor executor(2);
  auto simulation = Simulation::create(gated_column(), executor);
  ASSERT_TRUE(simulation.ok()) << simulation.error().message;
  const std::size_t grains = (*simulation)->particles().size();
  ASSERT_GT(grains, 300u);
  const auto run_to = [&](double time) {
    while ((*simulation)->time() < time - 1e-6) ASSERT_TRUE((*simulation)->step().ok());
  };
  run_to(opens);
  EXPECT_EQ(passed(**simulation), 0);
  EXPECT_GT((*simulation)->summary().mean_load(1).force.x, 0.05);  // they lean on it
  run_to(1);
  EXPECT_GT(passed(**simulation), 0.2);
  EXPECT_EQ((*simulation)->particles().size(), grains);
  EXPECT_EQ(norm((*simulation)->summary().mean_load(1).force), 0);
}

}  // namespace
}  // namespace talus
