// Closed meshes as few convex pieces, for collisions of dynamic bodies among themselves.
#pragma once

#include "math/vec.h"

#include <array>
#include <cstdint>
#include <vector>

namespace talus {

/// Triangles as points and indices, counter-clockwise seen from outside.
struct Surface {
  std::vector<Vec3d> points;
  std::vector<std::array<std::uint32_t, 3>> triangles;
};

/// Corners of a convex polyhedron.
struct ConvexPiece {
  std::vector<Vec3d> points;
  double volume = 0;  ///< m^3 of the hull
};

/// Cuts the solid within a closed surface until each piece fills its convex hull to within
/// `tolerance` of the whole volume, or there are max_pieces. A convex solid stays whole.
std::vector<ConvexPiece> make_convex_pieces(const Surface& surface, double tolerance,
                                            int max_pieces);

}  // namespace talus
