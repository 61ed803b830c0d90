#include "geometry/mesh_shapes.h"

#include "geometry/height_field.h"
#include "geometry/primitive_distance.h"

#include <cmath>
#include <map>
#include <numbers>

namespace talus {
namespace {

using std::numbers::pi;

Mesh icosahedron() {
  const double g = (1 + std::sqrt(5.0)) / 2;
  Mesh m;
  for (const Vec3d& v : std::initializer_list<Vec3d>{{-1, g, 0},
                                                     {1, g, 0},
                                                     {-1, -g, 0},
                                                     {1, -g, 0},
                                                     {0, -1, g},
                                                     {0, 1, g},
                                                     {0, -1, -g},
                                                     {0, 1, -g},
                                                     {g, 0, -1},
                                                     {g, 0, 1},
                                                     {-g, 0, -1},
                                                     {-g, 0, 1}})
    m.vertices.push_back(Vec3f(normalized(v)));
  m.triangles = {{0, 11, 5}, {0, 5, 1},  {0, 1, 7},   {0, 7, 10}, {0, 10, 11},
                 {1, 5, 9},  {5, 11, 4}, {11, 10, 2}, {10, 7, 6}, {7, 1, 8},
                 {3, 9, 4},  {3, 4, 2},  {3, 2, 6},   {3, 6, 8},  {3, 8, 9},
                 {4, 9, 5},  {2, 4, 11}, {6, 2, 10},  {8, 6, 7},  {9, 8, 1}};
  return m;
}

/// Splits each face into four, new vertices in the middle of the edges; moved(p) places them.
template <class Moved>
Mesh subdivided(const Mesh& mesh, Moved&& moved) {
  Mesh fine;
  fine.vertices = mesh.vertices;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> middles;
  const auto middle = [&](std::uint32_t a, std::uint32_t b) {
    const auto key = std::minmax(a, b);
    const auto [it, added] = middles.try_emplace({key.first, key.second},
                                                 static_cast<std::uint32_t>(fine.vertices.size()));
    if (added)
      fine.vertices.push_back(
          Vec3f(moved((Vec3d(mesh.vertices[a]) + Vec3d(mesh.vertices[b])) * 0.5)));
    return it->second;
  };
  for (const auto& [a, b, c] : mesh.triangles) {
    const std::uint32_t ab = middle(a, b), bc = middle(b, c), ca = middle(c, a);
    fine.triangles.push_back({a, ab, ca});
    fine.triangles.push_back({ab, b, bc});
    fine.triangles.push_back({ca, bc, c});
    fine.triangles.push_back({ab, bc, ca});
  }
  return fine;
}

/// Revolves an open profile of (r, z) points, walked upward on the outer side, about z. Points on
/// the axis become single vertices. With `closed` the profile's ends are joined (a ring).
Mesh revolve(const std::vector<std::pair<double, double>>& profile, int segments, bool closed) {
  Mesh m;
  std::vector<std::uint32_t> first;
  for (const auto& [r, z] : profile) {
    first.push_back(static_cast<std::uint32_t>(m.vertices.size()));
    const int count = r > 0 ? segments : 1;
    for (int i = 0; i < count; ++i) {
      const double a = 2 * pi * i / segments;
      m.vertices.push_back(Vec3f(Vec3d{r * std::cos(a), r * std::sin(a), z}));
    }
  }
  const std::size_t rows = profile.size() - (closed ? 0 : 1);
  for (std::size_t row = 0; row < rows; ++row) {
    const std::size_t next = (row + 1) % profile.size();
    const bool point_low = !(profile[row].first > 0), point_high = !(profile[next].first > 0);
    for (int i = 0; i < segments; ++i) {
      const auto k = static_cast<std::uint32_t>(i);
      const auto k1 = static_cast<std::uint32_t>((i + 1) % segments);
      const std::uint32_t a = first[row] + (point_low ? 0 : k),
                          b = first[row] + (point_low ? 0 : k1);
      const std::uint32_t c = first[next] + (point_high ? 0 : k),
                          d = first[next] + (point_high ? 0 : k1);
      if (!point_low) m.triangles.push_back({a, b, d});
      if (!point_high) m.triangles.push_back({a, d, c});
    }
  }
  return m;
}

Mesh capsule_mesh(double radius, double height, int segments) {
  std::vector<std::pair<double, double>> profile{{0, -height / 2 - radius}};
  const int rows = std::max(2, segments / 4);
  for (int half = 0; half < 2; ++half)
    for (int i = 0; i <= rows; ++i) {
      if ((half == 0 && i == 0) || (half == 1 && i == rows)) continue;
      if (half == 1 && i == 0 && height == 0) continue;
      const double a = (half == 0 ? i - rows : i) * pi / (2 * rows);
      profile.push_back({radius * std::cos(a), radius * std::sin(a) + (half - 0.5) * height});
    }
  profile.push_back({0, height / 2 + radius});
  return revolve(profile, segments, false);
}

Mesh tube_mesh(const Shape& s, int segments) {
  const double h = s.height / 2;
  const double wall = s.thickness * std::hypot(s.height, s.radius_top - s.radius) / s.height;
  return revolve(
      {{s.radius + wall, -h}, {s.radius_top + wall, h}, {s.radius_top, h}, {s.radius, -h}},
      segments, true);
}

Mesh plane_mesh() {
  const float e = static_cast<float>(plane_extent / 2);
  return {{{-e, -e, 0}, {e, -e, 0}, {e, e, 0}, {-e, e, 0}}, {{0, 1, 2}, {0, 2, 3}}};
}

}  // namespace

Mesh wrapped_grid(int nu, int nv, const std::function<Vec3d(double, double)>& position) {
  Mesh m;
  for (int i = 0; i < nu; ++i)
    for (int k = 0; k < nv; ++k)
      m.vertices.push_back(
          Vec3f(position(static_cast<double>(i) / nu, static_cast<double>(k) / nv)));
  const auto index = [&](int i, int k) {
    return static_cast<std::uint32_t>((i % nu) * nv + k % nv);
  };
  for (int i = 0; i < nu; ++i)
    for (int k = 0; k < nv; ++k) {
      m.triangles.push_back({index(i, k), index(i + 1, k), index(i + 1, k + 1)});
      m.triangles.push_back({index(i, k), index(i + 1, k + 1), index(i, k + 1)});
    }
  return m;
}

Mesh icosphere(double radius, int subdivisions) {
  Mesh m = icosahedron();
  for (int i = 0; i < subdivisions; ++i)
    m = subdivided(m, [](const Vec3d& p) { return normalized(p); });
  for (Vec3f& v : m.vertices) v = Vec3f(radius * normalized(Vec3d(v)));
  return m;
}

Mesh spiky_star(double inner, double outer, int subdivisions) {
  Mesh m = icosahedron();
  Mesh star;
  star.vertices = m.vertices;
  for (const auto& [a, b, c] : m.triangles) {
    const Vec3f sum = m.vertices[a] + m.vertices[b] + m.vertices[c];
    const auto tip = static_cast<std::uint32_t>(star.vertices.size());
    star.vertices.push_back(normalized(sum) * static_cast<float>(outer / inner));
    for (const Mesh::Triangle& t : {Mesh::Triangle{a, b, tip}, {b, c, tip}, {c, a, tip}})
      star.triangles.push_back(t);
  }
  for (int i = 0; i < subdivisions; ++i) star = subdivided(star, [](const Vec3d& p) { return p; });
  for (Vec3f& v : star.vertices) v = v * static_cast<float>(inner);
  return star;
}

Mesh box_mesh(const Vec3d& size, int n) {
  Mesh m;
  std::map<std::array<int, 3>, std::uint32_t> seen;
  const auto vertex = [&](std::array<int, 3> c) {
    const auto [it, added] = seen.try_emplace(c, static_cast<std::uint32_t>(m.vertices.size()));
    if (added)
      m.vertices.push_back(Vec3f(Vec3d{size.x * (static_cast<double>(c[0]) / n - 0.5),
                                       size.y * (static_cast<double>(c[1]) / n - 0.5),
                                       size.z * (static_cast<double>(c[2]) / n - 0.5)}));
    return it->second;
  };
  for (std::size_t axis = 0; axis < 3; ++axis)
    for (int side : {0, n})
      for (int i = 0; i < n; ++i)
        for (int k = 0; k < n; ++k) {
          std::array<std::uint32_t, 4> q{};
          for (int corner = 0; corner < 4; ++corner) {
            std::array<int, 3> c{};
            c[axis] = side;
            c[(axis + 1) % 3] = i + (corner == 1 || corner == 2);
            c[(axis + 2) % 3] = k + (corner >= 2);
            q[static_cast<std::size_t>(corner)] = vertex(c);
          }
          if (side == 0) std::swap(q[1], q[3]);
          m.triangles.push_back({q[0], q[1], q[2]});
          m.triangles.push_back({q[0], q[2], q[3]});
        }
  return m;
}

Mesh torus(double major, double minor, int around, int across) {
  return wrapped_grid(around, across, [&](double u, double v) {
    const double a = 2 * pi * u, b = 2 * pi * v;
    const double r = major + minor * std::cos(b);
    return Vec3d{r * std::cos(a), r * std::sin(a), minor * std::sin(b)};
  });
}

Mesh trefoil(double major, double minor, int around, int across) {
  const auto centre = [&](double t) {
    return major / 3 *
           Vec3d{(2 + std::cos(3 * t)) * std::cos(2 * t), (2 + std::cos(3 * t)) * std::sin(2 * t),
                 std::sin(3 * t)};
  };
  return wrapped_grid(around, across, [&](double u, double v) {
    const double t = 2 * pi * u, b = 2 * pi * v;
    const Vec3d along = normalized(centre(t + 1e-4) - centre(t - 1e-4));
    // The knot winds around the circle of radius 2/3 major: that circle's direction is never along
    // the knot, so a frame made from it has no jump.
    const Vec3d ring = major / 3 * Vec3d{2 * std::cos(2 * t), 2 * std::sin(2 * t), 0};
    const Vec3d out = centre(t) - ring;
    const Vec3d side = normalized(out - along * dot(out, along));
    const Vec3d up = cross(side, along);
    return centre(t) + minor * (std::cos(b) * side + std::sin(b) * up);
  });
}

Mesh uneven_blob(double radius, int around, int across) {
  // Squeezing both angles by x + c sin x makes cells that differ by (1 + c)^2 / (1 - c)^2.
  const auto squeeze = [](double x) { return 2 * pi * x + 0.63 * std::sin(2 * pi * x); };
  std::vector<std::pair<double, double>> profile{{0, -1}};
  for (int i = 1; i < across; ++i) {
    const double a = squeeze(static_cast<double>(i) / across) / 2 - pi / 2;
    profile.push_back({std::cos(a), std::sin(a)});
  }
  profile.push_back({0, 1});
  Mesh m = revolve(profile, around, false);
  for (Vec3f& v : m.vertices) {
    const Vec3d p(v);
    const double turn = squeeze(std::atan2(p.y, p.x) / (2 * pi));
    const double r = std::hypot(p.x, p.y);
    const Vec3d q{r * std::cos(turn), r * std::sin(turn), p.z};
    const double bump = 1 + 0.15 * std::sin(3 * q.x) * std::cos(2 * q.y) + 0.12 * std::sin(4 * q.z);
    v = Vec3f(radius * bump * q);
  }
  return m;
}

Result<Mesh> tessellate(const Shape& s, int segments) {
  if (Status status = check_shape(s); !status) return status.error();
  const double h = s.height / 2;
  Result<Mesh> mesh = [&]() -> Result<Mesh> {
    switch (s.kind) {
      case ShapeKind::box: return box_mesh(s.size);
      case ShapeKind::sphere: return capsule_mesh(s.radius, 0, segments);
      case ShapeKind::cylinder:
        return revolve({{0, -h}, {s.radius, -h}, {s.radius, h}, {0, h}}, segments, false);
      case ShapeKind::cone: {
        std::vector<std::pair<double, double>> profile{{0, -h}};
        if (s.radius > 0) profile.push_back({s.radius, -h});
        if (s.radius_top > 0) profile.push_back({s.radius_top, h});
        profile.push_back({0, h});
        return revolve(profile, segments, false);
      }
      case ShapeKind::capsule: return capsule_mesh(s.radius, s.height, segments);
      case ShapeKind::tube: return tube_mesh(s, segments);
      case ShapeKind::plane: return plane_mesh();
      case ShapeKind::height_field: return height_field_mesh(s);
      case ShapeKind::mesh: return load_mesh(s.file, s.scale, s.force_mesh);
    }
    return request_error("unknown shape");
  }();
  if (mesh && s.inside_out)
    for (Mesh::Triangle& t : mesh->triangles) std::swap(t[1], t[2]);
  return mesh;
}

}  // namespace talus
