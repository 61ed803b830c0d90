// Rough measures of shapes, enough to judge a scene before anything is built.
#pragma once

#include "geometry/shape.h"

#include <optional>

namespace talus {

/// m^3; nothing for shapes without a finite inside and for meshes, which are not loaded here.
std::optional<double> shape_volume(const Shape& shape);

/// m, the thinnest extent of the solid; nothing when unknown (mesh) or without limit (plane).
std::optional<double> shape_thickness(const Shape& shape);

/// Half the extents of the local bounding box, which is centred; nothing when unknown or unlimited.
std::optional<Vec3d> shape_half_extents(const Shape& shape);

/// Whether a local point is inside. Only for box, sphere, cylinder, cone and capsule.
bool shape_contains(const Shape& shape, const Vec3d& local);

/// Estimated m^3 that two such shapes share, to about a tenth.
double shared_volume(const Shape& a, const Shape& b);

}  // namespace talus
