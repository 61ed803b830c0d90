// Exact distances, negative inside. A point in the box takes its nearest face. Cylinder, cone and
// tube are convex polygons in the half plane (r, z) revolved about z: the nearest point of a
// revolved profile lies in the query's own half plane, so the planar distance is exact. All lengths
// in metres.
//
// Gradients are unit everywhere, also where the distance has a kink (centres, axes, edges): there
// one of the equally near surface points is taken, always the same one.

#include "geometry/primitive_distance.h"

#include <array>
#include <cmath>
#include <limits>

namespace talus {
namespace {

struct BoxDistance {
  Vec3f half;

  DistanceSample operator()(const Vec3f& p) const {
    const Vec3f q{std::abs(p.x) - half.x, std::abs(p.y) - half.y, std::abs(p.z) - half.z};
    const Vec3f out = max(q, Vec3f{});
    const float outside = norm(out);
    if (outside > 0) {
      const Vec3f n = out / outside;
      return {outside, {std::copysign(n.x, p.x), std::copysign(n.y, p.y), std::copysign(n.z, p.z)}};
    }
    if (q.x >= q.y && q.x >= q.z) return {q.x, {std::copysign(1.f, p.x), 0, 0}};
    if (q.y >= q.z) return {q.y, {0, std::copysign(1.f, p.y), 0}};
    return {q.z, {0, 0, std::copysign(1.f, p.z)}};
  }
};

struct SphereDistance {
  float radius;

  DistanceSample operator()(const Vec3f& p) const {
    const float length = norm(p);
    return {length - radius, length > 0 ? p / length : Vec3f{0, 0, 1}};
  }
};

struct CapsuleDistance {
  float radius;
  float half_height;

  DistanceSample operator()(const Vec3f& p) const {
    const float on_axis = p.z < -half_height ? -half_height : p.z > half_height ? half_height : p.z;
    const Vec3f q{p.x, p.y, p.z - on_axis};
    const float length = norm(q);
    // On the axis any direction across it leads out; along it would not.
    return {length - radius, length > 0 ? q / length : Vec3f{1, 0, 0}};
  }
};

struct PlaneDistance {
  DistanceSample operator()(const Vec3f& p) const { return {p.z, {0, 0, 1}}; }
};

/// A convex profile in the half plane r >= 0, walked counter-clockwise (r to the right, z up);
/// edges on the axis r = 0 are no surface and are left out.
struct RevolvedDistance {
  struct Edge {
    float r, z;    ///< start
    float tr, tz;  ///< unit tangent; the outward normal is (tz, -tr)
    float length;
  };
  std::array<Edge, 4> edges{};
  int count = 0;

  void add_edge(double r0, double z0, double r1, double z1) {
    const double length = std::hypot(r1 - r0, z1 - z0);
    if (!(length > 0)) return;
    edges[count++] = {static_cast<float>(r0), static_cast<float>(z0),
                      static_cast<float>((r1 - r0) / length),
                      static_cast<float>((z1 - z0) / length), static_cast<float>(length)};
  }

  struct Planar {
    float distance, nr, nz;
  };

  Planar planar(float r, float z) const {
    Planar inner{-std::numeric_limits<float>::infinity(), 1, 0};
    Planar outer{std::numeric_limits<float>::infinity(), 1, 0};
    for (int i = 0; i < count; ++i) {
      const Edge& e = edges[i];
      const float dr = r - e.r, dz = z - e.z;
      const float across = dr * e.tz - dz * e.tr;
      const float along = dr * e.tr + dz * e.tz;
      if (across > inner.distance) inner = {across, e.tz, -e.tr};
      if (along >= 0 && along <= e.length) {
        if (across >= 0 && across < outer.distance) outer = {across, e.tz, -e.tr};
        continue;
      }
      const float end = along < 0 ? 0.f : e.length;
      const float cr = dr - end * e.tr, cz = dz - end * e.tz;
      const float d = std::sqrt(cr * cr + cz * cz);
      if (d > 0 && d < outer.distance) outer = {d, cr / d, cz / d};
    }
    return inner.distance <= 0 ? inner : outer;
  }

  DistanceSample operator()(const Vec3f& p) const {
    const float r = std::sqrt(p.x * p.x + p.y * p.y);
    const Planar s = planar(r, p.z);
    const Vec3f radial = r > 0 ? Vec3f{p.x / r, p.y / r, 0} : Vec3f{1, 0, 0};
    return {s.distance, {radial.x * s.nr, radial.y * s.nr, s.nz}};
  }
};

template <class Distance>
class PrimitiveField final : public DistanceField {
 public:
  PrimitiveField(Distance distance, Box3d bounds, bool inside_out)
      : distance_(distance), bounds_(bounds), inside_out_(inside_out) {}

  using DistanceField::sample;
  void sample(std::span<const Vec3f> points, std::span<DistanceSample> out) const override {
    TALUS_CHECK(points.size() == out.size(), "{} points, {} results", points.size(), out.size());
    const float sign = inside_out_ ? -1.f : 1.f;
    for (std::size_t i = 0; i < points.size(); ++i) {
      const DistanceSample s = distance_(points[i]);
      out[i] = {sign * s.distance, sign * s.gradient};
    }
  }
  Box3d bounds() const override { return bounds_; }
  float band() const override { return std::numeric_limits<float>::infinity(); }

