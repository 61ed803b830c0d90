// Sun and sky. The sky is a plane-parallel atmosphere with single scattering, worked out in closed
// form for three wavelengths, plus a share of light scattered more than once:
//
//   L(v) = E0 p(g) m_v (exp(-tau m_s) - exp(-tau m_v)) / (4 pi (m_v - m_s))        Chandrasekhar
//   1960
//
//   E0     light at the top of the atmosphere             tau  vertical optical depth
//   m_s    air mass towards the sun, Kasten & Young 1989   m_v  air mass towards the view
//   p(g)   phase function at the angle g between them: Rayleigh for air, Henyey-Greenstein for haze
//
// so that a low sun is warm, the zenith blue, the horizon pale and the haze around the sun bright,
// without any table of measured skies. Deviation: the light of higher orders is a constant share.
#pragma once

#include "math/vec.h"

#include <numbers>
#include <vector>

namespace talus {

/// Light is computed in float.
inline constexpr float pi_f = std::numbers::pi_v<float>;

struct Lighting {
  Vec3f up{0, 0, 1};
  Vec3f sun_direction{0, 0, 1};  ///< unit, towards the sun
  Vec3f sun_irradiance{};        ///< on a surface that faces the sun; 0 = no sun
  float sun_radius = 0.012f;     ///< rad; larger = softer shadows (the real one: 0.0047)
  Vec3f uniform{};               ///< radiance from everywhere, also below the horizon
  std::vector<Vec3f> sky_table;  ///< made by sun_and_sky(); empty = only `uniform`

  /// Radiance from direction d (unit). Below the horizon: that of the horizon.
  Vec3f sky(const Vec3f& d) const;
};

/// A sunny day, scaled so that a white floor has radiance 1 at strengths 1.
Lighting sun_and_sky(const Vec3f& to_sun, const Vec3f& up, float sun_strength, float sky_strength);

/// An orthonormal frame around n: columns tangent, bitangent.
inline void tangent_frame(const Vec3f& n, Vec3f& tangent, Vec3f& bitangent) {
  const float sign = n.z < 0 ? -1.0f : 1.0f;
  const float a = -1.0f / (sign + n.z);
  const float b = n.x * n.y * a;
  tangent = {1.0f + sign * n.x * n.x * a, sign * b, -sign * n.x};
  bitangent = {b, sign + n.y * n.y * a, -n.y};
}

/// Product of colours.
inline Vec3f tint(const Vec3f& a, const Vec3f& b) { return {a.x * b.x, a.y * b.y, a.z * b.z}; }
inline float luminance(const Vec3f& c) { return 0.2126f * c.x + 0.7152f * c.y + 0.0722f * c.z; }

}  // namespace talus
