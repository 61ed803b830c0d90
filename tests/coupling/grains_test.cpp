// Grains and bodies: what grains lose, bodies gain, on the smooth surface and on its particles.
#include "coupling/sand_and_bodies.h"

namespace talus::test {
namespace {

void expect_exchange(bool rough) {
  constexpr double d = 0.02;
  Scene scene = sand_scene(d);
  scene.solver = SolverKind::dem;
  scene.gravity = {};
  scene.materials[0].grain_diameter = d;
  scene.materials[0].grain_size_spread = 0;
  scene.fills = {bed({6 * d, 6 * d, 6 * d}, {0, 0, 0})};
  scene.fills[0].velocity = {2, 0.3, 0};
  scene.bodies = {loose_box("block", {3 * d, 5 * d, 5 * d}, {5.5 * d, 0.5 * d, 0}, 800)};
  scene.bodies[0].rough = rough;
  Sandbox box(scene);
  const double mass = box->solver().particle_mass(0);
  const auto total = [&] {
    const Body& block = box.body("block");
    Vec3d sum = block.state.velocity * block.mass;
    for (const Vec3f& v : box.field<Vec3f>("velocity")) sum += Vec3d(v) * mass;
    return sum;
  };
  ASSERT_GT(box.positions().size(), 100u);
  const Vec3d before = total();
  box.run(0.45);  // until they have parted: grains and bodies are half a step apart
  EXPECT_GT(box.body("block").state.velocity.x, 0.3) << "they met";
  EXPECT_LT(norm(total() - before), 1e-6 * norm(before));
}

TEST(Grains, MomentumThatTheyLoseTheBodyGains) {
  expect_exchange(false);
  expect_exchange(true);
}

}  // namespace
}  // namespace talus::test
