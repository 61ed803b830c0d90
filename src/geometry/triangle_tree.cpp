#include "geometry/triangle_tree.h"

#include "geometry/mesh_edges.h"

#include <algorithm>
#include <cmath>

namespace talus {
namespace {

constexpr std::uint32_t leaf_size = 4;

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

float squared_distance(const Vec3f& lower, const Vec3f& upper, const Vec3f& p) {
  const Vec3f out = max(max(lower - p, p - upper), Vec3f{});
  return squared_norm(out);
}

/// Boxes are measured in single precision: a little more is let through than needed.
constexpr float box_margin = 1.00001f;

/// Angle of the corner between edges u and v, rad.
double angle(const Vec3d& u, const Vec3d& v) { return std::atan2(norm(cross(u, v)), dot(u, v)); }

}  // namespace

TriangleTree::TriangleTree(Mesh mesh) : mesh_(std::move(mesh)) {
  make_normals();
  std::vector<Vec3f> centres(mesh_.triangles.size());
  for (std::uint32_t t = 0; t < mesh_.triangles.size(); ++t) {
    const auto c = mesh_.corners(t);
    centres[t] = Vec3f((c[0] + c[1] + c[2]) / 3.0);
    if (squared_norm(face_normals_[t]) > 0) faces_.push_back(t);
  }
  if (faces_.empty()) return;
  nodes_.reserve(faces_.size());
  nodes_.push_back({});
  split(0, 0, static_cast<std::uint32_t>(faces_.size()), centres);
  for (std::uint32_t face : faces_) {
    const Mesh::Triangle& t = mesh_.triangles[face];
    corners_.push_back({mesh_.vertices[t[0]], mesh_.vertices[t[1]], mesh_.vertices[t[2]]});
  }
}

void TriangleTree::split(std::uint32_t node, std::uint32_t begin, std::uint32_t end,
                         const std::vector<Vec3f>& centres) {
  Box3d box, middle;
  for (std::uint32_t i = begin; i < end; ++i) {
    for (const Vec3d& c : mesh_.corners(faces_[i])) box.include(c);
    middle.include(Vec3d(centres[faces_[i]]));
  }
  nodes_[node] = {Vec3f(box.lower), Vec3f(box.upper), begin, end - begin};
  if (end - begin <= leaf_size) return;
  const Vec3d extent = middle.upper - middle.lower;
  const int axis = extent.x >= extent.y && extent.x >= extent.z ? 0 : extent.y >= extent.z ? 1 : 2;
  const std::uint32_t half = begin + (end - begin) / 2;
  std::nth_element(faces_.begin() + begin, faces_.begin() + half, faces_.begin() + end,
                   [&](std::uint32_t a, std::uint32_t b) {
                     const float ca = centres[a][axis], cb = centres[b][axis];
                     return ca != cb ? ca < cb : a < b;
                   });
  const auto children = static_cast<std::uint32_t>(nodes_.size());
  nodes_.resize(nodes_.size() + 2);
  nodes_[node].first = children;
  nodes_[node].count = 0;
  split(children, begin, half, centres);
  split(children + 1, half, end, centres);
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
  SurfacePoint found;
  if (nodes_.empty()) return found;
  const Vec3f q(p);
  double best = reach * reach;
  constexpr std::uint32_t none = 0xFFFFFFFFu;
  std::uint32_t best_place = none;
  struct Visit {
    std::uint32_t node;
    float d2;
  };
  Visit stack[64];
  int depth = 0;
  stack[depth++] = {0, 0};
  float limit = static_cast<float>(best) * box_margin;
  while (depth > 0) {
    const Visit visit = stack[--depth];
    if (visit.d2 > limit) continue;
    const Node& node = nodes_[visit.node];
    for (std::uint32_t place = node.first; place < node.first + node.count; ++place) {
      const auto& c = corners_[place];
      const double d2 = squared_norm(foot_on({Vec3d(c[0]), Vec3d(c[1]), Vec3d(c[2])}, p).point - p);
      if (d2 >= best) continue;
      best = d2;
      limit = static_cast<float>(best) * box_margin;
      best_place = place;
    }
    if (node.count > 0) continue;
    const Node* child = &nodes_[node.first];
    Visit near{node.first, squared_distance(child[0].lower, child[0].upper, q)};
    Visit far{node.first + 1, squared_distance(child[1].lower, child[1].upper, q)};
    if (far.d2 < near.d2) std::swap(near, far);
    if (far.d2 <= limit) stack[depth++] = far;
    if (near.d2 <= limit) stack[depth++] = near;
  }
  return best_place != none ? nearest_on(faces_[best_place], p) : found;
}

}  // namespace talus
