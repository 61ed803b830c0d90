#include "geometry/mesh_edges.h"

#include "geometry/triangle_tree.h"

#include <limits>
#include <numeric>

namespace talus {
namespace {

std::uint32_t root_of(std::vector<std::uint32_t>& parent, std::uint32_t i) {
  while (parent[i] != i) i = parent[i] = parent[parent[i]];
  return i;
}

/// Does the ray from p along +x pass through the triangle?
bool ray_hits(const std::array<Vec3d, 3>& c, const Vec3d& p) {
  double area[3];
  for (std::size_t i = 0; i < 3; ++i) {
    const Vec3d a = c[i] - p, b = c[(i + 1) % 3] - p;
    area[i] = a.y * b.z - a.z * b.y;
  }
  const bool left = area[0] > 0 && area[1] > 0 && area[2] > 0;
  const bool right = area[0] < 0 && area[1] < 0 && area[2] < 0;
  if (!left && !right) return false;
  const double sum = area[0] + area[1] + area[2];
  return (area[1] * c[0].x + area[2] * c[1].x + area[0] * c[2].x) / sum > p.x;
}

/// For each closed part, the outermost part around it: itself when nothing is.
std::vector<std::uint32_t> outermost_parts(const Mesh& mesh, const MeshParts& parts) {
  std::vector<std::uint32_t> outermost(parts.count);
  std::iota(outermost.begin(), outermost.end(), 0u);
  if (parts.count < 2) return outermost;
  const TriangleTree tree(mesh);
  std::vector<std::vector<std::uint32_t>> around(parts.count);
  std::vector<std::uint8_t> done(parts.count, 0);
  for (std::uint32_t t = 0; t < mesh.triangles.size(); ++t) {
    const std::uint32_t part = parts.part_of[t];
    if (done[part] || !parts.closed[part]) continue;
    done[part] = 1;
    const auto c = mesh.corners(t);
    // An arbitrary point of the face, so that the ray runs through no vertex of a regular mesh.
    const Vec3d p = 0.417 * c[0] + 0.331 * c[1] + 0.252 * c[2];
    const Box3d ray{p, {std::numeric_limits<double>::infinity(), p.y, p.z}};
    std::vector<std::uint32_t> hits;
    tree.for_overlaps(ray, [&](std::uint32_t face) {
      const std::uint32_t other = parts.part_of[face];
      if (other != part && parts.closed[other] && ray_hits(mesh.corners(face), p))
        hits.push_back(other);
    });
    std::sort(hits.begin(), hits.end());
    for (std::size_t i = 0; i < hits.size();) {
      std::size_t end = i;
      while (end < hits.size() && hits[end] == hits[i]) ++end;
      if ((end - i) % 2 == 1) around[part].push_back(hits[i]);
      i = end;
    }
  }
  for (std::uint32_t part = 0; part < parts.count; ++part)
    for (std::uint32_t other : around[part])
      if (around[other].empty()) outermost[part] = other;
  return outermost;
}

}  // namespace

MeshParts find_parts(const Mesh& mesh, std::span<const HalfEdge> edges) {
  std::vector<std::uint32_t> parent(mesh.triangles.size());
  std::iota(parent.begin(), parent.end(), 0u);
  for_edges(edges, [&](std::span<const HalfEdge> uses) {
    if (uses.size() != 2) return;
    const std::uint32_t a = root_of(parent, uses[0].triangle),
                        b = root_of(parent, uses[1].triangle);
    parent[std::max(a, b)] = std::min(a, b);
  });
  MeshParts parts;
  parts.part_of.resize(mesh.triangles.size());
  for (std::uint32_t t = 0; t < mesh.triangles.size(); ++t) {
    const std::uint32_t root = root_of(parent, t);
    parts.part_of[t] = root == t ? parts.count++ : parts.part_of[root];
  }
  parts.closed.assign(parts.count, 1);
  for_edges(edges, [&](std::span<const HalfEdge> uses) {
    if (uses.size() == 2) return;
    for (const HalfEdge& e : uses) parts.closed[parts.part_of[e.triangle]] = 0;
  });
  return parts;
}

std::vector<std::uint8_t> parts_to_turn(const Mesh& mesh, const MeshParts& parts) {
  std::vector<double> volume(parts.count, 0);
  const Box3d box = mesh.bounds();
  const Vec3d middle = (box.lower + box.upper) * 0.5;
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
    const auto c = mesh.corners(t);
    volume[parts.part_of[t]] += dot(c[0] - middle, cross(c[1] - middle, c[2] - middle)) / 6;
  }
  const std::vector<std::uint32_t> outermost = outermost_parts(mesh, parts);
  std::vector<std::uint8_t> turn(parts.count, 0);
  for (std::uint32_t part = 0; part < parts.count; ++part)
    turn[part] = parts.closed[part] && volume[outermost[part]] < 0;
  return turn;
}

}  // namespace talus
