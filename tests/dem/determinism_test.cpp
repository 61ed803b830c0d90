// The same bits for any number of threads, and after a resume.
#include "core/random.h"
#include "grain_bench.h"

#include <map>
#include <string_view>

namespace talus {
namespace {

Scene bed_scene(const char* shape, const char* law) {
  Scene scene = grain_scene(shape);
  scene.gravity = {0, 0, -9.81};
  scene.dem.tangential_law = law;
  scene.materials[0].friction = 0.5;
  // Grains without rolling resistance take the shortest way through the laws.
  scene.materials[0].rolling_friction = std::string_view(shape) == "clump4" ? 0 : 0.1;
  scene.materials[0].young_modulus = 1e7;
  scene.periodic = {true, false, false};
  scene.domain_upper = {0.12, 1, 1};
  return scene;
}

Batch falling_grains() {
  Batch batch;
  for (std::uint64_t k = 0; k < 800; ++k) {
    const auto r = random_floats(5, k, Purpose::test);
    const auto at = [](std::uint64_t n) { return (static_cast<float>(n) + 0.5f) * 0.012f; };
    batch.add({at(k % 10), at(k / 10 % 10) - 0.06f, at(k / 100)},
              {r[0] - 0.5f, r[1] - 0.5f, r[2] - 0.5f}, 0, 0.8f + 0.3f * r[3]);
  }
  return batch;
}

std::map<std::string, State::Entry> state_of(const Solver& solver) {
  State state;
  solver.save(state);
  return state.entries();
}

bool same(const std::map<std::string, State::Entry>& a,
          const std::map<std::string, State::Entry>& b) {
  if (a.size() != b.size()) return false;
  for (const auto& [name, entry] : a) {
    const auto it = b.find(name);
    if (it == b.end() || it->second.data != entry.data) {
      ADD_FAILURE() << name << " differs";
      return false;
    }
  }
  return true;
}

class Determinism : public testing::TestWithParam<std::pair<const char*, const char*>> {};

TEST_P(Determinism, AnyNumberOfThreadsGivesTheSameBits) {
  std::map<std::string, State::Entry> expected;
  for (const int threads : {1, 2, 3, 8}) {
    const Executor executor(threads);
    std::vector<Body> bodies{container_body({1, 0.14, 0.4})};
    auto solver = make_grains(bed_scene(GetParam().first, GetParam().second), bodies, executor);
    solver->add(falling_grains().view());
    advance(*solver, 0.04);
    const auto state = state_of(*solver);
    if (expected.empty()) expected = state;
    EXPECT_TRUE(same(expected, state)) << threads;
  }
}

TEST_P(Determinism, ResumingEqualsNotStopping) {
  const Executor executor(2);
  const Scene scene = bed_scene(GetParam().first, GetParam().second);
  std::vector<Body> bodies{container_body({1, 0.14, 0.4})};
  auto solver = make_grains(scene, bodies, executor);
  solver->add(falling_grains().view());
  advance(*solver, 0.03);
  State saved;
  solver->save(saved);
  advance(*solver, 0.02);
  std::vector<Body> other_bodies{container_body({1, 0.14, 0.4})};
  auto other = make_grains(scene, other_bodies, executor);
  const Status loaded = other->load(saved);
  ASSERT_TRUE(loaded.ok()) << loaded.error().message;
  advance(*other, 0.02);
  EXPECT_TRUE(same(state_of(*solver), state_of(*other)));
  EXPECT_EQ(solver->steps(), other->steps());
}

TEST_P(Determinism, RemovingGrainsLeavesTheOthersInPlace) {
  const Executor executor(2);
  std::vector<Body> bodies{container_body({1, 0.14, 0.4})};
  auto solver = make_grains(bed_scene(GetParam().first, GetParam().second), bodies, executor);
  solver->add(falling_grains().view());
  advance(*solver, 0.03);
  std::vector<std::uint8_t> keep(solver->particles().size(), 1);
  const auto id = grain_field<std::uint64_t>(*solver, "id");
  std::map<std::uint64_t, Vec3f> before;
  for (std::size_t i = 0; i < keep.size(); ++i) {
    keep[i] = id[i] % 3 != 0;
    if (keep[i] != 0) before[id[i]] = grain_field<Vec3f>(*solver, "position")[i];
  }
  solver->remove(keep);
  ASSERT_EQ(solver->particles().size(), before.size());
  ASSERT_TRUE(solver->step(1e-9).ok());
  for (const auto& [grain, x] : before) {
    Vec3f d = of_grain<Vec3f>(*solver, grain, "position") - x;
    d.x -= 0.12f * std::round(d.x / 0.12f);  // the world repeats
    EXPECT_LT(norm(d), 1e-6f);
  }
}

/// Plain spheres, long enough for lists to be worn, in a world in which somebody looks now and
/// then.
TEST(Spheres, ResumeAndOnlookersLeaveTheBitsAlone) {
  const Executor executor(2);
  Scene scene = bed_scene("sphere", "mindlin");
  scene.materials[0].rolling_friction = 0;
  std::vector<Body> bodies{container_body({1, 0.14, 0.4})};
  auto solver = make_grains(scene, bodies, executor);
  solver->add(falling_grains().view());
  advance(*solver, 0.03);
  State saved;
  solver->save(saved);
  advance(*solver, 0.01);
  advance(*solver, 0.01);
  for (const int threads : {1, 3}) {
    const Executor others(threads);
    std::vector<Body> other_bodies{container_body({1, 0.14, 0.4})};
    auto other = make_grains(scene, other_bodies, others);
    ASSERT_TRUE(other->load(saved).ok());
    advance(*other, 0.01);
    EXPECT_EQ(grain_field<Quatf>(*other, "rotation").size(), other->particles().size());
    advance(*other, 0.01);
    EXPECT_TRUE(same(state_of(*solver), state_of(*other))) << threads;
  }
}

INSTANTIATE_TEST_SUITE_P(Laws, Determinism,
                         testing::Values(std::pair{"clump4", "viscous"},
                                         std::pair{"clump4", "mindlin"},
                                         std::pair{"sphere", "mindlin"},
                                         std::pair{"clump2", "mindlin"}));

}  // namespace
}  // namespace talus
