// Meshes made by formula: the primitives as triangles, and test bodies with known properties.
#pragma once

#include "geometry/mesh.h"
#include "geometry/shape.h"

#include <functional>

namespace talus {

/// Any shape as triangles in its local frame, closed and looking outward (inward when inside out):
/// primitives with `segments` around the axis, files as they are loaded. A plane becomes a square
/// of plane_extent about the origin, which is open.
Result<Mesh> tessellate(const Shape& shape, int segments = 64);
constexpr double plane_extent = 200;  ///< m

/// An icosahedron, each face split into 4^subdivisions, on a sphere.
Mesh icosphere(double radius, int subdivisions);
/// A box with n x n quads on each face.
Mesh box_mesh(const Vec3d& size, int n = 1);
/// Ring of radius `major` about z, `minor` thick.
Mesh torus(double major, double minor, int around, int across);
/// A tube of radius `minor` along the trefoil knot ((2 + cos 3t) cos 2t, (2 + cos 3t) sin 2t,
/// sin 3t) * major / 3.
Mesh trefoil(double major, double minor, int around, int across);
/// An icosphere of radius `inner` with a needle of length up to `outer` on every face of the
/// coarse icosahedron: sharp tips, sharp valleys.
Mesh spiky_star(double inner, double outer, int subdivisions);
/// A smooth bumpy body with the triangles of a bad scan: edges that differ by about a factor of 20.
Mesh uneven_blob(double radius, int around, int across);

/// A closed grid of (u, v) in [0, 1)^2 that wraps both ways.
Mesh wrapped_grid(int nu, int nv, const std::function<Vec3d(double u, double v)>& position);

}  // namespace talus
