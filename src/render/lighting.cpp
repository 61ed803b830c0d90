#include "render/lighting.h"

#include <algorithm>
#include <cmath>

namespace talus {

namespace {

// The table covers the upper half: rows over elevation (square root, fine near the horizon),
// columns over the angle to the sun's azimuth, 0..180 degrees (the sky is symmetric).
constexpr int rows = 96;
constexpr int columns = 128;

// Vertical optical depths at 615, 535 and 445 nm, of clean air and of a desert haze.
constexpr float air[3] = {0.062f, 0.109f, 0.235f};
constexpr float haze[3] = {0.080f, 0.126f, 0.180f};
constexpr float haze_forward = 0.68f;
constexpr float higher_orders = 0.09f;

/// Kasten & Young 1989: finite at the horizon, unlike 1 / sine.
float air_mass(float sine_elevation) {
  const float degrees = std::asin(std::clamp(sine_elevation, 0.0f, 1.0f)) * 180 / pi_f;
  return 1.0f /
         (std::max(sine_elevation, 0.0f) + 0.50572f * std::pow(degrees + 6.07995f, -1.6364f));
}

float rayleigh(float cosine) { return 0.75f * (1 + cosine * cosine); }

float henyey_greenstein(float cosine, float g) {
  const float d = 1 + g * g - 2 * g * cosine;
  return (1 - g * g) / (d * std::sqrt(d));
}

Vec3f sky_radiance(float sine_view, float sine_sun, float cos_angle) {
  const float m_v = air_mass(sine_view);
  float m_s = air_mass(sine_sun);
  if (std::abs(m_v - m_s) < 1e-3f * m_s) m_s *= 1.002f;
  Vec3f out;
  for (int c = 0; c < 3; ++c) {
    const float tau = air[c] + haze[c];
    const float phase =
        (air[c] * rayleigh(cos_angle) + haze[c] * henyey_greenstein(cos_angle, haze_forward)) / tau;
    const float depth = m_v * (std::exp(-tau * m_s) - std::exp(-tau * m_v)) / (m_v - m_s);
    out[c] = phase * depth / (4 * pi_f) +
             higher_orders * std::exp(-0.6f * tau * m_s) * (1 - std::exp(-tau * m_v));
  }
  return out;
}

Vec3f sun_transmittance(float sine_sun) {
  const float m = air_mass(sine_sun);
  return {std::exp(-(air[0] + haze[0]) * m), std::exp(-(air[1] + haze[1]) * m),
          std::exp(-(air[2] + haze[2]) * m)};
}

/// Irradiance of the table on the floor, by the midpoint rule over its cells.
Vec3f floor_irradiance(const std::vector<Vec3f>& table) {
  Vec3f sum{};
  for (int r = 0; r + 1 < rows; ++r) {
    const float low = static_cast<float>(r) / (rows - 1),
                high = static_cast<float>(r + 1) / (rows - 1);
    const float sine0 = low * low, sine1 = high * high;
    const float weight = 0.5f * (sine1 * sine1 - sine0 * sine0) * (2 * pi_f / (columns - 1));
    for (int c = 0; c + 1 < columns; ++c) {
      const std::size_t i = static_cast<std::size_t>(r) * columns + c;
      sum += (table[i] + table[i + 1] + table[i + columns] + table[i + columns + 1]) *
             (0.25f * weight);
    }
  }
  return sum;
}

}  // namespace

Vec3f Lighting::sky(const Vec3f& d) const {
  if (sky_table.empty()) return uniform;
  const float sine = std::clamp(dot(d, up), 0.0f, 1.0f);
  const Vec3f flat_view = d - up * dot(d, up);
  const Vec3f flat_sun = sun_direction - up * dot(sun_direction, up);
  const float scale = std::sqrt(squared_norm(flat_view) * squared_norm(flat_sun));
  const float cosine =
      scale > 1e-12f ? std::clamp(dot(flat_view, flat_sun) / scale, -1.0f, 1.0f) : 1;
  const float row = std::sqrt(sine) * (rows - 1);
  const float column = std::acos(cosine) * ((columns - 1) / pi_f);
  const int r = std::min(static_cast<int>(row), rows - 2);
  const int c = std::min(static_cast<int>(column), columns - 2);
  const float fr = row - static_cast<float>(r), fc = column - static_cast<float>(c);
  const Vec3f* cell = &sky_table[static_cast<std::size_t>(r) * columns + c];
  return uniform + (cell[0] * (1 - fc) + cell[1] * fc) * (1 - fr) +
         (cell[columns] * (1 - fc) + cell[columns + 1] * fc) * fr;
}

Lighting sun_and_sky(const Vec3f& to_sun, const Vec3f& up, float sun_strength, float sky_strength) {
  Lighting light;
  light.up = normalized(up);
  light.sun_direction = normalized(to_sun, light.up);
  const float sine_sun = std::max(dot(light.sun_direction, light.up), 0.01f);
  const float cosine_sun = std::sqrt(std::max(0.0f, 1 - sine_sun * sine_sun));
  light.sky_table.resize(static_cast<std::size_t>(rows) * columns);
  for (int r = 0; r < rows; ++r) {
    const float root = static_cast<float>(r) / (rows - 1);
    const float sine = root * root;
    const float cosine = std::sqrt(std::max(0.0f, 1 - sine * sine));
    for (int c = 0; c < columns; ++c) {
      const float azimuth = pi_f * static_cast<float>(c) / (columns - 1);
      const float angle = sine * sine_sun + cosine * cosine_sun * std::cos(azimuth);
      light.sky_table[static_cast<std::size_t>(r) * columns + c] =
          sky_radiance(sine, sine_sun, angle);
    }
  }
  const Vec3f sun = sun_transmittance(sine_sun);
  const float white = luminance(sun * sine_sun + floor_irradiance(light.sky_table)) / pi_f;
  light.sun_irradiance = sun * (sun_strength / white);
  for (Vec3f& radiance : light.sky_table) radiance *= sky_strength / white;
  return light;
}

}  // namespace talus
