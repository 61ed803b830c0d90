// Meshes: the solid is the signed sum of tetrahedra spanned by a reference point and each face
// (a, b, c relative to it), with 6 V = a . (b x c) and, for constant density,
//   int x dV = V (a + b + c) / 4,   int x x^T dV = V (s s^T + a a^T + b b^T + c c^T) / 20, s =
//   a+b+c
// which is exact for polyhedra (Eberly 2002, Mirtich 1996 give the same by surface integrals). The
// reference is the middle of the bounds, so that no digits cancel far from the origin.
//
// Solids of revolution about z, radius r(z): with n = pi r^2,
//   V = int n dz, Izz = int n r^2 / 2 dz, Ixx = Izz / 2 + int n z^2 dz (about the origin).
// For a frustum these are polynomials of degree 4: three Gauss points integrate them exactly.

#include "geometry/mass_properties.h"

#include "geometry/mesh_shapes.h"
#include "geometry/primitive_distance.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace talus {
namespace {

/// Integrals over a solid about the local origin, for density 1.
struct Moments {
  double volume = 0;
  Vec3d first{};
  Sym3d second{};  ///< int x x^T dV

  void add(const Moments& m, double sign) {
    volume += sign * m.volume;
    first += sign * m.first;
    second = second + m.second * sign;
  }
};

Sym3d product(const Vec3d& a) {
  return {a.x * a.x, a.y * a.y, a.z * a.z, a.x * a.y, a.x * a.z, a.y * a.z};
}

Moments frustum_moments(double bottom, double top, double height) {
  Moments m;
  const double node = std::sqrt(0.6);
  for (const auto& [t, weight] : {std::pair{-node, 5.0 / 9}, {0.0, 8.0 / 9}, {node, 5.0 / 9}}) {
    const double z = t * height / 2;
    const double r = bottom + (top - bottom) * (t + 1) / 2;
    const double slice = weight * height / 2 * std::numbers::pi * r * r;
    m.volume += slice;
    m.first.z += slice * z;
    m.second.xx += slice * r * r / 4;
    m.second.zz += slice * z * z;
  }
  m.second.yy = m.second.xx;
  return m;
}

/// Cylinder of height h and two half balls of radius r at its ends.
Moments capsule_moments(double r, double h) {
  Moments m = frustum_moments(r, r, h);
  const double ball = 4.0 / 3.0 * std::numbers::pi * r * r * r;
  const double offset = h / 2 + 3.0 / 8.0 * r;  // centre of a half ball
  m.volume += ball;
  m.second.xx += ball * r * r / 5;
  m.second.yy += ball * r * r / 5;
  // About its own centre a half ball has int z^2 = V (1/5 - 9/64) r^2 with V its volume.
  m.second.zz += ball * ((1.0 / 5.0 - 9.0 / 64.0) * r * r + offset * offset);
  return m;
}

Moments primitive_moments(const Shape& s) {
  const double r = s.radius;
  switch (s.kind) {
    case ShapeKind::box: {
      const double v = s.size.x * s.size.y * s.size.z;
      return {v,
              {},
              {v * s.size.x * s.size.x / 12, v * s.size.y * s.size.y / 12,
               v * s.size.z * s.size.z / 12, 0, 0, 0}};
    }
    case ShapeKind::sphere: return capsule_moments(r, 0);
    case ShapeKind::cylinder: return frustum_moments(r, r, s.height);
    case ShapeKind::cone: return frustum_moments(r, s.radius_top, s.height);
    case ShapeKind::capsule: return capsule_moments(r, s.height);
    case ShapeKind::tube: {
      const double wall = s.thickness * std::hypot(s.height, s.radius_top - r) / s.height;
      Moments m = frustum_moments(r + wall, s.radius_top + wall, s.height);
      m.add(frustum_moments(r, s.radius_top, s.height), -1);
      return m;
    }
    default: return {};
  }
}

Moments mesh_moments(const Mesh& mesh, const Vec3d& reference) {
  Moments m;
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
    const auto corners = mesh.corners(t);
    const Vec3d a = corners[0] - reference, b = corners[1] - reference, c = corners[2] - reference;
    const double v = dot(a, cross(b, c)) / 6;
    const Vec3d s = a + b + c;
    m.volume += v;
    m.first += (v / 4) * s;
    m.second = m.second + (product(s) + product(a) + product(b) + product(c)) * (v / 20);
  }
  return m;
}

