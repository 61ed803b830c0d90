// Fixed-radius neighbour search: points sorted by the cell they lie in, cells found by hashing.
//
// The domain is unbounded and a cell holds any number of points. Cells are numbered along a Morton
// curve, and each cell is cut into 2x2x2 sub-cells that are numbered along it too, so that eight
// consecutive points are close together (see geometry/cluster_pairs.h). The order of points in
// equal sub-cells is their old order: the sort is stable and independent of the number of threads.
#pragma once

#include "core/array.h"
#include "core/parallel.h"
#include "math/vec.h"

#include <cstdint>
#include <span>

namespace talus {

class CellGrid {
 public:
  struct Range {
    std::uint32_t begin = 0, end = 0;
  };

  /// Sorts. Two points closer than `cell_size` lie in the same cell or in adjacent ones.
  void build(std::span<const Vec3f> points, float cell_size, const Executor& executor);

  /// order()[k] is the index, in `points`, of the k-th point along the curve.
  std::span<const std::uint32_t> order() const { return order_; }
  std::size_t cell_count() const { return cells_.size(); }
  float cell_size() const { return cell_size_; }
  std::size_t memory_bytes() const;

  Vec3i cell_of(const Vec3f& p) const {
    return {coordinate(p.x, origin_.x) >> 1, coordinate(p.y, origin_.y) >> 1,
            coordinate(p.z, origin_.z) >> 1};
  }

  /// Sorted positions k of the points in a cell; empty when nobody is there.
  Range find(const Vec3i& cell) const;

  /// body(Range) for every occupied cell that meets the box [lower, upper]. Never looks at many
  /// more cells than are occupied: the box around neighbours along the curve may reach to somebody
  /// far away.
  template <class Body>
  void for_cells_in(const Vec3f& lower, const Vec3f& upper, Body&& body) const {
    const Vec3i a = cell_of(lower), b = cell_of(upper);
    const double in_box = (b.x - a.x + 1.0) * (b.y - a.y + 1.0) * (b.z - a.z + 1.0);
    if (in_box > 8.0 * static_cast<double>(cells_.size())) {
      for (const Cell& cell : cells_) {
        const Vec3i c = place_of(cell);
        if (c.x >= a.x && c.x <= b.x && c.y >= a.y && c.y <= b.y && c.z >= a.z && c.z <= b.z)
          body(Range{cell.begin, cell.end});
      }
      return;
    }
    for (int z = a.z; z <= b.z; ++z)
      for (int y = a.y; y <= b.y; ++y)
        for (int x = a.x; x <= b.x; ++x) {
          const Range r = find({x, y, z});
          if (r.begin != r.end) body(r);
        }
  }

 private:
  static constexpr int axis_bits = 21;
  static constexpr std::int32_t max_coordinate = (1 << axis_bits) - 1;

  struct Cell {
    std::uint64_t key;
    std::uint32_t begin;
    std::uint32_t end;
  };
  struct Item {
    std::uint64_t key;
    std::uint32_t index;
  };

  /// Sub-cell coordinate, clamped: whoever flew past the last cell shares it, which is slow if many
  /// do but never wrong, since clamping keeps neighbours adjacent.
  std::int32_t coordinate(float x, double origin) const {
    const double c = (static_cast<double>(x) - origin) * inverse_sub_cell_;
    if (!(c > 0)) return 0;
    if (c >= max_coordinate) return max_coordinate;
    return static_cast<std::int32_t>(c);
  }
  static Vec3i place_of(const Cell& cell);
  void choose_origin(std::span<const Vec3f> points, const Executor& executor);
  void sort_items(const Executor& executor);
  void collect_cells();
  std::size_t slot_of(std::uint64_t key) const {
    return (key * 0x9E3779B97F4A7C15ull) >> hash_shift_;
  }

  float cell_size_ = 0;
  double inverse_sub_cell_ = 0;
  Vec3d origin_{};
  int key_bits_ = 0;
  int hash_shift_ = 63;
  ScratchArray<Item> items_, items_other_;
  ScratchArray<std::uint32_t> histogram_;
  ScratchArray<std::uint32_t> order_;
  ScratchArray<Cell> cells_;
  ScratchArray<std::uint32_t> slots_;  ///< index into cells_ plus one; 0 = free
};

}  // namespace talus
