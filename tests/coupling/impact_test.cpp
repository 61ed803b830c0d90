// Things that fall into sand.
#include "coupling/sand_and_bodies.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace talus::test {
namespace {

constexpr double a = 0.04, radius = 0.1, surface = 0.4;

struct Drop {
  double density, spacing = a, seconds = 1, restitution = 0.2;
  std::uint64_t seed = 1;
};

struct Impact {
  double depth;    ///< m, of the lowest point below the surface at the end
  double deepest;  ///< m, the same at any time
  double rebound;  ///< m/s, fastest upward motion after the impact
  double speed;    ///< m/s, at the end
  double rising;   ///< m/s, upwards at the end
};

/// A ball of 20 cm falls into a bed of 40 cm with 2 m/s.
Impact drop(const Drop& d) {
  Scene scene = sand_scene(d.spacing);
  scene.seed = d.seed;
  scene.bodies = {container(0.64, 0.64)};
  scene.fills = {bed({0.64, 0.64, surface}, {0, 0, surface / 2})};
  SceneBody ball =
      loose_ball("ball", radius, {0, 0, surface + radius + 0.2 * d.spacing}, d.density);
  ball.velocity = {0, 0, -2};
  ball.restitution = d.restitution;
  scene.bodies.push_back(ball);
  Sandbox box(scene);
  Impact out{};
  out.deepest = -1;
  const auto depth = [&] { return surface - (box.body("ball").state.pose.position.z - radius); };
  box.run(d.seconds, [&] {
    out.rebound = std::max(out.rebound, box.body("ball").state.velocity.z);
    out.deepest = std::max(out.deepest, depth());
  });
  out.depth = depth();
  out.speed = norm(box.body("ball").state.velocity);
  out.rising = box.body("ball").state.velocity.z;
  return out;
}

TEST(Impact, TheLighterReboundsAndFloatsTheHeavierDigsDeeper) {
  std::vector<Impact> impacts;
  for (const double density : {50.0, 200.0, 1600.0, 3200.0, 6400.0}) {
    impacts.push_back(drop({density}));
    std::printf("%5.0f kg/m^3: %.3f m deep, rebound %.3f m/s, then %.4f m/s\n", density,
                impacts.back().depth, impacts.back().rebound, impacts.back().speed);
  }
  for (std::size_t i = 1; i < impacts.size(); ++i)
    EXPECT_GT(impacts[i].depth, impacts[i - 1].depth) << i;
  // Depth over the cubic root of the whole way that a ball has fallen, from where it was at rest to
  // where it stops, grows with the root of density (Uehara et al. 2003; Ambroso et al. 2005).
  const auto scaled = [](const Impact& i) {
    constexpr double speed = 2, g = 9.81;
    return i.depth / std::cbrt(speed * speed / (2 * g) + i.depth);
  };
  EXPECT_NEAR(std::log(scaled(impacts[4]) / scaled(impacts[2])) / std::log(6400.0 / 1600), 0.5,
              0.1);
  EXPECT_GT(impacts.front().rebound, 0.15);
  EXPECT_GT(impacts[1].rebound, 0.1);
  EXPECT_GT(impacts[1].rebound, 3 * impacts.back().rebound);
  EXPECT_LT(impacts.front().depth, radius) << "floats";
  EXPECT_GT(impacts.back().depth, radius);
  for (const Impact& i : impacts) EXPECT_LT(std::abs(i.rising), 0.02);
  // The lightest lies on top, where nothing keeps a ball from rolling.
  for (std::size_t i = 1; i < impacts.size(); ++i) EXPECT_LT(impacts[i].speed, 0.02) << i;
}

TEST(Impact, ALightBallReboundsAtAnyResolutionAndSeed) {
  // Without restitution hardly anything: sand lets go of what it was compressed by.
  struct Row {
    double spacing;
    std::uint64_t seed;
  };
  for (const Row& row : {Row{0.04, 1}, Row{0.04, 2}, Row{0.04, 3}, Row{0.08 / 3, 1}}) {
    const double none = drop({50, row.spacing, 0.1, 0, row.seed}).rebound,
                 some = drop({50, row.spacing, 0.1, 0.2, row.seed}).rebound,
                 much = drop({50, row.spacing, 0.1, 0.6, row.seed}).rebound,
                 denser = drop({200, row.spacing, 0.1, 0.2, row.seed}).rebound;
    std::printf(
        "spacing %.3f m, seed %d, 50 kg/m^3: rebound %.3f, %.3f, %.3f m/s with 0, 0.2, 0.6;"
        " 200 kg/m^3: %.3f m/s with 0.2\n",
        row.spacing, static_cast<int>(row.seed), none, some, much, denser);
    EXPECT_LT(none, 0.05);
    EXPECT_GT(some, 0.15);
    EXPECT_LT(some, 0.4);
    EXPECT_GT(much, some + 0.2);
    EXPECT_LT(much, 1.2);
    EXPECT_LT(denser, 0.4);
  }
}

TEST(Impact, ItBeginsWhereTheSurfacesTouch) {
  // The kernel reaches further: a light ball would be stopped a sixth of a spacing above the sand.
  for (const double spacing : {0.04, 0.08 / 3})
    for (const std::uint64_t seed : {1, 2}) {
      const double deepest = drop({50, spacing, 0.03, 0, seed}).deepest;
      std::printf("spacing %.3f m, seed %d: %.4f m deep after 30 ms\n", spacing,
                  static_cast<int>(seed), deepest);
      EXPECT_GT(deepest, -0.05 * spacing);
      // Measured balls (Uehara et al. 2003): 5.4 cm of one as dense as sand times sqrt(50/1600).
      EXPECT_LT(deepest, 1.5 * 0.0095);
    }
}

TEST(Impact, ABallThreeTimesAsDenseIsCarriedByMovingSand) {
  // A layer without ends that moves over a floor without friction, and a ball in it at rest.
  Scene scene = sand_scene(a);
  scene.periodic = {true, true, false};
  scene.domain_lower = {-7 * a, -7 * a, 0};
  scene.domain_upper = {7 * a, 7 * a, 10};
  SceneBody floor = body("floor", ShapeKind::plane, {});
  floor.friction = 0;
  scene.bodies = {floor, loose_ball("ball", radius, {0, 0, 5 * a}, 3 * sand_density)};
  scene.fills = {bed({14 * a, 14 * a, 8 * a}, {0, 0, 4 * a})};
  scene.fills[0].velocity = {0.5, 0, 0};
  Sandbox box(scene);
  const double momentum = box.sand_momentum().x;
  box.run(0.3);
  const double together = momentum / (box.sand_mass() + box.body("ball").mass);
  EXPECT_NEAR(box.body("ball").state.velocity.x, together, 0.1 * together);
}

void expect_calm(double share, SphModel model, SphBoundary boundary) {
  Scene scene = sand_scene(a);
  scene.sph.model = model;
  scene.sph.boundary = boundary;
  scene.bodies = {container(14 * a, 14 * a),
                  loose_box("crate", {5 * a, 5 * a, 3 * a}, {0, 0, 3 * a}, sand_density / share)};
  scene.fills = {bed({14 * a, 14 * a, 8 * a}, {0, 0, 4 * a})};
  Sandbox box(scene);
  double fastest = 0;
  box.run(0.4, [&] { fastest = std::max(fastest, norm(box.body("crate").state.velocity)); });
  EXPECT_LT(fastest, 1.5) << "as the bed settles";
  EXPECT_NEAR(box.body("crate").state.pose.position.z, 3 * a, 1.2 * a);
}

TEST(Impact, NorDoOtherBoundariesThrowIt) {
  // They crush the bed a little at the start (docs/bodies.md), whatever is in it.
  expect_calm(8, SphModel::talus, SphBoundary::particles);
  expect_calm(32, SphModel::talus, SphBoundary::particles);
  expect_calm(8, SphModel::talus, SphBoundary::direct_forcing);
  expect_calm(8, SphModel::ihmsen2013, SphBoundary::automatic);
}

TEST(Impact, ALightBodyDeepInSandStaysCalm) {
  // Moved by sand as if that were immovable, or met by it only roughly, it would be thrown about.
  for (const double share : {8.0, 32.0, 128.0}) {
    Scene scene = sand_scene(a);
    scene.bodies = {container(14 * a, 14 * a),
                    loose_box("crate", {5 * a, 5 * a, 3 * a}, {0, 0, 3 * a}, sand_density / share)};
    scene.fills = {bed({14 * a, 14 * a, 8 * a}, {0, 0, 4 * a})};
    Sandbox box(scene);
    double fastest = 0, later = 0;
    box.run(0.3, [&] { fastest = std::max(fastest, norm(box.body("crate").state.velocity)); });
    box.run(0.3, [&] { later = std::max(later, norm(box.body("crate").state.velocity)); });
    EXPECT_LT(fastest, 0.15) << "as the bed settles; 1/" << share;
    EXPECT_LT(later, 0.03) << "1/" << share;
    EXPECT_NEAR(box.body("crate").state.pose.position.z, 3 * a, 0.4 * a) << "1/" << share;
  }
}

}  // namespace
}  // namespace talus::test
