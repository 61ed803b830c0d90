// Repairs that cannot change what the mesh means: no vertex moves by more than a millionth of the
// mesh's size, no hole is filled, no face is invented.

#include "geometry/mesh_edges.h"

#include <cmath>
#include <unordered_map>

namespace talus {
namespace {

constexpr double merge_tolerance = 1e-6;  // of the diagonal

struct CellHash {
  std::size_t operator()(const std::array<std::int64_t, 3>& c) const {
    std::uint64_t h = 0x9E3779B97F4A7C15ull;
    for (std::int64_t x : c) h = (h ^ static_cast<std::uint64_t>(x)) * 0xD6E8FEB86659FD93ull;
    return h ^ (h >> 32);
  }
};

/// Vertices go to the first one within the tolerance. Returns how many went away.
std::size_t merge_vertices(Mesh& mesh) {
  const Box3d box = mesh.bounds();
  const double tolerance = merge_tolerance * norm(box.upper - box.lower);
  const double cell = tolerance > 0 ? 2 * tolerance : 1;
  std::unordered_map<std::array<std::int64_t, 3>, std::vector<std::uint32_t>, CellHash> cells;
  std::vector<Vec3f> kept;
  std::vector<std::uint32_t> target(mesh.vertices.size());
  for (std::size_t v = 0; v < mesh.vertices.size(); ++v) {
    const Vec3d p = Vec3d(mesh.vertices[v]) - box.lower;
    std::array<std::int64_t, 3> low, high;
    for (std::size_t i = 0; i < 3; ++i) {
      const double x = p[static_cast<int>(i)];
      low[i] = static_cast<std::int64_t>(std::floor((x - tolerance) / cell));
      high[i] = static_cast<std::int64_t>(std::floor((x + tolerance) / cell));
    }
    auto same = static_cast<std::uint32_t>(kept.size());
    for (std::int64_t z = low[2]; z <= high[2]; ++z)
      for (std::int64_t y = low[1]; y <= high[1]; ++y)
        for (std::int64_t x = low[0]; x <= high[0]; ++x)
          if (const auto hit = cells.find({x, y, z}); hit != cells.end())
            for (std::uint32_t k : hit->second)
              if (k < same && norm(Vec3d(kept[k]) - Vec3d(mesh.vertices[v])) <= tolerance) same = k;
    target[v] = same;
    if (same < kept.size()) continue;
    kept.push_back(mesh.vertices[v]);
    std::array<std::int64_t, 3> own;
    for (std::size_t i = 0; i < 3; ++i)
      own[i] = static_cast<std::int64_t>(std::floor(p[static_cast<int>(i)] / cell));
    cells[own].push_back(same);
  }
  for (Mesh::Triangle& t : mesh.triangles)
    for (std::uint32_t& v : t) v = target[v];
  const std::size_t merged = mesh.vertices.size() - kept.size();
  mesh.vertices = std::move(kept);
  return merged;
}

std::size_t drop_collapsed(Mesh& mesh) {
  return std::erase_if(mesh.triangles, [](const Mesh::Triangle& t) {
    return t[0] == t[1] || t[1] == t[2] || t[2] == t[0];
  });
}

std::size_t drop_duplicates(Mesh& mesh) {
  std::vector<std::array<std::uint32_t, 4>> sorted;
  for (std::uint32_t i = 0; i < mesh.triangles.size(); ++i) {
    Mesh::Triangle key = mesh.triangles[i];
    std::sort(key.begin(), key.end());
    sorted.push_back({key[0], key[1], key[2], i});
  }
  std::sort(sorted.begin(), sorted.end());
  std::vector<std::uint8_t> drop(mesh.triangles.size(), 0);
  for (std::size_t i = 1; i < sorted.size(); ++i)
    if (std::equal(sorted[i].begin(), sorted[i].begin() + 3, sorted[i - 1].begin()))
      drop[sorted[i][3]] = 1;
  std::size_t index = 0;
  return std::erase_if(mesh.triangles, [&](const Mesh::Triangle&) { return drop[index++] != 0; });
}

void drop_unused_vertices(Mesh& mesh) {
  constexpr std::uint32_t unused = 0xFFFFFFFFu;
  std::vector<std::uint32_t> target(mesh.vertices.size(), unused);
  for (const Mesh::Triangle& t : mesh.triangles)
    for (std::uint32_t v : t) target[v] = 0;
  std::vector<Vec3f> kept;
  for (std::size_t v = 0; v < target.size(); ++v)
    if (target[v] != unused) {
      target[v] = static_cast<std::uint32_t>(kept.size());
      kept.push_back(mesh.vertices[v]);
    }
  for (Mesh::Triangle& t : mesh.triangles)
    for (std::uint32_t& v : t) v = target[v];
  mesh.vertices = std::move(kept);
}

/// Turns faces to agree with the first face of their part. Where a surface has one side only (a
/// Moebius strip) the disagreement stays, and the check reports it.
std::size_t agree_with_neighbours(Mesh& mesh, std::span<const HalfEdge> edges) {
  struct Link {
    std::uint32_t other;
    bool opposed;
  };
  std::vector<std::vector<Link>> links(mesh.triangles.size());
  for_edges(edges, [&](std::span<const HalfEdge> uses) {
    if (uses.size() != 2) return;
    const bool opposed = uses[0].forward == uses[1].forward;
    links[uses[0].triangle].push_back({uses[1].triangle, opposed});
    links[uses[1].triangle].push_back({uses[0].triangle, opposed});
  });
  std::vector<std::uint8_t> seen(mesh.triangles.size(), 0), turned(mesh.triangles.size(), 0);
  std::vector<std::uint32_t> part;
  std::size_t count = 0;
  for (std::uint32_t seed = 0; seed < mesh.triangles.size(); ++seed) {
    if (seen[seed]) continue;
    part.assign(1, seed);
    seen[seed] = 1;
    std::size_t flips = 0;
    for (std::size_t i = 0; i < part.size(); ++i)
      for (const Link& link : links[part[i]]) {
        if (seen[link.other]) continue;
        seen[link.other] = 1;
        turned[link.other] = turned[part[i]] ^ static_cast<std::uint8_t>(link.opposed);
        flips += turned[link.other];
        part.push_back(link.other);
      }
    // The seed may be the odd one out: the majority is right.
    const bool swap = 2 * flips > part.size();
    for (std::uint32_t t : part) turned[t] ^= static_cast<std::uint8_t>(swap);
    count += swap ? part.size() - flips : flips;
  }
  for (std::size_t t = 0; t < turned.size(); ++t)
    if (turned[t]) std::swap(mesh.triangles[t][1], mesh.triangles[t][2]);
  return count;
}

std::size_t turn_outward(Mesh& mesh) {
  const MeshParts parts = find_parts(mesh, half_edges(mesh));
  const std::vector<std::uint8_t> turn = parts_to_turn(mesh, parts);
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t)
    if (turn[parts.part_of[t]]) std::swap(mesh.triangles[t][1], mesh.triangles[t][2]);
  return static_cast<std::size_t>(std::count(turn.begin(), turn.end(), std::uint8_t{1}));
}

}  // namespace

std::vector<std::string> repair_mesh(Mesh& mesh) {
  drop_unused_vertices(mesh);  // whatever they are, no face knows
  for (const Vec3f& v : mesh.vertices)
    if (!is_finite(v)) return {};  // the check refuses it
  std::vector<std::string> done;
  const auto note = [&](std::size_t count, const char* one, const char* many, const char* what) {
    if (count > 0) done.push_back(fmt::format("{} {} {}", count, count == 1 ? one : many, what));
  };
  note(merge_vertices(mesh), "vertex", "vertices", "merged with one at the same place");
  note(drop_collapsed(mesh), "face", "faces", "without area dropped");
  note(drop_duplicates(mesh), "duplicate face", "duplicate faces", "dropped");
  drop_unused_vertices(mesh);
  note(agree_with_neighbours(mesh, half_edges(mesh)), "face", "faces",
       "turned to agree with the neighbours");
  note(turn_outward(mesh), "closed part", "closed parts", "turned outside out");
  return done;
}

}  // namespace talus
