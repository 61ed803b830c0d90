#include "run/nozzle.h"

#include "dem/grain_shape.h"
#include "run/bouncing_scene.h"
#include "run/simulation.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <numbers>

namespace talus {
namespace {

double cube_mass(const Scene& scene) {
  return scene.materials[0].density * std::pow(scene.sph.spacing, 3);
}

TEST(Nozzle, KeepsRateTimesAndDistances) {
  const Scene scene = bouncing_scene();
  auto nozzle = Nozzle::create(scene, 0, cube_mass(scene));
  ASSERT_TRUE(nozzle.ok()) << nozzle.error().message;
  const Pour& pour = scene.pours[0];
  std::vector<Nozzle::Emission> all;
  while (nozzle->next_time() < 1e9) all.push_back(nozzle->emit());
  const double mass = static_cast<double>(all.size()) * cube_mass(scene);
  EXPECT_NEAR(mass, pour.rate * (pour.stop - pour.start), 1.1 * cube_mass(scene));
  EXPECT_EQ(all.size(), nozzle->count_until(1e9));
  EXPECT_EQ(all.front().time, pour.start);
  EXPECT_LT(all.back().time, pour.stop);
  double nearest = 1e9;
  for (std::size_t i = 0; i < all.size(); ++i) {
    EXPECT_LE(std::hypot(all[i].position.x - 1, all[i].position.y), pour.radius);
    EXPECT_EQ(all[i].velocity, (Vec3d{0, 0, -1.5}));
    for (std::size_t j = i > 60 ? i - 60 : 0; j < i; ++j) {
      const Vec3d ahead = all[j].position + all[j].velocity * (all[i].time - all[j].time);
      nearest = std::min(nearest, norm(ahead - all[i].position));
    }
  }
  EXPECT_GT(nearest, 0.6 * scene.sph.spacing);
}

TEST(Nozzle, ContinuesAfterSaveAndLoad) {
  const Scene scene = bouncing_scene();
  auto a = Nozzle::create(scene, 0, cube_mass(scene));
  auto b = Nozzle::create(scene, 0, cube_mass(scene));
  for (int i = 0; i < 37; ++i) a->emit();
  State state;
  a->save(state, "n");
  ASSERT_TRUE(b->load(state, "n").ok());
  for (int i = 0; i < 50; ++i) {
    const auto x = a->emit(), y = b->emit();
    EXPECT_EQ(x.position, y.position);
    EXPECT_EQ(x.time, y.time);
  }
}

TEST(Nozzle, RefusesMoreThanFitsThrough) {
  Scene scene = bouncing_scene();
  scene.pours[0].rate = 1000;
  const auto nozzle = Nozzle::create(scene, 0, cube_mass(scene));
  ASSERT_FALSE(nozzle.ok());
  EXPECT_EQ(nozzle.error().kind, ErrorKind::request);
  EXPECT_NE(nozzle.error().message.find("'tap'"), std::string::npos);
  EXPECT_NE(nozzle.error().message.find("at most 159"), std::string::npos)
      << nozzle.error().message;
}

/// Grains of one shape and size come from the tap, and no other material is there.
Scene pouring_grains(const char* shape, double diameter) {
  Scene scene = bouncing_scene();
  scene.solver = SolverKind::dem;
  scene.fills.clear();
  scene.sinks.clear();
  scene.wettings.clear();
  Material& grain = scene.materials[0];
  grain.grain_shape = shape;
  grain.grain_diameter = diameter;
  grain.grain_size_spread = 0;
  return scene;
}

/// A clump fills about half of the sphere around it: taken for a ball, it would arrive too rarely.
TEST(Nozzle, PoursTheMassOfClumps) {
  Scene scene = pouring_grains("clump4", 0.04);
  const Material& grain = scene.materials[0];
  const auto shape = load_grain_shape("clump4", 8);
  ASSERT_TRUE(shape.ok());
  const double mass = grain.grain_density * shape->volume * std::pow(grain.grain_diameter, 3);
  scene.pours[0].rate = 100 * mass;
  Executor executor(1);
  auto simulation = Simulation::create(scene, executor);
  ASSERT_TRUE(simulation.ok()) << simulation.error().message;
  EXPECT_NEAR((*simulation)->solver().particle_mass(0), mass, 1e-12);
  const double span = scene.pours[0].stop - scene.pours[0].start;
  EXPECT_NEAR(static_cast<double>((*simulation)->expected_particles(1000)), 100 * span, 1.01);
  while ((*simulation)->particles().size() == 0) ASSERT_TRUE((*simulation)->step().ok());
  const auto velocity = (*simulation)->particles().values<Vec3f>("velocity");
  double squares = 0;
  for (const Vec3f& v : velocity) squares += squared_norm(Vec3d(v));
  EXPECT_NEAR((*simulation)->energy().kinetic, 0.5 * mass * squares, 1e-6 * mass * squares);
}

/// Grains that are due, or in a sink, wait for the solver's next lists, so that a stream does not
/// cost new ones in every step; nobody waits past a frame.
TEST(Nozzle, StreamsDoNotWearOutLists) {
  Scene scene = pouring_grains("sphere", 0.02);
  scene.gravity = {0, 0, -9.81};
  scene.duration = 0.5;
  scene.frame_rate = 50;
  scene.bodies.clear();
  Material& grain = scene.materials[0];
  grain.young_modulus = 5e6;
  Pour& tap = scene.pours[0];
  tap.position = {0, 0, 0.5};
  tap.direction = {0, 0, -1};
  tap.speed = 1;
  tap.start = 0;
  tap.stop = 0.4;
  const double mass = grain.grain_density * std::numbers::pi / 6 * std::pow(0.02, 3);
  tap.rate = 2000 * mass;
  tap.radius = 0.1;
  Sink sink = default_sink();
  sink.shape = box_shape({2, 2, 1}, {0, 0, -0.3});
  scene.sinks = {sink};
  Executor executor(1);
  auto created = Simulation::create(scene, executor);
  ASSERT_TRUE(created.ok()) << created.error().message;
  Simulation& simulation = **created;
  std::uint64_t poured = 0, drained = 0, in_sink = 0;
  while (simulation.frame() < simulation.frame_count()) {
    const bool first = simulation.at_frame();
    ASSERT_TRUE(simulation.step().ok());
    const auto x = simulation.particles().values<Vec3f>("position");
    if (first && simulation.frame() < simulation.frame_count()) {
      in_sink = static_cast<std::uint64_t>(
          std::count_if(x.begin(), x.end(), [](const Vec3f& p) { return p.z < 0.19f; }));
      EXPECT_EQ(in_sink, 0u) << "t = " << simulation.time();
    }
    if (!simulation.at_frame()) continue;
    poured += simulation.summary().sums().poured;
    drained += simulation.summary().sums().drained;
    EXPECT_EQ(poured - drained, simulation.particles().size());
  }
  EXPECT_NEAR(static_cast<double>(poured), 800, 1);
  EXPECT_GT(drained, 600u);
  std::uint64_t lists = 0;
  for (const Phase& phase : simulation.timers().phases())
    if (phase.name == "new lists") lists = phase.calls;
  EXPECT_GT(lists, 0u);
  EXPECT_LT(10 * lists, simulation.solver().steps());  // one in six when nobody waits
}

}  // namespace
}  // namespace talus
