#include "view/sky_light.h"

#include <algorithm>
#include <cmath>

namespace talus::view {

namespace {

/// The sky's irradiance on level ground, sun included.
Vec3f ground_irradiance(const Lighting& light) {
  constexpr int rings = 24, around = 48;
  Vec3f x, y, sum{};
  tangent_frame(light.up, x, y);
  for (int r = 0; r < rings; ++r) {
    const float sine2 = (static_cast<float>(r) + 0.5f) / rings;  // even in solid angle times cosine
    const float sine = std::sqrt(sine2), cosine = std::sqrt(1 - sine2);
    for (int k = 0; k < around; ++k) {
      const float phi = 2 * pi_f * (static_cast<float>(k) + 0.5f) / around;
      sum += light.sky(light.up * sine + (x * std::cos(phi) + y * std::sin(phi)) * cosine);
    }
  }
  return sum * (pi_f / (rings * around)) +
         light.sun_irradiance * std::max(0.0f, dot(light.sun_direction, light.up));
}

}  // namespace

Ambient ambient_of(const Lighting& light, const Vec3f& ground) {
  const Vec3f bounced = tint(ground_irradiance(light), ground) / pi_f * 0.7f;  // part lies in shadow
  // Projection on the harmonics, each with its share of a cosine lobe: pi, 2 pi/3, pi/4.
  constexpr float norm[9] = {0.282095f, 0.488603f, 0.488603f, 0.488603f, 1.092548f,
                             1.092548f, 0.315392f, 1.092548f, 0.546274f};
  constexpr float lobe[9] = {pi_f,        2 * pi_f / 3, 2 * pi_f / 3, 2 * pi_f / 3, pi_f / 4,
                             pi_f / 4,    pi_f / 4,     pi_f / 4,     pi_f / 4};
  constexpr int rows = 48, columns = 96;
  Ambient out{};
  for (int r = 0; r < rows; ++r) {
    const float z = 2 * (static_cast<float>(r) + 0.5f) / rows - 1;
    const float level = std::sqrt(1 - z * z);
    for (int c = 0; c < columns; ++c) {
      const float phi = 2 * pi_f * (static_cast<float>(c) + 0.5f) / columns;
      const Vec3f d{level * std::cos(phi), level * std::sin(phi), z};
      const Vec3f radiance = dot(d, light.up) >= 0 ? light.sky(d) : bounced;
      const float basis[9] = {1,         d.y, d.z,       d.x, d.x * d.y, d.y * d.z, 3 * d.z * d.z - 1,
                              d.x * d.z, d.x * d.x - d.y * d.y};
      constexpr float weight = 4 * pi_f / (rows * columns);
      for (int k = 0; k < 9; ++k)
        out[static_cast<std::size_t>(k)] +=
            radiance * (basis[k] * norm[k] * norm[k] * lobe[k] * weight);
    }
  }
  return out;
}

Vec3f irradiance(const Ambient& a, const Vec3f& n) {
  const Vec3f sum = a[0] + a[1] * n.y + a[2] * n.z + a[3] * n.x + a[4] * (n.x * n.y) +
                    a[5] * (n.y * n.z) + a[6] * (3 * n.z * n.z - 1) + a[7] * (n.x * n.z) +
                    a[8] * (n.x * n.x - n.y * n.y);
  return max(sum, Vec3f{});
}

std::vector<Vec3f> sky_picture(const Lighting& light) {
  Vec3f sunward = light.sun_direction - light.up * dot(light.sun_direction, light.up);
  Vec3f x, y;
  tangent_frame(light.up, x, y);
  sunward = normalized(sunward, x);
  const Vec3f side = cross(light.up, sunward);
  std::vector<Vec3f> out;
  for (int r = 0; r < sky_rows; ++r) {
    const float root = static_cast<float>(r) / (sky_rows - 1);
    const float sine = root * root, cosine = std::sqrt(std::max(0.0f, 1 - sine * sine));
    for (int c = 0; c < sky_columns; ++c) {
      const float phi = pi_f * static_cast<float>(c) / (sky_columns - 1);
      out.push_back(light.sky(light.up * sine +
                              (sunward * std::cos(phi) + side * std::sin(phi)) * cosine));
    }
  }
  return out;
}

}  // namespace talus::view
