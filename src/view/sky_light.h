// The sky of render/lighting.h as a graphics card wants it: irradiance by spherical harmonics, and a
// small picture of it.
#pragma once

#include "render/lighting.h"

#include <array>
#include <vector>

namespace talus::view {

/// Irradiance on a surface with normal n, as the nine factors of
///   1, y, z, x, xy, yz, 3z^2 - 1, xz, x^2 - y^2   of n.
using Ambient = std::array<Vec3f, 9>;

/// From above comes the sky, from below the light that ground of this albedo sends back.
Ambient ambient_of(const Lighting& light, const Vec3f& ground);
/// The formula above.
Vec3f irradiance(const Ambient& ambient, const Vec3f& n);

constexpr int sky_columns = 128, sky_rows = 64;
/// Radiance; columns over the angle to the sun's azimuth, 0..180 degrees, rows over the square root
/// of the sine of elevation.
std::vector<Vec3f> sky_picture(const Lighting& light);

}  // namespace talus::view
