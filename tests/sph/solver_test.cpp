// Conservation, rest states and rigid motion: what must hold whatever the material does.
#include "bed.h"

namespace talus::sph {
namespace {

constexpr float a = 0.05f;

TEST(Solver, MomentumIsConservedWithoutWalls) {
  const Executor executor(2);
  Scene scene = empty_scene(a);
  scene.gravity = {};
  std::vector<Body> none;
  auto solver = make(scene, none, executor);
  Block blocks = lattice(10, 10, 10, a, {0, 0, 0}, 0.1f);
  for (std::size_t i = 0; i < blocks.velocity.size(); ++i)
    blocks.velocity[i] = {blocks.position[i].x > 0.25f ? -2.0f : 1.0f, 0, 0.5f};
  solver->add(blocks.view());
  const auto momentum = [&] {
    Vec3d p{};
    for (const Vec3f& v : field<Vec3f>(*solver, "velocity")) p += Vec3d(v);
    return p;
  };
  const Vec3d before = momentum();
  advance(*solver, 0.2);
  EXPECT_LT(norm(momentum() - before), 1e-3 * norm(before));
}

TEST(Solver, UniformMotionProducesNoStress) {
  const Executor executor(1);
  Scene scene = empty_scene(a);
  scene.gravity = {};
  std::vector<Body> none;
  for (const bool rotate : {false, true}) {
    auto solver = make(scene, none, executor);
    Block block = lattice(8, 8, 8, a, {-4 * a, -4 * a, -4 * a});
    for (std::size_t i = 0; i < block.velocity.size(); ++i)
      block.velocity[i] = rotate ? cross(Vec3f{0, 0, 1}, block.position[i]) : Vec3f{3, 1, -2};
    solver->add(block.view());
    advance(*solver, 0.05);
    float largest = 0;
    for (const Sym3f& s : field<Sym3f>(*solver, "stress"))
      largest = std::max(largest, std::sqrt(squared_norm(s)));
    EXPECT_LT(largest, rotate ? 5.0f : 0.5f);  // Pa; a centimetre of sand weighs 157
  }
}

TEST(Solver, AStretchedBlockFeelsNoPullWithoutCohesion) {
  const Executor executor(1);
  Scene scene = empty_scene(a);
  scene.gravity = {};
  std::vector<Body> none;
  auto solver = make(scene, none, executor);
  Block block = lattice(8, 8, 8, a, {-4 * a, -4 * a, -4 * a});
  for (std::size_t i = 0; i < block.velocity.size(); ++i)
    block.velocity[i] = block.position[i] * 2.0f;
  solver->add(block.view());
  advance(*solver, 0.1);
  const auto velocity = field<Vec3f>(*solver, "velocity");
  const auto id = field<std::uint64_t>(*solver, "id");
  for (std::size_t i = 0; i < velocity.size(); ++i)
    EXPECT_LT(norm(velocity[i] - block.velocity[id[i]]), 0.02f);
}

/// A bed at rest in a box.
struct Bed {
  Executor executor{2};
  std::vector<Body> bodies;
  std::unique_ptr<Solver> solver;
  StepReport last;

  explicit Bed(double seconds = 1.0) {
    bodies.push_back(container({12 * a, 12 * a, 2}));
    solver = make(empty_scene(a), bodies, executor);
    solver->add(lattice(12, 12, 16, a, {-6 * a, -6 * a, 0}, 0.02f).view());
    last = advance(*solver, seconds);
  }
};

TEST(Solver, ABedAtRestCarriesItsWeight) {
  Bed bed;
  EXPECT_LT(bed.last.max_speed, 0.02);
  EXPECT_LT(bed.last.mean_density_error, 0.005);
  EXPECT_LT(bed.last.max_density_error, 0.02);
  const double weight = 12 * 12 * 16 * std::pow(double{a}, 3) * 1600 * 9.81;
  EXPECT_NEAR(bed.bodies[0].load.force.z, -weight, 0.01 * weight);
  EXPECT_LT(std::abs(bed.bodies[0].load.force.x), 0.02 * weight);
}

TEST(Solver, VerticalStressGrowsWithDepth) {
  // Periodic sides: no wall may carry any of the weight.
  Executor executor(2);
  std::vector<Body> bodies{ground()};
  Scene scene = empty_scene(a);
  scene.periodic = {true, true, false};
  scene.domain_lower = {-6 * a, -6 * a, -1};
  scene.domain_upper = {6 * a, 6 * a, 9};
  auto solver = make(scene, bodies, executor);
  solver->add(lattice(12, 12, 16, a, {-6 * a, -6 * a, 0}, 0.1f).view());
  advance(*solver, 1.0);
  const auto x = field<Vec3f>(*solver, "position");
  const auto p = field<float>(*solver, "pressure");
  const auto s = field<Sym3f>(*solver, "stress");
  double measured = 0, expected = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (x[i].z < 3 * a || x[i].z > 12 * a) continue;
    measured += p[i] - s[i].zz;
    expected += 1600 * 9.81 * (16 * a - x[i].z);
  }
  EXPECT_NEAR(measured / expected, 1, 0.05);
}

TEST(Solver, EnergyNeverGrowsInAClosedBox) {
  const Executor executor(2);
  std::vector<Body> bodies{container({12 * a, 12 * a, 16 * a})};
  auto solver = make(empty_scene(a), bodies, executor);
  Block block = lattice(6, 12, 10, a, {-6 * a, -6 * a, 0}, 0.02f);
  solver->add(block.view());
  const auto energy = [&] {
    double e = 0;
    const auto x = field<Vec3f>(*solver, "position");
    const auto v = field<Vec3f>(*solver, "velocity");
    for (std::size_t i = 0; i < x.size(); ++i) e += 9.81 * x[i].z + 0.5 * squared_norm(v[i]);
    return e;
  };
  const double start = energy();
  double last = start;
  for (int k = 0; k < 20; ++k) {
    advance(*solver, 0.05);
    EXPECT_LT(energy(), last + 0.002 * start);
    last = energy();
  }
  EXPECT_LT(last, 0.95 * start);
}

TEST(Solver, ThePrintedSignOfFrictionFails) {
  // Negative control: with the minus of 2013 Eq. 5 friction feeds energy, and a bed cannot rest.
  Executor executor(2);
  std::vector<Body> bodies{container({12 * a, 12 * a, 2})};
  ModelConstants wrong;
  wrong.friction_sign = -1;
  auto solver = make(empty_scene(a), bodies, executor, wrong);
  solver->add(lattice(12, 12, 16, a, {-6 * a, -6 * a, 0}, 0.1f).view());
  double fastest = 0;
  for (int k = 0; k < 500 && fastest < 1; ++k) {
    const auto report = solver->step(1e-3);
    fastest = report.ok() ? std::max(fastest, report->max_speed) : 1e9;
  }
  EXPECT_GT(fastest, 0.5);
}

TEST(Solver, ForcedStepsAndBadNumbersEndWithAMessage) {
  Executor executor(1);
  std::vector<Body> bodies{ground()};
  auto solver = make(empty_scene(a), bodies, executor);
  Block block = lattice(4, 4, 4, a, {0, 0, 0});
  block.velocity[7] = {NAN, 0, 0};
  solver->add(block.view());
  const auto report = solver->step(1e-3);
  ASSERT_FALSE(report.ok());
  EXPECT_NE(report.error().message.find("no longer finite"), std::string::npos);
}

}  // namespace
}  // namespace talus::sph
