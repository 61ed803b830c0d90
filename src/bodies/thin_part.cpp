#include "bodies/thin_part.h"

#include <algorithm>

namespace talus {

namespace {

constexpr double share_that_matters = 0.05;

}  // namespace

std::optional<double> thin_part(const MeshField& field, double spacing) {
  const Mesh& mesh = field.mesh();
  double area = 0, thin = 0, thinnest = spacing;
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
    const auto c = mesh.corners(t);
    const Vec3d across = cross(c[1] - c[0], c[2] - c[0]);
    const double size = norm(across);
    if (!(size > 0)) continue;
    const Vec3d normal = across / size, middle = (c[0] + c[1] + c[2]) / 3.0;
    for (const Vec3d& toward : {middle, c[0], c[1], c[2]}) {
      area += size;
      // Half a spacing below the surface, the nearest surface is the other side of a thin part.
      const Vec3d below = (middle + toward) * 0.5 - normal * (0.5 * spacing);
      const DistanceSample s = field.sample(Vec3f(below));
      if (dot(Vec3d(s.gradient), normal) > -0.5) continue;
      thin += size;
      thinnest = std::min(thinnest, std::max(0.0, 0.5 * spacing - double{s.distance}));
    }
  }
  if (!(thin > share_that_matters * area)) return {};
  return thinnest;
}

}  // namespace talus