 private:
  Distance distance_;
  Box3d bounds_;
  bool inside_out_;
};

template <class Distance>
std::shared_ptr<const DistanceField> make_field(Distance distance, const Vec3d& half,
                                                const Shape& shape) {
  return std::make_shared<PrimitiveField<Distance>>(distance, Box3d{-half, half}, shape.inside_out);
}

std::shared_ptr<const DistanceField> make_frustum(const Shape& shape, double bottom, double top) {
  const double h = shape.height / 2;
  RevolvedDistance profile;
  profile.add_edge(0, -h, bottom, -h);
  profile.add_edge(bottom, -h, top, h);
  profile.add_edge(top, h, 0, h);
  const double widest = std::max(bottom, top);
  return make_field(profile, {widest, widest, h}, shape);
}

std::shared_ptr<const DistanceField> make_tube(const Shape& shape) {
  const double h = shape.height / 2;
  const double slant = std::hypot(shape.height, shape.radius_top - shape.radius);
  const double wall = shape.thickness * slant / shape.height;  // cut along r
  const double bottom = shape.radius, top = shape.radius_top;
  RevolvedDistance profile;
  profile.add_edge(bottom, -h, bottom + wall, -h);
  profile.add_edge(bottom + wall, -h, top + wall, h);
  profile.add_edge(top + wall, h, top, h);
  profile.add_edge(top, h, bottom, -h);
  const double widest = std::max(bottom, top) + wall;
  return make_field(profile, {widest, widest, h}, shape);
}

Status check_length(const Shape& shape, const char* what, double value, bool zero_allowed) {
  if (std::isfinite(value) && (value > 0 || (zero_allowed && value == 0))) return {};
  return request_error("a {} needs a {} {} 0 m; it is {}", shape_name(shape.kind), what,
                       zero_allowed ? "of at least" : "above", value);
}

}  // namespace

bool is_primitive(ShapeKind kind) {
  return kind != ShapeKind::mesh && kind != ShapeKind::height_field;
}

const char* shape_name(ShapeKind kind) {
  switch (kind) {
    case ShapeKind::box: return "box";
    case ShapeKind::sphere: return "sphere";
    case ShapeKind::cylinder: return "cylinder";
    case ShapeKind::cone: return "cone";
    case ShapeKind::capsule: return "capsule";
    case ShapeKind::tube: return "tube";
    case ShapeKind::plane: return "plane";
    case ShapeKind::height_field: return "height field";
    case ShapeKind::mesh: return "mesh";
  }
  return "shape";
}

Status check_shape(const Shape& s) {
  const bool sized = s.kind == ShapeKind::box || s.kind == ShapeKind::height_field;
  const bool round =
      s.kind == ShapeKind::sphere || s.kind == ShapeKind::cylinder || s.kind == ShapeKind::capsule;
  const bool conical = s.kind == ShapeKind::cone || s.kind == ShapeKind::tube;
  if (sized) {
    const char* names[] = {"size x", "size y", "size z"};
    for (int axis = 0; axis < 3; ++axis)
      if (Status st = check_length(s, names[axis], s.size[axis], false); !st) return st;
  }
  if (round || conical)
    if (Status st = check_length(s, "radius", s.radius, conical); !st) return st;
  if (conical) {
    if (Status st = check_length(s, "radius_top", s.radius_top, true); !st) return st;
    if (s.kind == ShapeKind::cone && s.radius == 0 && s.radius_top == 0)
      return request_error("a cone needs a radius or a radius_top above 0 m; both are 0");
  }
  if (s.kind == ShapeKind::cylinder || conical)
    if (Status st = check_length(s, "height", s.height, false); !st) return st;
  if (s.kind == ShapeKind::capsule)
    if (Status st = check_length(s, "height", s.height, true); !st) return st;
  if (s.kind == ShapeKind::tube)
    if (Status st = check_length(s, "thickness", s.thickness, false); !st) return st;
  if (s.kind == ShapeKind::mesh)
    if (Status st = check_length(s, "scale", s.scale, false); !st) return st;
  return {};
}

Result<std::shared_ptr<const DistanceField>> make_primitive_field(const Shape& shape) {
  if (Status status = check_shape(shape); !status) return status.error();
  const double radius = shape.radius;
  switch (shape.kind) {
    case ShapeKind::box: {
      const Vec3d half = shape.size * 0.5;
      return make_field(BoxDistance{Vec3f(half)}, half, shape);
    }
    case ShapeKind::sphere:
      return make_field(SphereDistance{static_cast<float>(radius)}, {radius, radius, radius},
                        shape);
    case ShapeKind::cylinder: return make_frustum(shape, radius, radius);
    case ShapeKind::cone: return make_frustum(shape, radius, shape.radius_top);
    case ShapeKind::capsule: {
      const double half = shape.height / 2;
      return make_field(CapsuleDistance{static_cast<float>(radius), static_cast<float>(half)},
                        {radius, radius, half + radius}, shape);
    }
    case ShapeKind::tube: return make_tube(shape);
    case ShapeKind::plane: {
      const double infinity = std::numeric_limits<double>::infinity();
      return make_field(PlaneDistance{}, {infinity, infinity, 0}, shape);
    }
    case ShapeKind::height_field:
    case ShapeKind::mesh: break;
  }
  return request_error("a {} has no closed-form distance", shape_name(shape.kind));
}

}  // namespace talus
