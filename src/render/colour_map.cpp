#include "render/colour_map.h"

#include "render/sampler.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace talus {

namespace {

constexpr int steps = 512;

Vec3f oklab_to_linear(float lightness, float a, float b) {
  const float l = lightness + 0.3963377774f * a + 0.2158037573f * b;
  const float m = lightness - 0.1055613458f * a - 0.0638541728f * b;
  const float s = lightness - 0.0894841775f * a - 1.2914855480f * b;
  const float l3 = l * l * l, m3 = m * m * m, s3 = s * s * s;
  return {4.0767416621f * l3 - 3.3077115913f * m3 + 0.2309699292f * s3,
          -1.2684380046f * l3 + 2.6097574011f * m3 - 0.3413193965f * s3,
          -0.0041960863f * l3 - 0.7034186147f * m3 + 1.7076147010f * s3};
}

bool on_screen(const Vec3f& c) {
  constexpr float slack = 1e-4f;
  return std::min({c.x, c.y, c.z}) >= -slack && std::max({c.x, c.y, c.z}) <= 1 + slack;
}

struct MapPoint {
  float lightness, chroma, hue;
};

MapPoint dune(float t) {
  return {0.24f + 0.68f * t, 0.115f + 0.06f * std::sin(std::numbers::pi_v<float> * t),
          298 - 200 * t};
}
MapPoint ember(float t) {
  return {0.14f + 0.82f * t, 0.19f * std::sin(0.25f + 2.6f * t), 12 + 92 * t};
}
MapPoint balance(float t) {
  const float away = std::abs(2 * t - 1);
  return {0.95f - 0.52f * away, 0.17f * std::pow(away, 0.8f), t < 0.5f ? 252.0f : 30.0f};
}

struct NamedMap {
  std::string_view name;
  MapPoint (*point)(float);
};
constexpr std::array<NamedMap, 3> maps{{{"dune", dune}, {"ember", ember}, {"balance", balance}}};

}  // namespace

Vec3f oklch_to_linear(float lightness, float chroma, float hue_degrees) {
  const float hue = hue_degrees * std::numbers::pi_v<float> / 180;
  const float a = std::cos(hue), b = std::sin(hue);
  Vec3f colour = oklab_to_linear(lightness, chroma * a, chroma * b);
  if (!on_screen(colour)) {
    float low = 0, high = chroma;
    for (int i = 0; i < 20; ++i) {
      const float middle = 0.5f * (low + high);
      (on_screen(oklab_to_linear(lightness, middle * a, middle * b)) ? low : high) = middle;
    }
    colour = oklab_to_linear(lightness, low * a, low * b);
  }
  return {std::clamp(colour.x, 0.0f, 1.0f), std::clamp(colour.y, 0.0f, 1.0f),
          std::clamp(colour.z, 0.0f, 1.0f)};
}

float oklab_lightness(const Vec3f& c) {
  const float l = std::cbrt(0.4122214708f * c.x + 0.5363325363f * c.y + 0.0514459929f * c.z);
  const float m = std::cbrt(0.2119034982f * c.x + 0.6806995451f * c.y + 0.1073969566f * c.z);
  const float s = std::cbrt(0.0883024619f * c.x + 0.2817188376f * c.y + 0.6299787005f * c.z);
  return 0.2104542553f * l + 0.7936177850f * m - 0.0040720468f * s;
}

std::vector<std::string> ColourMap::names() {
  std::vector<std::string> out;
  for (const NamedMap& map : maps) out.emplace_back(map.name);
  return out;
}

bool ColourMap::exists(std::string_view name) {
  return std::any_of(maps.begin(), maps.end(), [&](const NamedMap& m) { return m.name == name; });
}

ColourMap::ColourMap(std::string_view name) : table_(steps) {
  const auto* map =
      std::find_if(maps.begin(), maps.end() - 1, [&](const NamedMap& m) { return m.name == name; });
  for (int i = 0; i < steps; ++i) {
    const MapPoint p = map->point(static_cast<float>(i) / (steps - 1));
    table_[i] = oklch_to_linear(p.lightness, p.chroma, p.hue);
  }
}

Vec3f ColourMap::operator()(float t) const {
  if (std::isnan(t)) return {0.3f, 0.3f, 0.3f};
  return table_[static_cast<std::size_t>(std::clamp(t, 0.0f, 1.0f) * (steps - 1) + 0.5f)];
}

Vec3f category_colour(std::uint64_t number) {
  const std::uint32_t h = PixelSampler::mix(static_cast<std::uint32_t>(number) ^
                                            static_cast<std::uint32_t>(number >> 32) * 0x9E3779B9u);
  const float hue = 360 * to_unit_float(h);
  const float lightness = 0.58f + 0.24f * to_unit_float(PixelSampler::mix(h + 1));
  return oklch_to_linear(lightness, 0.12f, hue);
}

}  // namespace talus
