// Lists of neighbours while sand and bodies with boundary particles move.
#include "sph/neighbourhood.h"

#include "core/random.h"

#include <algorithm>
#include <gtest/gtest.h>

namespace talus::sph {
namespace {

constexpr float support = 0.1f, skin = 0.2f, slack = 0.5f * support * skin;

/// A sheet of sand over a plate of boundary particles that is about to move.
struct Plate {
  Executor executor{2};
  ParticleStore store;
  Field<Vec3f> x = store.add_field<Vec3f>("position", "m", FieldUse::frame, "");
  Field<Vec3f> listed = store.add_field<Vec3f>("listed", "m", FieldUse::state, "");
  std::vector<Body> bodies{1};
  Neighbourhood near{support, skin, 1e-5f, {}};
  ScratchArray<Float4> position, velocity;

  Plate() {
    BoundaryParticles plate;
    store.resize(12 * 12);
    for (std::size_t i = 0; i < store.size(); ++i) {
      const Vec3f p{0.05f * static_cast<float>(i % 12), 0.05f * static_cast<float>(i / 12), 0};
      plate.local.push_back(p);
      plate.volume.push_back(1e-5f);
      store[x][i] = p + Vec3f{0.01f, 0.02f, 0.09f};
    }
    near.add_boundary(plate);
    update();
  }

  /// Were lists made?
  bool update() {
    return near.update(store, x, listed, bodies, {position, velocity}, executor) != Listing::none;
  }

  /// Pairs of sand and plate that the kernel reaches, and how many of them are not listed.
  std::pair<int, int> reached_and_missing() {
    int reached = 0, missing = 0;
    for (std::size_t i = 0; i < store.size(); ++i) {
      const auto list = near.pairs().neighbours(i / ClusterPairs::width);
      for (std::size_t j = near.padded(); j < near.total(); ++j) {
        if (norm(xyz(position[i]) - xyz(position[j])) >= support) continue;
        ++reached;
        missing += std::find(list.begin(), list.end(), j) == list.end();
      }
    }
    return {reached, missing};
  }
};

TEST(Neighbourhood, ABodyMayMoveWithinTheSkin) {
  Plate p;
  EXPECT_FALSE(p.update());
  const int before = p.reached_and_missing().first;
  for (Vec3f& v : p.store[p.x]) v.z -= 0.98f * slack;
  p.bodies[0].state.pose.position.z = 0.98 * double{slack};
  EXPECT_FALSE(p.update());
  const auto [reached, missing] = p.reached_and_missing();
  EXPECT_GT(reached, before) << "they came nearer";
  EXPECT_EQ(missing, 0);
  p.bodies[0].state.pose.position.z = 1.02 * double{slack};
  EXPECT_TRUE(p.update());
  EXPECT_EQ(p.reached_and_missing().second, 0);
}

TEST(Neighbourhood, ATurnCountsAtTheFarEndOfTheBody) {
  Plate p;
  const double arm = 0.05 * 11 * std::sqrt(2.0);
  p.bodies[0].state.pose.rotation = Quatd::from_axis_angle({0, 0, 1}, 0.95 * double{slack} / arm);
  EXPECT_FALSE(p.update());
  EXPECT_EQ(p.reached_and_missing().second, 0);
  p.bodies[0].state.pose.rotation = Quatd::from_axis_angle({0, 0, 1}, 2.1 * double{slack} / arm);
  EXPECT_TRUE(p.update());
}

TEST(Neighbourhood, RestoredListsAreUsedUpAsThoseOfTheCheckpoint) {
  Plate p, q;
  p.bodies[0].state.pose.position.x = 0.06;
  EXPECT_TRUE(p.update());
  State state;
  p.near.save(state);
  std::copy(p.store[p.listed].begin(), p.store[p.listed].end(), q.store[q.listed].begin());
  p.bodies[0].state.pose.position.x = 0.06 + 0.5 * double{slack};
  q.bodies = p.bodies;
  ASSERT_TRUE(
      q.near.load(state, q.store, q.listed, q.bodies, {q.position, q.velocity}, q.executor).ok());
  EXPECT_FALSE(q.update()) << "the body has not left its skin";
  EXPECT_EQ(q.reached_and_missing().second, 0);
  for (Plate* plate : {&p, &q}) plate->bodies[0].state.pose.position.x += 2 * double{slack};
  EXPECT_TRUE(p.update());
  EXPECT_TRUE(q.update());
}

/// Sand that falls onto a bed, and whirls where it lands; more of it comes from above.
struct Stream {
  Executor executor{2};
  ParticleStore store;
  Field<Vec3f> x = store.add_field<Vec3f>("position", "m", FieldUse::frame, "");
  Field<Vec3f> listed = store.add_field<Vec3f>("listed", "m", FieldUse::state, "");
  std::vector<Body> bodies;
  Neighbourhood near{support, skin, 1e-5f, {}};
  ScratchArray<Float4> position, velocity;
  int lists_of_some = 0, lists_of_all = 0, steps = 0;

