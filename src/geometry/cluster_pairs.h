// Neighbour lists for groups of eight points ("clusters"), made for wide floats: the eight points i
// of a cluster fill the lanes, each listed neighbour j is one scalar loaded into all lanes. No
// gathers, no masks: a kernel with finite support is zero in the lanes where j is too far.
//
// Cluster c holds the points 8c .. 8c+7. Its list contains every j that is within `radius` of at
// least one of them (the points themselves included), in ascending order: whoever sums over those
// that are near gets the same bits from any list that has them all. Lists of eight clusters, a
// group, are made together, and can be made anew without those of other groups.
#pragma once

#include "core/array.h"
#include "geometry/box_tree.h"
#include "math/wide.h"

#include <span>
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
  /// Clusters whose lists are made together: one node above the leaves of a BoxTree.
  static constexpr std::size_t group = BoxTree::fan;

  static std::size_t cluster_count(std::size_t points) { return (points + width - 1) / width; }
  static std::size_t group_count(std::size_t points) {
    return (cluster_count(points) + group - 1) / group;
  }

  /// Points 0 .. count of `at`, and those that can be j only (ghosts, boundary particles), from
  /// extra_begin on; with the boxes around eight that follow each other.
  struct Points {
    std::span<const Float4> at;
    std::size_t count, extra_begin;
    const BoxTree& boxes;
    const BoxTree& extra_boxes;
  };
  /// Boxes around eight points each, at[first .. first + count).
  static void enclose(std::span<const Float4> at, std::size_t first, std::size_t count,
                      BoxTree& boxes, const Executor& executor);

  /// All lists, of as many clusters as there are.
  void build(const Points& points, float radius, const Executor& executor);
  /// Those of some groups. If points were added behind the others, their groups must be among them.
  void build(const Points& points, float radius, std::span<const std::uint32_t> groups,
             const Executor& executor);

  /// All neighbours of cluster c: first proper points, then extras (index >= extra_begin).
  std::span<const std::uint32_t> neighbours(std::size_t c) const {
    const List& l = lists_[c];
    return {groups_[c / group].data() + l.begin, l.proper + l.extra};
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
  void reserve_weights() { weights_.resize_anew(near_.size()); }
  WideUnit* weights(std::size_t c) { return weights_.data() + near_begin_[c]; }
  std::size_t clusters() const { return lists_.size(); }
  /// Lists may be read this far beyond their end, to fetch what the next cluster needs.
  static constexpr std::size_t ahead = 96;
  /// Clusters are best swept in blocks of this many: one block's lists lie together.
  static constexpr std::size_t block = 4 * group;
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
  static void append_near(const WideVec3& lanes, const Box3f& around, Candidates& all,
                          std::size_t first, std::size_t last, float radius,
                          ScratchArray<std::uint32_t>& list);
  static void collect(std::span<const Float4> at, std::size_t begin, std::size_t count,
                      const BoxTree& boxes, const Box3f& in, Candidates& out);
  void begin(const Points& points, const Executor& executor);
  void list_group(const Points& points, float radius, std::size_t g, Candidates& candidates);
  void lay_out();

  ScratchArray<List> lists_;
  ScratchArray<std::uint32_t> near_count_;
  std::vector<Candidates> candidates_;  ///< one for each worker
  std::vector<ScratchArray<std::uint32_t>> groups_;
  // Swept many times in a step, so each in one piece, block after block.
  ScratchArray<std::size_t> block_begin_, near_begin_;
  ScratchArray<std::uint32_t> near_;
  ScratchArray<WideUnit> weights_;
};

}  // namespace talus
