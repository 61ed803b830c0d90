// What sand loses, bodies gain; and the same bits for any number of threads and after a resume.
#include "coupling/sand_and_bodies.h"

#include <cstring>

namespace talus::test {
namespace {

constexpr double a = 0.04;

struct Named {
  const char* name;
  SphModel model;
  SphBoundary boundary;
};
void PrintTo(const Named& n, std::ostream* out) { *out << n.name; }

class Exchange : public testing::TestWithParam<Named> {};

INSTANTIATE_TEST_SUITE_P(
    Boundaries, Exchange,
    testing::Values(Named{"Talus", SphModel::talus, SphBoundary::automatic},
                    Named{"TalusParticles", SphModel::talus, SphBoundary::particles},
                    Named{"TalusDirectForcing", SphModel::talus, SphBoundary::direct_forcing},
                    Named{"Ihmsen2013", SphModel::ihmsen2013, SphBoundary::automatic},
                    Named{"Alduan2011", SphModel::alduan2011, SphBoundary::automatic}),
    [](const auto& row) { return std::string(row.param.name); });

void expect_exchange(const Named& named, double density) {
  Scene scene = sand_scene(a);
  scene.sph.model = named.model;
  scene.sph.boundary = named.boundary;
  scene.gravity = {};
  scene.fills = {bed({8 * a, 8 * a, 8 * a}, {0, 0, 0})};
  scene.fills[0].velocity = {3, 0.5, 0};
  scene.bodies = {loose_box("block", {4 * a, 6 * a, 6 * a}, {7 * a, 0.5 * a, 0}, density)};
  Sandbox box(scene);
  const auto total = [&] {
    const Body& block = box.body("block");
    return box.sand_momentum() + block.state.velocity * block.mass;
  };
  const Vec3d before = total();
  const double block_before = norm(box.body("block").state.velocity);
  box.run(0.25);
  EXPECT_GT(norm(box.body("block").state.velocity), block_before + 0.3) << "they met";
  EXPECT_LT(norm(total() - before), 1e-6 * norm(before));
}

TEST_P(Exchange, MomentumThatSandLosesTheBodyGains) {
  for (const double density : {2500.0, 300.0}) expect_exchange(GetParam(), density);
}

/// A ball that falls into sand with a loose box on it, beside a moving blade.
Scene busy_scene(const Named& named) {
  Scene scene = sand_scene(a);
  scene.sph.model = named.model;
  scene.sph.boundary = named.boundary;
  scene.frame_rate = 100;
  scene.bodies = {container(16 * a, 12 * a)};
  scene.fills = {bed({16 * a, 12 * a, 5 * a}, {0, 0, 2.5 * a})};
  scene.bodies.push_back(loose_ball("ball", 2 * a, {2 * a, a, 8 * a}, 3000));
  scene.bodies.push_back(loose_box("box", {4 * a, 3 * a, 2 * a}, {-3 * a, 0, 6.5 * a}, 700));
  SceneBody blade = body("blade", ShapeKind::box, {-7 * a, 0, 4 * a});
  blade.shape.size = {1.5 * a, 6 * a, 4 * a};
  blade.motion = SceneMotion::scripted;
  blade.velocity = {0.4, 0, 0};
  scene.bodies.push_back(blade);
  return scene;
}

struct Outcome {
  std::vector<Vec3f> position;  ///< by id
  std::vector<BodyState> bodies;
};

Outcome outcome_of(Sandbox& box) {
  Outcome out;
  const auto x = box.positions();
  const auto id = box.field<std::uint64_t>("id");
  out.position.resize(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) out.position[id[i]] = x[i];
  for (const Body& b : box->bodies()) out.bodies.push_back(b.state);
  return out;
}

void expect_same(const Outcome& one, const Outcome& two) {
  ASSERT_EQ(one.position.size(), two.position.size());
  EXPECT_EQ(
      std::memcmp(one.position.data(), two.position.data(), one.position.size() * sizeof(Vec3f)),
      0);
  EXPECT_EQ(
      std::memcmp(one.bodies.data(), two.bodies.data(), one.bodies.size() * sizeof(BodyState)), 0);
}

TEST_P(Exchange, SameBitsForAnyThreadCountAndAfterAResume) {
  const Scene scene = busy_scene(GetParam());
  Sandbox one(scene, 1), two(scene, 2);
  one.run(0.1);
  two.run(0.1);
  expect_same(outcome_of(one), outcome_of(two));
  State state;
  one->save(state);
  Sandbox resumed(scene, 2);
  ASSERT_TRUE(resumed->load(state).ok());
  expect_same(outcome_of(one), outcome_of(resumed));
  one.run(0.1);
  resumed.run(0.1);
  expect_same(outcome_of(one), outcome_of(resumed));
}

TEST(Gravity, TiltingTheWorldMovesBodiesToo) {
  Scene scene = sand_scene(a);
  SceneBody floor = body("floor", ShapeKind::plane, {});
  floor.friction = 0;
  scene.bodies = {floor, loose_box("block", {0.2, 0.2, 0.2}, {0, 0, 0.1}, 1000)};
  Sandbox box(scene);
  box.run(1.5);
  ASSERT_TRUE(box.body("block").asleep);
  box->set_gravity({1, 0, -9});
  box.run(0.5);
  EXPECT_NEAR(box.body("block").state.velocity.x, 0.5, 0.01);
  State state;
  box->save(state);
  Sandbox resumed(scene);
  ASSERT_TRUE(resumed->load(state).ok());
  resumed.run(0.5);
  EXPECT_NEAR(resumed.body("block").state.velocity.x, 1, 0.01);
}

TEST(Overlap, ABodyThatStartsInSandCarvesItOrIsRefused) {
  Scene scene = sand_scene(a);
  scene.file = "buried.toml";
  scene.bodies = {container(12 * a, 12 * a), loose_ball("ball", 2 * a, {0, 0, 3 * a}, 2000)};
  scene.fills = {bed({12 * a, 12 * a, 6 * a}, {0, 0, 3 * a})};
  Sandbox box(scene);
  for (const Vec3f& p : box.positions()) EXPECT_GT(norm(Vec3d(p) - Vec3d{0, 0, 3 * a}), 2 * a);
  ASSERT_FALSE(box->notes().empty());
  EXPECT_NE(box->notes()[0].find("carved away by body 'ball'"), std::string::npos);

  scene.bodies[0].carve = false;  // sand that only touches its walls is no reason to refuse
  scene.bodies[1].carve = false;
  const Executor executor(1);
  const auto refused = Simulation::create(scene, executor);
  ASSERT_FALSE(refused.ok());
  const std::string message = refused.error().message;
  for (const char* part : {"buried.toml", "'ball'", "'bed'", "carve = true"})
    EXPECT_NE(message.find(part), std::string::npos) << message;
}

}  // namespace
}  // namespace talus::test
