// The eight elementary impacts of Chung & Ooi 2011, "Benchmark tests for verifying discrete element
// modelling codes at particle impact level", Granular Matter 13, 643-656: their materials, sizes
// and speeds, against closed forms; chung_ooi_curves_test.cpp has the curves of their figures. The
// paper itself was not at hand; set-ups of 4 to 8 are those of two codes that repeat it: Kratos
// (DEMApplication, Benchmark4 to Benchmark8 of its class of DEM benchmarks; what they are:
// kratosmultiphysics.github.io, "Basic DEM Benchmarking") and PySPH (examples of its discontinuous
// DEM, tests 4 to 8), of 4 also Yade (its folder of benchmarks). They agree, but for what is noted.
//   4     r = 2.5 mm, 3.9 m/s, e = 0.98, mu = 0.092; aluminium oxide, aluminium alloy
//   5     r = 10 um, v_n = 5 m/s, e = 1, mu = 0.3; steel, and polyethylene, whose Poisson ratio
//         PySPH gives as 0.4; sliding does not depend on it, and both are tried
//   6     r = 0.1 m, v_n = 0.2 m/s, 0.175 to 22 rad/s, e = 0.5, mu = 0.4; aluminium alloy, nylon
//   7     such spheres, of alloy and of copper, meet at +-0.2 m/s with opposite spins: their
//         surfaces move together, so that nothing happens to the spins
//   8     r = 0.1 m and 0.2 m/s on a sphere at rest, five times as large and 1000 times as dense;
//         aluminium alloy, nylon
//   1, 2  elastic Hertzian impact, R*, E*, m* effective (Timoshenko & Goodier 1970, art. 142):
//         greatest force F = k x^3/2, x = (5 m* v^2 / (4 k))^2/5, k = (4/3) E* sqrt(R*), half way
//         of the duration 2.868 (m*^2 / (R* E*^2 v))^1/5
//   3     restitution asked for = restitution measured
//   4-8   spheres that slide throughout: the tangential impulse is mu times the normal one,
//         P = (1 + e) m* v_n, so v_t' = v_t - mu P / m and w' = w + 5 mu P / (2 m r)  (Walton
//         1993). They do above a tangent of about mu (1 + e) 7/2 (rigid) and, with Mindlin's
//         spring, of mu (4 chi - 1)/kappa (Maw, Barber & Fawcett 1976); the angles here lie beyond
//         both. Steeper impacts stick: what they must keep is angular momentum about the contact,
//         v_t - v_t' = (2/5) r (w' - w), and energy.
#include "impacts.h"

