#include "geometry/cluster_pairs.h"

#include <bit>

namespace talus {

namespace {

/// The points of a cluster, side by side; the last one is repeated where there are fewer.
WideVec3 load_cluster(std::span<const Float4> at, std::size_t first, std::size_t count) {
  WideVec3 x;
  for (int k = 0; k < wide_width; ++k) {
    const Float4& p = at[std::min(first + static_cast<std::size_t>(k), count - 1)];
    x.x.set(k, p.x);
    x.y.set(k, p.y);
    x.z.set(k, p.z);
  }
  return x;
}

}  // namespace

void ClusterPairs::enclose(std::span<const Float4> at, std::size_t first, std::size_t count,
                           BoxTree& boxes, const Executor& executor) {
  boxes.build(cluster_count(count), executor, [&](std::size_t c) {
    Box3f box;
    for (std::size_t i = c * width; i < std::min(count, (c + 1) * width); ++i)
      box.include(xyz(at[first + i]));
    return box;
  });
}

/// Appends those of at[begin .. begin + count) that lie in a box, padded to whole wide floats with
/// points that are near nobody. Without branches: which point is inside is a coin toss.
void ClusterPairs::collect(std::span<const Float4> at, std::size_t begin, std::size_t count,
                           const BoxTree& boxes, const Box3f& in, Candidates& out) {
  std::size_t n = out.index.size();
  const auto enter = [&](int level, std::size_t k) { return boxes.eight(level, k).meet(in); };
  boxes.descend(enter, [&](std::size_t c) {
    out.resize(n + width + 1);
    float *x = out.x.data(), *y = out.y.data(), *z = out.z.data();
    std::uint32_t* index = out.index.data();
    const std::size_t last = begin + std::min(count, (c + 1) * width);
    for (std::size_t k = begin + c * width; k < last; ++k) {
      const Float4& p = at[k];
      x[n] = p.x;
      y[n] = p.y;
      z[n] = p.z;
      index[n] = static_cast<std::uint32_t>(k);
      n +=
          static_cast<std::size_t>((p.x >= in.lower.x) & (p.x <= in.upper.x) & (p.y >= in.lower.y) &
                                   (p.y <= in.upper.y) & (p.z >= in.lower.z) & (p.z <= in.upper.z));
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
void ClusterPairs::append_near(const WideVec3& lanes, const Box3f& around, Candidates& all,
                               std::size_t first, std::size_t last, float radius,
                               ScratchArray<std::uint32_t>& list) {
  const WideFloat radius2(radius * radius);
  const WideVec3 lower{around.lower.x, around.lower.y, around.lower.z};
  const WideVec3 upper{around.upper.x, around.upper.y, around.upper.z};
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
    const WideVec3 d{lanes.x - WideFloat(all.x[k]), lanes.y - WideFloat(all.y[k]),
                     lanes.z - WideFloat(all.z[k])};
    out[n] = all.index[k];
    n += any(squared_norm(d) <= radius2);
  }
  list.resize(n);
}

void ClusterPairs::list_group(const Points& points, float radius, std::size_t g,
                              Candidates& candidates) {
  ScratchArray<std::uint32_t>& list = groups_[g];
  list.clear();
  candidates.clear();
  const Box3f in = points.boxes.box(1, g).grown(radius);
  collect(points.at, 0, points.count, points.boxes, in, candidates);
  const std::size_t proper = candidates.index.size();
  collect(points.at, points.extra_begin, points.at.size() - points.extra_begin, points.extra_boxes,
          in, candidates);
  const std::size_t last = std::min(lists_.size(), (g + 1) * group);
  for (std::size_t c = g * group; c < last; ++c) {
    const WideVec3 lanes = load_cluster(points.at, c * width, points.count);
    const Box3f around = points.boxes.box(0, c);
    const auto begin = static_cast<std::uint32_t>(list.size());
    append_near(lanes, around, candidates, 0, proper, radius, list);
    const auto middle = static_cast<std::uint32_t>(list.size());
    append_near(lanes, around, candidates, proper, candidates.index.size(), radius, list);
    lists_[c] = {begin, middle - begin, static_cast<std::uint32_t>(list.size()) - middle};
  }
}

void ClusterPairs::build(const Points& points, float radius, const Executor& executor) {
  begin(points, executor);
  executor.run_chunks_with_worker(group_count(points.count),
                                  [&](std::size_t g, std::size_t worker) {
                                    list_group(points, radius, g, candidates_[worker]);
                                  });
  lay_out();
}

void ClusterPairs::build(const Points& points, float radius, std::span<const std::uint32_t> groups,
                         const Executor& executor) {
  begin(points, executor);
  executor.run_chunks_with_worker(groups.size(), [&](std::size_t k, std::size_t worker) {
    list_group(points, radius, groups[k], candidates_[worker]);
  });
  lay_out();
}

void ClusterPairs::begin(const Points& points, const Executor& executor) {
  lists_.resize(cluster_count(points.count));
  near_count_.resize(lists_.size());
  near_begin_.resize(lists_.size());
  if (groups_.size() < group_count(points.count)) groups_.resize(group_count(points.count));
  candidates_.resize(static_cast<std::size_t>(executor.threads()));
}

/// Where the near ones of each block begin. What they were is lost.
void ClusterPairs::lay_out() {
  const std::size_t groups = (lists_.size() + group - 1) / group;
  constexpr std::size_t groups_of_block = block / group;
  block_begin_.resize((groups + groups_of_block - 1) / groups_of_block);
  std::size_t total = 0;
  for (std::size_t g = 0; g < groups; ++g) {
    if (g % groups_of_block == 0) {
      total += g > 0;  // one more: sweeps write before they know if they keep
      block_begin_[g / groups_of_block] = total;
    }
    total += groups_[g].size();
  }
  near_.resize_anew(total + 1 + ahead);
  std::fill_n(near_.data() + total + 1, ahead, 0u);
}

std::size_t ClusterPairs::memory_bytes() const {
  std::size_t total = lists_.memory_bytes() + near_count_.memory_bytes() +
                      block_begin_.memory_bytes() + near_begin_.memory_bytes() +
                      near_.memory_bytes() + weights_.memory_bytes();
  for (const auto& g : groups_) total += g.memory_bytes() + sizeof g;
  return total;
}

}  // namespace talus
