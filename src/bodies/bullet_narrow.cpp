// Narrow phase by Bullet (GJK/EPA, box against box, clipping of polyhedra), except against half
// spaces, where all corners are taken at once instead of one for each step.
#include "bodies/bullet_narrow.h"

#include "bodies/bullet_math.h"

#include <BulletCollision/CollisionDispatch/btBoxBoxDetector.h>
#include <BulletCollision/CollisionShapes/btConvexPolyhedron.h>
#include <BulletCollision/CollisionShapes/btTriangleShape.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace talus {
namespace {

bool is_box(const btCollisionShape& s) { return s.getShapeType() == BOX_SHAPE_PROXYTYPE; }
bool is_sphere(const btCollisionShape& s) { return s.getShapeType() == SPHERE_SHAPE_PROXYTYPE; }

/// Gives every point of a convex shape that may touch a half space below `direction`.
template <class Give>
void lowest_points(const btConvexShape& shape, const btVector3& direction, Give&& give) {
  if (shape.isPolyhedral()) {
    const auto& polyhedron = static_cast<const btPolyhedralConvexShape&>(shape);
    const bool box = is_box(shape);
    const btConvexPolyhedron* grown = polyhedron.getConvexPolyhedron();
    const int count = box ? polyhedron.getNumVertices() : grown->m_vertices.size();
    for (int i = 0; i < count; ++i) {
      btVector3 p;
      if (box)
        polyhedron.getVertex(i, p);
      else
        p = grown->m_vertices[i];
      give(p);
    }
    return;
  }
  if (is_sphere(shape)) {
    give(direction * shape.getMargin());
    return;
  }
  // A rim or a side touches along a line or circle: tilted directions find points around it.
  constexpr int tilts = 8;
  btVector3 u, v;
  btPlaneSpace1(direction, u, v);
  give(shape.localGetSupportingVertex(direction));
  for (int k = 0; k < tilts; ++k) {
    const double angle = 2 * std::numbers::pi * k / tilts;
    const btVector3 tilted = direction + 0.05 * (u * std::cos(angle) + v * std::sin(angle));
    give(shape.localGetSupportingVertex(tilted.normalized()));
  }
}

void collide_half_space(const Rigid& body, const ColliderPart& part, const Rigid& wall,
                        const ColliderPart& plane, double ahead, btManifoldResult& result) {
  const btTransform world = body.object->getWorldTransform() * part.local;
  const btTransform& wall_world = wall.object->getWorldTransform();
  const btVector3 normal = wall_world.getBasis() * plane.normal;
  const btScalar offset = plane.offset + normal.dot(wall_world.getOrigin());
  const btScalar limit = contact_reach(body, wall) + ahead;
  const btVector3 down = -(world.getBasis().transpose() * normal);
  // Half spaces of a container are many; most are far away.
  const btVector3 deepest = world * part.convex->localGetSupportingVertex(down);
  if (normal.dot(deepest) - offset > limit) return;
  lowest_points(*part.convex, down, [&](const btVector3& local) {
    const btVector3 p = world * local;
    const btScalar distance = normal.dot(p) - offset;
    if (distance <= limit) result.addContactPoint(normal, p - normal * distance, distance);
  });
}

void collide_spheres(const btCollisionShape& a, const btVector3& centre_a,
                     const btCollisionShape& b, const btVector3& centre_b, double near,
                     btManifoldResult& result) {
  const btVector3 between = centre_a - centre_b;
  const btScalar length = between.length();
  const btScalar distance = length - a.getMargin() - b.getMargin();
  if (distance > near) return;
  const btVector3 normal = length > 0 ? between / length : btVector3(0, 0, 1);
  result.addContactPoint(normal, centre_b + normal * b.getMargin(), distance);
}

/// Runs a convex part against each triangle near it.
class TriangleVisitor : public btTriangleCallback {
 public:
  TriangleVisitor(btCollisionDispatcher& dispatcher, const btCollisionObjectWrapper& convex,
                  const btCollisionObjectWrapper& mesh, btScalar margin,
                  btPersistentManifold& manifold, btManifoldResult& result,
                  const btDispatcherInfo& info)
      : dispatcher_(dispatcher),
        convex_(convex),
        mesh_(mesh),
        margin_(margin),
        manifold_(manifold),
        result_(result),
        info_(info) {}

  void processTriangle(btVector3* corner, int part, int index) override {
    btTriangleShape triangle(corner[0], corner[1], corner[2]);
    triangle.setMargin(margin_);
    btCollisionObjectWrapper wrapped(&mesh_, &triangle, mesh_.getCollisionObject(),
                                     mesh_.getWorldTransform(), part, index);
    const btCollisionObjectWrapper* before = result_.getBody1Wrap();
    result_.setBody1Wrap(&wrapped);
    btCollisionAlgorithm* algorithm =
        dispatcher_.findAlgorithm(&convex_, &wrapped, &manifold_, BT_CONTACT_POINT_ALGORITHMS);
    algorithm->processCollision(&convex_, &wrapped, info_, &result_);
    algorithm->~btCollisionAlgorithm();
    dispatcher_.freeCollisionAlgorithm(algorithm);
    result_.setBody1Wrap(before);
  }

