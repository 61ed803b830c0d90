// Where the fine grains of a base particle start, about its centre and in units of its radius.
// A function of seed, id of the particle and number of the grain, so that any share of the grains
// can be made alone.
//   cubes:  Ihmsen 2013 section 4.1: seven support points, the centre and where the ball touches
//   its
//           box; grains evenly in a cube of side 2 r about one of them. 4 of 7 lie in the box.
//   sphere: Alduan 2009 section 4.2: rejection in the ball.
#pragma once

#include "core/random.h"
#include "math/vec.h"
#include "scene/scene.h"

namespace talus::detail {

constexpr std::uint32_t max_factor = 1000;

inline Vec3f cube_sample(std::uint64_t seed, std::uint64_t base, std::uint32_t grain) {
  const auto u = random_words(seed, base, Purpose::detail, grain);
  Vec3f p{2 * to_unit_float(u[0]) - 1, 2 * to_unit_float(u[1]) - 1, 2 * to_unit_float(u[2]) - 1};
  const auto support = static_cast<int>((std::uint64_t{u[3]} * 7) >> 32);
  if (support > 0) p[(support - 1) / 2] += support % 2 == 1 ? 1.0f : -1.0f;
  return p;
}

inline Vec3f ball_sample(std::uint64_t seed, std::uint64_t base, std::uint32_t grain) {
  // Half of the tries succeed; after 64 the chance to be outside is 1e-20, and then the centre it
  // is.
  for (std::uint32_t attempt = 0; attempt < 64; ++attempt) {
    const auto u = random_floats(seed, base, Purpose::detail, grain + 1024 * attempt);
    const Vec3f p{2 * u[0] - 1, 2 * u[1] - 1, 2 * u[2] - 1};
    if (squared_norm(p) <= 1) return p;
  }
  return {};
}

inline Vec3f grain_sample(DetailSampling sampling, std::uint64_t seed, std::uint64_t base,
                          std::uint32_t grain) {
  return sampling == DetailSampling::cubes ? cube_sample(seed, base, grain)
                                           : ball_sample(seed, base, grain);
}

/// 32 random bits of a grain; cheaper than Philox, for what is drawn again in every frame.
inline std::uint32_t grain_bits(std::uint64_t seed, std::uint64_t id) {
  std::uint64_t z = id + seed * 0xD1342543DE82EF95ull + 0x9E3779B97F4A7C15ull;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
  return static_cast<std::uint32_t>(z >> 32);
}

}  // namespace talus::detail
