#include "bodies/bullet_shapes.h"

#include "bodies/bullet_math.h"

#include <BulletCollision/CollisionShapes/btConvexPolyhedron.h>

#include <LinearMath/btConvexHullComputer.h>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace talus {
namespace {

/// Bullet rounds convex shapes by a margin, within which its distances are exact; this fraction of
/// the body's size.
constexpr double margin_fraction = 0.02;
constexpr int ring_pieces = 32;
constexpr int ball_walls = 400;

/// Cone, frustum or cylinder along z by its support function: smooth, so that it rolls.
class FrustumShape : public btConvexInternalShape {
 public:
  FrustumShape(double bottom, double top, double half_height, double margin)
      : bottom_(std::max(bottom - margin, 0.0)),
        top_(std::max(top - margin, 0.0)),
        half_height_(std::max(half_height - margin, 0.0)) {
    m_shapeType = CUSTOM_CONVEX_SHAPE_TYPE;
    setMargin(margin);
  }
  btVector3 localGetSupportingVertexWithoutMargin(const btVector3& d) const override {
    const btScalar radial = std::hypot(d.x(), d.y());
    const bool up = top_ * radial + half_height_ * d.z() >= bottom_ * radial - half_height_ * d.z();
    const btScalar r = radial > 0 ? (up ? top_ : bottom_) / radial : 0;
    return {d.x() * r, d.y() * r, up ? half_height_ : -half_height_};
  }
  void batchedUnitVectorGetSupportingVertexWithoutMargin(const btVector3* vectors, btVector3* out,
                                                         int count) const override {
    for (int i = 0; i < count; ++i) out[i] = localGetSupportingVertexWithoutMargin(vectors[i]);
  }
  btVector3 localGetSupportingVertex(const btVector3& d) const override {
    const btScalar length = d.length();
    const btVector3 unit = length > 0 ? d / length : btVector3(0, 0, 1);
    return localGetSupportingVertexWithoutMargin(unit) + unit * getMargin();
  }
  // Unused: masses come from geometry/mass.h.
  void calculateLocalInertia(btScalar, btVector3& inertia) const override { inertia.setZero(); }
  const char* getName() const override { return "frustum"; }

 private:
  btScalar bottom_, top_, half_height_;
};

class ColliderBuilder {
 public:
  explicit ColliderBuilder(const ColliderOptions& options) : options_(options) {
    collider_.size = options.size;
  }

  void add_convex(std::unique_ptr<btConvexShape> shape) {
    ColliderPart part;
    part.convex = std::move(shape);
    part.local = options_.shape_to_body;
    collider_.parts.push_back(std::move(part));
  }

  void add_hull(const std::vector<Vec3d>& points) {
    // Distances use the hull drawn in by the margin that Bullet adds again; faces that lie on each
    // other are clipped with the hull itself.
    btConvexHullShape whole(&points[0].x, static_cast<int>(points.size()), sizeof(Vec3d));
    whole.initializePolyhedralFeatures();
    btConvexHullComputer hull;
    const btScalar shrunk =
        hull.compute(&points[0].x, sizeof(Vec3d), static_cast<int>(points.size()), margin(), 0.25);
    auto shape = std::make_unique<btConvexHullShape>();
    for (int i = 0; i < hull.vertices.size(); ++i) shape->addPoint(hull.vertices[i], false);
    shape->setMargin(std::max<btScalar>(shrunk, 0));
    shape->recalcLocalAabb();
    btConvexPolyhedron faces = *whole.getConvexPolyhedron();
    shape->setPolyhedralFeatures(faces);
    add_convex(std::move(shape));
  }

  /// Solid where normal . x <= offset, in the shape's frame.
  void add_half_space(const Vec3d& normal, double offset) {
    ColliderPart part;
    part.half_space = true;
    part.local = options_.shape_to_body;
    part.normal = part.local.getBasis() * to_bullet(normal);
    part.offset = offset + part.normal.dot(part.local.getOrigin());
    collider_.parts.push_back(std::move(part));
  }

  void add_triangles(const Surface& surface) {
    ColliderPart part;
    part.triangle_data = std::make_unique<btTriangleMesh>(true, false);
    for (const auto& t : surface.triangles)
      part.triangle_data->addTriangle(to_bullet(surface.points[t[0]]),
                                      to_bullet(surface.points[t[1]]),
                                      to_bullet(surface.points[t[2]]));
    part.triangles = std::make_unique<btBvhTriangleMeshShape>(part.triangle_data.get(), true);
    part.triangles->setMargin(options_.margin);
    part.local = options_.shape_to_body;
    collider_.parts.push_back(std::move(part));
  }

  double margin() const { return margin_fraction * options_.size; }
  Collider take() { return std::move(collider_); }