/// The quaternion of a rotation matrix.
Quatd to_quaternion(const Mat3d& m) {
  const auto at = [&](int row, int column) { return m.row[row][column]; };
  // The largest of the four squared components is at least 1/4: no division by a small number.
  const double w4 = 1 + at(0, 0) + at(1, 1) + at(2, 2), x4 = 1 + at(0, 0) - at(1, 1) - at(2, 2),
               y4 = 1 - at(0, 0) + at(1, 1) - at(2, 2), z4 = 1 - at(0, 0) - at(1, 1) + at(2, 2);
  const double x = at(2, 1) - at(1, 2), y = at(0, 2) - at(2, 0), z = at(1, 0) - at(0, 1);
  const double xy = at(1, 0) + at(0, 1), xz = at(0, 2) + at(2, 0), yz = at(2, 1) + at(1, 2);
  if (w4 >= x4 && w4 >= y4 && w4 >= z4) return normalized(Quatd{w4, x, y, z});
  if (x4 >= y4 && x4 >= z4) return normalized(Quatd{x, x4, xy, xz});
  if (y4 >= z4) return normalized(Quatd{y, xy, y4, yz});
  return normalized(Quatd{z, xz, yz, z4});
}

/// `m` is about `reference`.
MassProperties finish(const Moments& m, const Vec3d& reference, double density) {
  MassProperties p;
  p.volume = m.volume;
  p.mass = density * m.volume;
  if (m.volume == 0) return p;
  const Vec3d offset = m.first / m.volume;
  p.centre = reference + offset;
  const Sym3d c = (m.second + product(offset) * (-m.volume)) * density;
  p.inertia = {c.yy + c.zz, c.xx + c.zz, c.xx + c.yy, -c.xy, -c.xz, -c.yz};
  const PrincipalFrame frame = principal_frame(p.inertia);
  p.principal_moments = frame.values;
  p.principal_axes = to_quaternion(frame.axes);
  return p;
}

}  // namespace

/// By cyclic Jacobi rotations.
PrincipalFrame principal_frame(const Sym3d& s) {
  double a[3][3] = {{s.xx, s.xy, s.xz}, {s.xy, s.yy, s.yz}, {s.xz, s.yz, s.zz}};
  double v[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  for (int sweep = 0; sweep < 32; ++sweep) {
    for (int p = 0; p < 2; ++p)
      for (int q = p + 1; q < 3; ++q) {
        if (a[p][q] == 0) continue;
        const double theta = (a[q][q] - a[p][p]) / (2 * a[p][q]);
        const double t = std::copysign(1.0, theta) / (std::abs(theta) + std::hypot(theta, 1.0));
        const double c = 1 / std::hypot(t, 1.0), d = t * c;
        for (int k = 0; k < 3; ++k) {
          const double kp = a[k][p], kq = a[k][q];
          a[k][p] = c * kp - d * kq;
          a[k][q] = d * kp + c * kq;
        }
        for (int k = 0; k < 3; ++k) {
          const double pk = a[p][k], qk = a[q][k];
          a[p][k] = c * pk - d * qk;
          a[q][k] = d * pk + c * qk;
          const double vp = v[k][p], vq = v[k][q];
          v[k][p] = c * vp - d * vq;
          v[k][q] = d * vp + c * vq;
        }
      }
  }
  int order[3] = {0, 1, 2};
  std::sort(order, order + 3, [&](int i, int k) { return a[i][i] < a[k][k]; });
  const auto column = [&](int i) { return Vec3d{v[0][order[i]], v[1][order[i]], v[2][order[i]]}; };
  const Vec3d x = column(0), y = column(1), z = cross(x, y);
  PrincipalFrame frame;
  frame.values = {a[order[0]][order[0]], a[order[1]][order[1]], a[order[2]][order[2]]};
  for (int k = 0; k < 3; ++k) frame.axes.row[k] = {x[k], y[k], z[k]};
  return frame;
}

MassProperties mass_properties(const Mesh& mesh, double density) {
  const Box3d box = mesh.bounds();
  const Vec3d reference = (box.lower + box.upper) * 0.5;
  return finish(mesh_moments(mesh, reference), reference, density);
}

Result<MassProperties> mass_properties(const Shape& shape, double density) {
  if (!(std::isfinite(density) && density > 0))
    return request_error("the density must be above 0 kg/m^3; it is {}", density);
  if (Status status = check_shape(shape); !status) return status.error();
  if (shape.inside_out || shape.kind == ShapeKind::plane)
    return request_error(
        "a {}{} has no end and therefore no mass: it can be fixed or scripted only",
        shape_name(shape.kind), shape.inside_out ? " that is inside out" : "");
  if (is_primitive(shape.kind)) return finish(primitive_moments(shape), {}, density);
  const Result<Mesh> mesh = tessellate(shape);
  if (!mesh) return mesh.error();
  const MassProperties p = mass_properties(*mesh, density);
  const Box3d box = mesh->bounds();
  const double size = norm(box.upper - box.lower);
  if (!(p.volume > 1e-9 * size * size * size))
    return request_error(
        "{}: the volume of this body is {:.3g} m^3: too small to have a mass; is "
        "it a sheet, or open?",
        shape.file, p.volume);
  return p;
}

}  // namespace talus
