// Mass, centre and inertia of unions of spheres, against closed forms; files; fits; bad input.
#include "dem/grain_shape.h"
#include "dem/pair_laws.h"
#include "dem/restitution.h"
#include "grain_bench.h"

#include <cstdio>

namespace talus {
namespace {

TEST(Shape, UnionOfTwoSpheresHasTheLensTakenOnce) {
  const double r = 1, d = 1.2;
  const std::vector<Ball> balls{{{-d / 2, 0, 0}, r}, {{d / 2, 0, 0}, r}};
  const double lens = std::numbers::pi * (4 * r + d) * (2 * r - d) * (2 * r - d) / 12;
  const double theory = 2 * 4.0 / 3.0 * std::numbers::pi - lens;
  const UnionProperties u = union_of_balls(balls);
  EXPECT_NEAR(u.volume, theory, 1e-4 * theory);
  EXPECT_NEAR(norm(u.centre), 0, 1e-6);
  EXPECT_NEAR(u.inertia.yy, u.inertia.zz, 1e-4 * u.inertia.yy);
  EXPECT_GT(u.inertia.yy, 1.5 * u.inertia.xx);
}

TEST(Shape, InertiaOfDistantSpheresFollowsTheParallelAxes) {
  const std::vector<Ball> balls{{{0, 0, 0}, 1}, {{5, 0, 0}, 2}};
  const double m1 = 4.0 / 3.0 * std::numbers::pi, m2 = 8 * m1, c = 5 * m2 / (m1 + m2);
  const UnionProperties u = union_of_balls(balls);
  EXPECT_NEAR(u.centre.x, c, 1e-4 * c);
  const double own = 0.4 * m1 + 0.4 * m2 * 4;
  EXPECT_NEAR(u.inertia.xx, own, 1e-3 * own);
  EXPECT_NEAR(u.inertia.yy, own + m1 * c * c + m2 * (5 - c) * (5 - c), 1e-3 * u.inertia.yy);
}

/// Counted in points that are spread evenly (Roberts' sequence) over the box around: an independent
/// measure of volume, centre and principal moments, good to a few parts in a thousand.
void expect_as_counted(const GrainShape& shape) {
  constexpr int points = 400'000;
  constexpr double golden = 1.2207440846057596;  // the root of x^4 = x + 1
  double n = 0;
  Vec3d first{};
  Sym3d second{};
  for (int k = 0; k < points; ++k) {
    const auto part = [&](int power) {
      return std::fmod(0.5 + k / std::pow(golden, power), 1.0) - 0.5;
    };
    const Vec3d p{part(1), part(2), part(3)};
    bool inside = false;
    for (const Ball& b : shape.balls) inside |= norm(p - b.centre) < b.radius;
    if (!inside) continue;
    ++n;
    first += p;
    second = second + Sym3d{p.x * p.x, p.y * p.y, p.z * p.z, p.x * p.y, p.x * p.z, p.y * p.z};
  }
  EXPECT_NEAR(shape.volume, n / points, 0.005 * n / points) << shape.name;
  EXPECT_LT(norm(first / n), 0.002) << shape.name;
  const Vec3d moments =
      Vec3d{second.yy + second.zz, second.xx + second.zz, second.xx + second.yy} / n;
  for (int c = 0; c < 3; ++c)
    EXPECT_NEAR(shape.inertia[c], moments[c], 0.01 * moments[c]) << shape.name << " axis " << c;
  for (const double off : {second.xy, second.xz, second.yz})
    EXPECT_NEAR(off / n, 0, 0.01 * moments.x) << shape.name;  // principal axes
}

std::string write_file(const char* name, const char* text) {
  const std::string file = testing::TempDir() + "/" + name;
  std::FILE* out = std::fopen(file.c_str(), "w");
  std::fputs(text, out);
  std::fclose(out);
  return file;
}

TEST(Shape, MassCentreAndInertiaAreThoseOfTheUnion) {
  for (const char* name : {"sphere", "clump2", "clump4", "clump6", "clump8", "clump9"})
    expect_as_counted(*load_grain_shape(name, 0));
  const auto lump = load_grain_shape(
      write_file("lump.csv",
                 "# x, y, z, radius\n0, 0, 0, 1\n1.2, 0, 0, 0.8\n0.3, 0.9, 0, 0.5\n"
                 "0, 0.2, 0.7, 0.6\n"),
      0);
  ASSERT_TRUE(lump.ok()) << lump.error().message;
  EXPECT_EQ(lump->balls.size(), 4u);
  EXPECT_FALSE(lump->isotropic);
  expect_as_counted(*lump);
}

/// Spheres in a row, each overlapping the next by a lens and touching the one after: oblique to
/// the grid of columns, and long.
TEST(Shape, LongChainsAreMeasuredAsWell) {
  std::vector<Ball> balls;
  for (int k = 0; k < 100; ++k)
    balls.push_back({Vec3d{k * std::sqrt(0.5), k * std::sqrt(0.5), 0}, 1});
  const double ball = 4.0 / 3.0 * std::numbers::pi, lens = 5 * std::numbers::pi / 12;
  const double theory = 100 * ball - 99 * lens;
  EXPECT_NEAR(union_of_balls(balls).volume, theory, 0.003 * theory);
}

TEST(Shape, NamedShapesAreScaledCentredAndConnected) {
  for (const char* name : {"sphere", "clump2", "clump4", "clump6", "clump8", "clump9"}) {
    const auto shape = load_grain_shape(name, 0);
    ASSERT_TRUE(shape.ok()) << name;
    double reach = 0;
    for (const Ball& b : shape->balls) reach = std::max(reach, norm(b.centre) + b.radius);
    EXPECT_NEAR(reach, 0.5, 1e-9) << name;
    EXPECT_EQ(shape->pieces, 1) << name;
    EXPECT_EQ(shape->isotropic, std::string(name) != "clump2") << name;
    EXPECT_LE(shape->volume, 0.5236 + 1e-9);
  }
  EXPECT_EQ(load_grain_shape("clump4", 0)->balls.size(), 4u);
}

TEST(Shape, BadFilesAreRefusedWithTheLine) {
  for (const char* text : {"0 0 0 1\n0 0 0 -1\n", "0 0 0 1\n1 0 0 0\n", "0 0 0 1\n1 2 3\n",
                           "0 0 0 1\n1 2 3 4 5\n", "0 0 0 1\nnan 0 0 1\n"}) {
    const auto shape = load_grain_shape(write_file("bad.txt", text), 0);
    ASSERT_FALSE(shape.ok()) << text;
    EXPECT_NE(shape.error().message.find("bad.txt:2:"), std::string::npos) << shape.error().message;
  }
  EXPECT_FALSE(load_grain_shape(write_file("empty.txt", "# nothing\n"), 0).ok());
}

TEST(Shape, DisconnectedSpheresAreAllowedAndCounted) {
  const auto shape = load_grain_shape(write_file("two.txt", "0 0 0 1\n5 0 0 1\n"), 0);
  ASSERT_TRUE(shape.ok());
  EXPECT_EQ(shape->pieces, 2);
  Scene scene = grain_scene();
  scene.materials[0].grain_shape = testing::TempDir() + "/two.txt";
  const Executor executor(1);
  std::vector<Body> none;
  const auto solver = make_grains(scene, none, executor);
  ASSERT_EQ(solver->notes().size(), 1u);
  EXPECT_NE(solver->notes()[0].find("falls into 2 pieces"), std::string::npos);
}

/// Pieces are measured each for itself: a grid over both would miss them.
TEST(Shape, PiecesFarApartHaveTheirMass) {
  const std::vector<Ball> balls{{{0, 0, 0}, 1}, {{2000, 1500, 0}, 2}};
  const double m1 = 4.0 / 3.0 * std::numbers::pi, m2 = 8 * m1;
  const UnionProperties u = union_of_balls(balls);
  EXPECT_NEAR(u.volume, m1 + m2, 1e-3 * (m1 + m2));
  EXPECT_NEAR(u.centre.x, 2000 * m2 / (m1 + m2), 1);
  const double across = m1 * m2 / (m1 + m2) * 2500 * 2500;
  EXPECT_NEAR(u.inertia.zz, across, 1e-3 * across);
  const auto far = load_grain_shape(write_file("far.txt", "0 0 0 1\n1e30 0 0 1\n"), 0);
  ASSERT_FALSE(far.ok());
  EXPECT_NE(far.error().message.find("nearer together"), std::string::npos) << far.error().message;
}

TEST(Shape, AClumpFillsTheMeshItIsFittedTo) {
  const std::string file =
      write_file("box.obj",
                 "v 0 0 0\nv 2 0 0\nv 2 1 0\nv 0 1 0\nv 0 0 1\nv 2 0 1\nv 2 1 1\nv 0 1 1\n"
                 "f 1 4 3 2\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n");
  const auto balls = fit_balls(file, 12);
  ASSERT_TRUE(balls.ok()) << balls.error().message;
  EXPECT_EQ(balls->size(), 12u);
  for (const Ball& b : *balls) {
    EXPECT_GT(b.centre.x - b.radius, -0.1);
    EXPECT_LT(b.centre.x + b.radius, 2.1);
    EXPECT_LT(b.centre.z + b.radius, 1.1);
  }
  const UnionProperties u = union_of_balls(*balls);
  EXPECT_GT(u.volume, 1.2);  // of 2
  EXPECT_LT(u.volume, 2.0);
  const std::string open = write_file("open.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
  const auto refused = fit_balls(open, 4);
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.error().message.find("1 hole with 3 open edges"), std::string::npos)
      << refused.error().message;
  EXPECT_EQ(refused.error().message.find("force_mesh"), std::string::npos);  // a body's key
}

/// Moment of inertia about the axis it spins about, from a sphere that hits it off its centre:
/// what the sphere's path loses of angular momentum is in the spin.
double inertia_by_collision(const char* inertia) {
  const Executor executor(1);
  std::vector<Body> none;
  Scene scene = grain_scene("clump4");
  scene.dem.inertia = inertia;
  scene.materials.push_back(scene.materials[0]);
  scene.materials[1].grain_shape = "sphere";
  auto solver = make_grains(scene, none, executor);
  Batch batch;
  batch.add({0, 0, 0}, {}, 0);
  batch.add({-0.012f, 0.003f, 0.001f}, {2, 0, 0}, 1);
  solver->add(batch.view());
  const double mass[2] = {solver->particle_mass(0), solver->particle_mass(1)};
  const auto of_paths = [&] {
    Vec3d sum{};
    for (std::uint64_t k = 0; k < 2; ++k)
      sum += cross(Vec3d(of_grain<Vec3f>(*solver, k, "position")),
                   Vec3d(of_grain<Vec3f>(*solver, k, "velocity"))) *
             mass[k];
    return sum;
  };
  const Vec3d before = of_paths();
  advance(*solver, 0.01);
  EXPECT_LT(norm(of_grain<Vec3f>(*solver, 1, "angular_velocity")), 1e-4);  // no friction
  const Vec3d spin(of_grain<Vec3f>(*solver, 0, "angular_velocity"));
  EXPECT_GT(norm(spin), 20);
  return dot(before - of_paths(), spin) / dot(spin, spin);
}

/// Longmore's solid tetrahedron, m s^2/20 with s the edge, is an option; by default the union.
TEST(Shape, InertiaIsOfTheUnionOrTheTetrahedronOfTheThesis) {
  const auto shape = load_grain_shape("clump4", 0);
  const double mass = 2500 * shape->volume * 1e-6;
  const double exact = shape->inertia.x * mass * 1e-4;
  const double scalar = shape->edge * shape->edge / 20 * mass * 1e-4;
  EXPECT_GT(std::abs(exact - scalar), 0.2 * exact);  // else this would tell nothing
  EXPECT_NEAR(inertia_by_collision("exact"), exact, 0.01 * exact);
  EXPECT_NEAR(inertia_by_collision("scalar"), scalar, 0.01 * scalar);
}

TEST(Input, PairsOfMaterialsAndBodiesHaveTheFrictionThatTheSceneGives) {
  Scene scene = grain_scene();
  scene.materials.push_back(scene.materials[0]);
  scene.materials[0].friction = 0.2;
  scene.materials[1].friction = 0.8;
  scene.materials[1].restitution = 0.4;
  SceneBody wall = default_body();
  wall.restitution = 0.1;
  scene.bodies = {wall};
  std::vector<Body> bodies{plane_body(0.33)};
  const auto shapes = grain_shapes(scene);
  ASSERT_TRUE(shapes.ok());
  const auto laws = dem::PairLaws::create(scene, *shapes, bodies);
  ASSERT_TRUE(laws.ok());
  EXPECT_NEAR((*laws)(0, 1).friction, 0.4, 1e-6);
  EXPECT_NEAR((*laws)(1, 0).friction, 0.4, 1e-6);
  EXPECT_NEAR((*laws)(1, laws->body_surface(0)).friction, 0.33, 1e-6);
  const double b = dem::damping_for(dem::NormalLaw::hertz, std::sqrt(0.4 * 0.1));
  EXPECT_NEAR((*laws)(1, laws->body_surface(0)).damping, b, 1e-3 * b);
  scene.contacts = {{0, 1, 0.07, 0.9}};
  const auto given = dem::PairLaws::create(scene, *shapes, bodies);
  ASSERT_TRUE(given.ok());
  EXPECT_NEAR((*given)(0, 1).friction, 0.07, 1e-6);
  EXPECT_NEAR((*given)(1, 1).friction, 0.8, 1e-6);
  EXPECT_LT((*given)(0, 1).damping, (*laws)(0, 1).damping);
}

TEST(Input, ImpossibleMaterialsAreRefusedByName) {
  const Executor executor(1);
  std::vector<Body> none;
  const auto refused = [&](auto&& change) {
    Scene scene = grain_scene();
    change(scene.materials[0]);
    const auto solver = make_dem_solver(scene, none, executor);
    return !solver.ok() && solver.error().message.find("'grains'") != std::string::npos;
  };
  EXPECT_TRUE(refused([](Material& m) { m.young_modulus = 0; }));
  EXPECT_TRUE(refused([](Material& m) { m.restitution = 0; }));
  EXPECT_TRUE(refused([](Material& m) { m.restitution = 1.1; }));
  EXPECT_TRUE(refused([](Material& m) { m.poisson_ratio = 0.5; }));
  EXPECT_TRUE(refused([](Material& m) { m.grain_diameter = -1; }));
  EXPECT_TRUE(refused([](Material& m) { m.grain_density = 0; }));
  EXPECT_TRUE(refused([](Material& m) { m.grain_shape = "/nowhere/x.txt"; }));
}

}  // namespace
}  // namespace talus
