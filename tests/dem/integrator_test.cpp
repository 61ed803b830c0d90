// Order of the integrator, and steps so short that nobody passes through anybody.
#include "grain_bench.h"

#include <cstdio>

namespace talus {
namespace {

/// A sphere swings on a linear spring without damping, always pressed to the floor:
/// z = rest + swing cos(omega t). Error after five periods and a quarter over the swing.
double swing_error(int steps_in_period) {
  const double g = 9.81, m = 2500 * std::numbers::pi / 6 * 1e-6;
  const double sag = 1e-5, k = m * g / sag;  // so little that nobody is moved apart at the start
  const double omega = std::sqrt(k / m), period = 2 * std::numbers::pi / omega;
  const Executor executor(1);
  std::vector<Body> bodies{plane_body(0)};
  Scene scene = grain_scene();
  scene.gravity = {0, 0, -g};
  scene.dem.normal_law = "linear";
  scene.materials[0].normal_stiffness = k;
  scene.materials[0].restitution = 1;
  scene.dem.time_step = period / steps_in_period;
  auto solver = make_grains(scene, bodies, executor);
  Batch batch;
  batch.add({0, 0, static_cast<float>(0.005 - 0.5 * sag)});
  solver->add(batch.view());
  const double rest = 0.005 - sag, swing = double{batch.position[0].z} - rest;
  for (int n = 0; n < 21 * steps_in_period / 4; ++n)
    EXPECT_TRUE(solver->step(scene.dem.time_step).ok());
  const double t = solver->time(), z = of_grain<Vec3f>(*solver, 0, "position").z;
  return std::abs(z - rest - swing * std::cos(omega * t)) / swing;
}

TEST(Integrator, TranslationIsOfSecondOrder) {
  const double coarse = swing_error(20), fine = swing_error(40);
  EXPECT_GT(coarse, 0.02);  // there is an error to compare
  EXPECT_NEAR(coarse / fine, 4, 0.5);
}

/// Orientation of an asymmetric grain that tumbles freely for 0.2 s.
Quatd tumbled(const std::string& shape, double dt) {
  const Executor executor(1);
  std::vector<Body> none;
  Scene scene = grain_scene(shape.c_str());
  scene.dem.time_step = dt;
  auto solver = make_grains(scene, none, executor);
  Batch batch;
  batch.add({0, 0, 0}, {}, 0, 1, {40, 25, 10});
  solver->add(batch.view());
  advance(*solver, 0.2);
  const auto q = of_grain<Quatf>(*solver, 0, "rotation");
  return normalized(Quatd{double{q.w}, double{q.x}, double{q.y}, double{q.z}});
}

TEST(Integrator, RotationIsOfSecondOrder) {
  const std::string file = testing::TempDir() + "/tumbling.txt";
  std::FILE* out = std::fopen(file.c_str(), "w");
  std::fputs("0 0 0 1\n1.2 0 0 0.8\n0.3 0.9 0 0.5\n0 0.2 0.7 0.6\n", out);
  std::fclose(out);
  const Quatd exact = tumbled(file, 1e-5);
  const auto error = [&](double dt) {
    const Quatd off = conjugate(exact) * tumbled(file, dt);
    return norm(Vec3d{off.x, off.y, off.z});
  };
  const double coarse = error(1e-3), fine = error(5e-4);
  EXPECT_GT(coarse, 1e-4);
  EXPECT_NEAR(coarse / fine, 4, 0.5);
}

/// At 50 m/s a sphere would jump over another in a step made for slow impacts.
TEST(Step, AFastSphereDoesNotPassThroughAnother) {
  const Executor executor(1);
  std::vector<Body> none;
  Scene scene = grain_scene();
  scene.materials[0].young_modulus = 1e9;
  scene.materials[0].restitution = 1;
  auto solver = make_grains(scene, none, executor);
  Batch batch;
  batch.add({0, 0, 0}, {50, 0, 0});
  batch.add({0.1f, 0, 0});
  solver->add(batch.view());
  double longest = 0;
  while (solver->time() < 0.004) {
    const auto report = solver->step(1e-3);
    ASSERT_TRUE(report.ok());
    longest = std::max(longest, 50 * report->dt);
    ASSERT_LT(of_grain<Vec3f>(*solver, 0, "position").x, of_grain<Vec3f>(*solver, 1, "position").x);
  }
  EXPECT_LE(longest, 0.1 * 0.005 * 1.0001);  // a tenth of a radius
  EXPECT_NEAR(of_grain<Vec3f>(*solver, 1, "velocity").x, 50, 0.5);
  EXPECT_NEAR(of_grain<Vec3f>(*solver, 0, "velocity").x, 0, 0.5);
}

/// The ends of a grain that spins are fast although its centre rests.
TEST(Step, TheRimOfASpinningGrainCounts) {
  const Executor executor(1);
  std::vector<Body> none;
  auto solver = make_grains(grain_scene("clump2"), none, executor);
  Batch batch;
  batch.add({0, 0, 0}, {}, 0, 1, {0, 1e5f, 1e5f});
  solver->add(batch.view());
  const auto report = solver->step(1e-3);
  ASSERT_TRUE(report.ok());
  EXPECT_EQ(report->dt_reason, "speed");
  // clump2: spheres of 0.3125 d, 0.1875 d from the centre.
  EXPECT_LE(report->dt * 1e5 * 0.001875, 0.1 * 0.003125 * 1.0001);
}

TEST(Step, ReasonsAreTold) {
  const auto reason_of = [](double young, double v) {
    const Executor executor(1);
    std::vector<Body> none;
    Scene scene = grain_scene();
    scene.materials[0].young_modulus = young;
    auto solver = make_grains(scene, none, executor);
    Batch batch;
    batch.add({0, 0, 0}, {static_cast<float>(v), 0, 0});
    solver->add(batch.view());
    const auto report = solver->step(1);
    return std::string(report.ok() ? report->dt_reason : "");
  };
  EXPECT_EQ(reason_of(1e8, 1), "collision");
  EXPECT_EQ(reason_of(1e8, 1e-3), "rayleigh");
  EXPECT_EQ(reason_of(1e3, 100), "speed");
}

}  // namespace
}  // namespace talus
