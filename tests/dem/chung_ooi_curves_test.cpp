// Curves of the figures of Chung & Ooi 2011 (Granular Matter 13, 643), between sticking and
// sliding, where there is no closed form. Points are read off the figures by the authors of Kratos
// (DEMApplication, test_examples/basic_benchmarks/paper_data, benchmark4 to benchmark8); thinned
// here, three digits. Besides the discrete elements of the paper they hold what these were compared
// with: measurements with aluminium oxide on glass (Kharaz, Gorham & Salman 2001, Powder Technology
// 120, 281) and finite elements of an elastic sphere (test 5).
//
// Where we differ, and why: a contact has one tangential spring and no annulus of micro-slip
// (Mindlin & Deresiewicz 1953). At the steepest impacts, tan(angle) below mu or so, the spring
// then swings through more than a period during the impact and gives back what micro-slip would
// have used up: test 4 below 10 degrees lies above the measurements, with the paper's own discrete
// elements, and tests 5 and 6 are not compared there, where the paper's curves of different
// materials do not agree with each other either.
#include "impacts.h"

namespace talus {
namespace {

struct Point {
  double x, y;
};

/// A thousand steps for an impact instead of the automatic thirty: these are tests of the law.
Scene resolved(Scene scene, const Stuff& stuff, double r, double v_n) {
  const double m = stuff.density * 4.0 / 3.0 * std::numbers::pi * r * r * r;
  const double e_star = stuff.young / (1 - stuff.poisson * stuff.poisson);
  scene.dem.time_step = 2.868 * std::pow(m * m / (r * e_star * e_star * v_n), 0.2) / 1000;
  return scene;
}

/// Test 4: tangential restitution v_t'/v_t at 3.9 m/s under an angle from the normal, degrees.
double tangential_restitution(const Stuff& stuff, double degrees, bool automatic = false) {
  const double v = 3.9, r = 0.0025, a = degrees * std::numbers::pi / 180;
  const Scene scene = impact_scene(stuff, r, 0.98, 0.092);
  const Impact out = hit_plane(automatic ? scene : resolved(scene, stuff, r, v), v * std::cos(a),
                               v * std::sin(a), 0);
  return out.a.v.x / (v * std::sin(a));
}

constexpr Point of_oxide[] = {{10.2, 0.687}, {15.0, 0.624}, {20.1, 0.616}, {25.0, 0.634},
                              {30.1, 0.684}, {35.0, 0.737}, {40.0, 0.781}, {60.0, 0.893}};

TEST(ChungOoiCurves, Test4FollowsTheDiscreteElementsOfThePaper) {
  constexpr Point of_alloy[] = {{5.09, 0.899}, {10.0, 0.671}, {15.1, 0.613}, {20.1, 0.609},
                                {25.0, 0.633}, {30.0, 0.683}, {40.0, 0.780}, {60.0, 0.891}};
  for (const Point& p : of_oxide)
    EXPECT_NEAR(tangential_restitution(oxide, p.x), p.y, 0.025) << "oxide " << p.x;
  for (const Point& p : of_alloy)
    EXPECT_NEAR(tangential_restitution(alloy, p.x), p.y, 0.025) << "alloy " << p.x;
  EXPECT_NEAR(tangential_restitution(oxide, 5.17), 0.948, 0.06);
}

/// With the automatic step the stored displacement is half a step ahead.
TEST(ChungOoiCurves, Test4AtTheAutomaticStepIsWithinFiveHundredths) {
  for (const Point& p : of_oxide)
    EXPECT_NEAR(tangential_restitution(oxide, p.x, true), p.y, 0.05) << p.x;
}

TEST(ChungOoiCurves, Test4FollowsTheMeasurementsFromTenDegreesOn) {
  constexpr Point measured[] = {{9.84, 0.675}, {20.2, 0.599}, {30.4, 0.690}, {39.5, 0.774},
                                {49.6, 0.848}, {71.1, 0.937}, {79.2, 0.970}};
  for (const Point& p : measured) EXPECT_NEAR(tangential_restitution(oxide, p.x), p.y, 0.04) << p.x;
}

/// Test 5: r w'/(mu v_n) over tan(angle)/mu; 5 where it slides throughout.
TEST(ChungOoiCurves, Test5FollowsFiniteElements) {
  constexpr Point elements[] = {{1.90, 1.793}, {2.28, 2.321}, {2.76, 2.856}, {3.30, 3.441},
                                {3.89, 4.041}, {4.69, 4.569}, {5.66, 4.941}, {9.04, 4.972}};
  const double v_n = 5, r = 1e-5, mu = 0.3;
  for (const Point& p : elements) {
    const Scene scene = resolved(impact_scene(steel, r, 1, mu), steel, r, v_n);
    const Impact out = hit_plane(scene, v_n, p.x * mu * v_n, 0);
    EXPECT_NEAR(out.a.w.y * r / (mu * v_n), p.y, 0.08 * 5) << p.x;
  }
}

/// Tests 6 and 8: minus the ratio of the surface's speeds after and before, over
/// (7/2) mu (1 + e) v_n / surface speed; below 1 it slides throughout.
constexpr Point spinning[] = {{0.187, -0.815}, {0.358, -0.626}, {0.551, -0.439}, {0.765, -0.238},
                              {0.979, -0.017}, {1.19, 0.097},   {1.45, 0.119},   {1.74, 0.100}};
constexpr double spin_v = 0.2, spin_r = 0.1, spin_mu = 0.4, spin_e = 0.5;

double surface_speed(const Point& p) { return 3.5 * spin_mu * (1 + spin_e) * spin_v / p.x; }

TEST(ChungOoiCurves, Test6FollowsThePaperFromSlidingIntoSticking) {
  for (const Stuff& stuff : {alloy, nylon})
    for (const Point& p : spinning) {
      const double surface = surface_speed(p);
      const Impact out =
          hit_plane(impact_scene(stuff, spin_r, spin_e, spin_mu), spin_v, 0, -surface / spin_r);
      const double after = out.a.v.x - spin_r * out.a.w.y;
      EXPECT_NEAR(-after / surface, p.y, 0.06) << p.x << ", E " << stuff.young;
    }
}

TEST(ChungOoiCurves, Test8OnALargeSphereIsLikeTest6) {
  for (const Stuff& stuff : {alloy, nylon})
    for (const Point& p : spinning) {
      const double surface = surface_speed(p);
      const Impact out = hit_each_other(impact_scene(stuff, spin_r, spin_e, spin_mu),
                                        {spin_v, 0, surface / spin_r, 0, 5, 1000});
      const double after = out.a.v.y + spin_r * out.a.w.z;
      EXPECT_NEAR(-after / surface, p.y, 0.06) << p.x << ", E " << stuff.young;
    }
}

}  // namespace
}  // namespace talus