  Stream() {
    block(24, 24, 8, {0, 0, -0.4f});
    block(5, 5, 20, {0.45f, 0.45f, 0.1f});
  }
  void block(int nx, int ny, int nz, const Vec3f& corner) {
    const std::size_t first = store.size(), count = static_cast<std::size_t>(nx * ny * nz);
    store.resize(first + count);
    for (std::size_t k = 0; k < count; ++k) {
      const auto r = random_floats(5, first + k, Purpose::test);
      const int i = static_cast<int>(k);
      const Vec3f cell{static_cast<float>(i % nx) + 0.3f * r[0],
                       static_cast<float>(i / nx % ny) + 0.3f * r[1],
                       static_cast<float>(i / nx / ny) + 0.3f * r[2]};
      store[x][first + k] = store[listed][first + k] = corner + 0.05f * cell;
    }
  }
  /// Four tenths of a spacing in a step where it falls, less where it whirls, and what lies far
  /// from it does not move.
  void step() {
    for (Vec3f& p : store[x]) {
      const Vec3f arm = p - Vec3f{0.55f, 0.55f, 0};
      if (p.z > 0)
        p.z -= 0.02f;
      else if (squared_norm(arm) < 0.09f)
        p += cross(Vec3f{0.03f, 0, 0.01f}, arm);
    }
    if (++steps % 3 == 0) block(3, 3, 1, {0.5f, 0.5f, 1.1f});
    const Listing made = near.update(store, x, listed, bodies, {position, velocity}, executor);
    lists_of_some += made == Listing::some;
    lists_of_all += made == Listing::all;
  }
  /// Pairs within the kernel that are not listed, or not in ascending order.
  int missing() const {
    int missing = 0;
    for (std::size_t c = 0; c < near.pairs().clusters(); ++c) {
      const auto list = near.pairs().neighbours(c);
      missing += !std::is_sorted(list.begin(), list.end());
      for (std::uint32_t j = 0; j < store.size(); ++j)
        if (near.reaches({position.data(), position.size()}, c, j))
          missing += !std::binary_search(list.begin(), list.end(), j);
    }
    return missing;
  }
};

TEST(Neighbourhood, ListsHaveEverybodyWithinTheKernelWhileAStreamLands) {
  Stream stream;
  for (int k = 0; k < 60; ++k) {
    stream.step();
    ASSERT_EQ(stream.missing(), 0) << "step " << k;
  }
  EXPECT_GT(stream.lists_of_some, 50) << "or nothing was tested";
  EXPECT_LT(stream.lists_of_all, 6);
}

/// A common fall brings nobody nearer to anybody.
TEST(Neighbourhood, SandThatFallsAsAWholeKeepsItsLists) {
  Stream stream;
  stream.step();
  for (int k = 0; k < 20; ++k) {
    for (Vec3f& p : stream.store[stream.x]) p.z -= 0.02f;
    EXPECT_EQ(stream.near.update(stream.store, stream.x, stream.listed, stream.bodies,
                                 {stream.position, stream.velocity}, stream.executor),
              Listing::none);
  }
  EXPECT_EQ(stream.missing(), 0);
}

}  // namespace
}  // namespace talus::sph