 private:
  btCollisionDispatcher& dispatcher_;
  const btCollisionObjectWrapper& convex_;
  const btCollisionObjectWrapper& mesh_;
  btScalar margin_;
  btPersistentManifold& manifold_;
  btManifoldResult& result_;
  const btDispatcherInfo& info_;
};

/// Contacts with triangles get the normal of the distance field: edges inside a smooth surface must
/// not catch, and a body that sank below the surface must be pushed out, not through.
void straighten(btPersistentManifold& manifold, const Rigid& mesh) {
  const btTransform frame = mesh.object->getWorldTransform() * mesh.shape_to_body;
  for (int i = 0; i < manifold.getNumContacts(); ++i) {
    btManifoldPoint& point = manifold.getContactPoint(i);
    const btVector3 local = frame.inverse() * point.m_positionWorldOnB;
    const DistanceSample s = mesh.field->sample(Vec3f(from_bullet(local)));
    const btVector3 out = frame.getBasis() * to_bullet(Vec3d(s.gradient));
    if (!(out.length2() > 0.25)) continue;
    point.m_normalWorldOnB = out.normalized();
    point.m_distance1 =
        (point.m_positionWorldOnA - point.m_positionWorldOnB).dot(point.m_normalWorldOnB);
  }
}

}  // namespace

double contact_reach(const Rigid& a, const Rigid& b) {
  return reach_fraction * std::min(a.collider.size, b.collider.size);
}

NarrowPhase::NarrowPhase() : dispatcher_(&configuration_) {
  // Round shapes get their neighbouring points in the first step already.
  configuration_.setConvexConvexMultipointIterations(4, 3);
}

void NarrowPhase::collide_convex(const btCollisionObjectWrapper& a,
                                 const btCollisionObjectWrapper& b, btPersistentManifold& manifold,
                                 btManifoldResult& result) {
  btCollisionAlgorithmConstructionInfo info(&dispatcher_, 0);
  info.m_manifold = &manifold;
  btCollisionAlgorithm* algorithm =
      configuration_
          .getCollisionAlgorithmCreateFunc(CONVEX_HULL_SHAPE_PROXYTYPE, CONVEX_HULL_SHAPE_PROXYTYPE)
          ->CreateCollisionAlgorithm(info, &a, &b);
  algorithm->processCollision(&a, &b, info_, &result);
  algorithm->~btCollisionAlgorithm();
  dispatcher_.freeCollisionAlgorithm(algorithm);
}

void NarrowPhase::collide_triangles(const btCollisionObjectWrapper& convex,
                                    const btCollisionObjectWrapper& mesh, double near,
                                    btPersistentManifold& manifold, btManifoldResult& result) {
  const auto& triangles = static_cast<const btBvhTriangleMeshShape&>(*mesh.getCollisionShape());
  btVector3 lower, upper;
  convex.getCollisionShape()->getAabb(
      mesh.getWorldTransform().inverse() * convex.getWorldTransform(), lower, upper);
  const double more = triangles.getMargin() + near;
  TriangleVisitor visitor(dispatcher_, convex, mesh, triangles.getMargin(), manifold, result,
                          info_);
  triangles.processAllTriangles(&visitor, lower - btVector3(more, more, more),
                                upper + btVector3(more, more, more));
}

void NarrowPhase::collide(const Sides& s, double ahead, btPersistentManifold& manifold) {
  const double near = contact_reach(s.first, s.second) + ahead;
  manifold.setContactBreakingThreshold(near);
  manifold.refreshContactPoints(s.first.object->getWorldTransform(),
                                s.second.object->getWorldTransform());

  const btConvexShape* convex = s.first_part.convex.get();
  const btCollisionShape* other = s.second_part.convex.get();
  if (s.second_part.triangles) other = s.second_part.triangles.get();
  const btTransform world = s.first.object->getWorldTransform() * s.first_part.local;
  const btTransform other_world = s.second.object->getWorldTransform() * s.second_part.local;
  const btCollisionObjectWrapper wrap(nullptr, convex, s.first.object.get(), world, -1, -1);
  const btCollisionObjectWrapper other_wrap(nullptr, other, s.second.object.get(), other_world, -1,
                                            -1);
  btManifoldResult result(&wrap, &other_wrap);
  result.setPersistentManifold(&manifold);
  result.m_closestPointDistanceThreshold = ahead;

  if (s.second_part.half_space) {
    collide_half_space(s.first, s.first_part, s.second, s.second_part, ahead, result);
  } else if (s.second_part.triangles) {
    collide_triangles(wrap, other_wrap, near, manifold, result);
    straighten(manifold, s.second);
  } else if (is_box(*convex) && is_box(*other) && ahead == 0) {
    btDiscreteCollisionDetectorInterface::ClosestPointInput input;
    input.m_transformA = world;
    input.m_transformB = other_world;
    btBoxBoxDetector(static_cast<const btBoxShape*>(convex), static_cast<const btBoxShape*>(other))
        .getClosestPoints(input, result, nullptr);
  } else if (is_sphere(*convex) && is_sphere(*other)) {
    collide_spheres(*convex, world.getOrigin(), *other, other_world.getOrigin(), near, result);
  } else {
    collide_convex(wrap, other_wrap, manifold, result);
  }
}

}  // namespace talus
