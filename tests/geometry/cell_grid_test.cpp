#include "geometry/cell_grid.h"

#include "core/random.h"
#include "geometry/cluster_pairs.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <set>

namespace talus {
namespace {

std::vector<Vec3f> cloud(std::size_t n, float size) {
  std::vector<Vec3f> points;
  for (std::size_t i = 0; i < n; ++i) {
    const auto r = random_floats(3, i, Purpose::test);
    points.push_back({size * (r[0] - 0.5f), size * (r[1] - 0.5f), size * (r[2] - 0.5f)});
  }
  return points;
}

std::set<std::uint32_t> near_by_grid(const CellGrid& grid, const std::vector<Vec3f>& points,
                                     const Vec3f& at, float radius) {
  std::set<std::uint32_t> found;
  const Vec3f reach{radius, radius, radius};
  grid.for_cells_in(at - reach, at + reach, [&](CellGrid::Range range) {
    for (std::uint32_t k = range.begin; k < range.end; ++k) {
      const std::uint32_t i = grid.order()[k];
      if (norm(points[i] - at) <= radius) found.insert(i);
    }
  });
  return found;
}

void expect_all_neighbours(const std::vector<Vec3f>& points, float radius) {
  const Executor executor(2);
  CellGrid grid;
  grid.build(points, radius, executor);
  for (std::size_t i = 0; i < points.size(); i += 7) {
    std::set<std::uint32_t> brute;
    for (std::size_t j = 0; j < points.size(); ++j)
      if (norm(points[i] - points[j]) <= radius) brute.insert(static_cast<std::uint32_t>(j));
    EXPECT_EQ(near_by_grid(grid, points, points[i], radius), brute) << "point " << i;
  }
}

TEST(CellGrid, FindsEveryNeighbour) { expect_all_neighbours(cloud(2000, 1), 0.1f); }

TEST(CellGrid, HoldsAnyNumberOfPointsInACell) {
  auto points = cloud(1500, 0.01f);
  expect_all_neighbours(points, 0.1f);
}

TEST(CellGrid, IsUnbounded) {
  auto points = cloud(500, 1);
  points.push_back({1e7f, 0, 0});
  points.push_back({1e7f, 0, 0});
  points.push_back({-3e8f, 1e9f, 5});
  expect_all_neighbours(points, 0.1f);
}

TEST(CellGrid, ABoxMayReachToSomebodyFarAway) {
  std::vector<Vec3f> points = cloud(500, 1);
  points.push_back({900, -700, 300});
  CellGrid grid;
  grid.build(points, 0.1f, Executor(2));
  // 10^12 cells, a few hundred of them occupied: looking at each would take an hour.
  EXPECT_EQ(near_by_grid(grid, points, {}, 1000).size(), 500u);
  EXPECT_EQ(near_by_grid(grid, points, {}, 1500).size(), 501u);
}

TEST(CellGrid, OrderDoesNotDependOnThreads) {
  const auto points = cloud(30000, 1);
  CellGrid one, eight;
  one.build(points, 0.05f, Executor(1));
  eight.build(points, 0.05f, Executor(8));
  EXPECT_TRUE(std::ranges::equal(one.order(), eight.order()));
}

TEST(CellGrid, SortingTheSortedChangesNothing) {
  const Executor executor(2);
  const auto points = cloud(5000, 1);
  CellGrid grid;
  grid.build(points, 0.05f, executor);
  std::vector<Vec3f> sorted;
  for (const std::uint32_t i : grid.order()) sorted.push_back(points[i]);
  grid.build(sorted, 0.05f, executor);
  for (std::uint32_t k = 0; k < grid.order().size(); ++k) ASSERT_EQ(grid.order()[k], k);
}

TEST(CellGrid, EmptyIsFine) {
  CellGrid grid;
  grid.build({}, 1, Executor(1));
  EXPECT_TRUE(grid.order().empty());
  EXPECT_EQ(grid.find({0, 0, 0}).end, 0u);
}

TEST(ClusterPairs, ListsEveryPairWithinTheRadiusAndNobodyTwice) {
  const Executor executor(2);
  const auto points = cloud(1003, 1);
  const auto others = cloud(200, 1.2f);
  const float radius = 0.15f;
  CellGrid grid, extra;
  grid.build(points, radius, executor);
  extra.build(others, radius, executor);
  const std::size_t padded = ClusterPairs::cluster_count(points.size()) * ClusterPairs::width;
  std::vector<Float4> packed(padded + others.size());
  for (std::size_t k = 0; k < points.size(); ++k) {
    const Vec3f& p = points[grid.order()[k]];
    packed[k] = {p.x, p.y, p.z, 0};
  }
  for (std::size_t k = 0; k < others.size(); ++k) {
    const Vec3f& p = others[extra.order()[k]];
    packed[padded + k] = {p.x, p.y, p.z, 0};
  }
  BoxTree boxes, extra_boxes;
  ClusterPairs::enclose(packed, 0, points.size(), boxes, executor);
  ClusterPairs::enclose(packed, padded, others.size(), extra_boxes, executor);
  ClusterPairs pairs;
  pairs.build({packed, points.size(), padded, boxes, extra_boxes}, radius, executor);
  const auto distance = [&](std::size_t i, std::size_t j) {
    return norm(
        Vec3f{packed[i].x - packed[j].x, packed[i].y - packed[j].y, packed[i].z - packed[j].z});
  };
  for (std::size_t c = 0; c < pairs.clusters(); ++c) {
    const auto list = pairs.neighbours(c);
    const std::set<std::uint32_t> set(list.begin(), list.end());
    ASSERT_EQ(set.size(), list.size());
    ASSERT_TRUE(std::ranges::is_sorted(list));
    for (std::size_t i = c * 8; i < std::min(points.size(), c * 8 + 8); ++i)
      for (std::size_t j = 0; j < packed.size(); ++j) {
        if (j >= points.size() && j < padded) continue;
        if (distance(i, j) < radius * 0.9999f) {
          ASSERT_TRUE(set.count(static_cast<std::uint32_t>(j))) << i << " " << j;
        }
      }
  }
}

}  // namespace
}  // namespace talus
