// Sand that is filled in at rest bears its load from the first step on.
#include "sph/first_load.h"

#include "bed.h"

#include <algorithm>

namespace talus::sph {
namespace {

constexpr float a = 0.05f;

std::vector<float> heads(const Block& sand, std::span<const Body> bodies) {
  return heads_of({sand.position, sand.velocity, {0, 0, -9.81}, a}, bodies);
}

TEST(FirstLoad, IsTheDepthOfWhatStandsAndNothingOfWhatHangs) {
  const std::vector<Body> bodies = {ground()};
  const Block standing = lattice(6, 6, 10, a, {0, 0, 0}, 0.1f);
  const std::vector<float> load = heads(standing, bodies);
  for (std::size_t i = 0; i < load.size(); ++i)
    EXPECT_NEAR(load[i], 9.81f * (10 * a - standing.position[i].z), 9.81f * a);
  for (const float none : heads(lattice(6, 6, 10, a, {0, 0, 4 * a}, 0.1f), bodies))
    EXPECT_EQ(none, 0.0f);
}

TEST(FirstLoad, IsNotThatOfSandAboveAGapOrInMotion) {
  const std::vector<Body> bodies = {ground()};
  Block two = lattice(4, 4, 4, a, {0, 0, 0}, 0.05f);
  const Block above = lattice(4, 4, 4, a, {0, 0, 8 * a}, 0.05f);
  for (const Vec3f& p : above.position) two.add(p);
  const std::vector<float> load = heads(two, bodies);
  for (std::size_t i = 0; i < load.size(); ++i) {
    EXPECT_LT(load[i], 9.81f * 4.6f * a);
    if (two.position[i].z > 6 * a) {
      EXPECT_EQ(load[i], 0.0f);
    }
  }
  Block falling = lattice(4, 4, 4, a, {0, 0, 0}, 0.05f);
  for (Vec3f& v : falling.velocity) v = {0, 0, -1};
  for (const float none : heads(falling, bodies)) EXPECT_EQ(none, 0.0f);
}

TEST(FirstLoad, KeepsABedFromSinking) {
  std::vector<Body> bodies = {container({10 * a, 10 * a, 4})};
  const Executor executor(2);
  auto solver = make(empty_scene(a), bodies, executor);
  solver->add(lattice(10, 10, 14, a, {-5 * a, -5 * a, 0}, 0.05f).view());
  const auto middle = [&] {
    double sum = 0;
    const auto x = field<Vec3f>(*solver, "position");
    for (const Vec3f& p : x) sum += double{p.z};
    return sum / static_cast<double>(x.size());
  };
  const double before = middle();
  advance(*solver, 1);
  EXPECT_NEAR(middle(), before, 0.003 * before);
}

}  // namespace
}  // namespace talus::sph
