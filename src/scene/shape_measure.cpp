#include "scene/shape_measure.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace talus {
namespace {

using std::numbers::pi;

struct Bounds {
  Vec3d lower, upper;
};

std::optional<Bounds> world_bounds(const Shape& shape) {
  const auto half = shape_half_extents(shape);
  if (!half) return std::nullopt;
  const Mat3d r = to_matrix(shape.pose.rotation);
  Vec3d extent;
  for (int i = 0; i < 3; ++i)
    extent[i] = std::abs(r.row[i].x) * half->x + std::abs(r.row[i].y) * half->y +
                std::abs(r.row[i].z) * half->z;
  return Bounds{shape.pose.position - extent, shape.pose.position + extent};
}

}  // namespace

std::optional<double> shape_volume(const Shape& s) {
  if (s.inside_out) return std::nullopt;
  const double r = s.radius, t = s.radius_top, h = s.height;
  switch (s.kind) {
    case ShapeKind::box: return s.size.x * s.size.y * s.size.z;
    case ShapeKind::sphere: return 4.0 / 3.0 * pi * r * r * r;
    case ShapeKind::cylinder: return pi * r * r * h;
    case ShapeKind::cone: return pi * h * (r * r + r * t + t * t) / 3;
    case ShapeKind::capsule: return pi * r * r * h + 4.0 / 3.0 * pi * r * r * r;
    default: return std::nullopt;
  }
}

std::optional<double> shape_thickness(const Shape& s) {
  if (s.inside_out) return std::nullopt;
  switch (s.kind) {
    case ShapeKind::box: return std::min({s.size.x, s.size.y, s.size.z});
    case ShapeKind::sphere:
    case ShapeKind::capsule: return 2 * s.radius;
    case ShapeKind::cylinder: return std::min(2 * s.radius, s.height);
    case ShapeKind::cone: return std::min(2 * std::max(s.radius, s.radius_top), s.height);
    case ShapeKind::tube: return s.thickness;
    default: return std::nullopt;
  }
}

std::optional<Vec3d> shape_half_extents(const Shape& s) {
  const double r = std::max(s.radius, s.radius_top);
  switch (s.kind) {
    case ShapeKind::box: return s.size * 0.5;
    case ShapeKind::sphere: return Vec3d{s.radius, s.radius, s.radius};
    case ShapeKind::cylinder: return Vec3d{s.radius, s.radius, s.height / 2};
    case ShapeKind::cone: return Vec3d{r, r, s.height / 2};
    case ShapeKind::capsule: return Vec3d{s.radius, s.radius, s.height / 2 + s.radius};
    default: return std::nullopt;
  }
}

bool shape_contains(const Shape& s, const Vec3d& p) {
  const double across = std::hypot(p.x, p.y);
  switch (s.kind) {
    case ShapeKind::box:
      return std::abs(p.x) < s.size.x / 2 && std::abs(p.y) < s.size.y / 2 &&
             std::abs(p.z) < s.size.z / 2;
    case ShapeKind::sphere: return norm(p) < s.radius;
    case ShapeKind::cylinder: return across < s.radius && std::abs(p.z) < s.height / 2;
    case ShapeKind::cone: {
      const double up = p.z / s.height + 0.5;
      return up > 0 && up < 1 && across < s.radius + up * (s.radius_top - s.radius);
    }
    case ShapeKind::capsule: {
      const double beyond = std::max(0.0, std::abs(p.z) - s.height / 2);
      return std::hypot(across, beyond) < s.radius;
    }
    default: return false;
  }
}

double shared_volume(const Shape& a, const Shape& b) {
  const auto bounds_a = world_bounds(a), bounds_b = world_bounds(b);
  if (!bounds_a || !bounds_b) return 0;
  const Vec3d lower = max(bounds_a->lower, bounds_b->lower);
  const Vec3d extent = min(bounds_a->upper, bounds_b->upper) - lower;
  if (!(extent.x > 0 && extent.y > 0 && extent.z > 0)) return 0;
  constexpr int n = 16;
  int hits = 0;
  for (int i = 0; i < n * n * n; ++i) {
    const Vec3d cell{(i % n + 0.5) / n, (i / n % n + 0.5) / n, (i / (n * n) + 0.5) / n};
    const Vec3d p = lower + Vec3d{cell.x * extent.x, cell.y * extent.y, cell.z * extent.z};
    if (shape_contains(a, a.pose.to_body(p)) && shape_contains(b, b.pose.to_body(p))) ++hits;
  }
  return extent.x * extent.y * extent.z * hits / (n * n * n);
}

}  // namespace talus
