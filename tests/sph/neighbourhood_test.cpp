// Lists of neighbours while bodies with boundary particles move.
#include "sph/neighbourhood.h"

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
    near.update(store, x, listed, bodies, executor);
  }

  /// New lists? Afterwards everybody is where it is now.
  bool update() {
    const bool fresh = near.update(store, x, listed, bodies, executor);
    near.place(store[x], bodies, position, velocity, executor);
    return fresh;
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
  p.bodies[0].state.pose.rotation = Quatd::from_axis_angle({0, 0, 1}, 1.05 * double{slack} / arm);
  EXPECT_TRUE(p.update());
}

TEST(Neighbourhood, RestoredListsAreThoseOfTheCheckpoint) {
  Plate p, q;
  p.bodies[0].state.pose.position.x = 0.06;
  EXPECT_TRUE(p.update());
  std::copy(p.store[p.listed].begin(), p.store[p.listed].end(), q.store[q.listed].begin());
  p.bodies[0].state.pose.position.x = 0.06 + 0.5 * double{slack};
  q.bodies = p.bodies;
  q.near.restore(q.store, q.listed, {p.near.listed_poses().begin(), p.near.listed_poses().end()},
                 q.executor);
  ASSERT_EQ(p.near.pairs().clusters(), q.near.pairs().clusters());
  for (std::size_t c = 0; c < p.near.pairs().clusters(); ++c) {
    const auto a = p.near.pairs().neighbours(c), b = q.near.pairs().neighbours(c);
    EXPECT_TRUE(std::equal(a.begin(), a.end(), b.begin(), b.end())) << c;
  }
  EXPECT_FALSE(q.update()) << "the body has not left its skin";
}

}  // namespace
}  // namespace talus::sph
