// Neighbour lists for groups of eight points ("clusters"), made for wide floats: the eight points i
// of a cluster fill the lanes, each listed neighbour j is one scalar loaded into all lanes. No
// gathers, no masks: a kernel with finite support is zero in the lanes where j is too far.
//
// Cluster c holds the points 8c .. 8c+7 in the sorted order of a CellGrid. Its list contains every
// j that is within `radius` of at least one of them (the points themselves included).
#pragma once

#include "core/array.h"
#include "geometry/cell_grid.h"
#include "math/wide.h"

#include <vector>

namespace talus {

/// Position and one more value, loaded together.
struct alignas(16) Float4 {
  float x, y, z, w;
};
inline Vec3f xyz(const Float4& p) { return {p.x, p.y, p.z}; }

class ClusterPairs {
 public:
  static constexpr std::size_t width = 8;

  static std::size_t cluster_count(std::size_t points) { return (points + width - 1) / width; }

  /// The points are `points[0 .. count)`, sorted as `grid` left them. Points of `extra_grid`
  /// (ghosts, boundary particles), stored from `points[extra_begin]` in its sorted order, can be j
  /// only.
  void build(std::span<const Float4> points, std::size_t count, const CellGrid& grid,
             std::size_t extra_begin, const CellGrid& extra_grid, float radius,
             const Executor& executor);

  /// All neighbours of cluster c: first proper points, then extras (index >= extra_begin).
  std::span<const std::uint32_t> neighbours(std::size_t c) const {
    const List& l = lists_[c];
    return {blocks_[c / block].data() + l.begin, l.proper + l.extra};
  }
  /// The part of neighbours(c) that are extras.
  std::span<const std::uint32_t> extras(std::size_t c) const {
    return neighbours(c).subspan(lists_[c].proper);
  }
  /// Room for a shortened list of cluster c, as long as neighbours(c): lists are valid for several
  /// steps and so a little too long; the first sweep of a step notes who is really near. It must go
  /// through the clusters of a block in ascending order: their lists are packed without gaps, so
  /// that later sweeps read memory in one stream.
  std::uint32_t* begin_near(std::size_t c) {
    near_begin_[c] =
        c % block == 0 ? block_begin_[c / block] : near_begin_[c - 1] + near_count_[c - 1];
    return near_.data() + near_begin_[c];
  }
  void end_near(std::size_t c, std::size_t count) {
    near_count_[c] = static_cast<std::uint32_t>(count);
  }
  /// The sweep leaves cluster c out: nobody is near it.
  void leave_out(std::size_t c) {
    begin_near(c);
    end_near(c, 0);
  }
  std::span<const std::uint32_t> near(std::size_t c) const {
    return {near_.data() + near_begin_[c], near_count_[c]};
  }
  /// Room for one weight for each lane and near neighbour, beside near(c).
  void reserve_weights() { weights_.resize(near_.size()); }
  WideUnit* weights(std::size_t c) { return weights_.data() + near_begin_[c]; }
  std::size_t clusters() const { return lists_.size(); }
  /// Lists may be read this far beyond their end, to fetch what the next cluster needs.
  static constexpr std::size_t ahead = 96;
  /// Clusters are best swept in blocks of this many: one block's lists lie together.
  static constexpr std::size_t block = 32;
  std::size_t memory_bytes() const;

 private:
  struct List {
    std::uint32_t begin, proper, extra;
  };
  /// Coordinates of the points near a few clusters, side by side for wide loads.
  struct Candidates {
    ScratchArray<float> x, y, z;
    ScratchArray<std::uint32_t> index;
    ScratchArray<std::uint32_t> near;  ///< those close to the box of one cluster
    void clear() {
      for (auto* column : {&x, &y, &z}) column->clear();
      index.clear();
    }
    void resize(std::size_t n) {
      for (auto* column : {&x, &y, &z}) column->resize(n);
      index.resize(n);
    }
  };
  struct Lanes;
  static Lanes load_cluster(std::span<const Float4> points, std::size_t first, std::size_t count);
  static void append_near(const Lanes& lanes, Candidates& all, std::size_t first, std::size_t last,
                          float radius, ScratchArray<std::uint32_t>& list);
  static void collect(std::span<const Float4> points, std::size_t offset, const CellGrid& grid,
                      const Vec3f& lower, const Vec3f& upper, Candidates& out);

  ScratchArray<List> lists_;
  ScratchArray<std::uint32_t> near_count_;
  std::vector<Candidates> candidates_;  ///< one for each worker
  std::vector<ScratchArray<std::uint32_t>> blocks_;
  // Swept many times in a step, so each in one piece, block after block.
  ScratchArray<std::size_t> block_begin_, near_begin_;
  ScratchArray<std::uint32_t> near_;
  ScratchArray<WideUnit> weights_;
};

}  // namespace talus
