// Particles with normals as a file that mesh and point programs read.
#pragma once

#include "core/error.h"
#include "math/vec.h"

#include <span>
#include <string>

namespace talus {

/// Binary PLY: x y z nx ny nz.
Status write_points(const std::string& path, std::span<const Vec3f> points,
                    std::span<const Vec3f> normals);

}  // namespace talus
