// Triangle meshes: plain data, from files (mesh_file.cpp) or made (mesh_shapes.h).
#pragma once

#include "core/error.h"
#include "geometry/distance.h"
#include "math/vec.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace talus {

struct Mesh {
  using Triangle = std::array<std::uint32_t, 3>;  ///< counter-clockwise seen from outside

  std::vector<Vec3f> vertices;  ///< m
  std::vector<Triangle> triangles;

  Box3d bounds() const {
    Box3d box;
    for (const Vec3f& v : vertices) box.include(Vec3d(v));
    return box;
  }
  std::array<Vec3d, 3> corners(std::size_t triangle) const {
    const Triangle& t = triangles[triangle];
    return {Vec3d(vertices[t[0]]), Vec3d(vertices[t[1]]), Vec3d(vertices[t[2]])};
  }
};

/// One kind of damage: how often, and where it is seen first.
struct MeshDefect {
  enum class Kind {
    not_finite,     ///< faces with a corner that is NaN or infinite
    degenerate,     ///< faces without area
    duplicate,      ///< faces that lie on another one
    hole,           ///< edges with a face on one side only
    non_manifold,   ///< edges with more than two faces
    inconsistent,   ///< neighbouring faces that look to different sides
    inverted,       ///< closed parts that are inside out
    self_crossing,  ///< faces that pass through each other
  };
  Kind kind = Kind::hole;
  std::size_t count = 0;
  std::size_t loops = 0;  ///< holes: closed rims
  std::size_t face = 0;   ///< not_finite: the first one, counted from 0 over the whole file
  Vec3f place{};          ///< of the first one, m; not_finite: a corner that is a number, if any
  Vec3f place_end{};      ///< edges: the other end

  /// Does it leave inside and outside undefined?
  bool breaks_solid() const { return kind != Kind::degenerate && kind != Kind::duplicate; }
};

/// "3 holes (12 open edges; the first from (0.1, 0, 2) to (0.2, 0, 2) m)"
std::string describe(const MeshDefect& defect);

/// A line for each defect that leaves inside and outside undefined; empty for a solid.
std::string describe_breaks(const std::vector<MeshDefect>& defects);

/// All defects found, in the order of the enumeration. Meshes straight from a file should be
/// repaired first: files without shared vertices (STL) are all holes.
std::vector<MeshDefect> check_mesh(const Mesh& mesh);

/// Makes safe repairs only: merges vertices closer than a millionth of the size, drops faces with
/// repeated vertices and duplicates, turns faces to agree with their neighbours and outward.
/// Returns a sentence for each repair made.
std::vector<std::string> repair_mesh(Mesh& mesh);

struct LoadedMesh {
  Mesh mesh;
  std::vector<std::string> repairs;  ///< what was mended
  std::vector<MeshDefect> defects;   ///< what was not; anything that breaks a solid needs `force`
};

/// Any format Assimp reads. Node transforms are applied and all meshes of the file joined; `scale`
/// is metres per unit of the file. Repairs, checks, and refuses what is no solid unless forced.
Result<LoadedMesh> load_mesh_with_report(const std::string& path, double scale, bool force);
Result<Mesh> load_mesh(const std::string& path, double scale = 1, bool force = false);

/// The file as it is: no repair, no check except that there are faces and finite numbers in it.
Result<Mesh> read_mesh_file(const std::string& path, double scale);

/// Writes a binary PLY that every mesh program reads.
Status write_mesh(const std::string& path, const Mesh& mesh);

}  // namespace talus
