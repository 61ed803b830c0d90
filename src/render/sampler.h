// Low-discrepancy samples of a pixel: the first two Sobol dimensions, padded pair by pair, each
// pair with its own Owen scrambling of order and values (Laine & Karras 2011; Burley 2020). A value
// depends on (seed, pixel, sample, pair) alone, so tiles can be computed in any order.
#pragma once

#include "core/random.h"

#include <array>
#include <cstdint>

namespace talus {

class PixelSampler {
 public:
  PixelSampler(std::uint64_t seed, std::uint64_t pixel)
      : pixel_seed_(random_words(seed, pixel, Purpose::render)[0]) {}

  void start_sample(std::uint32_t index) {
    index_ = index;
    pair_ = 0;
  }

  /// The next pair of values in [0, 1).
  std::array<float, 2> next2() {
    const std::uint32_t key = mix(pixel_seed_ ^ (++pair_ * 0x9E3779B9u));
    const std::uint32_t shuffled = owen(index_, key);
    return {to_unit_float(owen(reverse(shuffled), mix(key ^ 0x5bd1e995u))),
            to_unit_float(owen(sobol1(shuffled), mix(key ^ 0x1b873593u)))};
  }
  float next1() { return next2()[0]; }

  /// A good hash of 32 bits.
  static std::uint32_t mix(std::uint32_t x) {
    x ^= x >> 16;
    x *= 0x7feb352du;
    x ^= x >> 15;
    x *= 0x846ca68bu;
    x ^= x >> 16;
    return x;
  }

 private:
  static std::uint32_t reverse(std::uint32_t x) {
    x = __builtin_bswap32(x);
    x = ((x & 0x0f0f0f0fu) << 4) | ((x >> 4) & 0x0f0f0f0fu);
    x = ((x & 0x33333333u) << 2) | ((x >> 2) & 0x33333333u);
    return ((x & 0x55555555u) << 1) | ((x >> 1) & 0x55555555u);
  }
  /// Scrambles so that each bit depends on the higher ones only: strata stay strata.
  static std::uint32_t owen(std::uint32_t x, std::uint32_t key) {
    x = reverse(x);
    x += key;
    x ^= x * 0x6c50b47cu;
    x ^= x * 0xb82f1e52u;
    x ^= x * 0xc7afe638u;
    x ^= x * 0x8d22f6e6u;
    return reverse(x);
  }
  static std::uint32_t sobol1(std::uint32_t i) {
    std::uint32_t r = 0;
    for (std::uint32_t v = 1u << 31; i != 0; i >>= 1, v ^= v >> 1)
      if (i & 1u) r ^= v;
    return r;
  }

  std::uint32_t pixel_seed_;
  std::uint32_t index_ = 0;
  std::uint32_t pair_ = 0;
};

}  // namespace talus
