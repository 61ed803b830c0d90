// A body's shape as parts that Bullet can collide. Private to src/bodies.
//   box, sphere, capsule, cylinder, cone -> one exact convex part
//   tube                                 -> a ring of convex pieces
//   plane; inside of a convex container  -> half spaces, one for each wall (facets where it is
//   round) mesh of a dynamic body               -> convex pieces (convex_pieces.h) mesh that is
//   fixed or scripted, height field -> its triangles in a tree
#pragma once

#include "bodies/convex_pieces.h"
#include "geometry/shape.h"

#include <btBulletCollisionCommon.h>
#include <memory>
#include <vector>

namespace talus {

/// Part of a collider; exactly one of the three kinds.
struct ColliderPart {
  std::unique_ptr<btConvexShape> convex;
  std::unique_ptr<btTriangleMesh> triangle_data;
  std::unique_ptr<btBvhTriangleMeshShape> triangles;
  bool half_space = false;
  btVector3 normal{0, 0, 1};  ///< half space: outward, body frame
  btScalar offset = 0;        ///< half space: points with normal.x <= offset are solid
  btTransform local;          ///< part to Bullet's body frame
};

struct Collider {
  std::vector<ColliderPart> parts;
  double size = 0;  ///< m, smallest extent: the scale of margins and tolerances
};

struct ColliderOptions {
  btTransform shape_to_body;  ///< shape's frame to Bullet's body frame
  double size = 0;            ///< m, see Collider::size
  double margin = 0;          ///< m, thickness of triangles
};

/// `surface` holds the triangles of a mesh or height field, `pieces` the convex pieces of a dynamic
/// mesh; both are empty for primitives.
Collider make_collider(const Shape& shape, const Surface& surface,
                       const std::vector<ConvexPiece>& pieces, const ColliderOptions& options);

}  // namespace talus
