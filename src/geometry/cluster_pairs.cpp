#include "geometry/cluster_pairs.h"

#include <bit>

namespace talus {

namespace {
constexpr std::size_t group = 8;  // clusters that share one collection of candidates
}

/// The points of a cluster, side by side, and their box.
struct ClusterPairs::Lanes {
  WideVec3 x;
  Vec3f lower, upper;
};

ClusterPairs::Lanes ClusterPairs::load_cluster(std::span<const Float4> points, std::size_t first,
                                               std::size_t count) {
  Lanes l;
  l.lower = {INFINITY, INFINITY, INFINITY};
  l.upper = {-INFINITY, -INFINITY, -INFINITY};
  for (int k = 0; k < wide_width; ++k) {
    const Float4& p = points[std::min(first + static_cast<std::size_t>(k), count - 1)];
    l.x.x.set(k, p.x);
    l.x.y.set(k, p.y);
    l.x.z.set(k, p.z);
    l.lower = min(l.lower, Vec3f{p.x, p.y, p.z});
    l.upper = max(l.upper, Vec3f{p.x, p.y, p.z});
  }
  return l;
}

/// Appends the points of `grid` (stored from points[offset]) that lie in a box, padded to whole
/// wide floats with points that are near nobody. Without branches: which point is inside is a coin
/// toss.
void ClusterPairs::collect(std::span<const Float4> points, std::size_t offset, const CellGrid& grid,
                           const Vec3f& lower, const Vec3f& upper, Candidates& out) {
  std::size_t n = out.index.size();
  grid.for_cells_in(lower, upper, [&](CellGrid::Range range) {
    out.resize(n + (range.end - range.begin) + 1);
    float *x = out.x.data(), *y = out.y.data(), *z = out.z.data();
    std::uint32_t* index = out.index.data();
    for (std::uint32_t k = range.begin; k < range.end; ++k) {
      const Float4& p = points[offset + k];
      x[n] = p.x;
      y[n] = p.y;
      z[n] = p.z;
      index[n] = static_cast<std::uint32_t>(offset + k);
      n += static_cast<std::size_t>((p.x >= lower.x) & (p.x <= upper.x) & (p.y >= lower.y) &
                                    (p.y <= upper.y) & (p.z >= lower.z) & (p.z <= upper.z));
    }
  });
  const std::size_t padded = (n + width - 1) / width * width;
  out.resize(padded);
  for (; n < padded; ++n) {
    out.x[n] = out.y[n] = out.z[n] = INFINITY;
    out.index[n] = 0;
  }
}

/// Of candidates[first .. last), lists those within `radius` of a lane: first against the cluster's
/// box, eight candidates at once, then against its eight points.
void ClusterPairs::append_near(const Lanes& lanes, Candidates& all, std::size_t first,
                               std::size_t last, float radius, ScratchArray<std::uint32_t>& list) {
  const WideFloat radius2(radius * radius);
  const WideVec3 lower{lanes.lower.x, lanes.lower.y, lanes.lower.z};
  const WideVec3 upper{lanes.upper.x, lanes.upper.y, lanes.upper.z};
  all.near.resize(last - first + width);
  std::uint32_t* near = all.near.data();
  for (std::size_t k = first; k < last; k += width) {
    const WideFloat px = load_wide(&all.x[k]), py = load_wide(&all.y[k]), pz = load_wide(&all.z[k]);
    const WideVec3 outside{max(max(lower.x - px, px - upper.x), 0.0f),
                           max(max(lower.y - py, py - upper.y), 0.0f),
                           max(max(lower.z - pz, pz - upper.z), 0.0f)};
    near += store_set_lanes(bits(squared_norm(outside) <= radius2), static_cast<std::uint32_t>(k),
                            near);
  }
  std::size_t n = list.size();
  const std::size_t near_count = static_cast<std::size_t>(near - all.near.data());
  list.resize(n + near_count + 1);
  std::uint32_t* out = list.data();
  for (std::size_t m = 0; m < near_count; ++m) {
    const std::uint32_t k = all.near[m];
    const WideVec3 d{lanes.x.x - WideFloat(all.x[k]), lanes.x.y - WideFloat(all.y[k]),
                     lanes.x.z - WideFloat(all.z[k])};
    out[n] = all.index[k];
    n += any(squared_norm(d) <= radius2);
  }
  list.resize(n);
}

void ClusterPairs::build(std::span<const Float4> points, std::size_t count, const CellGrid& grid,
                         std::size_t extra_begin, const CellGrid& extra_grid, float radius,
                         const Executor& executor) {
  const std::size_t clusters = cluster_count(count);
  lists_.resize(clusters);
  const std::size_t block_count = (clusters + block - 1) / block;
  near_count_.resize(clusters);
  if (blocks_.size() < block_count) blocks_.resize(block_count);
  candidates_.resize(static_cast<std::size_t>(executor.threads()));
  const Vec3f reach{radius, radius, radius};
  executor.run_chunks_with_worker(block_count, [&](std::size_t b, std::size_t worker) {
    ScratchArray<std::uint32_t>& list = blocks_[b];
    Candidates& near = candidates_[worker];
    list.clear();
    const std::size_t last = std::min(clusters, (b + 1) * block);
    for (std::size_t first = b * block; first < last; first += group) {
      Lanes lanes[group];
      const std::size_t members = std::min(group, last - first);
      Vec3f lower{INFINITY, INFINITY, INFINITY}, upper = -lower;
      for (std::size_t m = 0; m < members; ++m) {
        lanes[m] = load_cluster(points, (first + m) * width, count);
        lower = min(lower, lanes[m].lower);
        upper = max(upper, lanes[m].upper);
      }
      near.clear();
      collect(points, 0, grid, lower - reach, upper + reach, near);
      const std::size_t proper = near.index.size();
      collect(points, extra_begin, extra_grid, lower - reach, upper + reach, near);
      for (std::size_t m = 0; m < members; ++m) {
        const auto begin = static_cast<std::uint32_t>(list.size());
        append_near(lanes[m], near, 0, proper, radius, list);
        const auto middle = static_cast<std::uint32_t>(list.size());
        append_near(lanes[m], near, proper, near.index.size(), radius, list);
        lists_[first + m] = {begin, middle - begin,
                             static_cast<std::uint32_t>(list.size()) - middle};
      }
    }
  });
  block_begin_.resize(block_count);
  near_begin_.resize(clusters);
  std::size_t near_total = 0;
  for (std::size_t b = 0; b < block_count; ++b) {
    block_begin_[b] = near_total;
    near_total += blocks_[b].size() + 1;  // one more: sweeps write before they know if they keep
  }
  near_.resize(near_total + ahead);
  std::fill_n(near_.data() + near_total, ahead, 0u);
}

std::size_t ClusterPairs::memory_bytes() const {
  std::size_t total = lists_.memory_bytes() + near_count_.memory_bytes() +
                      block_begin_.memory_bytes() + near_begin_.memory_bytes() +
                      near_.memory_bytes() + weights_.memory_bytes();
  for (const auto& b : blocks_) total += b.memory_bytes();
  return total;
}

}  // namespace talus
