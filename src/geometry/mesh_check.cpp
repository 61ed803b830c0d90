// Every check names the first place where it fails, in the coordinates of the file times its scale.
//
// Self-crossing: two faces cross when an edge of one passes through the inside of the other, by the
// signs of tetrahedron volumes. Faces that only touch (shared corners, T-junctions, parts stacked
// face to face) leave inside and outside defined and are not reported. Closed parts that overlap
// without such an edge (boxes with faces in a common plane) are found by rays.

#include "geometry/mesh_edges.h"
#include "geometry/triangle_tree.h"

#include <cmath>
#include <numeric>

namespace talus {
namespace {

using Kind = MeshDefect::Kind;

struct Collector {
  std::vector<MeshDefect> defects;

  void add(Kind kind, const Vec3f& place, const Vec3f& place_end) {
    for (MeshDefect& d : defects)
      if (d.kind == kind) {
        ++d.count;
        return;
      }
    defects.push_back({kind, 1, 0, 0, place, place_end});
  }
  void add(Kind kind, const Vec3f& place) { add(kind, place, place); }
};

Vec3f centre(const Mesh& mesh, std::size_t t) {
  const auto c = mesh.corners(t);
  return Vec3f((c[0] + c[1] + c[2]) / 3.0);
}

void check_numbers(const Mesh& mesh, Collector& found) {
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
    Vec3f place{NAN, NAN, NAN};
    bool whole = true;
    for (const std::uint32_t v : mesh.triangles[t]) {
      whole = whole && is_finite(mesh.vertices[v]);
      if (is_finite(mesh.vertices[v])) place = mesh.vertices[v];
    }
    if (whole) continue;
    found.add(Kind::not_finite, place);
    if (found.defects.front().count == 1) found.defects.front().face = t;
  }
}

void check_faces(const Mesh& mesh, Collector& found) {
  std::vector<std::array<std::uint32_t, 4>> sorted;
  for (std::uint32_t t = 0; t < mesh.triangles.size(); ++t) {
    const auto c = mesh.corners(t);
    const Vec3d normal = cross(c[1] - c[0], c[2] - c[0]);
    const double longest =
        std::max({squared_norm(c[1] - c[0]), squared_norm(c[2] - c[0]), squared_norm(c[2] - c[1])});
    if (!(norm(normal) > 1e-12 * longest)) found.add(Kind::degenerate, centre(mesh, t));
    Mesh::Triangle key = mesh.triangles[t];
    std::sort(key.begin(), key.end());
    sorted.push_back({key[0], key[1], key[2], t});
  }
  std::sort(sorted.begin(), sorted.end());
  for (std::size_t i = 1; i < sorted.size(); ++i)
    if (std::equal(sorted[i].begin(), sorted[i].begin() + 3, sorted[i - 1].begin()))
      found.add(Kind::duplicate, centre(mesh, sorted[i][3]));
}

/// Closed rims of holes: open edges that hang together.
std::size_t count_loops(std::size_t vertices, const std::vector<HalfEdge>& open) {
  std::vector<std::uint32_t> parent(vertices);
  std::iota(parent.begin(), parent.end(), 0u);
  const auto root = [&](std::uint32_t i) {
    while (parent[i] != i) i = parent[i] = parent[parent[i]];
    return i;
  };
  std::size_t loops = 0;
  std::vector<std::uint8_t> seen(vertices, 0);
  for (const HalfEdge& e : open)
    for (std::uint32_t v : {e.low, e.high})
      if (!seen[v]) {
        seen[v] = 1;
        ++loops;
      }
  for (const HalfEdge& e : open) {
    const std::uint32_t a = root(e.low), b = root(e.high);
    if (a == b) continue;
    parent[std::max(a, b)] = std::min(a, b);
    --loops;
  }
  return loops;
}

void check_edges(const Mesh& mesh, std::span<const HalfEdge> edges, Collector& found) {
  std::vector<HalfEdge> open;
  for_edges(edges, [&](std::span<const HalfEdge> uses) {
    const Vec3f a = mesh.vertices[uses[0].low], b = mesh.vertices[uses[0].high];
    if (uses.size() == 1) {
      open.push_back(uses[0]);
      found.add(Kind::hole, a, b);
    } else if (uses.size() > 2) {
      found.add(Kind::non_manifold, a, b);
    } else if (uses[0].forward == uses[1].forward) {
      found.add(Kind::inconsistent, a, b);
    }
  });
  for (MeshDefect& d : found.defects)
    if (d.kind == Kind::hole) d.loops = count_loops(mesh.vertices.size(), open);
}

/// Faces that look to different sides leave the volume of a part without meaning.
void check_parts(const Mesh& mesh, std::span<const HalfEdge> edges, Collector& found) {
  for (const MeshDefect& d : found.defects)
    if (d.kind == Kind::inconsistent) return;
  const MeshParts parts = find_parts(mesh, edges);
  const std::vector<std::uint8_t> turn = parts_to_turn(mesh, parts);
  std::vector<std::uint8_t> reported(parts.count, 0);
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
    const std::uint32_t part = parts.part_of[t];
    if (!turn[part] || reported[part]) continue;
    reported[part] = 1;
    found.add(Kind::inverted, centre(mesh, t));
  }
}

