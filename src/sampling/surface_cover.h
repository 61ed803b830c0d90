// A dense, even cover of a surface by points: the measure of its area, the places where samples may
// start, and the places at which gaps are looked for.
#pragma once

#include "core/parallel.h"
#include "geometry/distance.h"

#include <vector>

namespace talus {

/// Points with the outward normal of the surface there.
struct OrientedPoints {
  std::vector<Vec3f> points;
  std::vector<Vec3f> normals;
  std::size_t size() const { return points.size(); }
};

struct SurfaceCover {
  OrientedPoints on_surface;
  std::vector<Vec3f> start;  ///< the same points before they were moved to the surface
  double area = 0;           ///< m^2
};

/// About 18 points for each `spacing`^2 of surface.
Result<SurfaceCover> cover_surface(const DistanceField& field, double spacing,
                                   const Executor& executor);

/// One step of Newton's method to the zero level for each point (Longmore 2009 Eq. 6.1 with a unit
/// time step), and the normals there.
void attract(const DistanceField& field, std::span<Vec3f> points, std::span<Vec3f> normals,
             const Executor& executor);

/// Samples on opposite sides of a thin wall are no neighbours; those around a sharp edge are.
inline bool same_side(const Vec3f& normal, const Vec3f& other) {
  return dot(normal, other) > -0.5f;
}

}  // namespace talus
