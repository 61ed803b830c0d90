// A bounding-box tree over the faces of a mesh: exact nearest points with their sign, and overlap
// queries. The sign is that of angle-weighted pseudo-normals (Baerentzen & Aanaes 2005), which is
// right at edges and vertices of any closed mesh that does not cross itself.
#pragma once

#include "geometry/mesh.h"

#include <limits>
#include <span>

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
    std::uint32_t stack[stack_size];
    int depth = 0;
    stack[depth++] = 0;
    while (depth > 0) {
      const Node& node = nodes_[stack[--depth]];
      for (std::size_t i = 0; i < width; ++i) {
        if (node.child[i] == nobody || !overlaps(node, i, box)) continue;
        if ((node.child[i] & leaf_bit) == 0) {
          stack[depth++] = node.child[i];
          continue;
        }
        const Leaf& leaf = leaves_[node.child[i] & ~leaf_bit];
        for (std::uint32_t k = 0; k < leaf.count; ++k) body(leaf.face[k]);
      }
    }
  }

 private:
  static constexpr std::size_t width = 8;  ///< children of a node and faces of a leaf: wide floats
  static constexpr int stack_size = 128;   ///< 7 for each of at most 18 levels
  static constexpr std::uint32_t leaf_bit = 0x80000000u, nobody = 0xFFFFFFFFu;

  struct Node {
    float lower[3][width], upper[3][width];
    std::uint32_t child[width];  ///< node, leaf (with leaf_bit) or nobody
  };
  struct Leaf {
    float corner[9][width];  ///< ax ay az bx by bz cx cy cz; spare lanes repeat the first face
    std::uint32_t face[width];
    std::uint32_t count;
  };

  static bool overlaps(const Node& n, std::size_t i, const Box3d& b) {
    for (int axis = 0; axis < 3; ++axis)
      if (static_cast<double>(n.lower[axis][i]) > b.upper[axis] ||
          static_cast<double>(n.upper[axis][i]) < b.lower[axis])
        return false;
    return true;
  }
  std::uint32_t add_node(std::span<std::uint32_t> faces, const std::vector<Vec3f>& centres);
  std::uint32_t add_leaf(std::span<const std::uint32_t> faces);
  void make_normals();

  Mesh mesh_;
  std::vector<Node> nodes_;
  std::vector<Leaf> leaves_;  ///< faces without area are left out
  std::vector<Vec3f> face_normals_;
  std::vector<std::array<Vec3f, 3>> edge_normals_;  ///< of the edge after each corner
  std::vector<Vec3f> vertex_normals_;
};

}  // namespace talus
