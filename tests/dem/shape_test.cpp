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

std::string write_file(const char* name, const char* text) {
  const std::string file = testing::TempDir() + "/" + name;
  std::FILE* out = std::fopen(file.c_str(), "w");
  std::fputs(text, out);
  std::fclose(out);
  return file;
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
  EXPECT_FALSE(fit_balls(open, 4).ok());
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
