// Things that fall into sand.
#include "coupling/sand_and_bodies.h"

#include <algorithm>
#include <vector>

namespace talus::test {
namespace {

constexpr double a = 0.04, radius = 2.5 * a, surface = 10 * a;

struct Impact {
  double depth;    ///< m, of the lowest point below the surface at the end
  double rebound;  ///< m/s, fastest upward motion after the impact
  double speed;    ///< m/s, at the end
};

Impact drop(double density) {
  Scene scene = sand_scene(a);
  scene.bodies = {container(16 * a, 16 * a)};
  scene.fills = {bed({16 * a, 16 * a, surface}, {0, 0, surface / 2})};
  SceneBody ball = loose_ball("ball", radius, {0, 0, surface + radius + 0.2 * a}, density);
  ball.velocity = {0, 0, -2};
  scene.bodies.push_back(ball);
  Sandbox box(scene);
  Impact out{};
  box.run(1, [&] { out.rebound = std::max(out.rebound, box.body("ball").state.velocity.z); });
  out.depth = surface - (box.body("ball").state.pose.position.z - radius);
  out.speed = norm(box.body("ball").state.velocity);
  return out;
}

TEST(Impact, TheLighterReboundsAndFloatsTheHeavierDigsDeeper) {
  std::vector<Impact> impacts;
  for (const double density : {200.0, 1600.0, 3200.0, 6400.0}) {
    impacts.push_back(drop(density));
    std::printf("%5.0f kg/m^3: %.3f m deep, rebound %.3f m/s, then %.4f m/s\n", density,
                impacts.back().depth, impacts.back().rebound, impacts.back().speed);
  }
  for (std::size_t i = 1; i < impacts.size(); ++i)
    EXPECT_GT(impacts[i].depth, impacts[i - 1].depth) << i;
  EXPECT_GT(impacts.front().rebound, 0.01);
  EXPECT_GT(impacts.front().rebound, 10 * impacts.back().rebound);
  EXPECT_LT(impacts.front().depth, radius) << "floats";
  EXPECT_GT(impacts.back().depth, radius);
  for (const Impact& i : impacts) EXPECT_LT(i.speed, 0.02);
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
