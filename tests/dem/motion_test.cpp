// Rolling, tumbling, sticking, conservation: closed forms of single grains and of clouds.
#include "core/random.h"
#include "dem/grain_shape.h"
#include "grain_bench.h"

namespace talus {
namespace {

constexpr double g = 9.81;

TEST(Motion, ASlidingSphereEndsUpRollingAtFiveSeventhsOfItsSpeed) {
  const Executor executor(1);
  for (const char* law : {"mindlin", "viscous"}) {
    std::vector<Body> bodies{plane_body(0.3)};
    Scene scene = grain_scene();
    scene.gravity = {0, 0, -g};
    scene.dem.tangential_law = law;
    auto solver = make_grains(scene, bodies, executor);
    Batch batch;
    batch.add({0, 0, 0.00499999f}, {0.5f, 0, 0});
    solver->add(batch.view());
    advance(*solver, 0.15);  // slides for 2 v / (7 mu g) = 0.049 s
    const auto v = of_grain<Vec3f>(*solver, 0, "velocity");
    const auto w = of_grain<Vec3f>(*solver, 0, "angular_velocity");
    EXPECT_NEAR(v.x, 0.5 * 5 / 7, 0.002) << law;
    EXPECT_NEAR(w.y * 0.005, v.x, 0.002) << law;
  }
}

TEST(Motion, SlidingSlowsByFriction) {
  const Executor executor(1);
  std::vector<Body> bodies{plane_body(0.3)};
  Scene scene = grain_scene();
  scene.gravity = {0, 0, -g};
  auto solver = make_grains(scene, bodies, executor);
  Batch batch;
  batch.add({0, 0, 0.00499999f}, {0.5f, 0, 0});
  solver->add(batch.view());
  advance(*solver, 0.02);
  EXPECT_NEAR(of_grain<Vec3f>(*solver, 0, "velocity").x, 0.5 - 0.3 * g * 0.02, 0.001);
  EXPECT_NEAR(of_grain<Vec3f>(*solver, 0, "angular_velocity").y, 2.5 * 0.3 * g * 0.02 / 0.005, 0.5);
}

Vec3d angular_momentum(const Solver& solver, const GrainShape& shape, double mass, double d) {
  const auto q = of_grain<Quatf>(solver, 0, "rotation");
  const Quatd turn{q.w, q.x, q.y, q.z};
  const Vec3d w = rotate_inverse(turn, Vec3d(of_grain<Vec3f>(solver, 0, "angular_velocity")));
  const Vec3d i = shape.inertia * (mass * d * d);
  return rotate(turn, Vec3d{i.x * w.x, i.y * w.y, i.z * w.z});
}
double spin_energy(const Solver& solver, const GrainShape& shape, double mass, double d) {
  const auto q = of_grain<Quatf>(solver, 0, "rotation");
  const Vec3d w = rotate_inverse(Quatd{q.w, q.x, q.y, q.z},
                                 Vec3d(of_grain<Vec3f>(solver, 0, "angular_velocity")));
  const Vec3d i = shape.inertia * (mass * d * d);
  return 0.5 * (i.x * w.x * w.x + i.y * w.y * w.y + i.z * w.z * w.z);
}

/// An asymmetric grain is set spinning by a glancing hit, then tumbles freely for 1e5 steps.
TEST(Motion, FreeTumblingConservesEnergyAndAngularMomentum) {
  const Executor executor(1);
  std::vector<Body> bodies{plane_body(0.5)};
  Scene scene = grain_scene();
  const std::string file = testing::TempDir() + "/lump.txt";
  std::FILE* out = std::fopen(file.c_str(), "w");
  std::fputs("# an asymmetric lump\n0 0 0 1\n1.2 0 0 0.8\n0.3 0.9 0 0.5\n0 0.2 0.7 0.6\n", out);
  std::fclose(out);
  scene.materials[0].grain_shape = file;
  const auto shape = load_grain_shape(file, 0);
  ASSERT_TRUE(shape.ok());
  EXPECT_FALSE(shape->isotropic);
  auto solver = make_grains(scene, bodies, executor);
  Batch batch;
  batch.add({0, 0, 0.01f}, {1, 0.5f, -2});
  solver->add(batch.view());
  advance(*solver, 0.02);
  ASSERT_GT(of_grain<Vec3f>(*solver, 0, "velocity").z, 0);
  const double d = 0.01, mass = 2500 * shape->volume * d * d * d;
  const Vec3d l0 = angular_momentum(*solver, *shape, mass, d);
  const double e0 = spin_energy(*solver, *shape, mass, d);
  ASSERT_GT(norm(of_grain<Vec3f>(*solver, 0, "angular_velocity")), 50);
  const auto q0 = of_grain<Quatf>(*solver, 0, "rotation");
  for (int k = 0; k < 100000; ++k) ASSERT_TRUE(solver->step(2e-6).ok());
  EXPECT_LT(norm(angular_momentum(*solver, *shape, mass, d) - l0), 1e-4 * norm(l0));
  EXPECT_NEAR(spin_energy(*solver, *shape, mass, d), e0, 1e-4 * e0);
  const auto q1 = of_grain<Quatf>(*solver, 0, "rotation");
  EXPECT_GT(std::abs(q0.w - q1.w) + std::abs(q0.x - q1.x), 0.01);  // it did tumble
}

/// Speed after half a second on a slope of so many degrees, friction angle 26.6.
double speed_on_slope(double degrees) {
  const Executor executor(1);
  std::vector<Body> bodies{plane_body(0.5)};
  Scene scene = grain_scene("clump4");
  scene.materials[0].restitution = 0.2;
  scene.gravity = {0, 0, -g};
  auto solver = make_grains(scene, bodies, executor);
  Batch batch;
  batch.add({0, 0, 0.006f});
  solver->add(batch.view());
  advance(*solver, 0.6);  // lies down on three of its spheres
  EXPECT_LT(norm(of_grain<Vec3f>(*solver, 0, "velocity")), 1e-4);
  const double a = degrees * std::numbers::pi / 180;
  solver->set_gravity({g * std::sin(a), 0, -g * std::cos(a)});
  advance(*solver, 0.5);
  return double{norm(of_grain<Vec3f>(*solver, 0, "velocity"))};
}

TEST(Motion, ATetrahedralGrainSticksBelowAndSlidesAboveTheFrictionAngle) {
  EXPECT_LT(speed_on_slope(25), 1e-4);
  EXPECT_GT(speed_on_slope(28), 0.05);
}

/// Weight against drag: v = sqrt(2 m g / (rho C A)), C = 0.5; and a wind carries along.
TEST(Motion, AirBringsAFallingSphereToItsTerminalSpeedAndWindCarriesIt) {
  const Executor executor(1);
  std::vector<Body> none;
  Scene scene = grain_scene();
  scene.materials[0].grain_density = 20;
  scene.gravity = {0, 0, -g};
  scene.dem.air_density = 1.2;
  scene.dem.wind = {3, 0, 0};
  auto solver = make_grains(scene, none, executor);
  Batch batch;
  batch.add({0, 0, 0});
  solver->add(batch.view());
  advance(*solver, 3.0);
  const double speed = std::sqrt(2 * 20 * 4.0 / 3.0 * 0.005 * g / (1.2 * 0.5));
  const auto v = of_grain<Vec3f>(*solver, 0, "velocity");
  EXPECT_NEAR(v.z, -speed, 0.01 * speed);
  EXPECT_NEAR(v.x, 3, 0.03);
}

TEST(Motion, MomentumOfACloudIsConservedToRounding) {
  const Executor executor(2);
  std::vector<Body> none;
  Scene scene = grain_scene("clump4");
  scene.materials[0].friction = 0.5;
  auto solver = make_grains(scene, none, executor);
  Batch batch;
  for (std::uint64_t k = 0; k < 10000; ++k) {
    const auto r = random_floats(3, k, Purpose::test);
    batch.add({static_cast<float>(k % 22) * 0.01f, static_cast<float>(k / 22 % 22) * 0.01f,
               static_cast<float>(k / 484) * 0.01f},
              {4 * (r[0] - 0.5f), 4 * (r[1] - 0.5f), 4 * (r[2] - 0.5f)});
  }
  solver->add(batch.view());
  const auto momentum = [&] {
    Vec3d p{};
    for (const Vec3f& v : grain_field<Vec3f>(*solver, "velocity")) p += Vec3d(v);
    return p;
  };
  const Vec3d before = momentum();
  const StepReport last = advance(*solver, 0.01);
  EXPECT_GT(last.contacts, 100u);
  EXPECT_LT(norm(momentum() - before), 1e-6 * 10000);  // each grain moves at about 1 m/s
}

/// A single sphere's turns are added up, and its orientation follows later: nobody may see that.
TEST(Motion, AFreeSphereTurnsByItsSpin) {
  const Executor executor(1);
  std::vector<Body> bodies;
  Scene scene = grain_scene();
  scene.dem.time_step = 1e-4;
  auto solver = make_grains(scene, bodies, executor);
  Batch batch;
  const Vec3d spin{30, -20, 10};
  batch.add({0, 0, 0}, {}, 0, 1, Vec3f(spin));
  solver->add(batch.view());
  for (const double seconds : {0.0003, 0.0018, 0.05, 1.0}) {
    advance(*solver, seconds - solver->time());
    const Quatd expected = Quatd::from_axis_angle(spin / norm(spin), norm(spin) * seconds);
    const auto q = of_grain<Quatf>(*solver, 0, "rotation");
    const Quatd off =
        conjugate(expected) * Quatd{double{q.w}, double{q.x}, double{q.y}, double{q.z}};
    EXPECT_LT(norm(Vec3d{off.x, off.y, off.z}), 1e-5) << seconds;  // sine of half the angle
  }
}

}  // namespace
}  // namespace talus
