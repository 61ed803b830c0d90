// Many grains: packing, rest, overlaps at the start, a forced step, and a control that must fail.
#include "core/random.h"
#include "grain_bench.h"

namespace talus {
namespace {

Scene poured_scene(const char* shape) {
  Scene scene = grain_scene(shape);
  scene.gravity = {0, 0, -9.81};
  scene.materials[0].friction = 0.3;
  scene.materials[0].restitution = 0.5;
  scene.materials[0].young_modulus = 5e6;
  scene.periodic = {true, true, false};
  scene.domain_upper = {0.1, 0.1, 1};
  return scene;
}

Batch rain(int layers) {
  Batch batch;
  for (std::uint64_t k = 0; k < static_cast<std::uint64_t>(layers) * 64; ++k) {
    const auto r = random_floats(7, k, Purpose::test);
    const auto at = [](std::uint64_t n) { return (static_cast<float>(n) + 0.5f) * 0.0125f; };
    batch.add({at(k % 8), at(k / 8 % 8), at(k / 64)}, {r[0] - 0.5f, r[1] - 0.5f, -0.5f * r[2]}, 0,
              0.95f + 0.1f * r[3]);
  }
  return batch;
}

/// Volume of spheres between two heights over the volume there.
double packing_fraction(const Solver& solver, double z0, double z1, double area) {
  double solid = 0;
  const auto x = grain_field<Vec3f>(solver, "position");
  const auto radius = grain_field<float>(solver, "radius");
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double r = radius[i];
    // The slice of a sphere below height h above its centre: pi (r^2 h - h^3/3 + 2 r^3/3).
    const auto below = [&](double z) {
      const double h = std::clamp(z - double{x[i].z}, -r, r);
      return std::numbers::pi * (r * r * h - h * h * h / 3 + 2 * r * r * r / 3);
    };
    solid += below(z1) - below(z0);
  }
  return solid / (area * (z1 - z0));
}

/// Mean speed over sqrt(g d), and height of the centre of mass over d.
struct Rest {
  double speed = 0, height = 0;
};
Rest rest_of(const Solver& solver, double d) {
  Rest out;
  for (const Vec3f& v : grain_field<Vec3f>(solver, "velocity")) out.speed += double{norm(v)};
  for (const Vec3f& x : grain_field<Vec3f>(solver, "position")) out.height += double{x.z};
  const auto n = static_cast<double>(solver.particles().size());
  return {out.speed / n / std::sqrt(9.81 * d), out.height / n / d};
}

/// Glass beads: friction 0.2 to 0.3 (Foerster et al. 1994). Loose packings of spheres lie between
/// 0.60 and 0.64 (Scott 1960); measured in a slice in the middle, away from floor and surface, of a
/// bed without side walls.
TEST(Bed, PouredSpheresPackBetween60And64PercentAndCarryTheirWeight) {
  const Executor executor(2);
  std::vector<Body> bodies{plane_body(0.2)};
  Scene scene = poured_scene("sphere");
  scene.materials[0].friction = 0.2;
  auto solver = make_grains(scene, bodies, executor);
  solver->add(rain(18).view());
  advance(*solver, 0.9);
  const double phi = packing_fraction(*solver, 0.03, 0.08, 0.01);
  EXPECT_GT(phi, 0.60);
  EXPECT_LT(phi, 0.64);
  double weight = 0;
  for (const float r : grain_field<float>(*solver, "radius"))
    weight += 9.81 * 2500 * 4.0 / 3.0 * std::numbers::pi * std::pow(double{r}, 3);
  EXPECT_NEAR(bodies[0].load.force.z, -weight, 0.02 * weight);
}

/// The same for 16 K grains and 5 s takes minutes: scenes/grains/rest.toml; docs/numerics.md has
/// what it gave.
TEST(Bed, APileComesToRestAndDoesNotCreep) {
  for (const char* shape : {"sphere", "clump4"}) {
    const Executor executor(2);
    std::vector<Body> bodies{plane_body(0.5)};
    Scene scene = poured_scene(shape);
    scene.periodic = {};
    scene.materials[0].friction = 0.5;
    scene.materials[0].rolling_friction = 0.1;
    auto solver = make_grains(scene, bodies, executor);
    solver->add(rain(6).view());
    advance(*solver, 2.0);
    const Rest before = rest_of(*solver, 0.01);
    EXPECT_LT(before.speed, 1e-4) << shape;
    advance(*solver, 1.0);
    const Rest after = rest_of(*solver, 0.01);
    EXPECT_LT(after.speed, 1e-4) << shape;
    EXPECT_NEAR(after.height, before.height, 1e-4) << shape;
  }
}

TEST(Bed, GrainsThatStartInsideEachOtherDoNotExplode) {
  const Executor executor(2);
  std::vector<Body> bodies{container_body({0.2, 0.2, 0.4})};
  Scene scene = poured_scene("clump4");
  scene.periodic = {};
  scene.gravity = {};
  auto solver = make_grains(scene, bodies, executor);
  Batch batch;
  for (std::uint64_t k = 0; k < 300; ++k) {
    const auto r = random_floats(9, k, Purpose::test);
    batch.add({0.06f * (r[0] - 0.5f), 0.06f * (r[1] - 0.5f), 0.06f * r[2]});
  }
  batch.add(batch.position[0]);  // exactly on top of another
  solver->add(batch.view());
  EXPECT_GT(solver->particles().size(), 200u);
  EXPECT_FALSE(solver->notes().empty());
  float fastest = 0;
  for (int k = 0; k < 300; ++k) {
    const auto report = solver->step(1e-4);
    ASSERT_TRUE(report.ok());
    fastest = std::max(fastest, static_cast<float>(report->max_speed));
  }
  EXPECT_LT(fastest, 0.5f);
}

/// Fills keep clear of bodies by half a mean diameter; the larger grains then overlap the spheres
/// of a rough one.
TEST(Bed, LargeGrainsBesideARoughBodyAreMovedClear) {
  const Executor executor(1);
  std::vector<Body> bodies{container_body({0.1, 0.1, 0.1})};
  Scene scene = grain_scene();
  SceneBody box = default_body();
  box.rough = true;
  scene.bodies = {box};
  auto solver = make_grains(scene, bodies, executor);
  Batch batch;
  for (int k = 0; k < 25; ++k)
    batch.add({static_cast<float>(k % 5) * 0.018f - 0.036f,
               static_cast<float>(k / 5) * 0.018f - 0.036f, 0.005f},
              {}, 0, 1.2f);
  solver->add(batch.view());
  EXPECT_EQ(solver->particles().size(), 25u);
  double fastest = 0;
  for (int k = 0; k < 200; ++k) {
    const auto report = solver->step(1e-3);
    ASSERT_TRUE(report.ok());
    fastest = std::max(fastest, report->max_speed);
  }
  EXPECT_LT(fastest, 0.1);
}

TEST(Bed, AForcedStepAboveTheLimitIsSaid) {
  const Executor executor(1);
  std::vector<Body> none;
  Scene scene = grain_scene();
  scene.dem.time_step = 1e-2;
  auto solver = make_grains(scene, none, executor);
  ASSERT_EQ(solver->notes().size(), 1u);
  EXPECT_NE(solver->notes()[0].find("above the automatic step"), std::string::npos);
}

/// Short enough for gentle impacts, not for what comes at 50 m/s: said when it happens, once.
TEST(Bed, AForcedStepThatBecomesTooLongIsSaid) {
  const Executor executor(1);
  std::vector<Body> none;
  Scene scene = grain_scene();
  scene.dem.time_step = 1e-5;
  auto solver = make_grains(scene, none, executor);
  Batch batch;
  batch.add({0, 0, 0}, {1, 0, 0});
  solver->add(batch.view());
  ASSERT_TRUE(solver->step(1e-5).ok());
  EXPECT_TRUE(solver->notes().empty());
  const Vec3f faster{49, 0, 0};
  ASSERT_TRUE(solver->change_velocities({&faster, 1}).ok());
  for (int k = 0; k < 3; ++k) ASSERT_TRUE(solver->step(1e-5).ok());
  ASSERT_EQ(solver->notes().size(), 1u);
  EXPECT_NE(solver->notes()[0].find("above the automatic step"), std::string::npos);
  EXPECT_NE(solver->notes()[0].find("50 m/s"), std::string::npos) << solver->notes()[0];
}

TEST(Bed, MoistGrainsHangTogetherAndDryOnesDoNot) {
  for (const double force : {0.0, 0.02}) {
    const Executor executor(1);
    std::vector<Body> none;
    Scene scene = grain_scene();
    scene.materials[0].capillary_force = force;
    scene.materials[0].restitution = 0.3;
    auto solver = make_grains(scene, none, executor);
    Batch batch;
    batch.add({0, 0, 0}, {0.01f, 0, 0});
    batch.add({0.01001f, 0, 0}, {-0.01f, 0, 0});
    solver->add(batch.view());
    advance(*solver, 0.1);
    const float gap =
        norm(of_grain<Vec3f>(*solver, 0, "position") - of_grain<Vec3f>(*solver, 1, "position")) -
        0.01f;
    if (force > 0)
      EXPECT_LT(gap, 1e-6f);
    else
      EXPECT_GT(gap, 1e-4f);
  }
}

/// The published rotation (Eq. 3.37, I omega = T) is wrong, and the rolling test must see it.
TEST(NegativeControl, GrainsThatForgetTheirSpinNeverRoll) {
  const Executor executor(1);
  std::vector<Body> bodies{plane_body(0.3)};
  Scene scene = grain_scene();
  scene.gravity = {0, 0, -9.81};
  scene.dem.rotation = "longmore2009";
  auto solver = make_grains(scene, bodies, executor);
  Batch batch;
  batch.add({0, 0, 0.00499999f}, {0.5f, 0, 0});
  solver->add(batch.view());
  advance(*solver, 0.15);
  EXPECT_LT(of_grain<Vec3f>(*solver, 0, "velocity").x, 0.3f);  // 5/7 would be 0.357
}

}  // namespace
}  // namespace talus
