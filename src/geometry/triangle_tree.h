// A bounding-box tree over the faces of a mesh: exact nearest points with their sign, and overlap
// queries. The sign is that of angle-weighted pseudo-normals (Baerentzen & Aanaes 2005), which is
// right at edges and vertices of any closed mesh that does not cross itself.
#pragma once

#include "geometry/mesh.h"

#include <limits>

namespace talus {

struct SurfacePoint {
  Vec3d point{};   ///< nearest point of the surface
  Vec3d normal{};  ///< angle-weighted pseudo-normal there, unit
  double distance = std::numeric_limits<double>::infinity();  ///< signed, negative inside
  std::uint32_t triangle = 0;
};

class TriangleTree {
 public:
  explicit TriangleTree(Mesh mesh);

  const Mesh& mesh() const { return mesh_; }
  /// The nearest surface point; infinite distance when none is within `reach`.
  SurfacePoint nearest(const Vec3d& p,
                       double reach = std::numeric_limits<double>::infinity()) const;
  /// Signed distance to one face, as if its nearest point were that of the mesh.
  SurfacePoint nearest_on(std::uint32_t triangle, const Vec3d& p) const;

  /// body(triangle) for every face whose box meets `box`, in a fixed order.
  template <class Body>
  void for_overlaps(const Box3d& box, Body&& body) const {
    if (nodes_.empty()) return;
    std::uint32_t stack[64];
    int depth = 0;
    stack[depth++] = 0;
    while (depth > 0) {
      const Node& node = nodes_[stack[--depth]];
      if (!overlaps(node, box)) continue;
      if (node.count > 0) {
        for (std::uint32_t i = 0; i < node.count; ++i) body(faces_[node.first + i]);
      } else {
        stack[depth++] = node.first + 1;
        stack[depth++] = node.first;
      }
    }
  }

 private:
  struct Node {
    Vec3f lower, upper;
    std::uint32_t first;  ///< of two children, or of the faces
    std::uint32_t count;  ///< faces; 0 = has children
  };

  static bool overlaps(const Node& n, const Box3d& b) {
    return n.lower.x <= b.upper.x && n.upper.x >= b.lower.x && n.lower.y <= b.upper.y &&
           n.upper.y >= b.lower.y && n.lower.z <= b.upper.z && n.upper.z >= b.lower.z;
  }
  void split(std::uint32_t node, std::uint32_t begin, std::uint32_t end,
             const std::vector<Vec3f>& centres);
  void make_normals();

  Mesh mesh_;
  std::vector<Node> nodes_;
  std::vector<std::uint32_t> faces_;           ///< in leaf order; faces without area are left out
  std::vector<std::array<Vec3f, 3>> corners_;  ///< of faces_, next to each other in memory
  std::vector<Vec3f> face_normals_;
  std::vector<std::array<Vec3f, 3>> edge_normals_;  ///< of the edge after each corner
  std::vector<Vec3f> vertex_normals_;
};

}  // namespace talus
