// Points in cell order with a fixed-radius look-up, as the relaxations of this folder need it.
#pragma once

#include "geometry/cell_grid.h"

#include <span>
#include <vector>

namespace talus {

class NearPoints {
 public:
  void build(std::span<const Vec3f> points, float radius, const Executor& executor) {
    grid_.build(points, radius, executor);
    sorted_.resize(points.size());
    const auto order = grid_.order();
    executor.for_each(points.size(), [&](std::size_t k) { sorted_[k] = points[order[k]]; });
  }

  std::size_t size() const { return sorted_.size(); }
  /// Points in cell order and their indices in the span given to build().
  std::span<const Vec3f> sorted() const { return sorted_; }
  std::span<const std::uint32_t> order() const { return grid_.order(); }

  /// body(k, position, squared distance) for every sorted point k nearer to p than `radius`; fast
  /// when that is about the radius given to build(). The order of the calls depends on the points
  /// alone.
  template <class Body>
  void for_near(const Vec3f& p, float radius, Body&& body) const {
    const Vec3f reach{radius, radius, radius};
    grid_.for_cells_in(p - reach, p + reach, [&](CellGrid::Range range) {
      for (std::uint32_t k = range.begin; k < range.end; ++k) {
        const float d2 = squared_norm(sorted_[k] - p);
        if (d2 < radius * radius) body(k, sorted_[k], d2);
      }
    });
  }

 private:
  CellGrid grid_;
  std::vector<Vec3f> sorted_;
};

}  // namespace talus
