// Normals for smooth shading of meshes: at each corner the area-weighted mean of those triangles
// around the vertex that turn by less than 40 degrees from the corner's own, so that a tessellated
// sphere is round and a box keeps its edges.
#pragma once

#include "math/vec.h"

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace talus {

/// Three normals per triangle. Vertices at the same place count as one.
std::vector<Vec3f> smooth_normals(std::span<const Vec3f> vertices,
                                  std::span<const std::array<std::uint32_t, 3>> triangles);

}  // namespace talus
