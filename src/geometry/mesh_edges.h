// The edges of a mesh with the faces at each: what checks, repairs and pseudo-normals walk over.
#pragma once

#include "geometry/mesh.h"

#include <algorithm>
#include <span>

namespace talus {

/// One face's use of an edge.
struct HalfEdge {
  std::uint32_t low, high;  ///< vertices, low < high
  std::uint32_t triangle;
  std::uint8_t side;  ///< edge from corner `side` to the next one
  bool forward;       ///< the face runs from low to high
};

/// All half edges, those of one edge next to each other, faces ascending within.
inline std::vector<HalfEdge> half_edges(const Mesh& mesh) {
  std::vector<HalfEdge> edges;
  edges.reserve(mesh.triangles.size() * 3);
  for (std::uint32_t t = 0; t < mesh.triangles.size(); ++t)
    for (std::uint8_t side = 0; side < 3; ++side) {
      const std::uint32_t a = mesh.triangles[t][side], b = mesh.triangles[t][(side + 1) % 3];
      if (a != b) edges.push_back({std::min(a, b), std::max(a, b), t, side, a < b});
    }
  std::sort(edges.begin(), edges.end(), [](const HalfEdge& a, const HalfEdge& b) {
    if (a.low != b.low) return a.low < b.low;
    if (a.high != b.high) return a.high < b.high;
    return a.triangle < b.triangle;
  });
  return edges;
}

/// body(span of the half edges of one edge) for every edge.
template <class Body>
void for_edges(std::span<const HalfEdge> edges, Body&& body) {
  for (std::size_t i = 0; i < edges.size();) {
    std::size_t end = i + 1;
    while (end < edges.size() && edges[end].low == edges[i].low && edges[end].high == edges[i].high)
      ++end;
    body(edges.subspan(i, end - i));
    i = end;
  }
}

/// Parts of a mesh: faces that hang together over edges with exactly two faces.
struct MeshParts {
  std::vector<std::uint32_t> part_of;  ///< for each face
  std::uint32_t count = 0;
  std::vector<std::uint8_t> closed;  ///< for each part: every edge has two faces
};
MeshParts find_parts(const Mesh& mesh, std::span<const HalfEdge> edges);

/// Closed parts that are inside out. A part that lies in another one and looks the other way is a
/// cavity, and right; an outermost part must have a positive volume. The answer holds, for each
/// part, whether it must be turned: cavities turn with the part around them.
std::vector<std::uint8_t> parts_to_turn(const Mesh& mesh, const MeshParts& parts);

}  // namespace talus
