// What fine grains follow during one step: base particles and samples of the bodies' surfaces, with
// the way they go and how they turn. Sorted by cell, so that a tile finds its own quickly; always
// all of them, whatever share of the grains a process has, so that shares cannot differ.
#pragma once

#include "core/array.h"
#include "core/parallel.h"
#include "geometry/cell_grid.h"
#include "math/vec.h"

#include <span>
#include <vector>

namespace talus::detail {

struct Guide {
  Vec3f position;      ///< m, at the start of the step
  float radius;        ///< m
  Vec3f displacement;  ///< m, over the step
  Vec3f rotation;      ///< rad, rotation vector over the step, of what surrounds the guide
  float falling = 0;   ///< 0..1, see falling_share()
};

class GuideSet {
 public:
  void build(std::span<const Guide> guides, const Executor& executor);

  float largest_radius() const { return largest_radius_; }
  std::size_t size() const { return sorted_.size(); }

  /// body(guide) for all whose cells meet the box, in an order that depends on the guides alone.
  template <class Body>
  void for_each_near(const Vec3f& lower, const Vec3f& upper, Body&& body) const {
    if (sorted_.empty()) return;
    grid_.for_cells_in(lower, upper, [&](CellGrid::Range range) {
      for (std::uint32_t k = range.begin; k < range.end; ++k) body(sorted_[k]);
    });
  }

 private:
  CellGrid grid_;
  std::vector<Vec3f> points_;
  ScratchArray<Guide> sorted_;
  float largest_radius_ = 0;
};

}  // namespace talus::detail
