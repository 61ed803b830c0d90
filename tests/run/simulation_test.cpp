#include "run/simulation.h"

#include "run/bouncing_scene.h"
#include "run/bouncing_solver.h"

#include <gtest/gtest.h>
#include <set>

namespace talus {
namespace {

std::unique_ptr<Simulation> make(const Scene& scene, const Executor& executor) {
  auto simulation = Simulation::create(scene, executor, bouncing_factory());
  EXPECT_TRUE(simulation.ok()) << simulation.error().message;
  return std::move(*simulation);
}

template <class T>
std::vector<T> values(const Simulation& simulation, const char* name) {
  const auto bytes =
      simulation.particles().bytes(static_cast<std::size_t>(simulation.particles().find(name)));
  std::vector<T> out(simulation.particles().size());
  if (!out.empty()) std::memcpy(out.data(), bytes.data(), bytes.size());
  return out;
}

TEST(Simulation, ReachesFramesExactly) {
  Executor executor(1);
  auto simulation = make(bouncing_scene(), executor);
  EXPECT_TRUE(simulation->at_frame());
  EXPECT_EQ(simulation->frame(), 0u);
  EXPECT_EQ(simulation->frame_count(), 10u);
  std::uint64_t steps = 0;
  for (std::uint64_t frame = 1; frame <= 10; ++frame) {
    do {
      ASSERT_TRUE(simulation->step().ok());
      ++steps;
    } while (!simulation->at_frame());
    EXPECT_EQ(simulation->frame(), frame);
    EXPECT_NEAR(simulation->time(), static_cast<double>(frame) / 20, 1e-9);
  }
  EXPECT_EQ(steps, simulation->steps());
  EXPECT_LT(steps, 1000u);
}

TEST(Simulation, PoursDrainsAndKeepsIdsUnique) {
  Executor executor(1);
  auto simulation = make(bouncing_scene(), executor);
  EXPECT_EQ(simulation->particles().size(), 1000u);
  const std::uint64_t expected = simulation->expected_particles(10);
  EXPECT_EQ(expected, 1000u + 109u);  // 60 kg/s for 0.34 s, 0.1875 kg each
  std::uint64_t poured = 0, drained = 0, blocked = 0;
  while (simulation->frame() < 10) {
    ASSERT_TRUE(simulation->step().ok());
    if (!simulation->at_frame()) continue;
    poured += simulation->summary().sums().poured;
    drained += simulation->summary().sums().drained;
    blocked += simulation->summary().sums().blocked;
  }
  EXPECT_EQ(poured + blocked, 109u);
  EXPECT_EQ(blocked, 0u);
  EXPECT_GT(drained, 10u);
  EXPECT_EQ(simulation->particles().size(), 1000u + poured - drained);
  const auto ids = values<std::uint64_t>(*simulation, "id");
  EXPECT_EQ(std::set<std::uint64_t>(ids.begin(), ids.end()).size(), ids.size());
  EXPECT_LT(*std::max_element(ids.begin(), ids.end()), 1109u);
}

TEST(Simulation, ABlockedNozzleStopsPouring) {
  Executor executor(1);
  Scene scene = bouncing_scene();
  scene.gravity = {};
  scene.sinks.clear();
  scene.fills[0] = box_fill("plug", {0.5, 0.5, 0.5}, {1, 0, 1});
  scene.pours[0].start = 0;
  auto simulation = make(scene, executor);
  while (simulation->frame() < 1) ASSERT_TRUE(simulation->step().ok());
  EXPECT_GT(simulation->summary().sums().blocked, 0u);
}

TEST(Simulation, WetsWhatIsInside) {
  Executor executor(1);
  Scene scene = bouncing_scene();
  scene.pours.clear();
  scene.gravity = {};
  scene.fills[0].angular_velocity = {};
  Wetting rain = default_wetting();
  rain.name = "rain";
  rain.shape = box_shape({1, 1, 0.5}, {0, 0, 0.85});  // the upper half of the block
  rain.rate = 4;
  rain.start = 0;
  rain.stop = 1e9;
  scene.wettings = {rain};
  auto simulation = make(scene, executor);
  while (simulation->frame() < 2) ASSERT_TRUE(simulation->step().ok());
  const auto wetness = values<float>(*simulation, "wetness");
  const auto position = values<Vec3f>(*simulation, "position");
  for (std::size_t i = 0; i < wetness.size(); ++i)
    EXPECT_NEAR(wetness[i], position[i].z > 0.6f ? 0.4f : 0.0f, 1e-4f);
}

TEST(Simulation, SaveAndLoadInTheMiddleOfAFrameKeepsEveryBit) {
  Executor one(1), three(3);
  auto a = make(bouncing_scene(), one);
  while (a->frame() < 3) ASSERT_TRUE(a->step().ok());
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(a->step().ok());
  ASSERT_FALSE(a->at_frame());
  State middle;
  a->save(middle);
  auto b = make(bouncing_scene(), three);
  ASSERT_TRUE(b->load(middle).ok());
  State again;
  b->save(again);
  EXPECT_EQ(again.entries().size(), middle.entries().size());
  while (a->frame() < 10) ASSERT_TRUE(a->step().ok());
  while (b->frame() < 10) ASSERT_TRUE(b->step().ok());
  State end_a, end_b;
  a->save(end_a);
  b->save(end_b);
  for (const auto& [name, entry] : end_a.entries()) {
    ASSERT_NE(end_b.find(name), nullptr) << name;
    EXPECT_EQ(end_b.find(name)->data, entry.data) << name;
  }
}

TEST(Simulation, SumsTheLoadsOfBodies) {
  Executor executor(1);
  Scene scene = bouncing_scene();
  scene.pours.clear();
  scene.sinks.clear();
  auto simulation = make(scene, executor);
  double impulse = 0;
  while (simulation->frame() < 1) {
    auto report = simulation->step();
    ASSERT_TRUE(report.ok());
    impulse -= 1000 * report->dt * report->dt;  // the load of BouncingSolver::press
  }
  EXPECT_NEAR(simulation->summary().mean_load(0).force.z, impulse / 0.05, 1e-9);
  EXPECT_NEAR(simulation->frame_info().bodies[0].load.force.z, impulse / 0.05, 1e-9);
  EXPECT_NEAR(simulation->bodies()[0].state.pose.position.x, -3 + 0.1 * 0.05, 1e-9);
}

TEST(Simulation, EnergyOfFreeFallIsConstant) {
  Executor executor(2);
  Scene scene = bouncing_scene();
  scene.pours.clear();
  scene.sinks.clear();
  auto simulation = make(scene, executor);
  const Energy start = simulation->energy();
  EXPECT_NEAR(start.potential, 1000 * 0.1875 * 9.81 * 0.6, 1e-2);
  while (simulation->frame() < 2) ASSERT_TRUE(simulation->step().ok());
  const Energy end = simulation->energy();
  EXPECT_NEAR((end.kinetic + end.potential) / (start.kinetic + start.potential), 1, 0.01);
}

TEST(Simulation, RefusesAnIncompleteCheckpoint) {
  Executor executor(1);
  auto simulation = make(bouncing_scene(), executor);
  const Status status = simulation->load(State());
  ASSERT_FALSE(status.ok());
  EXPECT_NE(status.error().message.find("checkpoint lacks"), std::string::npos);
}

}  // namespace
}  // namespace talus
