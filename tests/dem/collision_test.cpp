// Two spheres, and a sphere and a wall: closed forms.
#include "dem/restitution.h"
#include "grain_bench.h"

namespace talus {
namespace {

struct Rebound {
  double speed = 0, duration = 0;
};

/// Head-on collision of two equal spheres at relative speed v.
Rebound collide(Scene scene, double v) {
  const Executor executor(1);
  std::vector<Body> none;
  auto solver = make_grains(scene, none, executor);
  Batch batch;
  const auto half = static_cast<float>(v / 2);
  batch.add({0.1f, -0.3f, 0.2f}, {half, 0, 0});
  batch.add({0.110001f, -0.3f, 0.2f}, {-half, 0, 0});
  solver->add(batch.view());
  Rebound out;
  bool touched = false;
  for (int k = 0; k < 100000; ++k) {
    const auto report = solver->step(1e-3);
    EXPECT_TRUE(report.ok());
    if (report->contacts > 0) {
      touched = true;
      out.duration += report->dt;
    } else if (touched) {
      break;
    }
  }
  EXPECT_TRUE(touched);
  const auto va = of_grain<Vec3f>(*solver, 0, "velocity"),
             vb = of_grain<Vec3f>(*solver, 1, "velocity");
  out.speed = double{vb.x} - double{va.x};
  EXPECT_NEAR(va.x + vb.x, 0, 1e-6 * v);
  return out;
}

TEST(Collision, RestitutionIsTheOneAskedForAtAnySpeed) {
  for (const char* law : {"hertz", "linear"}) {
    for (const double e : {0.02, 0.05, 0.1, 0.3, 0.5, 0.7, 0.9, 0.99, 1.0}) {
      for (const double v : {0.01, 0.1, 1.0, 10.0}) {
        Scene scene = grain_scene();
        scene.dem.normal_law = law;
        scene.materials[0].restitution = e;
        scene.materials[0].young_modulus = 1e9;
        EXPECT_NEAR(collide(scene, v).speed / v, e, 0.01 * e) << law << " e " << e << " v " << v;
      }
    }
  }
}

TEST(Collision, HertzDurationFollowsTheory) {
  for (const double v : {0.01, 0.1, 1.0, 10.0}) {
    Scene scene = grain_scene();
    scene.materials[0].restitution = 1;
    scene.dem.time_step = 1e-7;
    const double r = 0.005, m = 2500 * 4.0 / 3.0 * std::numbers::pi * r * r * r;
    const double e_star = 1e8 / (2 * (1 - 0.0625));
    const double theory = 2.868 * std::pow(m / 2 * m / 2 / (r / 2 * e_star * e_star * v), 0.2);
    EXPECT_NEAR(collide(scene, v).duration, theory, 0.01 * theory) << v;
  }
}

}  // namespace
}  // namespace talus
