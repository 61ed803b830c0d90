// How two parts of bodies touch. Private to src/bodies.
#pragma once

#include "bodies/bullet_shapes.h"
#include "geometry/distance.h"

#include <btBulletDynamicsCommon.h>
#include <memory>

namespace talus {

/// A body as the collision code sees it.
struct Rigid {
  Collider collider;
  std::unique_ptr<btCollisionShape> proxy;  ///< sphere of the body's size, for Bullet's bookkeeping
  std::unique_ptr<btRigidBody> object;
  const DistanceField* field = nullptr;  ///< shape's frame
  btTransform shape_to_body;             ///< shape's frame to Bullet's body frame
  double friction = 0, restitution = 0;
  bool dynamic = false;
  bool awake = false;      ///< dynamic and not asleep
  bool moving = false;     ///< scripted and in motion
  btVector3 lower, upper;  ///< bounds, enlarged by the way of one step
};

/// The two sides of a pair as Bullet wants them: the convex one first, normals point to it.
struct Sides {
  const Rigid& first;
  const Rigid& second;
  const ColliderPart& first_part;
  const ColliderPart& second_part;
};

/// Contact points live while they are closer than this fraction of a body's size.
constexpr double reach_fraction = 0.02;

/// m, the distance up to which two bodies have contact points.
double contact_reach(const Rigid& a, const Rigid& b);

class NarrowPhase {
 public:
  NarrowPhase();
  NarrowPhase(const NarrowPhase&) = delete;
  NarrowPhase& operator=(const NarrowPhase&) = delete;

  /// Refreshes the contact points of a pair and adds new ones, also those up to `ahead` (m) away.
  void collide(const Sides& sides, double ahead, btPersistentManifold& manifold);

 private:
  void collide_convex(const btCollisionObjectWrapper& a, const btCollisionObjectWrapper& b,
                      btPersistentManifold& manifold, btManifoldResult& result);
  void collide_triangles(const btCollisionObjectWrapper& convex,
                         const btCollisionObjectWrapper& mesh, double near,
                         btPersistentManifold& manifold, btManifoldResult& result);

  btDefaultCollisionConfiguration configuration_;
  btCollisionDispatcher dispatcher_;
  btDispatcherInfo info_;
};

}  // namespace talus
