// What a scene can say about geometry: a primitive or a mesh, placed in the world.
// Distances to it are in geometry/distance.h.
#pragma once

#include "math/quat.h"

#include <string>

namespace talus {

enum class ShapeKind {
  box,           ///< size = full edge lengths, centred
  sphere,        ///< radius
  cylinder,      ///< radius, height; axis along local z, centred
  cone,          ///< radius (bottom), radius_top, height; frustum along local z, centred
  capsule,       ///< radius, height of the straight part; along local z, centred
  tube,          ///< pipe or funnel, open at both ends: radius, radius_top of the clear inside, and
                 ///< around it a wall of `thickness`, measured square to the wall
  plane,         ///< the half space below local z = 0
  height_field,  ///< file: a 16-bit or 8-bit grey PNG; size = extent in x, y and height of white
  mesh,          ///< file: anything Assimp reads
};

struct Shape {
  ShapeKind kind = ShapeKind::box;
  Vec3d size{1, 1, 1};      ///< m
  double radius = 0.5;      ///< m
  double radius_top = 0;    ///< m, cone and tube
  double height = 1;        ///< m
  double thickness = 0.05;  ///< m, tube
  std::string file;         ///< absolute path, resolved against the scene's folder
  double scale = 1;         ///< file units to metres
  Posed pose;               ///< local to world
  bool inside_out = false;  ///< solid outside, free inside: a container
  bool force_mesh =
      false;  ///< take a mesh that is no proper solid (holes, crossing faces) all the same

  friend bool operator==(const Shape&, const Shape&) = default;
};

}  // namespace talus
