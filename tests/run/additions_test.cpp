// What comes into a simulation that runs, and fields that are held longer than a step; with both
// solvers, because one shows its state and the other a copy of it.
#include "run/bouncing_scene.h"
#include "run/bouncing_solver.h"
#include "run/simulation.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <set>

namespace talus {
namespace {

class Additions : public testing::TestWithParam<SolverKind> {
 protected:
  Additions() {
    Scene scene = default_scene();
    scene.frame_rate = 50;
    scene.duration = 1;
    scene.gravity = {0, 0, -9.81};
    scene.solver = GetParam();
    scene.sph.spacing = 0.05;
    Material sand = default_material();
    sand.name = "sand";
    sand.grain_diameter = 0.05;
    sand.young_modulus = 2e6;
    scene.materials = {sand};
    scene.fills = {box_fill("bed", {0.5, 0.5, 0.2}, {0, 0, 0.1})};
    auto made = Simulation::create(scene, executor_);
    EXPECT_TRUE(made.ok()) << made.error().message;
    simulation_ = std::move(*made);
  }
  void step(int times = 1) {
    for (int k = 0; k < times; ++k) ASSERT_TRUE(simulation_->step().ok());
  }
  std::vector<Vec3f> positions() const {
    const auto all = simulation_->particles().values<Vec3f>("position");
    return {all.begin(), all.end()};
  }

  Executor executor_{2};
  std::unique_ptr<Simulation> simulation_;
};

TEST_P(Additions, ParticlesGetNewIds) {
  step(2);
  const std::size_t before = simulation_->particles().size();
  const Vec3f at[] = {{0, 0, 2}, {0.1f, 0, 2}};
  const Vec3f velocity[] = {{0, 0, -1}, {}};
  EXPECT_EQ(simulation_->add_particles(at, velocity, 0), before);
  step(2);
  const auto ids = simulation_->particles().values<std::uint64_t>("id");
  EXPECT_EQ(std::set(ids.begin(), ids.end()).size(), before + 2);
}

TEST_P(Additions, AFillGivesWayToWhatIsThere) {
  const std::size_t before = simulation_->particles().size();
  const auto none = simulation_->add_fill(box_fill("same", {0.5, 0.5, 0.2}, {0, 0, 0.1}));
  ASSERT_TRUE(none.ok());
  EXPECT_EQ(*none, 0u);
  const auto half = simulation_->add_fill(box_fill("half", {0.5, 0.5, 0.2}, {0, 0, 0.2}));
  ASSERT_TRUE(half.ok());
  EXPECT_EQ(*half, before / 2);
  EXPECT_EQ(simulation_->particles().size(), before + *half);
}

TEST_P(Additions, ASinkTakesWhatEntersIt) {
  Sink sink = default_sink();
  sink.shape = box_shape({9, 9, 0.1}, {0, 0, 0.05});
  ASSERT_TRUE(simulation_->add_sink(sink).ok());
  const std::size_t before = simulation_->particles().size();
  step();
  EXPECT_EQ(simulation_->particles().size(), before / 2);
  EXPECT_EQ(simulation_->scene().sinks.size(), 1u);
}

TEST_P(Additions, AKickChangesVelocities) {
  simulation_->set_gravity({});
  step();
  const auto before = positions();
  const double start = simulation_->time();
  ASSERT_TRUE(simulation_->kick(std::vector<Vec3f>(before.size(), Vec3f{0.2f, 0, 0})).ok());
  step(3);
  double moved = 0;
  for (const Vec3f& p : positions()) moved += double{p.x};
  for (const Vec3f& p : before) moved -= double{p.x};
  EXPECT_NEAR(moved / static_cast<double>(before.size()), 0.2 * (simulation_->time() - start),
              0.02 * 0.2 * (simulation_->time() - start));
}

TEST_P(Additions, SharedFieldsKeepTheirInstant) {
  step();
  const auto held = simulation_->share_field("position");
  ASSERT_TRUE(held.ok());
  const auto values = positions();
  const auto* shared = reinterpret_cast<const Vec3f*>(held->items.get());
  State saved;
  simulation_->save(saved);
  simulation_->prepare_frame();
  step(3);
  EXPECT_NE(positions(), values);
  EXPECT_TRUE(std::equal(values.begin(), values.end(), shared));
  simulation_.reset();
  EXPECT_TRUE(std::equal(values.begin(), values.end(), shared));
}

TEST_P(Additions, FieldsThatAreNotThere) {
  const auto field = simulation_->share_field("speed");
  ASSERT_FALSE(field.ok());
  EXPECT_NE(field.error().message.find("velocity"), std::string::npos);
}

TEST_P(Additions, ACheckpointKnowsItsSinks) {
  Sink sink = default_sink();
  sink.shape = box_shape({1, 1, 1}, {0, 0, 9});
  State before, after;
  simulation_->save(before);
  ASSERT_TRUE(simulation_->add_sink(sink).ok());
  simulation_->save(after);
  EXPECT_TRUE(simulation_->load(after).ok());
  const Status status = simulation_->load(before);
  ASSERT_FALSE(status.ok());
  EXPECT_NE(status.error().message.find("0 sinks"), std::string::npos) << status.error().message;
}

INSTANTIATE_TEST_SUITE_P(Solvers, Additions, testing::Values(SolverKind::sph, SolverKind::dem),
                         [](const auto& tested) {
                           return tested.param == SolverKind::sph ? "sand" : "grains";
                         });

}  // namespace
}  // namespace talus
