// Terrain from a picture: a closed mesh, so that it has a distance, a mass and a drawing like any
// other.
#pragma once

#include "geometry/mesh.h"
#include "geometry/shape.h"

namespace talus {

/// Black lies at z = 0 and white at z = size.z; the picture's rows run along x, its top edge lies
/// at +y; pixels are vertices. Below z = 0 the ground goes on for a tenth of the extent.
Result<Mesh> height_field_mesh(const Shape& shape);

}  // namespace talus