 private:
  ColliderOptions options_;
  Collider collider_;
};

void add_tube(ColliderBuilder& builder, const Shape& s) {
  const double lean = std::hypot(s.height, s.radius_top - s.radius) / s.height;
  const double wall = s.thickness * lean;
  // Corners a little outside the circle, so that the polygon has the circle's mean radius.
  const double out = 2 / (1 + std::cos(std::numbers::pi / ring_pieces));
  const auto corner = [&](int k, double radius, double z) {
    const double angle = 2 * std::numbers::pi * k / ring_pieces;
    return Vec3d{radius * out * std::cos(angle), radius * out * std::sin(angle), z};
  };
  const double h = s.height / 2;
  for (int k = 0; k < ring_pieces; ++k) {
    std::vector<Vec3d> points;
    for (int side = k; side <= k + 1; ++side)
      points.insert(points.end(),
                    {corner(side, s.radius, -h), corner(side, s.radius + wall, -h),
                     corner(side, s.radius_top, h), corner(side, s.radius_top + wall, h)});
    builder.add_hull(points);
  }
}

/// How far a convex primitive reaches in a unit direction.
double reach(const Shape& s, const Vec3d& d) {
  const double radial = std::hypot(d.x, d.y), h = s.height / 2;
  switch (s.kind) {
    case ShapeKind::box:
      return 0.5 * (s.size.x * std::abs(d.x) + s.size.y * std::abs(d.y) + s.size.z * std::abs(d.z));
    case ShapeKind::sphere: return s.radius;
    case ShapeKind::capsule: return s.radius + h * std::abs(d.z);
    case ShapeKind::cylinder: return s.radius * radial + h * std::abs(d.z);
    default: return std::max(s.radius * radial - h * d.z, s.radius_top * radial + h * d.z);
  }
}

/// The walls of a container: half spaces that look inwards.
void add_container(ColliderBuilder& builder, const Shape& s) {
  const auto wall = [&](const Vec3d& outward) {
    builder.add_half_space(-outward, -reach(s, outward));
  };
  if (s.kind == ShapeKind::box) {
    for (int axis = 0; axis < 3; ++axis)
      for (const double sign : {-1.0, 1.0}) {
        Vec3d d{};
        d[axis] = sign;
        wall(d);
      }
    return;
  }
  if (s.kind == ShapeKind::sphere || s.kind == ShapeKind::capsule) {
    for (int i = 0; i < ball_walls; ++i) {
      const double z = 1 - (2 * i + 1.0) / ball_walls, r = std::sqrt(1 - z * z);
      const double angle = i * std::numbers::pi * (3 - std::sqrt(5.0));
      wall({r * std::cos(angle), r * std::sin(angle), z});
    }
  }
  if (s.kind == ShapeKind::sphere) return;
  const double top = s.kind == ShapeKind::cone ? s.radius_top : s.radius;
  const double z = (s.radius - top) / std::hypot(s.height, s.radius - top);
  const double r = std::sqrt(1 - z * z);
  for (int k = 0; k < 2 * ring_pieces; ++k) {
    const double angle = std::numbers::pi * k / ring_pieces;
    wall({r * std::cos(angle), r * std::sin(angle), z});
  }
  if (s.kind == ShapeKind::capsule) return;
  wall({0, 0, 1});
  wall({0, 0, -1});
}

void add_primitive(ColliderBuilder& builder, const Shape& s) {
  const double margin = builder.margin();
  switch (s.kind) {
    case ShapeKind::box: {
      auto box = std::make_unique<btBoxShape>(to_bullet(s.size * 0.5));
      box->setMargin(margin);
      box->initializePolyhedralFeatures();
      builder.add_convex(std::move(box));
      return;
    }
    case ShapeKind::sphere: builder.add_convex(std::make_unique<btSphereShape>(s.radius)); return;
    case ShapeKind::capsule:
      builder.add_convex(std::make_unique<btCapsuleShapeZ>(s.radius, s.height));
      return;
    case ShapeKind::cylinder:
      builder.add_convex(std::make_unique<FrustumShape>(s.radius, s.radius, s.height / 2, margin));
      return;
    case ShapeKind::cone:
      builder.add_convex(
          std::make_unique<FrustumShape>(s.radius, s.radius_top, s.height / 2, margin));
      return;
    case ShapeKind::tube: add_tube(builder, s); return;
    default: builder.add_half_space({0, 0, s.inside_out ? -1.0 : 1.0}, 0); return;
  }
}

}  // namespace

Collider make_collider(const Shape& shape, const Surface& surface,
                       const std::vector<ConvexPiece>& pieces, const ColliderOptions& options) {
  ColliderBuilder builder(options);
  if (!pieces.empty()) {
    for (const ConvexPiece& piece : pieces) builder.add_hull(piece.points);
  } else if (!surface.triangles.empty()) {
    builder.add_triangles(surface);
  } else if (shape.inside_out && shape.kind != ShapeKind::plane && shape.kind != ShapeKind::tube) {
    add_container(builder, shape);
  } else {
    add_primitive(builder, shape);
  }
  return builder.take();
}

}  // namespace talus
