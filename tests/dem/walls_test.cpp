// Bodies as grains meet them: primitives, meshes, rough ones, moving ones; what they feel.
#include "core/random.h"
#include "dem/grain_shape.h"
#include "geometry/png_image.h"
#include "grain_bench.h"

#include <cstdio>

namespace talus {
namespace {

constexpr double g = 9.81;

Body solid(ShapeKind kind, const Vec3d& size, double friction = 0.5) {
  Body body = plane_body(friction);
  body.name = "solid";
  body.shape.kind = kind;
  body.shape.size = size;
  body.shape.radius = size.x;
  body.shape.height = size.z;
  body.field = *make_distance_field(body.shape, 0.005);
  return body;
}

Body mesh_cube(double edge) {
  const std::string file = testing::TempDir() + "/walls_cube.obj";
  std::FILE* out = std::fopen(file.c_str(), "w");
  for (int k = 0; k < 8; ++k)
    std::fprintf(out, "v %g %g %g\n", edge * ((k & 1) - 0.5), edge * ((k >> 1 & 1) - 0.5),
                 edge * ((k >> 2 & 1) - 0.5));
  std::fputs(
      "f 1 3 4\nf 1 4 2\nf 5 6 8\nf 5 8 7\nf 1 2 6\nf 1 6 5\nf 3 7 8\nf 3 8 4\nf 1 5 7\nf 1 7 3\n"
      "f 2 4 8\nf 2 8 6\n",
      out);
  std::fclose(out);
  Body body = plane_body(0.5);
  body.name = "cube";
  body.shape.kind = ShapeKind::mesh;
  body.shape.file = file;
  body.field = *make_distance_field(body.shape, 0.004);
  return body;
}

double weight_of(double diameter) {
  return g * 2500 * std::numbers::pi / 6 * std::pow(diameter, 3);
}

TEST(Walls, ASphereRestsOnAnySurfaceAtItsHeightAndTheBodyFeelsItsWeight) {
  std::vector<Body> kinds{solid(ShapeKind::box, {0.2, 0.2, 0.1}),
                          solid(ShapeKind::cylinder, {0.1, 0, 0.1}), mesh_cube(0.1)};
  for (Body& body : kinds) {
    const Executor executor(1);
    body.state.pose.position = {0.3, -0.2, -0.05};
    std::vector<Body> bodies{body};
    Scene scene = grain_scene();
    scene.gravity = {0, 0, -g};
    scene.materials[0].restitution = 0.2;
    scene.materials[0].friction = 0.5;
    auto solver = make_grains(scene, bodies, executor);
    Batch batch;
    batch.add({0.32f, -0.19f, 0.0055f});
    solver->add(batch.view());
    advance(*solver, 0.4);
    const auto at = of_grain<Vec3f>(*solver, 0, "position");
    EXPECT_NEAR(at.z, 0.005, 1e-4) << static_cast<int>(body.shape.kind);
    EXPECT_LT(norm(of_grain<Vec3f>(*solver, 0, "velocity")), 2e-4);
    const double w = weight_of(0.01);
    EXPECT_NEAR(bodies[0].load.force.z, -w, 0.01 * w);
    // About the body's centre: r x F with r = (0.02, 0.01).
    EXPECT_NEAR(bodies[0].load.torque.x, -0.01 * w, 0.02 * 0.02 * w);
    EXPECT_NEAR(bodies[0].load.torque.y, 0.02 * w, 0.02 * 0.02 * w);
  }
}

/// Where the sphere comes to rest on or in a body that stands at the origin, m.
struct Seat {
  const char* what;
  Shape shape;
  double height;
};

std::string grey_picture(const char* name, int left, int right) {
  constexpr int size = 40;
  std::vector<std::uint8_t> rgb;
  for (int y = 0; y < size; ++y)
    for (int x = 0; x < size; ++x)
      for (int c = 0; c < 3; ++c)
        rgb.push_back(static_cast<std::uint8_t>(left + (right - left) * x / (size - 1)));
  const std::string path = testing::TempDir() + "/" + name;
  EXPECT_TRUE(write_png(path, size, size, rgb).ok());
  return path;
}

std::vector<Seat> seats() {
  const auto shape = [](ShapeKind kind, bool inside_out = false) {
    Shape s = default_shape();
    s.kind = kind;
    s.radius = s.radius_top = 0.05;
    s.height = 0.1;
    s.size = {0.1, 0.1, 0.1};
    s.inside_out = inside_out;
    return s;
  };
  std::vector<Seat> out{
      {"plane", shape(ShapeKind::plane), 0},
      {"box", shape(ShapeKind::box), 0.05},
      {"hollow box", shape(ShapeKind::box, true), -0.05},
      {"sphere", shape(ShapeKind::sphere), 0.05},
      {"hollow sphere", shape(ShapeKind::sphere, true), -0.05},
      {"cylinder", shape(ShapeKind::cylinder), 0.05},
      {"hollow cylinder", shape(ShapeKind::cylinder, true), -0.05},
      {"cone", shape(ShapeKind::cone), 0.05},
      {"hollow cone", shape(ShapeKind::cone, true), -0.05},
      {"capsule", shape(ShapeKind::capsule), 0.1},
      {"hollow capsule", shape(ShapeKind::capsule, true), -0.1},
      {"height field", shape(ShapeKind::height_field), 0.1 * 51 / 255},
  };
  for (Seat& seat : out) {
    if (std::string(seat.what).find("cone") != std::string::npos) seat.shape.radius_top = 0.03;
    if (seat.shape.kind == ShapeKind::height_field)
      seat.shape.file = grey_picture("flat.png", 51, 51);
  }
  return out;
}

TEST(Walls, ASphereRestsOnOrInEveryKindOfShape) {
  for (const Seat& seat : seats()) {
    const Executor executor(1);
    Body body = plane_body(0.5);
    body.shape = seat.shape;
    body.field = *make_distance_field(body.shape, 0.005);
    std::vector<Body> bodies{body};
    Scene scene = grain_scene();
    scene.gravity = {0, 0, -g};
    scene.materials[0].restitution = 0.2;
    auto solver = make_grains(scene, bodies, executor);
    Batch batch;
    batch.add({0, 0, static_cast<float>(seat.height + 0.0055)});
    solver->add(batch.view());
    advance(*solver, 0.3);
    EXPECT_NEAR(of_grain<Vec3f>(*solver, 0, "position").z, seat.height + 0.005, 2e-4) << seat.what;
    EXPECT_LT(norm(of_grain<Vec3f>(*solver, 0, "velocity")), 1e-3) << seat.what;
    const double w = weight_of(0.01);
    EXPECT_NEAR(bodies[0].load.force.z, -w, 0.02 * w) << seat.what;
  }
}

/// Without friction a sphere runs down a slope of a height field at g sin(a) cos(a) along x.
TEST(Walls, AHeightFieldHasTheSlopeOfItsPicture) {
  const Executor executor(1);
  Body body = plane_body(0);
  body.shape.kind = ShapeKind::height_field;
  body.shape.file = grey_picture("slope.png", 0, 234);  // whole steps of 6 from pixel to pixel
  body.shape.size = {0.4, 0.4, 0.1};
  body.field = *make_distance_field(body.shape, 0.005);
  std::vector<Body> bodies{body};
  Scene scene = grain_scene();
  scene.gravity = {0, 0, -g};
  scene.materials[0].restitution = 0.1;
  auto solver = make_grains(scene, bodies, executor);
  Batch batch;
  const double a = std::atan(0.1 * 234 / 255 / 0.4);
  batch.add({0.1f, 0, static_cast<float>(0.3 * std::tan(a) + 0.005 / std::cos(a) + 1e-5)});
  solver->add(batch.view());
  advance(*solver, 0.1);
  const auto before = of_grain<Vec3f>(*solver, 0, "velocity");
  advance(*solver, 0.2);
  const auto after = of_grain<Vec3f>(*solver, 0, "velocity");
  const double pull = g * std::sin(a) * std::cos(a);
  EXPECT_NEAR((before.x - after.x) / 0.2, pull, 0.03 * pull);
  EXPECT_NEAR(after.y, 0, 0.01);
}

TEST(Walls, AMovingWallThrowsASphereAtItsSpeedAndRestitution) {
  const Executor executor(1);
  const double u = 1.5, e = 0.7;
  std::vector<Body> bodies{solid(ShapeKind::box, {0.05, 0.1, 0.1}, 0)};
  bodies[0].motion = BodyMotion::scripted;
  bodies[0].state.velocity = {u, 0, 0};
  Scene scene = grain_scene();
  scene.materials[0].restitution = e;
  auto solver = make_grains(scene, bodies, executor);
  Batch batch;
  batch.add({0.035f, 0, 0});
  solver->add(batch.view());
  double impulse = 0;
  while (solver->time() < 0.02) {
    const double before = solver->time();
    ASSERT_TRUE(solver->step(1e-3).ok());
    const double dt = solver->time() - before;
    impulse += bodies[0].load.force.x * dt;
    bodies[0].state.pose.position.x += u * dt;  // what moves bodies in a run
  }
  EXPECT_NEAR(of_grain<Vec3f>(*solver, 0, "velocity").x, (1 + e) * u, 0.01 * (1 + e) * u);
  const double p = weight_of(0.01) / g * (1 + e) * u;
  EXPECT_NEAR(-impulse, p, 0.01 * p);
}

/// A sphere finds a dimple on a rough surface, and slides on a smooth one.
TEST(Walls, RoughSurfacesHoldWithoutFriction) {
  for (const bool rough : {false, true}) {
    const Executor executor(1);
    std::vector<Body> bodies{solid(ShapeKind::box, {0.3, 0.3, 0.1}, 0)};
    bodies[0].state.pose.position = {0, 0, -0.05};
    Scene scene = grain_scene();
    scene.materials[0].restitution = 0.2;
    scene.gravity = {g * std::sin(0.1), 0, -g * std::cos(0.1)};
    SceneBody floor = default_body();
    floor.rough = rough;
    scene.bodies = {floor};
    auto solver = make_grains(scene, bodies, executor);
    Batch batch;
    for (int k = 0; k < 9; ++k)
      batch.add({static_cast<float>(k % 3) * 0.04f - 0.1f,
                 static_cast<float>(k / 3) * 0.04f - 0.04f, 0.006f});
    solver->add(batch.view());
    advance(*solver, 0.4);
    int held = 0;
    for (std::uint64_t k = 0; k < 9; ++k) {
      const auto v = of_grain<Vec3f>(*solver, k, "velocity");
      held += std::abs(v.x) < 0.05f;
      EXPECT_GT(of_grain<Vec3f>(*solver, k, "position").z, -0.005f);  // nobody falls through
    }
    EXPECT_EQ(held, rough ? 9 : 0);
    const double w = 9 * weight_of(0.01) * std::cos(0.1);
    if (rough) {
      EXPECT_NEAR(bodies[0].load.force.z, -w, 0.05 * w);
    }
  }
}

TEST(Walls, AFunnelLetsGrainsOutOnlyThroughItsMouth) {
  const Executor executor(2);
  Body funnel = plane_body(0.2);
  funnel.name = "funnel";
  funnel.shape.kind = ShapeKind::tube;
  funnel.shape.radius = 0.02;
  funnel.shape.radius_top = 0.05;
  funnel.shape.height = 0.05;
  funnel.shape.thickness = 0.006;
  funnel.field = *make_distance_field(funnel.shape, 0.002);
  std::vector<Body> bodies{funnel};
  Scene scene = grain_scene("clump4", 0.006);
  scene.gravity = {0, 0, -g};
  scene.materials[0].friction = 0.2;
  scene.materials[0].young_modulus = 1e7;
  auto solver = make_grains(scene, bodies, executor);
  Batch batch;
  for (int k = 0; k < 300; ++k)
    batch.add({static_cast<float>(k % 5) * 0.007f - 0.014f,
               static_cast<float>(k / 5 % 5) * 0.007f - 0.014f,
               static_cast<float>(k / 25) * 0.007f + 0.0f});
  solver->add(batch.view());
  int out = 0;
  while (solver->time() < 0.5) {
    ASSERT_TRUE(solver->step(1e-3).ok());
    if (solver->steps() % 50 != 0) continue;
    // Whoever is below the mouth came through it: within its radius there, and falling.
    out = 0;
    for (const Vec3f& p : grain_field<Vec3f>(*solver, "position")) {
      if (p.z < -0.025f && p.z > -0.03f) {
        EXPECT_LT(std::hypot(p.x, p.y), 0.022f);
      }
      out += p.z < -0.025f;
    }
  }
  EXPECT_GT(out, 100);
}

TEST(Walls, CollisionsAcrossAPeriodicBorderAreLikeAnyOther) {
  Vec3f reference{};
  for (const double at : {0.05, 0.0, 0.0999}) {
    const Executor executor(1);
    std::vector<Body> none;
    Scene scene = grain_scene();
    scene.materials[0].friction = 0.4;
    scene.periodic = {true, true, true};
    scene.domain_upper = {0.1, 0.1, 0.1};
    auto solver = make_grains(scene, none, executor);
    const auto wrap = [](double x) { return static_cast<float>(x - 0.1 * std::floor(x / 0.1)); };
    Batch batch;
    batch.add({wrap(at - 0.006), 0.05f, 0.05f}, {1, 0.2f, 0});
    batch.add({wrap(at + 0.006), 0.052f, 0.05f}, {-1, 0, 0.1f});
    solver->add(batch.view());
    advance(*solver, 0.01);
    const auto v = of_grain<Vec3f>(*solver, 0, "velocity");
    EXPECT_LT(v.x, -0.3f);
    if (at == 0.05) reference = v;
    EXPECT_LT(norm(v - reference), 2e-3f) << at;
  }
}

/// Memory depends on the number of grains, not on where they are; nobody is lost.
TEST(Walls, FarAndFastGrainsAreKeptAndCostNoMemory) {
  const Executor executor(2);
  std::size_t bytes[2];
  for (const bool wild : {false, true}) {
    std::vector<Body> bodies{plane_body(0.5)};
    Scene scene = grain_scene("clump4");
    scene.gravity = {0, 0, -g};
    scene.dem.time_step = 1e-5;
    auto solver = make_grains(scene, bodies, executor);
    Batch batch;
    for (int k = 0; k < 1000; ++k)
      batch.add({static_cast<float>(k % 10) * 0.011f, static_cast<float>(k / 10 % 10) * 0.011f,
                 static_cast<float>(k / 100) * 0.011f + 0.006f});
    const float far = wild ? 1e6f : 0.5f, fast = wild ? 1000.0f : 1.0f;
    batch.add({far, 0, far});
    batch.add({-far, far, 100});
    batch.add({0, 0, 0.5f}, {fast, 0, fast});
    batch.add({0.05f, 0, 0.5f}, {0, fast, fast});
    solver->add(batch.view());
    for (int k = 0; k < 300; ++k) ASSERT_TRUE(solver->step(1e-5).ok());
    EXPECT_EQ(solver->particles().size(), 1004u);
    bytes[wild] = solver->memory_bytes();
    if (!wild) continue;
    EXPECT_NEAR(of_grain<Vec3f>(*solver, 1002, "position").x, 3.0, 0.01);
    EXPECT_NEAR(of_grain<Vec3f>(*solver, 1000, "position").x, 1e6, 1);
  }
  EXPECT_LT(bytes[1], 2 * bytes[0]);
}

TEST(Walls, AnEndlessSurfaceCannotBeRough) {
  const Executor executor(1);
  std::vector<Body> bodies{plane_body(0.5)};
  Scene scene = grain_scene();
  SceneBody floor = default_body();
  floor.rough = true;
  scene.bodies = {floor};
  const auto solver = make_dem_solver(scene, bodies, executor);
  ASSERT_FALSE(solver.ok());
  EXPECT_NE(solver.error().message.find("'ground'"), std::string::npos) << solver.error().message;
}

}  // namespace
}  // namespace talus