namespace talus {
namespace {

double sphere_mass(double density, double r) {
  return density * 4.0 / 3.0 * std::numbers::pi * r * r * r;
}

void expect_hertz(const Impact& out, double m, double r, double e_star, double v) {
  const double k = 4.0 / 3.0 * e_star * std::sqrt(r);
  const double x = std::pow(5 * m * v * v / (4 * k), 0.4);
  EXPECT_NEAR(out.greatest_force, k * std::pow(x, 1.5), 0.01 * k * std::pow(x, 1.5));
  // A step more or less of thirty: the duration of the contact is counted in steps.
  const double duration = 2.868 * std::pow(m * m / (r * e_star * e_star * v), 0.2);
  EXPECT_NEAR(out.duration, duration, 0.05 * duration);
}

TEST(ChungOoi, Test1ElasticNormalImpactOfTwoSpheres) {
  for (const Stuff& stuff : {glass, limestone}) {
    const double r = 0.01, v = 10;
    const Impact out = hit_each_other(impact_scene(stuff, r, 1, 0.35), {v, -v, 0, 0});
    expect_hertz(out, sphere_mass(stuff.density, r) / 2, r / 2,
                 stuff.young / (2 * (1 - stuff.poisson * stuff.poisson)), 2 * v);
    EXPECT_NEAR(out.a.v.x, -v, 0.002 * v);
    EXPECT_NEAR(out.b.v.x, v, 0.002 * v);
  }
}

TEST(ChungOoi, Test2ElasticNormalImpactOnAPlane) {
  for (const Stuff& stuff : {aluminium, magnesium}) {
    const double r = 0.1, v = 0.2;
    const Impact out = hit_plane(impact_scene(stuff, r, 1, 0), v, 0, 0);
    expect_hertz(out, sphere_mass(stuff.density, r), r,
                 stuff.young / (1 - stuff.poisson * stuff.poisson), v);
    EXPECT_NEAR(out.a.v.z, v, 0.002 * v);
  }
}

TEST(ChungOoi, Test3RestitutionAskedForIsMeasured) {
  for (const Stuff& stuff : {oxide, cast_iron})
    for (const double e : {0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1.0}) {
      const double v = 3.9;
      const Impact out = hit_plane(impact_scene(stuff, 0.0025, e, 0), v, 0, 0);
      EXPECT_NEAR(out.a.v.z, e * v, 0.01 * e * v) << e;
    }
}

/// Greatest overlap over the radius on a plane: by so much the contact is nearer to the centre than
/// the closed forms say.
double flattening(const Stuff& s, double v) {
  const double e_star = s.young / (1 - s.poisson * s.poisson);
  return std::pow(1.25 * std::numbers::pi * s.density * v * v / e_star, 0.4);
}

/// Sliding throughout on a plane: see the top.
void expect_sliding(const Impact& out, const Stuff& stuff, double v_n, double v_t, double spin,
                    double e, double mu, double r) {
  const double part = 0.01 + flattening(stuff, v_n);
  const double change = mu * (1 + e) * v_n * (v_t - r * spin > 0 ? 1 : -1);
  EXPECT_NEAR(out.a.v.z, e * v_n, 0.01 * v_n);
  EXPECT_NEAR(out.a.v.x, v_t - change, 0.01 * std::abs(change));
  EXPECT_NEAR(out.a.w.y, spin + 2.5 * change / r, part * 2.5 * std::abs(change) / r);
}
/// What a contact that sticks must keep.
void expect_sticking(const Impact& out, const Stuff& stuff, double v_n, double v_t, double spin,
                     double e, double r) {
  EXPECT_NEAR(out.a.v.z, e * v_n, 0.01 * v_n);
  const double scale = std::abs(v_t) + r * std::abs(spin);
  EXPECT_NEAR(v_t - out.a.v.x, 0.4 * r * (out.a.w.y - spin),
              (0.001 + flattening(stuff, v_n)) * scale);
  const double before = v_t * v_t + 0.4 * r * r * spin * spin;
  const double after = out.a.v.x * out.a.v.x + 0.4 * r * r * out.a.w.y * out.a.w.y;
  EXPECT_LE(after, 1.001 * before);
  EXPECT_LT(std::abs(out.a.v.x - r * out.a.w.y), std::abs(v_t - r * spin));
}

TEST(ChungOoi, Test4ObliqueImpactAtVaryingAngle) {
  const double v = 3.9, r = 0.0025, e = 0.98;
  for (const auto& [stuff, mu] : {std::pair{oxide, 0.092}, std::pair{alloy, 0.092}}) {
    for (const double degrees : {5.0, 10.0, 50.0, 60.0, 70.0, 80.0}) {
      const double a = degrees * std::numbers::pi / 180;
      const double v_n = v * std::cos(a), v_t = v * std::sin(a);
      const Impact out = hit_plane(impact_scene(stuff, r, e, mu), v_n, v_t, 0);
      SCOPED_TRACE(testing::Message() << degrees << " degrees, mu " << mu);
      if (degrees >= 50)
        expect_sliding(out, stuff, v_n, v_t, 0, e, mu, r);
      else
        expect_sticking(out, stuff, v_n, v_t, 0, e, r);
    }
  }
}

TEST(ChungOoi, Test5ObliqueImpactAtConstantNormalVelocity) {
  const double v_n = 5, r = 1e-5, mu = 0.3;
  const double e = 1;
  for (const Stuff& stuff : {steel, polyethylene, soft_polyethylene})
    for (const double tangent : {0.2, 0.5, 3.0, 5.0, 10.0}) {
      const double v_t = v_n * tangent;
      const Impact out = hit_plane(impact_scene(stuff, r, e, mu), v_n, v_t, 0);
      SCOPED_TRACE(tangent);
      if (tangent >= 3)
        expect_sliding(out, stuff, v_n, v_t, 0, e, mu, r);
      else
        expect_sticking(out, stuff, v_n, v_t, 0, e, r);
    }
}

TEST(ChungOoi, Test6ASpinningSphereHitsAPlane) {
  const double v_n = 0.2, r = 0.1, mu = 0.4, e = 0.5;
  for (const Stuff& stuff : {alloy, nylon})
    for (const double spin : {-1.0, -14.0, -20.0, 24.0}) {
      const Impact out = hit_plane(impact_scene(stuff, r, e, mu), v_n, 0, spin);
      SCOPED_TRACE(spin);
      if (std::abs(spin) > 10)
        expect_sliding(out, stuff, v_n, 0, spin, e, mu, r);
      else
        expect_sticking(out, stuff, v_n, 0, spin, e, r);
    }
}

/// Both slide against each other throughout; the normal is x, the surfaces move along y.
void expect_sliding_pair(const Impact& out, const Meeting& m, double e, double mu, double density,
                         double r) {
  const double ma = sphere_mass(density, r), mb = sphere_mass(density * m.density, r * m.size);
  const double p = (1 + e) * ma * mb / (ma + mb) * (m.v_a - m.v_b);
  // The surface of a moves at +r spin_a at the contact, that of b at -r size spin_b.
  const double sign = r * m.spin_a + r * m.size * m.spin_b > 0 ? 1 : -1;
  const double change = 1.0 / 100;
  EXPECT_NEAR(out.a.v.x, m.v_a - p / ma, change * p / ma);
  EXPECT_NEAR(out.b.v.x, m.v_b + p / mb, change * p / mb);
  EXPECT_NEAR(out.a.v.y, -sign * mu * p / ma, change * mu * p / ma);
  EXPECT_NEAR(out.b.v.y, sign * mu * p / mb, change * mu * p / mb);
  const double wa = 2.5 * mu * p / (ma * r), wb = 2.5 * mu * p / (mb * r * m.size);
  EXPECT_NEAR(out.a.w.z, m.spin_a - sign * wa, change * wa);
  EXPECT_NEAR(out.b.w.z, m.spin_b - sign * wb, change * wb);
}

TEST(ChungOoi, Test7OppositeSpinsAreKept) {
  const double v = 0.2, r = 0.1, mu = 0.4, e = 0.5;
  for (const Stuff& stuff : {alloy, copper})
    for (const double spin : {0.175, 2.0, 9.0, 22.0}) {
      const Impact out = hit_each_other(impact_scene(stuff, r, e, mu), {v, -v, spin, -spin});
      SCOPED_TRACE(spin);
      EXPECT_NEAR(out.a.v.x, -e * v, 0.01 * v);
      EXPECT_NEAR(out.a.w.z, spin, 0.001 * spin);
      EXPECT_NEAR(out.b.w.z, -spin, 0.001 * spin);
      EXPECT_NEAR(out.a.v.y, 0, 1e-4 * r * spin);
      EXPECT_NEAR(out.b.v.y, 0, 1e-4 * r * spin);
    }
}

/// Not of the paper: the same with equal spins, where surfaces slide.
TEST(ChungOoi, EqualSpinsSlide) {
  const double v = 0.2, r = 0.1, mu = 0.4, e = 0.5;
  for (const Stuff& stuff : {alloy, copper})
    for (const double spin : {15.0, 22.0, -20.0}) {
      const Meeting m{v, -v, spin, spin};
      expect_sliding_pair(hit_each_other(impact_scene(stuff, r, e, mu), m), m, e, mu, stuff.density,
                          r);
    }
}

TEST(ChungOoi, Test8SpinningSphereHitsALargeOne) {
  const double v = 0.2, r = 0.1, mu = 0.4, e = 0.5;
  for (const Stuff& stuff : {alloy, nylon})
    for (const double spin : {0.5, 12.0, 22.0}) {
      const Meeting m{v, 0, spin, 0, 5, 1000};
      const Impact out = hit_each_other(impact_scene(stuff, r, e, mu), m);
      SCOPED_TRACE(testing::Message() << "E " << stuff.young << ", spin " << spin);
      if (spin > 10) {
        expect_sliding_pair(out, m, e, mu, stuff.density, r);
      } else {  // sticks: angular momentum about the contact is kept
        EXPECT_NEAR(out.a.v.x, -e * v, 0.01 * v);
        EXPECT_NEAR(out.a.v.y, 0.4 * r * (out.a.w.z - spin), 0.002 * r * spin);
        EXPECT_LT(std::abs(out.a.v.y + r * out.a.w.z), r * spin);
      }
    }
}

/// With linear springs a contact that never slides has a closed form: the surface swings at
/// (7/2) k_t/m while the normal spring swings half a period at k/m, so that the contact point comes
/// back at cos(pi sqrt(7 k_t / (2 k))) of its speed (Schaefer, Dippel & Wolf 1996).
TEST(ChungOoi, LinearSpringsThatStickGiveBackTheCosine) {
  const double r = 0.005, v_n = 1, v_t = 0.3;
  for (const double nu : {0.0, 0.2, 0.4}) {
    Scene scene = impact_scene({1e11, nu, 2500}, r, 1, 20);
    scene.dem.normal_law = "linear";
    scene.dem.time_step = 5e-9;
    const Impact out = hit_plane(scene, v_n, v_t, 0);
    const double ratio = 2 * (1 - nu) / (2 - nu);  // k_t/k = 4 G*/E*
    const double surface = v_t * std::cos(std::numbers::pi * std::sqrt(3.5 * ratio));
    EXPECT_NEAR(out.a.v.x - r * out.a.w.y, surface, 0.01 * v_t) << nu;
  }
}

}  // namespace
}  // namespace talus
