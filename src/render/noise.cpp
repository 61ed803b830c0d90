#include "render/noise.h"

#include "render/sampler.h"

#include <cmath>

namespace talus {

namespace {

std::uint32_t lattice_hash(int x, int y, int z, std::uint32_t seed) {
  std::uint32_t h = seed;
  h ^= static_cast<std::uint32_t>(x) * 0x8da6b343u;
  h ^= static_cast<std::uint32_t>(y) * 0xd8163841u;
  h ^= static_cast<std::uint32_t>(z) * 0xcb1ab31fu;
  return PixelSampler::mix(h);
}

float unit(std::uint32_t h) { return to_unit_float(h); }

}  // namespace

NoiseValue value_noise(const Vec3f& p, std::uint32_t seed) {
  const Vec3f base{std::floor(p.x), std::floor(p.y), std::floor(p.z)};
  const Vec3f f = p - base;
  const int x = static_cast<int>(base.x), y = static_cast<int>(base.y),
            z = static_cast<int>(base.z);
  const auto blend = [](float t) { return t * t * t * (t * (t * 6 - 15) + 10); };
  const auto slope = [](float t) { return 30 * t * t * (t * (t - 2) + 1); };
  const Vec3f s{blend(f.x), blend(f.y), blend(f.z)};
  const Vec3f d{slope(f.x), slope(f.y), slope(f.z)};
  float v[8];
  for (int i = 0; i < 8; ++i)
    v[i] = unit(lattice_hash(x + (i & 1), y + ((i >> 1) & 1), z + (i >> 2), seed));
  const auto mix = [](float a, float b, float t) { return a + (b - a) * t; };
  const float x00 = mix(v[0], v[1], s.x), x10 = mix(v[2], v[3], s.x);
  const float x01 = mix(v[4], v[5], s.x), x11 = mix(v[6], v[7], s.x);
  const float y0 = mix(x00, x10, s.y), y1 = mix(x01, x11, s.y);
  const float dx = mix(mix(v[1] - v[0], v[3] - v[2], s.y), mix(v[5] - v[4], v[7] - v[6], s.y), s.z);
  const float dy = mix(x10 - x00, x11 - x01, s.z);
  return {mix(y0, y1, s.z), {dx * d.x, dy * d.y, (y1 - y0) * d.z}};
}

CellNoise cell_noise(const Vec3f& p, std::uint32_t seed) {
  const int x = static_cast<int>(std::floor(p.x));
  const int y = static_cast<int>(std::floor(p.y));
  const int z = static_cast<int>(std::floor(p.z));
  CellNoise out{{}, 1e30f, 1e30f, 0};
  for (int i = -1; i <= 1; ++i) {
    for (int j = -1; j <= 1; ++j) {
      for (int k = -1; k <= 1; ++k) {
        const std::uint32_t h = lattice_hash(x + i, y + j, z + k, seed);
        // Ten bits each are plenty for a jitter.
        const Vec3f point{
            static_cast<float>(x + i) + 0.15f + 0.7f * static_cast<float>(h & 1023) / 1024.0f,
            static_cast<float>(y + j) + 0.15f +
                0.7f * static_cast<float>((h >> 10) & 1023) / 1024.0f,
            static_cast<float>(z + k) + 0.15f + 0.7f * static_cast<float>(h >> 20) / 4096.0f};
        const Vec3f offset = p - point;
        const float squared = squared_norm(offset);
        if (squared < out.nearest) {
          out.second = out.nearest;
          out = {offset, squared, out.second, h};
        } else if (squared < out.second) {
          out.second = squared;
        }
      }
    }
  }
  out.nearest = std::sqrt(out.nearest);
  out.second = std::sqrt(out.second);
  return out;
}

}  // namespace talus