/// Six times the volume of the tetrahedron; 0 when it is flat within rounding.
double orientation(const Vec3d& a, const Vec3d& b, const Vec3d& c, const Vec3d& d) {
  const Vec3d u = b - a, v = c - a, w = d - a;
  const double volume = dot(u, cross(v, w));
  const double scale = norm(u) * norm(v) * norm(w);
  return std::abs(volume) > 1e-10 * scale ? volume : 0;
}

bool edge_pierces(const Vec3d& p, const Vec3d& q, const std::array<Vec3d, 3>& t) {
  const double above = orientation(t[0], t[1], t[2], p), below = orientation(t[0], t[1], t[2], q);
  if (!(above * below < 0)) return false;
  const double a = orientation(p, q, t[0], t[1]), b = orientation(p, q, t[1], t[2]),
               c = orientation(p, q, t[2], t[0]);
  return (a > 0 && b > 0 && c > 0) || (a < 0 && b < 0 && c < 0);
}

void check_crossings(const Mesh& mesh, Collector& found) {
  const TriangleTree tree(mesh);
  for (std::uint32_t t = 0; t < mesh.triangles.size(); ++t) {
    const auto c = mesh.corners(t);
    Box3d box;
    for (const Vec3d& p : c) box.include(p);
    tree.for_overlaps(box, [&](std::uint32_t other) {
      if (other <= t) return;
      const auto d = mesh.corners(other);
      for (std::size_t i = 0; i < 3; ++i)
        if (edge_pierces(c[i], c[(i + 1) % 3], d) || edge_pierces(d[i], d[(i + 1) % 3], c)) {
          found.add(Kind::self_crossing, centre(mesh, t));
          return;
        }
    });
  }
}

/// How many times the closed surface winds around p: faces that a ray along `axis` leaves through,
/// less those that it enters by.
int winding(const TriangleTree& tree, const Vec3d& p, int axis, double end) {
  Box3d ray;
  Vec3d far = p;
  far[axis] = end;
  ray.include(p);
  ray.include(far);
  int sum = 0;
  tree.for_overlaps(ray, [&](std::uint32_t t) {
    const auto c = tree.mesh().corners(t);
    if (edge_pierces(p, far, c)) sum += cross(c[1] - c[0], c[2] - c[0])[axis] > 0 ? 1 : -1;
  });
  return sum;
}

/// Two rays have to agree; one may pass through an edge.
bool inside_twice(const TriangleTree& tree, const Box3d& box, const Vec3d& p) {
  const double beyond = norm(box.upper - box.lower);
  int twice = 0;
  for (int axis = 0; axis < 3; ++axis)
    twice += winding(tree, p, axis, box.upper[axis] + beyond) > 1;
  return twice >= 2;
}

