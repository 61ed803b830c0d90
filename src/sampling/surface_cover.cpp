// Cells of a cubic grid of side c whose centre lies within w of the surface, found by descending an
// octree: a cell is left out when its centre is farther from the surface than half its diagonal.
// On average the shell |d| <= w holds 2 w A / c^3 centres whatever the surface's direction, which
// measures the area A; moved along the gradient they cover the surface evenly.

#include "sampling/surface_cover.h"

#include <array>
#include <cmath>

namespace talus {
namespace {

constexpr double cells_per_spacing = 3;
// w / c. At least half a diagonal, so that no surface slips through; one, so that faces along the
// grid have exactly two layers of centres wherever they lie.
constexpr double shell = 1;
constexpr double most_points = 3e8;

struct Octree {
  const DistanceField& field;
  Vec3d origin;
  const Executor& executor;

  Vec3f centre(const Vec3i& cell, double side) const {
    return Vec3f(origin + side * Vec3d{cell.x + 0.5, cell.y + 0.5, cell.z + 0.5});
  }

  /// Keeps the cells whose centre is within `limit` of the surface, as far as the band can tell.
  void keep_near(std::vector<Vec3i>& cells, double side, double limit) const {
    const double known = 0.5 * static_cast<double>(field.band());
    if (limit > known) return;
    std::vector<std::uint8_t> keep(cells.size());
    executor.for_range(cells.size(), Executor::default_grain, [&](std::size_t b, std::size_t e) {
      std::array<Vec3f, Executor::default_grain> points;
      std::array<DistanceSample, Executor::default_grain> samples;
      for (std::size_t i = b; i < e; ++i) points[i - b] = centre(cells[i], side);
      field.sample(std::span(points).first(e - b), std::span(samples).first(e - b));
      for (std::size_t i = b; i < e; ++i)
        keep[i] = std::abs(static_cast<double>(samples[i - b].distance)) <= limit;
    });
    std::size_t kept = 0;
    for (std::size_t i = 0; i < cells.size(); ++i)
      if (keep[i]) cells[kept++] = cells[i];
    cells.resize(kept);
  }
};

std::vector<Vec3i> split(const std::vector<Vec3i>& cells) {
  std::vector<Vec3i> children;
  children.reserve(cells.size() * 8);
  for (const Vec3i& c : cells)
    for (int i = 0; i < 8; ++i)
      children.push_back({2 * c.x + (i & 1), 2 * c.y + (i >> 1 & 1), 2 * c.z + (i >> 2)});
  return children;
}

}  // namespace

void attract(const DistanceField& field, std::span<Vec3f> points, std::span<Vec3f> normals,
             const Executor& executor) {
  executor.for_range(points.size(), Executor::default_grain, [&](std::size_t b, std::size_t e) {
    std::array<DistanceSample, Executor::default_grain> samples;
    field.sample(points.subspan(b, e - b), std::span(samples).first(e - b));
    for (std::size_t i = b; i < e; ++i) {
      points[i] -= samples[i - b].distance * samples[i - b].gradient;
      normals[i] = samples[i - b].gradient;
    }
  });
}

Result<SurfaceCover> cover_surface(const DistanceField& field, double spacing,
                                   const Executor& executor) {
  const Box3d bounds = field.bounds();
  const Vec3d extent = bounds.upper - bounds.lower;
  const double longest = std::max({extent.x, extent.y, extent.z});
  if (bounds.empty() || !std::isfinite(longest))
    return request_error("a surface without bounds (a plane) cannot be covered with particles");
  const double cell = spacing / cells_per_spacing;
  const int levels =
      std::max(0, static_cast<int>(std::ceil(std::log2((longest + 2 * spacing) / cell))));
  if (levels > 20)
    return request_error("a spacing of {:.3g} m on a surface {:.3g} m long gives too many samples",
                         spacing, longest);
  const double root = cell * std::ldexp(1.0, levels);
  // Off the middle: the faces of a body in round numbers shall not lie on the rim of the shell.
  const Vec3d shift = cell * Vec3d{0.137, 0.271, 0.389};
  const Octree octree{field, (bounds.lower + bounds.upper - Vec3d{root, root, root}) * 0.5 + shift,
                      executor};
  std::vector<Vec3i> cells{{0, 0, 0}};
  for (int level = 1; level <= levels; ++level) {
    cells = split(cells);
    const double side = root * std::ldexp(1.0, -level);
    // Down to the last level a cell stays while any of its finest centres may be in the shell.
    const double limit = level == levels ? shell * cell : shell * side + shell * cell;
    octree.keep_near(cells, side, limit);
    if (static_cast<double>(cells.size()) > most_points)
      return request_error(
          "a spacing of {:.3g} m is too fine for this surface: more than {:.3g} "
          "cells; use a coarser one",
          spacing, most_points);
  }
  SurfaceCover cover;
  cover.area = static_cast<double>(cells.size()) * cell * cell / (2 * shell);
  cover.start.resize(cells.size());
  executor.for_each(cells.size(),
                    [&](std::size_t i) { cover.start[i] = octree.centre(cells[i], cell); });
  cover.on_surface.points = cover.start;
  cover.on_surface.normals.resize(cells.size());
  for (int pass = 0; pass < 3; ++pass)
    attract(field, cover.on_surface.points, cover.on_surface.normals, executor);
  return cover;
}

}  // namespace talus
