#include "render/smooth_normals.h"

#include <algorithm>
#include <numeric>

namespace talus {

namespace {

bool before(const Vec3f& a, const Vec3f& b) {
  if (a.x != b.x) return a.x < b.x;
  if (a.y != b.y) return a.y < b.y;
  return a.z < b.z;
}

/// For every vertex the number of its place; equal places get equal numbers.
std::vector<std::uint32_t> weld(std::span<const Vec3f> vertices) {
  std::vector<std::uint32_t> order(vertices.size()), place(vertices.size());
  std::iota(order.begin(), order.end(), 0u);
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return before(vertices[a], vertices[b]) || (vertices[a] == vertices[b] && a < b);
  });
  std::uint32_t current = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (i > 0 && !(vertices[order[i]] == vertices[order[i - 1]])) ++current;
    place[order[i]] = current;
  }
  return place;
}

}  // namespace

std::vector<Vec3f> smooth_normals(std::span<const Vec3f> vertices,
                                  std::span<const std::array<std::uint32_t, 3>> triangles) {
  constexpr float cos_crease = 0.766f;
  const std::vector<std::uint32_t> place = weld(vertices);
  std::vector<Vec3f> area(triangles.size()), unit(triangles.size());
  std::vector<std::uint32_t> first(vertices.size() + 1, 0);
  for (std::size_t t = 0; t < triangles.size(); ++t) {
    const auto& c = triangles[t];
    area[t] = cross(vertices[c[1]] - vertices[c[0]], vertices[c[2]] - vertices[c[0]]);
    unit[t] = normalized(area[t]);
    for (const std::uint32_t v : c) ++first[place[v] + 1];
  }
  std::partial_sum(first.begin(), first.end(), first.begin());
  std::vector<std::uint32_t> around(3 * triangles.size()), next(first.begin(), first.end() - 1);
  for (std::uint32_t t = 0; t < triangles.size(); ++t)
    for (const std::uint32_t v : triangles[t]) around[next[place[v]]++] = t;

  std::vector<Vec3f> normals(3 * triangles.size());
  for (std::size_t t = 0; t < triangles.size(); ++t) {
    for (int corner = 0; corner < 3; ++corner) {
      const std::uint32_t p = place[triangles[t][corner]];
      Vec3f sum{};
      for (std::uint32_t i = first[p]; i < first[p + 1]; ++i)
        if (dot(unit[around[i]], unit[t]) > cos_crease) sum += area[around[i]];
      normals[3 * t + corner] = normalized(sum, unit[t]);
    }
  }
  return normals;
}

}  // namespace talus