/// Parts that lie in each other without an edge that pierces a face, as boxes with faces in common
/// planes do: a point just inside a face is then inside twice.
void check_overlapping_parts(const Mesh& mesh, std::span<const HalfEdge> edges, Collector& found) {
  const MeshParts parts = find_parts(mesh, edges);
  if (parts.count < 2) return;
  const TriangleTree tree(mesh);
  const Box3d box = mesh.bounds();
  const double depth = 1e-5 * norm(box.upper - box.lower);
  // Few faces may be large ones, of which only a corner lies in another part.
  const std::size_t points = std::clamp<std::size_t>(20000 / mesh.triangles.size(), 1, 100);
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
    const auto c = mesh.corners(t);
    const Vec3d normal = cross(c[1] - c[0], c[2] - c[0]);
    if (!(norm(normal) > 0)) continue;
    for (std::size_t k = 0; k < points; ++k) {
      // Evenly over the face and off its middle, where rays would hit edges of regular meshes.
      double u = std::fmod(0.277 + 0.7548776662 * static_cast<double>(k), 1.0);
      double v = std::fmod(0.413 + 0.5698402910 * static_cast<double>(k), 1.0);
      if (u + v > 1) u = 1 - u, v = 1 - v;
      const Vec3d p = c[0] + (c[1] - c[0]) * u + (c[2] - c[0]) * v;
      if (!inside_twice(tree, box, p - normal * (depth / norm(normal)))) continue;
      found.add(Kind::self_crossing, Vec3f(p));
      break;
    }
  }
}

}  // namespace

std::vector<MeshDefect> check_mesh(const Mesh& mesh) {
  Collector found;
  check_numbers(mesh, found);
  if (!found.defects.empty()) return found.defects;  // nothing else can be computed
  check_faces(mesh, found);
  const std::vector<HalfEdge> edges = half_edges(mesh);
  check_edges(mesh, edges, found);
  check_parts(mesh, edges, found);
  check_crossings(mesh, found);
  const bool sound = std::all_of(found.defects.begin(), found.defects.end(), [](const auto& d) {
    return d.kind == Kind::degenerate || d.kind == Kind::duplicate;
  });
  if (sound) check_overlapping_parts(mesh, edges, found);
  std::stable_sort(found.defects.begin(), found.defects.end(),
                   [](const MeshDefect& a, const MeshDefect& b) { return a.kind < b.kind; });
  return found.defects;
}

std::string describe(const MeshDefect& d) {
  const std::string place =
      fmt::format("({:.6g}, {:.6g}, {:.6g})", d.place.x, d.place.y, d.place.z);
  const std::string edge = fmt::format("from {} to ({:.6g}, {:.6g}, {:.6g}) m", place,
                                       d.place_end.x, d.place_end.y, d.place_end.z);
  const char* s = d.count == 1 ? "" : "s";
  switch (d.kind) {
    case Kind::not_finite:
      return fmt::format("{} face{} with corners that are no numbers, the first is face {}{}",
                         d.count, s, d.face + 1,
                         is_finite(d.place) ? fmt::format(", at {} m", place) : "");
    case Kind::degenerate:
      return fmt::format("{} face{} without area, the first at {} m", d.count, s, place);
    case Kind::duplicate:
      return fmt::format("{} duplicate face{}, the first at {} m", d.count, s, place);
    case Kind::hole:
      return fmt::format("{} hole{} with {} open edge{}, the first {}", d.loops,
                         d.loops == 1 ? "" : "s", d.count, s, edge);
    case Kind::non_manifold:
      return fmt::format("{} edge{} with more than two faces, the first {}", d.count, s, edge);
    case Kind::inconsistent:
      return fmt::format("{} edge{} whose two faces look to different sides, the first {}", d.count,
                         s, edge);
    case Kind::inverted:
      return fmt::format("{} closed part{} inside out, the first with a face at {} m", d.count, s,
                         place);
    case Kind::self_crossing:
      return fmt::format("{} face{} that pass{} through or into others, the first at {} m", d.count,
                         s, d.count == 1 ? "es" : "", place);
  }
  return {};
}

std::string describe_breaks(const std::vector<MeshDefect>& defects) {
  std::string lines;
  for (const MeshDefect& defect : defects)
    if (defect.breaks_solid()) lines += "\n  - " + describe(defect);
  return lines;
}

}  // namespace talus
