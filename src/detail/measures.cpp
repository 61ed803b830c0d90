#include "detail/measures.h"

#include "geometry/cell_grid.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <tuple>
#include <utility>

namespace talus::detail {

double clumping_index(std::span<const Vec3f> grains, double cell) {
  constexpr int side = 8, cells = side * side * side;
  constexpr std::uint32_t fewest = 64;
  std::map<std::tuple<int, int, int>, std::vector<std::uint32_t>> blocks;
  for (const Vec3f& p : grains) {
    int block[3], inside[3];
    for (int a = 0; a < 3; ++a) {
      const int c = static_cast<int>(std::floor(static_cast<double>(p[a]) / cell));
      block[a] = c >= 0 ? c / side : -((side - 1 - c) / side);
      inside[a] = c - block[a] * side;
    }
    auto& counts = blocks[{block[0], block[1], block[2]}];
    if (counts.empty()) counts.resize(cells);
    ++counts[static_cast<std::size_t>(inside[0] + side * (inside[1] + side * inside[2]))];
  }
  double variance = 0, mean = 0;
  for (const auto& [place, counts] : blocks) {
    double sum = 0, squares = 0;
    for (const std::uint32_t n : counts) {
      sum += n;
      squares += static_cast<double>(n) * n;
    }
    if (sum < fewest) continue;
    // Unbiased, so that Poisson counts give exactly 0 on average.
    variance += (squares - sum * sum / cells) / (cells - 1);
    mean += sum / cells;
  }
  return mean > 0 ? variance / mean - 1 : 0;
}

double close_share(std::span<const Vec3f> grains, double distance, const Executor& executor) {
  if (grains.empty()) return 0;
  CellGrid grid;
  const auto reach = static_cast<float>(distance);
  grid.build(grains, reach, executor);
  std::vector<Vec3f> sorted;
  for (const std::uint32_t i : grid.order()) sorted.push_back(grains[i]);
  const Vec3f box{reach, reach, reach};
  const std::size_t close = executor.reduce<std::size_t>(
      sorted.size(), 0,
      [&](std::size_t begin, std::size_t end) {
        std::size_t n = 0;
        for (std::size_t i = begin; i < end; ++i) {
          bool found = false;
          grid.for_cells_in(sorted[i] - box, sorted[i] + box, [&](CellGrid::Range range) {
            for (std::uint32_t k = range.begin; k < range.end && !found; ++k)
              found = k != i && squared_norm(sorted[k] - sorted[i]) < reach * reach;
          });
          n += found ? 1 : 0;
        }
        return n;
      },
      [](std::size_t a, std::size_t b) { return a + b; });
  return static_cast<double>(close) / static_cast<double>(grains.size());
}

std::vector<ThicknessBin> thickness_profile(std::span<const Vec3f> base, double volume,
                                            std::span<const Vec3f> grains, double disc, double ring,
                                            double largest) {
  std::vector<ThicknessBin> bins(static_cast<std::size_t>(std::ceil(largest / ring)));
  std::map<std::pair<int, int>, std::vector<Vec3f>> cells;
  const auto cell = [&](float x) {
    return static_cast<int>(std::floor(static_cast<double>(x) / disc));
  };
  for (const Vec3f& p : base) cells[{cell(p.x), cell(p.y)}].push_back(p);
  const double share = volume / (std::numbers::pi * disc * disc);
  for (const Vec3f& p : grains) {
    const double r = std::hypot(static_cast<double>(p.x), static_cast<double>(p.y));
    const auto k = static_cast<std::size_t>(r / ring);
    if (k >= bins.size()) continue;
    ++bins[k].count;
    bins[k].grains += 2 * static_cast<double>(p.z);
    for (int y = cell(p.y) - 1; y <= cell(p.y) + 1; ++y)
      for (int x = cell(p.x) - 1; x <= cell(p.x) + 1; ++x)
        if (const auto it = cells.find({x, y}); it != cells.end())
          for (const Vec3f& b : it->second)
            if (std::hypot(static_cast<double>(b.x - p.x), static_cast<double>(b.y - p.y)) < disc)
              bins[k].base += share;
  }
  for (std::size_t k = 0; k < bins.size(); ++k) {
    bins[k].radius = (static_cast<double>(k) + 0.5) * ring;
    if (bins[k].count == 0) continue;
    bins[k].base /= static_cast<double>(bins[k].count);
    bins[k].grains /= static_cast<double>(bins[k].count);
  }
  return bins;
}

}  // namespace talus::detail
