// Signed distance to a shape, negative inside the solid; one interface for primitives and meshes.
// Mesh fields live in a sparse narrow band of voxels (mesh_distance.h).
#pragma once

#include "core/error.h"
#include "geometry/shape.h"

#include <memory>
#include <span>

namespace talus {

struct Box3d {
  Vec3d lower{1e300, 1e300, 1e300};
  Vec3d upper{-1e300, -1e300, -1e300};
  bool empty() const { return !(lower.x <= upper.x); }
  void include(const Vec3d& p) {
    lower = min(lower, p);
    upper = max(upper, p);
  }
  friend bool operator==(const Box3d&, const Box3d&) = default;
};

struct DistanceSample {
  float distance;  ///< m; negative inside the solid. Capped at the band's width far from a mesh.
  Vec3f gradient;  ///< unit, pointing out of the solid
};

/// Immutable after creation; queries are safe from any thread.
class DistanceField {
 public:
  virtual ~DistanceField() = default;
  /// Points and results in the shape's own (local) frame.
  virtual void sample(std::span<const Vec3f> points, std::span<DistanceSample> out) const = 0;
  DistanceSample sample(const Vec3f& point) const {
    DistanceSample out;
    sample({&point, 1}, {&out, 1});
    return out;
  }
  /// Moves points (local frame) to nearest surface points. Exact for meshes too, also at edges and
  /// corners, where interpolated distances are rounded off; slower than sample().
  virtual void project(std::span<Vec3f> points) const;
  /// Local bounds of the surface; infinite extents for a plane.
  virtual Box3d bounds() const = 0;
  /// Distances beyond this are only known to be at least this; infinity for primitives.
  virtual float band() const = 0;
};

/// `resolution` is the smallest detail that matters (the particle spacing); meshes are voxelised to
/// a fraction of it. The shape's pose is not applied: fields are local.
Result<std::shared_ptr<const DistanceField>> make_distance_field(const Shape& shape,
                                                                 double resolution);

}  // namespace talus
