// Eight floats at once: the only place with vector instructions. With AVX2 one register, without it
// (the portable preset) two SSE registers chosen by the compiler; the interface is the same.
#pragma once

#include "math/vec.h"

#include <bit>
#include <cmath>
#include <cstdint>
#if defined(__AVX2__)
#include <immintrin.h>
#endif

namespace talus {

constexpr int wide_width = 8;

using WideMaskBits = std::int32_t __attribute__((vector_size(32)));
using WideFloatBits = float __attribute__((vector_size(32)));

/// Result of a comparison: all bits set or none, per lane.
struct WideMask {
  WideMaskBits v;
  friend WideMask operator&(WideMask a, WideMask b) { return {a.v & b.v}; }
  friend WideMask operator|(WideMask a, WideMask b) { return {a.v | b.v}; }
  friend WideMask operator!(WideMask a) { return {~a.v}; }
};

struct WideFloat {
  WideFloatBits v;

  WideFloat() = default;
  WideFloat(WideFloatBits bits) : v(bits) {}
  WideFloat(float s) : v{s, s, s, s, s, s, s, s} {}

  float operator[](int lane) const { return v[lane]; }
  void set(int lane, float s) { v[lane] = s; }

  friend WideFloat operator+(WideFloat a, WideFloat b) { return {a.v + b.v}; }
  friend WideFloat operator-(WideFloat a, WideFloat b) { return {a.v - b.v}; }
  friend WideFloat operator*(WideFloat a, WideFloat b) { return {a.v * b.v}; }
  friend WideFloat operator/(WideFloat a, WideFloat b) { return {a.v / b.v}; }
  friend WideFloat operator-(WideFloat a) { return {-a.v}; }
  WideFloat& operator+=(WideFloat b) {
    v += b.v;
    return *this;
  }
  WideFloat& operator-=(WideFloat b) {
    v -= b.v;
    return *this;
  }
  WideFloat& operator*=(WideFloat b) {
    v *= b.v;
    return *this;
  }

  friend WideMask operator<(WideFloat a, WideFloat b) { return {a.v < b.v}; }
  friend WideMask operator>(WideFloat a, WideFloat b) { return {a.v > b.v}; }
  friend WideMask operator<=(WideFloat a, WideFloat b) { return {a.v <= b.v}; }
  friend WideMask operator>=(WideFloat a, WideFloat b) { return {a.v >= b.v}; }
};

using WideVec3 = Vec3<WideFloat>;
using WideSym3 = Sym3<WideFloat>;

inline WideFloat load_wide(const float* p) {
  WideFloatBits v;
  __builtin_memcpy(&v, p, sizeof v);
  return {v};
}
inline void store_wide(float* p, WideFloat a) { __builtin_memcpy(p, &a.v, sizeof a.v); }

inline WideFloat select(WideMask m, WideFloat a, WideFloat b) {
#if defined(__AVX2__)
  return {(WideFloatBits)_mm256_blendv_ps((__m256)b.v, (__m256)a.v, (__m256)m.v)};
#else
  return {m.v ? a.v : b.v};
#endif
}
inline WideFloat min(WideFloat a, WideFloat b) {
#if defined(__AVX2__)
  return {(WideFloatBits)_mm256_min_ps((__m256)a.v, (__m256)b.v)};
#else
  return {a.v < b.v ? a.v : b.v};
#endif
}
inline WideFloat max(WideFloat a, WideFloat b) {
#if defined(__AVX2__)
  return {(WideFloatBits)_mm256_max_ps((__m256)a.v, (__m256)b.v)};
#else
  return {a.v > b.v ? a.v : b.v};
#endif
}
inline WideFloat sqrt(WideFloat a) {
#if defined(__AVX2__)
  return {(WideFloatBits)_mm256_sqrt_ps((__m256)a.v)};
#else
  WideFloat r;
  for (int i = 0; i < wide_width; ++i) r.v[i] = std::sqrt(a.v[i]);
  return r;
#endif
}
inline WideFloat abs(WideFloat a) { return max(a, -a); }

/// One bit per lane.
inline unsigned bits(WideMask m) {
#if defined(__AVX2__)
  return static_cast<unsigned>(_mm256_movemask_ps((__m256)m.v));
#else
  unsigned r = 0;
  for (int i = 0; i < wide_width; ++i) r |= static_cast<unsigned>(m.v[i] & 1) << i;
  return r;
#endif
}
inline bool any(WideMask m) { return bits(m) != 0; }
/// The inverse of bits().
inline WideMask mask_of(unsigned set) {
  const WideMaskBits lane{1, 2, 4, 8, 16, 32, 64, 128};
  return {(static_cast<std::int32_t>(set) & lane) == lane};
}

/// Sum of the lanes in a fixed tree order.
inline float sum_lanes(WideFloat a) {
  return ((a.v[0] + a.v[4]) + (a.v[2] + a.v[6])) + ((a.v[1] + a.v[5]) + (a.v[3] + a.v[7]));
}
inline float max_lane(WideFloat a) {
  float r = a.v[0];
  for (int i = 1; i < wide_width; ++i) r = r > a.v[i] ? r : a.v[i];
  return r;
}

namespace wide_detail {
/// For each of the 256 masks the numbers of its set lanes, first ones first.
struct LaneTable {
  std::uint8_t lane[256][wide_width];
  constexpr LaneTable() : lane{} {
    for (unsigned mask = 0; mask < 256; ++mask) {
      int n = 0;
      for (unsigned i = 0; i < 8; ++i)
        if ((mask >> i & 1) != 0) lane[mask][n++] = static_cast<std::uint8_t>(i);
    }
  }
};
inline constexpr LaneTable lane_table{};
}  // namespace wide_detail

/// Writes base + lane for each set lane, and returns how many. May write eight items in any case.
inline int store_set_lanes(unsigned mask, std::uint32_t base, std::uint32_t* out) {
  const std::uint8_t* lane = wide_detail::lane_table.lane[mask];
#if defined(__AVX2__)
  const __m256i lanes =
      _mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(lane)));
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(out),
                      _mm256_add_epi32(lanes, _mm256_set1_epi32(static_cast<int>(base))));
