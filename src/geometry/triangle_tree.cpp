#include "geometry/triangle_tree.h"

#include "geometry/mesh_edges.h"
#include "math/wide.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace talus {
namespace {

enum class Feature : std::uint8_t { corner0, corner1, corner2, edge0, edge1, edge2, face };

struct Foot {
  Vec3d point;
  Feature feature;
};

/// Nearest point of a triangle by Voronoi regions: corners, then edges, then the inside.
Foot foot_on(const std::array<Vec3d, 3>& c, const Vec3d& p) {
  const Vec3d ab = c[1] - c[0], ac = c[2] - c[0], ap = p - c[0];
  const double d1 = dot(ab, ap), d2 = dot(ac, ap);
  if (d1 <= 0 && d2 <= 0) return {c[0], Feature::corner0};
  const Vec3d bp = p - c[1];
  const double d3 = dot(ab, bp), d4 = dot(ac, bp);
  if (d3 >= 0 && d4 <= d3) return {c[1], Feature::corner1};
  const Vec3d cp = p - c[2];
  const double d5 = dot(ab, cp), d6 = dot(ac, cp);
  if (d6 >= 0 && d5 <= d6) return {c[2], Feature::corner2};
  const double wc = d1 * d4 - d3 * d2;
  if (wc <= 0 && d1 >= 0 && d3 <= 0) return {c[0] + ab * (d1 / (d1 - d3)), Feature::edge0};
  const double wb = d5 * d2 - d1 * d6;
  if (wb <= 0 && d2 >= 0 && d6 <= 0) return {c[0] + ac * (d2 / (d2 - d6)), Feature::edge2};
  const double wa = d3 * d6 - d5 * d4;
  if (wa <= 0 && d4 - d3 >= 0 && d5 - d6 >= 0)
    return {c[1] + (c[2] - c[1]) * ((d4 - d3) / ((d4 - d3) + (d5 - d6))), Feature::edge1};
  const double scale = 1 / (wa + wb + wc);
  return {c[0] + ab * (wb * scale) + ac * (wc * scale), Feature::face};
}

/// Wide distances are in single precision: a little more is let through, and decided in double.
constexpr float margin = 1.00001f;

WideFloat squared_box_distance(const float lower[3][8], const float upper[3][8], const Vec3f& p) {
  WideFloat sum = 0.f;
  for (int axis = 0; axis < 3; ++axis) {
    const WideFloat out =
        max(max(load_wide(lower[axis]) - p[axis], p[axis] - load_wide(upper[axis])), 0.f);
    sum += out * out;
  }
  return sum;
}

/// Eight triangles at once, without branches: the plane where the foot is inside, else the nearest
/// of the three edges.
WideFloat squared_face_distance(const float corner[9][8], const Vec3f& p) {
  WideVec3 c[3];
  for (int i = 0; i < 3; ++i)
    c[i] = {load_wide(corner[3 * i]) - p.x, load_wide(corner[3 * i + 1]) - p.y,
            load_wide(corner[3 * i + 2]) - p.z};
  const WideVec3 n = cross(c[1] - c[0], c[2] - c[0]);
  WideFloat edges = std::numeric_limits<float>::infinity();
  WideMask inside = WideFloat(0.f) <= WideFloat(0.f);
  for (int i = 0; i < 3; ++i) {
    const WideVec3 e = c[(i + 1) % 3] - c[i];
    const WideFloat t = min(max(-dot(c[i], e) / dot(e, e), 0.f), 1.f);
    const WideVec3 foot = c[i] + e * t;
    edges = min(edges, dot(foot, foot));
    inside = inside & (dot(cross(c[i], e), n) >= WideFloat(0.f));
  }
  const WideFloat height = dot(c[0], n);
  return select(inside, height * height / dot(n, n), edges);
}

/// Angle of the corner between edges u and v, rad.
double angle(const Vec3d& u, const Vec3d& v) { return std::atan2(norm(cross(u, v)), dot(u, v)); }

}  // namespace

TriangleTree::TriangleTree(Mesh mesh) : mesh_(std::move(mesh)) {
  make_normals();
  std::vector<Vec3f> centres(mesh_.triangles.size());
  std::vector<std::uint32_t> faces;
  for (std::uint32_t t = 0; t < mesh_.triangles.size(); ++t) {
    const auto c = mesh_.corners(t);
    centres[t] = Vec3f((c[0] + c[1] + c[2]) / 3.0);
    if (squared_norm(face_normals_[t]) > 0) faces.push_back(t);
  }
  if (!faces.empty()) add_node(faces, centres);
}

std::uint32_t TriangleTree::add_leaf(std::span<const std::uint32_t> faces) {
  Leaf leaf{};
  leaf.count = static_cast<std::uint32_t>(faces.size());
  for (std::size_t i = 0; i < width; ++i) {
    const std::uint32_t face = faces[i < faces.size() ? i : 0];
    leaf.face[i] = face;
    for (std::size_t k = 0; k < 9; ++k)
      leaf.corner[k][i] = mesh_.vertices[mesh_.triangles[face][k / 3]][static_cast<int>(k % 3)];
  }
  leaves_.push_back(leaf);
  return static_cast<std::uint32_t>(leaves_.size() - 1) | leaf_bit;
}

