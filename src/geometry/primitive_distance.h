// Exact signed distance of the primitive shapes, in closed form.
#pragma once

#include "geometry/distance.h"

namespace talus {

/// Is the shape a primitive (no file behind it)?
bool is_primitive(ShapeKind kind);

/// Word used in messages and scenes: "box", "height field".
const char* shape_name(ShapeKind kind);

/// Refuses sizes that are not finite and positive; says which one and what it was.
Status check_shape(const Shape& shape);

/// For every kind but height_field and mesh.
Result<std::shared_ptr<const DistanceField>> make_primitive_field(const Shape& shape);

}  // namespace talus
