#include "dem/wall_faces.h"

#include "sampling/surface.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace talus::dem {

namespace {

// Points per call of a distance field.
constexpr std::size_t batch = 64;
// Diameter of rough spheres over their distance: they overlap, so that nothing falls through.
constexpr double rough_overlap = 1.2;

Vec3d to_local(const Body& body, const Vec3d& p) {
  return body.state.pose.to_body(p) - body.field_offset;
}

}  // namespace

void WallFaces::add_faces(std::uint32_t b, std::vector<WallFace>& faces) const {
  const Body& body = bodies_[b];
  const Shape& s = body.shape;
  const auto plane = [&](const Vec3d& point, const Vec3d& normal) {
    WallFace face;
    face.body = b;
    face.kind = FaceKind::plane;
    face.point = point + body.field_offset;
    face.normal = normal;
    faces.push_back(face);
  };
  if (s.kind == ShapeKind::plane) {
    plane({}, {0, 0, s.inside_out ? -1.0 : 1.0});
  } else if (s.kind == ShapeKind::box && s.inside_out) {
    for (int axis = 0; axis < 3; ++axis)
      for (const double side : {-1.0, 1.0}) {
        Vec3d normal{};
        normal[axis] = -side;
        plane(normal * (-0.5 * s.size[axis]), normal);
      }
  } else if (s.kind == ShapeKind::cylinder && s.inside_out) {
    plane({0, 0, -0.5 * s.height}, {0, 0, 1});
    plane({0, 0, 0.5 * s.height}, {0, 0, -1});
    WallFace face;
    face.body = b;
    face.kind = FaceKind::bore;
    face.point = body.field_offset;
    face.normal = {0, 0, 1};
    face.radius = s.radius;
    faces.push_back(face);
  } else {
    WallFace face;
    face.body = b;
    faces.push_back(face);
  }
}

Result<WallFaces> WallFaces::create(const Scene& scene, std::vector<Body>& bodies,
                                    double smallest_radius, const Executor& executor) {
  WallFaces out;
  out.bodies_ = bodies;
  for (std::uint32_t b = 0; b < bodies.size(); ++b) {
    const bool rough = b < scene.bodies.size() && scene.bodies[b].rough;
    out.add_faces(b, rough ? out.smooth_of_rough_ : out.faces_);
    if (!rough) continue;
    const Box3d box = bodies[b].field->bounds();
    if (!std::isfinite(norm(box.upper - box.lower)) || norm(box.upper - box.lower) > 1e6)
      return request_error(
          "body '{}': an endless surface cannot be rough; use a box or a mesh instead of the plane",
          bodies[b].name);
    const double spacing = 2 * smallest_radius;
    const auto samples = sample_surface(*bodies[b].field, spacing, scene.seed, executor);
    if (!samples)
      return Error{samples.error().kind,
                   fmt::format("body '{}': {}", bodies[b].name, samples.error().message)};
    const auto radius = static_cast<float>(0.5 * rough_overlap * spacing);
    for (std::size_t k = 0; k < samples->points.size(); ++k) {
      // Sunk by their radius: the tops of the spheres make up the surface.
      const Vec3d at = Vec3d(samples->points[k]) - Vec3d(samples->normals[k]) * double{radius};
      out.rough_.push_back({at + bodies[b].field_offset, radius, b});
    }
  }
  out.place();
  return out;
}

void WallFaces::place() {
  for (auto* faces : {&faces_, &smooth_of_rough_})
    for (WallFace& f : *faces) {
      const Posed& pose = bodies_[f.body].state.pose;
      f.world_point = pose.to_world(f.point);
      f.world_normal = rotate(pose.rotation, f.normal);
    }
}