/// Cuts the faces at the median of the longest extent of their centres, three times over.
std::uint32_t TriangleTree::add_node(std::span<std::uint32_t> faces,
                                     const std::vector<Vec3f>& centres) {
  const auto index = static_cast<std::uint32_t>(nodes_.size());
  nodes_.push_back({});
  std::vector<std::span<std::uint32_t>> parts{faces};
  for (int round = 0; round < 3; ++round) {
    std::vector<std::span<std::uint32_t>> halves;
    for (const std::span<std::uint32_t> part : parts) {
      if (part.size() <= width) {
        halves.push_back(part);
        continue;
      }
      Box3d box;
      for (std::uint32_t face : part) box.include(Vec3d(centres[face]));
      const Vec3d extent = box.upper - box.lower;
      const int axis = extent.x >= extent.y && extent.x >= extent.z ? 0
                       : extent.y >= extent.z                       ? 1
                                                                    : 2;
      const std::size_t half = part.size() / 2;
      std::nth_element(part.begin(), part.begin() + static_cast<std::ptrdiff_t>(half), part.end(),
                       [&](std::uint32_t a, std::uint32_t b) {
                         const float ca = centres[a][axis], cb = centres[b][axis];
                         return ca != cb ? ca < cb : a < b;
                       });
      halves.push_back(part.first(half));
      halves.push_back(part.subspan(half));
    }
    parts = std::move(halves);
  }
  for (std::size_t i = 0; i < width; ++i) {
    Box3d box;
    std::uint32_t child = nobody;
    if (i < parts.size()) {
      for (std::uint32_t face : parts[i])
        for (const Vec3d& c : mesh_.corners(face)) box.include(c);
      child = parts[i].size() <= width ? add_leaf(parts[i]) : add_node(parts[i], centres);
    }
    for (int axis = 0; axis < 3; ++axis) {
      nodes_[index].lower[axis][i] = static_cast<float>(i < parts.size() ? box.lower[axis] : 1e30);
      nodes_[index].upper[axis][i] = static_cast<float>(i < parts.size() ? box.upper[axis] : -1e30);
    }
    nodes_[index].child[i] = child;
  }
  return index;
}

void TriangleTree::make_normals() {
  const std::size_t n = mesh_.triangles.size();
  face_normals_.assign(n, Vec3f{});
  std::vector<Vec3d> at_vertex(mesh_.vertices.size());
  for (std::uint32_t t = 0; t < n; ++t) {
    const auto c = mesh_.corners(t);
    const Vec3d normal = normalized(cross(c[1] - c[0], c[2] - c[0]), Vec3d{});
    face_normals_[t] = Vec3f(normal);
    for (std::size_t i = 0; i < 3; ++i)
      at_vertex[mesh_.triangles[t][i]] +=
          angle(c[(i + 1) % 3] - c[i], c[(i + 2) % 3] - c[i]) * normal;
  }
  vertex_normals_.resize(at_vertex.size());
  for (std::size_t v = 0; v < at_vertex.size(); ++v)
    vertex_normals_[v] = Vec3f(normalized(at_vertex[v]));
  edge_normals_.assign(n, {});
  const std::vector<HalfEdge> edges = half_edges(mesh_);
  for_edges(edges, [&](std::span<const HalfEdge> uses) {
    Vec3f sum{};
    for (const HalfEdge& e : uses) sum += face_normals_[e.triangle];
    for (const HalfEdge& e : uses) edge_normals_[e.triangle][e.side] = normalized(sum);
  });
}

SurfacePoint TriangleTree::nearest_on(std::uint32_t triangle, const Vec3d& p) const {
  const Foot foot = foot_on(mesh_.corners(triangle), p);
  SurfacePoint s{foot.point, {}, 0, triangle};
  const auto feature = static_cast<std::size_t>(foot.feature);
  if (feature < 3)
    s.normal = Vec3d(vertex_normals_[mesh_.triangles[triangle][feature]]);
  else if (feature < 6)
    s.normal = Vec3d(edge_normals_[triangle][feature - 3]);
  else
    s.normal = Vec3d(face_normals_[triangle]);
  const Vec3d away = p - foot.point;
  s.distance = dot(away, s.normal) < 0 ? -norm(away) : norm(away);
  return s;
}

SurfacePoint TriangleTree::nearest(const Vec3d& p, double reach) const {
  if (nodes_.empty()) return {};
  const Vec3f q(p);
  double best = reach * reach;
  float limit = static_cast<float>(best) * margin;
  std::uint32_t best_face = nobody;
  struct Visit {
    std::uint32_t child;
    float d2;
  };
  Visit stack[stack_size];
  int depth = 0;
  stack[depth++] = {0, 0};
  while (depth > 0) {
    const Visit visit = stack[--depth];
    if (visit.d2 > limit) continue;
    if ((visit.child & leaf_bit) != 0) {
      const Leaf& leaf = leaves_[visit.child & ~leaf_bit];
      const WideFloat d2 = squared_face_distance(leaf.corner, q);
      for (unsigned hits = bits(d2 <= WideFloat(limit)); hits != 0; hits &= hits - 1) {
        const auto lane = static_cast<std::size_t>(std::countr_zero(hits));
        if (lane >= leaf.count) break;
        const double exact = squared_norm(foot_on(mesh_.corners(leaf.face[lane]), p).point - p);
        if (exact >= best) continue;
        best = exact;
        limit = static_cast<float>(best) * margin;
        best_face = leaf.face[lane];
      }
      continue;
    }
    const Node& node = nodes_[visit.child];
    const WideFloat d2 = squared_box_distance(node.lower, node.upper, q);
    const int first = depth;
    for (unsigned hits = bits(d2 <= WideFloat(limit)); hits != 0; hits &= hits - 1) {
      const int lane = std::countr_zero(hits);
      if (node.child[lane] == nobody) continue;
      // The nearest last, so that it is visited first.
      int place = depth++;
      for (; place > first && stack[place - 1].d2 < d2[lane]; --place)
        stack[place] = stack[place - 1];
      stack[place] = {node.child[lane], d2[lane]};
    }
  }
  return best_face != nobody ? nearest_on(best_face, p) : SurfacePoint{};
}

}  // namespace talus
