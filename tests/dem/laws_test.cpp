// Parts of the contact laws one by one, against closed forms: coefficients given directly, drag,
// rolling resistance, capillary bridges, pairs of materials, low-speed damping.
#include "impacts.h"

namespace talus {
namespace {

constexpr double g = 9.81, d = 0.01, r = d / 2;
const double mass = 2500 * std::numbers::pi / 6 * d * d * d;

/// Two equal spheres meet head-on at relative speed v; steps of 1e-7 s resolve the collision.
Impact meet(Scene scene, double v) {
  scene.dem.time_step = 1e-7;
  scene.output.fields = {"contacts"};
  return hit_each_other(scene, {v / 2, -v / 2, 0, 0});
}

Scene direct_scene(double stiffness, double damping) {
  Scene scene = grain_scene();
  scene.dem.normal_law = "alduan2009";
  scene.materials[0].normal_stiffness = stiffness;
  scene.materials[0].normal_damping = damping;
  return scene;
}

/// Eq. 1 of 2009 without damping is Hertz's: F = k x^3/2 with x = (5 m* v^2 / (4 k))^2/5, for
/// 3.218 (m*/k)^2/5 v^-1/5.
TEST(DirectCoefficients, StiffnessGivesForceAndDuration) {
  const double k = 2e6, v = 1, m = mass / 2;
  const Impact out = meet(direct_scene(k, 0), v);
  const double x = std::pow(5 * m * v * v / (4 * k), 0.4);
  EXPECT_NEAR(out.greatest_force, k * std::pow(x, 1.5), 0.01 * k * std::pow(x, 1.5));
  const double duration = 3.218 * std::pow(m / k, 0.4);
  EXPECT_NEAR(out.duration, duration, 0.01 * duration);
  EXPECT_NEAR(out.b.v.x - out.a.v.x, v, 1e-3 * v);
}

/// Restitution of m x'' = -(k x^3/2 + gamma x^1/2 x'), a force that never pulls.
double restitution_by_hand(double k, double gamma, double m, double v) {
  double x = 0, u = v;
  const double dt = 1e-9;
  for (;;) {
    x += 0.5 * dt * u;
    const double force = k * x * std::sqrt(x) + gamma * std::sqrt(x) * u;
    if (x <= 0 || force < 0) return -u / v;
    u -= force / m * dt;
    x += 0.5 * dt * u;
  }
}

TEST(DirectCoefficients, DampingGivesTheRestitutionOfTheirEquation) {
  const double k = 2e6, gamma = 30;
  for (const double v : {0.1, 1.0, 5.0}) {
    const Impact out = meet(direct_scene(k, gamma), v);
    const double e = restitution_by_hand(k, gamma, mass / 2, v);
    EXPECT_GT(e, 0.1);
    EXPECT_LT(e, 0.95);
    EXPECT_NEAR((out.b.v.x - out.a.v.x) / v, e, 0.01 * e) << v;
  }
}

/// The published damping (~ x^1/2) is a law whose restitution depends on speed: the band of the
/// restitution test, 1 % of the one asked for, must catch it.
TEST(NegativeControl, RestitutionOfThePublishedDampingDependsOnSpeed) {
  const Scene scene = direct_scene(2e6, 100);
  const auto e = [&](double v) {
    const Impact out = meet(scene, v);
    return (out.b.v.x - out.a.v.x) / v;
  };
  const double asked = e(1);
  EXPECT_GT(std::abs(e(0.1) - asked), 0.05 * asked);
  EXPECT_GT(std::abs(e(5) - asked), 0.05 * asked);
}

/// A dashpot made for gravel stops sand within a fraction of the collision: the step must resolve
/// it, or the dashpot throws the grain back faster than it came.
TEST(DirectCoefficients, StrongDampingThrowsNobodyBack) {
  const Executor executor(1);
  std::vector<Body> bodies{plane_body(0.5)};
  Scene scene = grain_scene("clump4", 0.0005);
  scene.gravity = {0, 0, -g};
  scene.dem.normal_law = "alduan2009";
  scene.materials[0].normal_damping = 300;
  scene.materials[0].young_modulus = 5e6;
  auto solver = make_grains(scene, bodies, executor);
  Batch batch;
  for (int k = 0; k < 60; ++k)
    batch.add({static_cast<float>(k % 4) * 0.0005f, static_cast<float>(k / 4 % 3) * 0.0005f,
               static_cast<float>(k / 12) * 0.0006f + 0.0005f},
              {0, 0, -0.1f});
  solver->add(batch.view());
  double fastest = 0;
  while (solver->time() < 0.02) {
    const auto report = solver->step(1);
    ASSERT_TRUE(report.ok());
    fastest = std::max(fastest, report->max_speed);
  }
  EXPECT_LT(fastest, 0.27);  // 0.1 m/s and a fall of 3 mm
}

TEST(DirectCoefficients, ALinearSpringMayBeGiven) {
  Scene scene = grain_scene();
  scene.dem.normal_law = "linear";
  scene.materials[0].normal_stiffness = 5e4;
  scene.materials[0].restitution = 1;
  const Impact out = meet(scene, 1);
  const double duration = std::numbers::pi * std::sqrt(mass / 2 / 5e4);
  EXPECT_NEAR(out.duration, duration, 0.01 * duration);
  EXPECT_NEAR(out.greatest_force, std::sqrt(mass / 2 * 5e4), 0.01 * std::sqrt(mass / 2 * 5e4));
}

/// From Young's modulus: as deep as Hertz's collision at the reference speed.
TEST(DirectCoefficients, OrBeAsDeepAsHertzAtTheReferenceSpeed) {
  for (const double v : {0.3, 3.0}) {
    Scene scene = grain_scene();
    scene.dem.normal_law = "linear";
    scene.dem.reference_speed = v;
    scene.materials[0].restitution = 1;
    const double m = mass / 2, e_star = 1e8 / (2 * (1 - 0.0625));
    const double k = 4.0 / 3.0 * e_star * std::sqrt(r / 2);
    const double depth = std::pow(5 * m * v * v / (4 * k), 0.4), force = m * v * v / depth;
    EXPECT_NEAR(meet(scene, v).greatest_force, force, 0.01 * force) << v;
  }
}

/// Sphere on the floor with gravity, at rest unless something else is said.
struct OnFloor {
  std::vector<Body> bodies;
  Executor executor{1};
  std::unique_ptr<Solver> solver;
  OnFloor(Scene scene, double floor_friction, const Vec3f& v, const Vec3f& w = {},
          double slope_tangent = 0)
      : bodies{plane_body(floor_friction)} {
    const double a = std::atan(slope_tangent);
    scene.gravity = {g * std::sin(a), 0, -g * std::cos(a)};
    solver = make_grains(scene, bodies, executor);
    Batch batch;
    batch.add({0, 0, static_cast<float>(r - 1e-8)}, v, 0, 1, w);
    solver->add(batch.view());
  }
  Vec3d velocity() const { return Vec3d(of_grain<Vec3f>(*solver, 0, "velocity")); }
  Vec3d spin() const { return Vec3d(of_grain<Vec3f>(*solver, 0, "angular_velocity")); }
};

/// Below Coulomb's limit the contact point is dragged by gamma u: it slows like
/// exp(-(7/2) gamma t / m).
TEST(Viscous, TheCoefficientOfDragMayBeGiven) {
  Scene scene = grain_scene();
  scene.dem.tangential_law = "viscous";
  scene.materials[0].tangential_viscosity = 0.02;
  const OnFloor ball(scene, 0.5, {0.1f, 0, 0});
  advance(*ball.solver, 0.02);
  const double slip = 0.1 * std::exp(-3.5 * 0.02 * 0.02 / mass);
  EXPECT_NEAR(ball.velocity().x - r * ball.spin().y, slip, 0.02 * slip);
}

/// A rolling sphere: (7/5) m a = -mu_r m g, whatever the tangential law.
TEST(Rolling, ResistanceSlowsByFiveSeventhsOfItsCoefficient) {
  for (const char* law : {"mindlin", "viscous"}) {
    Scene scene = grain_scene();
    scene.dem.tangential_law = law;
    scene.materials[0].rolling_friction = 0.02;
    const OnFloor ball(scene, 0.5, {0.5f, 0, 0}, {0, static_cast<float>(0.5 / r), 0});
    advance(*ball.solver, 0.5);
    const double v = 0.5 - 5.0 / 7.0 * 0.02 * g * 0.5;
    EXPECT_NEAR(ball.velocity().x, v, 0.01 * (0.5 - v) + 1e-3) << law;
    EXPECT_NEAR(ball.spin().y * r, ball.velocity().x, 2e-3) << law;
  }
}

/// With memory a sphere stays where the slope's tangent is below mu_r, and rolls above.
TEST(Rolling, HoldsASphereOnASlopeBelowItsCoefficient) {
  for (const double tangent : {0.08, 0.12}) {
    Scene scene = grain_scene();
    scene.materials[0].rolling_friction = 0.1;
    scene.materials[0].restitution = 0.3;
    const OnFloor ball(scene, 0.5, {}, {}, tangent);
    advance(*ball.solver, 0.5);
    if (tangent < 0.1)
      EXPECT_LT(norm(ball.velocity()), 1e-4);
    else
      EXPECT_GT(ball.velocity().x, 0.5 * 5.0 / 7.0 * g * (0.12 - 0.1) * 0.5);
  }
}

/// On a flat wall R* is twice that of two spheres, and so is the pull (Derjaguin): a grain hangs
/// from a ceiling when that exceeds its weight.
TEST(Capillary, AGrainHangsWhenThePullExceedsItsWeight) {
  for (const double share : {0.9, 1.1}) {
    const Executor executor(1);
    std::vector<Body> bodies{plane_body(0, 180)};
    Scene scene = grain_scene();
    scene.gravity = {0, 0, -g};
    scene.materials[0].restitution = 0.3;
    scene.materials[0].capillary_force = share * mass * g / 2;
    auto solver = make_grains(scene, bodies, executor);
    Batch batch;
    batch.add({0, 0, static_cast<float>(-r + 1e-7)});
    solver->add(batch.view());
    advance(*solver, 0.3);
    const auto z = of_grain<Vec3f>(*solver, 0, "position").z;
    if (share > 1)
      EXPECT_NEAR(z, -r, 1e-5);
    else
      EXPECT_LT(z, -0.1);
  }
}

/// A bridge falls linearly to nothing at the rupture gap s: tearing it takes F s / 2.
TEST(Capillary, TearingABridgeTakesItsEnergy) {
  const double pull = 0.02, reach = 0.1, s = reach * r / 2;
  const double escape = std::sqrt(2 * pull * s / 2 / (mass / 2));
  for (const double v : {0.9 * escape, 1.1 * escape}) {
    const Executor executor(1);
    std::vector<Body> none;
    Scene scene = grain_scene();
    scene.materials[0].capillary_force = pull;
    scene.materials[0].capillary_reach = reach;
    auto solver = make_grains(scene, none, executor);
    Batch batch;
    const auto half = static_cast<float>(v / 2);
    batch.add({0, 0, 0}, {-half, 0, 0});
    batch.add({static_cast<float>(d - 1e-7), 0, 0}, {half, 0, 0});
    solver->add(batch.view());
    advance(*solver, 0.2);
    const auto apart =
        of_grain<Vec3f>(*solver, 1, "position") - of_grain<Vec3f>(*solver, 0, "position");
    const auto speed =
        of_grain<Vec3f>(*solver, 1, "velocity").x - of_grain<Vec3f>(*solver, 0, "velocity").x;
    if (v < escape) {
      EXPECT_LT(double{norm(apart)} - d, s);
    } else {
      EXPECT_NEAR(speed, std::sqrt(v * v - escape * escape), 0.05 * v);
      EXPECT_GT(double{norm(apart)} - d, s);
    }
  }
}

TEST(Capillary, GrainsThatNeverTouchedHaveNoBridge) {
  const Executor executor(1);
  std::vector<Body> none;
  Scene scene = grain_scene();
  scene.materials[0].capillary_force = 0.02;
  auto solver = make_grains(scene, none, executor);
  Batch batch;
  batch.add({0, 0, 0});
  batch.add({static_cast<float>(d + 1e-5), 0, 0});
  solver->add(batch.view());
  advance(*solver, 0.1);
  EXPECT_EQ(norm(of_grain<Vec3f>(*solver, 0, "velocity")), 0);
}

/// What [[contact]] says acts between the two materials, and only there.
TEST(Pairs, FrictionAndRestitutionOfAContactEntryAct) {
  const double v = 0.5, spin = 400, mu = 0.1, e = 0.9;
  Scene scene = grain_scene();
  scene.materials[0].friction = 0.6;
  scene.materials[0].restitution = 0.3;
  scene.contacts = {{0, 1, mu, e}};
  scene.output.fields = {"contacts"};
  const Impact out = hit_each_other(scene, {v, -v, spin, spin});
  EXPECT_NEAR(out.a.v.x, -e * v, 0.01 * v);
  EXPECT_NEAR(out.a.v.y, -mu * (1 + e) * v, 0.02 * mu * (1 + e) * v);
  EXPECT_NEAR(out.b.v.y, mu * (1 + e) * v, 0.02 * mu * (1 + e) * v);
}

/// Longmore 2009, Pseudocode 4.4, as a rate: grains below 0.05 sqrt(g d) lose speed and spin; off
/// by default, and fast grains do not feel it.
TEST(LowSpeedDamping, SlowsTheSlowAndNobodyByDefault) {
  const double slow = 0.004, fast = 0.5, rate = 5, seconds = 0.2;
  for (const double damping : {0.0, rate})
    for (const double v : {slow, fast}) {
      Scene scene = grain_scene();
      scene.dem.low_speed_damping = damping;
      const OnFloor ball(scene, 0, {static_cast<float>(v), 0, 0}, {0, 0, 10});
      advance(*ball.solver, seconds);
      const double left = v == slow ? std::exp(-damping * seconds) : 1;
      EXPECT_NEAR(ball.velocity().x, left * v, 0.01 * left * v) << damping << " " << v;
      EXPECT_NEAR(ball.spin().z, left * 10, 0.01 * left * 10) << damping << " " << v;
    }
}

}  // namespace
}  // namespace talus
