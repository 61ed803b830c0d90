// Approximate convex decomposition by axis-aligned cuts, greedy on the volume that hulls waste.
// (The idea of cutting where concavity shrinks most: Mamou & Ghorbel 2009. Bullet in Debian carries
// no V-HACD; triangle-against-triangle contact (GImpact) jitters at rest, so dynamic concave bodies
// are compounds of hulls.)
//
// A part of the solid is the intersection of the solid with a box-shaped cell. It is held as the
// triangles of the surface clipped to the cell, plus caps. Caps close the cuts as fans of signed
// triangles around any point of the cut plane: as a signed measure the fan is the cross-section, so
// volumes (divergence theorem, V = sum det(a, b, c) / 6) stay exact without tracing loops.
// Extreme points of a part lie on clipped surface triangles or are cell corners inside the solid
// (winding number), so the hull is exact too, up to the number of directions kept.
#include "bodies/convex_pieces.h"

#include <LinearMath/btConvexHullComputer.h>
#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>

namespace talus {
namespace {

struct Facet {
  Vec3d a, b, c;
  bool cap;
};

struct Part {
  std::vector<Facet> facets;
  Vec3d lower, upper;                  ///< the cell; all cells together fill the first one
  Vec3d content_lower, content_upper;  ///< bounds of what is in it, where cuts make sense
  ConvexPiece hull;
  double volume = 0;
};

constexpr int search_directions = 64;
constexpr int final_directions = 256;
constexpr int cuts_per_axis = 7;
constexpr std::size_t many_triangles = 3000;
constexpr double coarse_cells = 24;

double signed_volume(const std::vector<Facet>& facets, const Vec3d& origin) {
  double v = 0;
  for (const Facet& f : facets) v += dot(f.a - origin, cross(f.b - origin, f.c - origin));
  return v / 6;
}

/// Whether the line through p along x meets the facet's shadow, by counting the edges that pass on
/// one side; each edge is taken from its lower end, so neighbours agree about lines through it.
bool shadows(const Vec3d (&corner)[3], const Vec3d& p) {
  bool inside = false;
  for (int i = 0; i < 3; ++i) {
    const Vec3d* low = &corner[i];
    const Vec3d* high = &corner[(i + 1) % 3];
    if ((low->y > p.y) == (high->y > p.y)) continue;
    if (low->y > high->y) std::swap(low, high);
    const double z = low->z + (high->z - low->z) * ((p.y - low->y) / (high->y - low->y));
    if (z > p.z) inside = !inside;
  }
  return inside;
}

/// Winding number by the crossings of a ray along x: positive inside.
int winding(const Surface& surface, const Vec3d& p) {
  int total = 0;
  for (const auto& t : surface.triangles) {
    const Vec3d corner[3] = {surface.points[t[0]], surface.points[t[1]], surface.points[t[2]]};
    if (!shadows(corner, p)) continue;
    const Vec3d n = cross(corner[1] - corner[0], corner[2] - corner[0]);
    if (n.x != 0 && dot(n, corner[0] - p) / n.x > 0) total += n.x > 0 ? 1 : -1;
  }
  return total;
}

/// Merges vertices within cells of a coarse grid. A closed surface stays closed (as a signed
/// chain), and collisions do not need its finest detail.
Surface coarsened(const Surface& surface, const Vec3d& lower, double cell) {
  std::map<std::array<long, 3>, std::uint32_t> index;
  std::vector<double> count;
  std::vector<std::uint32_t> target(surface.points.size());
  Surface out;
  for (std::size_t i = 0; i < surface.points.size(); ++i) {
    const Vec3d q = (surface.points[i] - lower) / cell;
    const auto [it, fresh] =
        index.try_emplace({std::lround(q.x), std::lround(q.y), std::lround(q.z)},
                          static_cast<std::uint32_t>(out.points.size()));
    if (fresh) out.points.push_back({}), count.push_back(0);
    target[i] = it->second;
    out.points[it->second] += surface.points[i];
    count[it->second] += 1;
  }
  for (std::size_t i = 0; i < out.points.size(); ++i) out.points[i] = out.points[i] / count[i];
  for (const auto& t : surface.triangles) {
    const std::array<std::uint32_t, 3> m{target[t[0]], target[t[1]], target[t[2]]};
    if (m[0] != m[1] && m[1] != m[2] && m[2] != m[0]) out.triangles.push_back(m);
  }
  return out;
}

/// Points that are extreme in some of many evenly spread directions; the hull of thousands of
/// points would cost more than its last per mille is worth.
std::vector<Vec3d> extreme_points(const std::vector<Vec3d>& points, int direction_count) {
  if (points.size() <= static_cast<std::size_t>(direction_count)) return points;
  std::vector<std::size_t> chosen;
  for (int i = 0; i < direction_count; ++i) {
    const double z = 1 - (2 * i + 1.0) / direction_count;
    const double r = std::sqrt(1 - z * z), angle = i * std::numbers::pi * (3 - std::sqrt(5.0));
    const Vec3d d{r * std::cos(angle), r * std::sin(angle), z};
    std::size_t best = 0;
    double best_value = -1e300;
    for (std::size_t k = 0; k < points.size(); ++k) {
      const double value = dot(points[k], d);
      if (value > best_value) best_value = value, best = k;
    }
    chosen.push_back(best);
  }
  std::sort(chosen.begin(), chosen.end());
  chosen.erase(std::unique(chosen.begin(), chosen.end()), chosen.end());
  std::vector<Vec3d> out;
  for (const std::size_t k : chosen) out.push_back(points[k]);
  return out;
}

ConvexPiece hull_of(const std::vector<Vec3d>& points, int directions) {
  const std::vector<Vec3d> input = extreme_points(points, directions);
  ConvexPiece piece;
  if (input.size() < 4) return piece;
  btConvexHullComputer hull;
  hull.compute(&input[0].x, sizeof(Vec3d), static_cast<int>(input.size()), 0, 0);
  for (int i = 0; i < hull.vertices.size(); ++i)
    piece.points.push_back({hull.vertices[i].x(), hull.vertices[i].y(), hull.vertices[i].z()});
  for (int f = 0; f < hull.faces.size(); ++f) {
    const auto* first = &hull.edges[hull.faces[f]];
    const Vec3d& a = piece.points[first->getSourceVertex()];
    for (auto* e = first->getNextEdgeOfFace(); e->getTargetVertex() != first->getSourceVertex();
         e = e->getNextEdgeOfFace())
      piece.volume +=
          dot(a - piece.points[0], cross(piece.points[e->getSourceVertex()] - piece.points[0],
                                         piece.points[e->getTargetVertex()] - piece.points[0]));
  }
  piece.volume = std::abs(piece.volume) / 6;
  return piece;
}

/// The part of a facet on one side of a plane, as a fan; the two new points of the cut are added to
/// cut, in the direction in which the kept polygon runs. Points on the plane belong to the low side
/// for both sides, so that the two chains of facets and caps are closed whatever lies in the plane;
/// facets that only touch it do not count for the hull.
void clip_facet(const Facet& f, int axis, double at, bool keep_low, std::vector<Facet>& out,
                std::vector<std::array<Vec3d, 2>>& cut) {
  const Vec3d corner[3] = {f.a, f.b, f.c};
  double d[3];
  bool in[3], touches = true;
  int count = 0;
  for (int i = 0; i < 3; ++i) {
    d[i] = corner[i][axis] - at;
    in[i] = (d[i] <= 0) == keep_low;
    count += in[i];
    touches = touches && (!in[i] || d[i] == 0);
  }
  if (count == 0) return;
  const bool cap = f.cap || touches;
  if (count == 3) {
    out.push_back({f.a, f.b, f.c, cap});
    return;
  }
  Vec3d polygon[4];
  int n = 0;
  Vec3d leave{}, enter{};
  for (int i = 0; i < 3; ++i) {
    const int j = (i + 1) % 3;
    if (in[i]) polygon[n++] = corner[i];
    if (in[i] == in[j]) continue;
    // Cut each edge from its lower end, so that both facets beside it get the same point.
    const bool forward = d[i] < d[j];
    const int low = forward ? i : j, high = forward ? j : i;
    Vec3d x = corner[low] + (corner[high] - corner[low]) * (d[low] / (d[low] - d[high]));
    x[axis] = at;
    polygon[n++] = x;
    (in[i] ? leave : enter) = x;
  }
  for (int i = 2; i < n; ++i) out.push_back({polygon[0], polygon[i - 1], polygon[i], cap});
  cut.push_back({leave, enter});
}

Part clip(const Part& part, int axis, double at, bool keep_low) {
  Part out;
  out.lower = part.lower;
  out.upper = part.upper;
  (keep_low ? out.upper : out.lower)[axis] = at;
  std::vector<std::array<Vec3d, 2>> cut;
  for (const Facet& f : part.facets) clip_facet(f, axis, at, keep_low, out.facets, cut);
  Vec3d hub = (part.lower + part.upper) * 0.5;
  hub[axis] = at;
  for (const auto& [from, to] : cut) out.facets.push_back({hub, to, from, true});
  return out;
}

/// Hull, volume and bounds of a part whose facets and cell are known.
void finish(Part& part, const Surface& surface, int directions) {
  std::vector<Vec3d> points;
  part.content_lower = part.upper;
  part.content_upper = part.lower;
  for (const Facet& f : part.facets)
    if (!f.cap) points.insert(points.end(), {f.a, f.b, f.c});
  const Vec3d middle = (part.lower + part.upper) * 0.5;
  for (int corner = 0; corner < 8; ++corner) {
    const Vec3d p{corner & 1 ? part.upper.x : part.lower.x,
                  corner & 2 ? part.upper.y : part.lower.y,
                  corner & 4 ? part.upper.z : part.lower.z};
    // Corners on the surface count when there is solid on the cell's side of it.
    if (winding(surface, p + (middle - p) * 1e-6) > 0) points.push_back(p);
  }
  for (const Vec3d& p : points) {
    part.content_lower = min(part.content_lower, p);
    part.content_upper = max(part.content_upper, p);
  }
  part.hull = hull_of(points, directions);
  part.volume = signed_volume(part.facets, middle);
}

double waste(const Part& part) { return part.hull.volume - part.volume; }

/// The cut of this part that leaves the least waste, with a preference for the middle of the
/// longest axis: both halves of a ring waste as much as the ring, only their halves waste less, and
/// greed alone would shave off thin slices instead.
bool best_cut(const Part& part, const Surface& surface, Part& low, Part& high) {
  constexpr double off_middle = 0.02, off_longest = 0.5;
  const Vec3d size = part.content_upper - part.content_lower;
  const double longest = std::max({size.x, size.y, size.z});
  double best = 1e300;
  for (int axis = 0; axis < 3; ++axis)
    for (int k = 1; k <= cuts_per_axis; ++k) {
      const double at = part.content_lower[axis] + size[axis] * k / (cuts_per_axis + 1);
      Part a = clip(part, axis, at, true), b = clip(part, axis, at, false);
      finish(a, surface, search_directions);
      finish(b, surface, search_directions);
      if (a.hull.points.empty() || b.hull.points.empty()) continue;
      const double aside = std::abs(2.0 * k / (cuts_per_axis + 1) - 1);
      const double cost = waste(a) + waste(b) + off_middle * aside * part.hull.volume +
                          off_longest * (1 - size[axis] / longest) * waste(part);
      if (cost < best) best = cost, low = std::move(a), high = std::move(b);
    }
  return best < 1e300;
}

Part whole_part(const Surface& surface, const Vec3d& lower, const Vec3d& upper) {
  Part whole;
  whole.lower = lower;
  whole.upper = upper;
  for (const auto& t : surface.triangles)
    whole.facets.push_back(
        {surface.points[t[0]], surface.points[t[1]], surface.points[t[2]], false});
  return whole;
}

/// What the full surface has in a cell found on the coarse one.
ConvexPiece piece_in(const Part& cell, const Surface& surface, const Part& whole) {
  Part part = whole;
  for (int axis = 0; axis < 3; ++axis) {
    if (cell.lower[axis] > part.lower[axis]) part = clip(part, axis, cell.lower[axis], false);
    if (cell.upper[axis] < part.upper[axis]) part = clip(part, axis, cell.upper[axis], true);
  }
  finish(part, surface, final_directions);
  return std::move(part.hull);
}

}  // namespace

std::vector<ConvexPiece> make_convex_pieces(const Surface& surface, double tolerance,
                                            int max_pieces) {
  Vec3d lower{1e300, 1e300, 1e300}, upper{-1e300, -1e300, -1e300};
  for (const Vec3d& p : surface.points) lower = min(lower, p), upper = max(upper, p);
  const Vec3d extent = upper - lower;
  const Surface coarse =
      surface.triangles.size() > many_triangles
          ? coarsened(surface, lower, std::max({extent.x, extent.y, extent.z}) / coarse_cells)
          : surface;
  std::vector<Part> parts = {whole_part(coarse, lower, upper)};
  finish(parts[0], coarse, search_directions);
  const double total = parts[0].volume;
  std::vector<bool> done = {false};
  while (static_cast<int>(parts.size()) < max_pieces) {
    std::size_t worst = parts.size();
    for (std::size_t i = 0; i < parts.size(); ++i)
      if (!done[i] && waste(parts[i]) > tolerance * total &&
          (worst == parts.size() || waste(parts[i]) > waste(parts[worst])))
        worst = i;
    if (worst == parts.size()) break;
    Part low, high;
    if (!best_cut(parts[worst], coarse, low, high)) {
      done[worst] = true;
      continue;
    }
    parts[worst] = std::move(low);
    parts.push_back(std::move(high));
    done.push_back(false);
  }
  const Part whole = whole_part(surface, lower, upper);
  std::vector<ConvexPiece> pieces;
  for (const Part& part : parts) {
    ConvexPiece piece = piece_in(part, surface, whole);
    if (piece.points.size() >= 4 && piece.volume > 1e-6 * std::abs(total))
      pieces.push_back(std::move(piece));
  }
  return pieces;
}

}  // namespace talus
