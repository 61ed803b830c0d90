// Counter-based random numbers: a value depends on (seed, id, purpose, index) and on nothing else,
// so it is the same for any thread count, any order, after a resume, and in any slice of a job.
// Generator: Philox4x32-10, Salmon, Moraes, Dror & Shaw 2011 (docs/bibliography.md).
#pragma once

#include <array>
#include <cstdint>

namespace talus {

/// What a random number is for. Adding a purpose at the end keeps all older streams unchanged.
enum class Purpose : std::uint32_t {
  jitter = 1,       ///< initial positions of base particles
  orientation = 2,  ///< initial orientation of grains
  grain_shape = 3,  ///< choice of a grain template
  grain_size = 4,   ///< size distribution
  nozzle = 5,       ///< position in a pouring nozzle
  colour = 6,       ///< albedo variation
  detail = 7,       ///< high-res samples
  surface = 8,      ///< surface sampling
  render = 9,       ///< pixel samples
  test = 10,
};

namespace random_detail {
inline std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter,
                                           std::array<std::uint32_t, 2> key) {
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t a = 0xD2511F53ull * counter[0];
    const std::uint64_t b = 0xCD9E8D57ull * counter[2];
    counter = {
        static_cast<std::uint32_t>(b >> 32) ^ counter[1] ^ key[0], static_cast<std::uint32_t>(b),
        static_cast<std::uint32_t>(a >> 32) ^ counter[3] ^ key[1], static_cast<std::uint32_t>(a)};
    key[0] += 0x9E3779B9u;
    key[1] += 0xBB67AE85u;
  }
  return counter;
}
}  // namespace random_detail

/// Four 32-bit words for one (seed, id, purpose, index).
inline std::array<std::uint32_t, 4> random_words(std::uint64_t seed, std::uint64_t id,
                                                 Purpose purpose, std::uint32_t index = 0) {
  return random_detail::philox(
      {static_cast<std::uint32_t>(id), static_cast<std::uint32_t>(id >> 32),
       static_cast<std::uint32_t>(purpose), index},
      {static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)});
}

/// 24 random bits as a float in [0, 1).
inline float to_unit_float(std::uint32_t word) {
  return static_cast<float>(word >> 8) * 0x1.0p-24f;
}

/// Four floats in [0, 1).
inline std::array<float, 4> random_floats(std::uint64_t seed, std::uint64_t id, Purpose purpose,
                                          std::uint32_t index = 0) {
  const auto w = random_words(seed, id, purpose, index);
  return {to_unit_float(w[0]), to_unit_float(w[1]), to_unit_float(w[2]), to_unit_float(w[3])};
}

}  // namespace talus