#else
  for (int i = 0; i < wide_width; ++i) out[i] = base + lane[i];
#endif
  return std::popcount(mask);
}

/// Eight numbers of [0, 1], 16 bits each: for what is made once and read many times.
struct WideUnit {
  std::uint16_t v __attribute__((vector_size(16)));
};
constexpr float wide_unit_steps = 65535;

inline WideUnit pack_unit(WideFloat a) {
  const WideFloat steps = a * WideFloat(wide_unit_steps) + WideFloat(0.5f);
#if defined(__AVX2__)
  const __m256i whole = _mm256_cvttps_epi32((__m256)steps.v);
  const __m128i packed =
      _mm_packus_epi32(_mm256_castsi256_si128(whole), _mm256_extracti128_si256(whole, 1));
  WideUnit r;
  __builtin_memcpy(&r.v, &packed, sizeof r.v);
  return r;
#else
  return {__builtin_convertvector(__builtin_convertvector(steps.v, WideMaskBits),
                                  decltype(WideUnit::v))};
#endif
}
/// In units of 1/wide_unit_steps: callers fold that factor into one they have anyway.
inline WideFloat unpack_unit(const WideUnit& a) {
#if defined(__AVX2__)
  __m128i packed;
  __builtin_memcpy(&packed, &a.v, sizeof packed);
  return {(WideFloatBits)_mm256_cvtepi32_ps(_mm256_cvtepu16_epi32(packed))};
#else
  return {__builtin_convertvector(__builtin_convertvector(a.v, WideMaskBits), WideFloatBits)};
#endif
}

/// The whole parts, cut towards zero; also as integers to `out`.
inline WideFloat truncate(WideFloat a, std::int32_t* out) {
  const WideMaskBits whole = __builtin_convertvector(a.v, WideMaskBits);
  __builtin_memcpy(out, &whole, sizeof whole);
  return {__builtin_convertvector(whole, WideFloatBits)};
}

/// p[index[0..7]].
inline WideFloat gather(const float* p, const std::uint32_t* index) {
  WideFloat r;
  for (int i = 0; i < wide_width; ++i) r.v[i] = p[index[i]];
  return r;
}

}  // namespace talus