void WallFaces::distances(const WallFace& face, std::span<const Vec3d> points,
                          std::span<WallDistance> out) const {
  if (face.kind == FaceKind::plane) {
    const Vec3f n(face.world_normal);
    for (std::size_t k = 0; k < points.size(); ++k)
      out[k] = {dot(points[k] - face.world_point, face.world_normal), n};
    return;
  }
  if (face.kind == FaceKind::bore) {
    for (std::size_t k = 0; k < points.size(); ++k) {
      Vec3d d = points[k] - face.world_point;
      d -= face.world_normal * dot(d, face.world_normal);
      const double r = norm(d);
      out[k] = {face.radius - r, r > 0 ? Vec3f(d * (-1 / r)) : Vec3f{}};
    }
    return;
  }
  const Body& body = bodies_[face.body];
  std::array<Vec3f, batch> local;
  std::array<Vec3d, batch> rest;
  std::array<DistanceSample, batch> samples;
  for (std::size_t start = 0; start < points.size(); start += batch) {
    const std::size_t n = std::min(batch, points.size() - start);
    for (std::size_t k = 0; k < n; ++k) {
      const Vec3d p = to_local(body, points[start + k]);
      local[k] = Vec3f(p);
      rest[k] = p - Vec3d(local[k]);
    }
    body.field->sample({local.data(), n}, {samples.data(), n});
    for (std::size_t k = 0; k < n; ++k) {
      const Vec3d g(samples[k].gradient);
      out[start + k] = {double{samples[k].distance} + dot(g, rest[k]),
                        Vec3f(rotate(body.state.pose.rotation, g))};
    }
  }
}

bool WallFaces::unsure(const WallFace& face, const WallDistance& d, const Vec3d& point,
                       double needed) const {
  if (face.kind != FaceKind::field) return false;
  const Body& body = bodies_[face.body];
  const double band = body.field->band();
  if (!(band < needed) || d.distance < 0.95 * band) return false;
  const Box3d box = body.field->bounds();
  const Vec3d p = to_local(body, point);
  for (int axis = 0; axis < 3; ++axis)
    if (p[axis] < box.lower[axis] - needed || p[axis] > box.upper[axis] + needed) return false;
  return true;
}

void WallFaces::write_rough(const Grains& grains, double per_quantum, bool moving,
                            Records& records) const {
  const std::size_t spheres = grains.spheres();
  for (std::size_t k = 0; k < rough_.size(); ++k) {
    const RoughSphere& r = rough_[k];
    if (moves(r.body) != moving) continue;
    const Posed& pose = bodies_[r.body].state.pose;
    const Vec3d arm = rotate(pose.rotation, r.at);
    const Vec3d p = (pose.position + arm) * per_quantum;
    Row& c = records.centre[spheres + k];
    const auto whole = [](double a) {
      return bits_as_float(static_cast<std::uint32_t>(wrapped_integer(a)));
    };
    c = make_row(whole(p.x), whole(p.y), whole(p.z), r.radius);
    const Vec3f a(arm);
    records.arm[spheres + k] =
        make_row(a.x, a.y, a.z, bits_as_float(static_cast<std::uint32_t>(grains.count) + r.body));
  }
}

void WallFaces::write_records(const Grains& grains, double per_quantum, std::size_t first_surface,
                              Records& records) const {
  write_rough(grains, per_quantum, true, records);
  for (std::size_t b = 0; b < bodies_.size(); ++b) {
    const BodyState& s = bodies_[b].state;
    const Vec3f v(s.velocity), w(s.angular_velocity);
    const double mass = bodies_[b].motion == BodyMotion::dynamic ? bodies_[b].mass : 0;
    const float inverse = mass > 0 ? static_cast<float>(1 / mass) : 0.0f;
    records.motion[grains.count + b] = {
        make_row(v.x, v.y, v.z, inverse),
        make_row(w.x, w.y, w.z, bits_as_float(static_cast<std::uint32_t>(first_surface + b)))};
  }
}

double WallFaces::fastest(std::size_t b) const {
  const Body& body = bodies_[b];
  if (body.motion == BodyMotion::fixed) return 0;
  const Box3d box = body.field->bounds();
  const double spin = norm(body.state.angular_velocity);
  double radius = 0;
  for (const Vec3d corner : {box.lower, box.upper})
    radius = std::max(radius, norm(corner + body.field_offset));
  if (!std::isfinite(radius) || radius > 1e6) radius = 0;  // a plane has no rim
  return norm(body.state.velocity) + spin * radius;
}

}  // namespace talus::dem
