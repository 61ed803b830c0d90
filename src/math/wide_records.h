// Wide values out of records: four doubles at once, eight integers at once, and the turning of
// 16-byte rows that lie anywhere into columns. A solver that gathers from records by index lives on
// these: a hardware gather costs about five times as much.
#pragma once

#include "math/wide.h"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace talus {

constexpr int wide_double_width = 4;
using WideDoubleBits = double __attribute__((vector_size(32)));
using WideLongBits = std::int64_t __attribute__((vector_size(32)));
using RowFloatBits = float __attribute__((vector_size(16)));
using RowIntBits = std::int32_t __attribute__((vector_size(16)));

struct WideDouble {
  WideDoubleBits v;

  WideDouble() = default;
  WideDouble(WideDoubleBits bits) : v(bits) {}
  WideDouble(double s) : v{s, s, s, s} {}

  double operator[](int lane) const { return v[lane]; }
  void set(int lane, double s) { v[lane] = s; }

  friend WideDouble operator+(WideDouble a, WideDouble b) { return {a.v + b.v}; }
  friend WideDouble operator-(WideDouble a, WideDouble b) { return {a.v - b.v}; }
  friend WideDouble operator*(WideDouble a, WideDouble b) { return {a.v * b.v}; }
  friend WideDouble operator/(WideDouble a, WideDouble b) { return {a.v / b.v}; }
  friend WideDouble operator-(WideDouble a) { return {-a.v}; }
  WideDouble& operator+=(WideDouble b) {
    v += b.v;
    return *this;
  }
  WideDouble& operator*=(WideDouble b) {
    v *= b.v;
    return *this;
  }
};

inline WideDouble load_wide(const double* p) {
  WideDoubleBits v;
  __builtin_memcpy(&v, p, sizeof v);
  return {v};
}
inline void store_wide(double* p, WideDouble a) { __builtin_memcpy(p, &a.v, sizeof a.v); }
inline WideDouble sqrt(WideDouble a) {
#if defined(__AVX2__)
  return {(WideDoubleBits)_mm256_sqrt_pd((__m256d)a.v)};
#else
  WideDouble r;
  for (int i = 0; i < wide_double_width; ++i) r.v[i] = std::sqrt(a.v[i]);
  return r;
#endif
}
inline WideDouble max(WideDouble a, WideDouble b) { return {a.v > b.v ? a.v : b.v}; }
inline WideDouble min(WideDouble a, WideDouble b) { return {a.v < b.v ? a.v : b.v}; }

/// Eight integers whose arithmetic wraps.
struct WideInt {
  WideMaskBits v;
  friend WideInt operator+(WideInt a, WideInt b) {
    return {(WideMaskBits)((WideUnsignedBits)a.v + (WideUnsignedBits)b.v)};
  }
  friend WideInt operator-(WideInt a, WideInt b) {
    return {(WideMaskBits)((WideUnsignedBits)a.v - (WideUnsignedBits)b.v)};
  }
  friend WideInt operator&(WideInt a, WideInt b) { return {a.v & b.v}; }
  friend WideInt operator<<(WideInt a, int n) {
    return {(WideMaskBits)((WideUnsignedBits)a.v << n)};
  }
  friend WideInt operator>>(WideInt a, int n) {
    return {(WideMaskBits)((WideUnsignedBits)a.v >> n)};
  }
  friend WideMask operator<(WideInt a, WideInt b) { return {a.v < b.v}; }
  /// As unsigned numbers.
  friend WideInt least(WideInt a, WideInt b) {
#if defined(__AVX2__)
    return {(WideMaskBits)_mm256_min_epu32((__m256i)a.v, (__m256i)b.v)};
#else
    return {(WideUnsignedBits)a.v < (WideUnsignedBits)b.v ? a.v : b.v};
#endif
  }

 private:
  using WideUnsignedBits = std::uint32_t __attribute__((vector_size(32)));
};
inline WideInt wide_integer(std::uint32_t a) {
  const auto s = static_cast<std::int32_t>(a);
  return {WideMaskBits{s, s, s, s, s, s, s, s}};
}
/// 0, 1, ... 7.
inline WideInt lane_numbers() { return {WideMaskBits{0, 1, 2, 3, 4, 5, 6, 7}}; }
inline WideInt load_integers(const std::uint32_t* p) {
  WideInt r;
  __builtin_memcpy(&r.v, p, sizeof r.v);
  return r;
}
inline void store_integers(std::uint32_t* p, WideInt a) { __builtin_memcpy(p, &a.v, sizeof a.v); }
inline WideInt select(WideMask m, WideInt a, WideInt b) { return {(m.v & a.v) | (~m.v & b.v)}; }
inline bool any_bit(WideInt a) {
#if defined(__AVX2__)
  return _mm256_testz_si256((__m256i)a.v, (__m256i)a.v) == 0;
#else
  return any(WideMask{a.v != 0});
#endif
}
inline WideInt as_integers(WideFloat a) { return {(WideMaskBits)a.v}; }
inline WideFloat to_float(WideInt a) { return {__builtin_convertvector(a.v, WideFloatBits)}; }

// GCC 12 splits these conversions in halves when they are written as __builtin_convertvector.
inline WideDouble widened(RowFloatBits a) {
#if defined(__AVX2__)
  return {(WideDoubleBits)_mm256_cvtps_pd((__m128)a)};
#else
  return {__builtin_convertvector(a, WideDoubleBits)};
#endif
}
inline WideDouble widened(RowIntBits a) {
#if defined(__AVX2__)
  return {(WideDoubleBits)_mm256_cvtepi32_pd((__m128i)a)};
#else
  return {__builtin_convertvector(a, WideDoubleBits)};
#endif
}
inline RowFloatBits narrowed(WideDouble a) {
#if defined(__AVX2__)
  return (RowFloatBits)_mm256_cvtpd_ps((__m256d)a.v);
#else
  return __builtin_convertvector(a.v, RowFloatBits);
#endif
}
inline RowFloatBits load_four(const float* p) {
  RowFloatBits v;
  __builtin_memcpy(&v, p, sizeof v);
  return v;
}
inline WideDouble load_widened(const float* p) { return widened(load_four(p)); }

/// Lanes 0-3 and 4-7 of eight values, exactly.
struct WideDoublePair {
  WideDouble low, high;
};
inline WideDoublePair to_double(WideInt a) {
  const RowIntBits low = __builtin_shufflevector(a.v, a.v, 0, 1, 2, 3);
  const RowIntBits high = __builtin_shufflevector(a.v, a.v, 4, 5, 6, 7);
  return {widened(low), widened(high)};
}
inline WideDoublePair to_double(WideFloat a) {
  const RowFloatBits low = __builtin_shufflevector(a.v, a.v, 0, 1, 2, 3);
  const RowFloatBits high = __builtin_shufflevector(a.v, a.v, 4, 5, 6, 7);
  return {widened(low), widened(high)};
}
inline WideFloat to_float(const WideDoublePair& a) {
  const RowFloatBits low = narrowed(a.low), high = narrowed(a.high);
  return {__builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7)};
}

/// Sixteen bytes: four floats, or three integers and a float, as the owner says.
struct alignas(16) Row {
  RowFloatBits v;
};
/// The rows' first, second, third and fourth items, one lane for each row.
struct WideColumns {
  WideFloat a, b, c, d;
};

namespace wide_detail {
/// Of eight rows, two in each: 0 and 4, 1 and 5, 2 and 6, 3 and 7.
inline WideColumns columns(WideFloat r04, WideFloat r15, WideFloat r26, WideFloat r37) {
  const WideFloatBits ab01 = __builtin_shufflevector(r04.v, r15.v, 0, 8, 1, 9, 4, 12, 5, 13);
  const WideFloatBits cd01 = __builtin_shufflevector(r04.v, r15.v, 2, 10, 3, 11, 6, 14, 7, 15);
  const WideFloatBits ab23 = __builtin_shufflevector(r26.v, r37.v, 0, 8, 1, 9, 4, 12, 5, 13);
  const WideFloatBits cd23 = __builtin_shufflevector(r26.v, r37.v, 2, 10, 3, 11, 6, 14, 7, 15);
  return {__builtin_shufflevector(ab01, ab23, 0, 1, 8, 9, 4, 5, 12, 13),
          __builtin_shufflevector(ab01, ab23, 2, 3, 10, 11, 6, 7, 14, 15),
          __builtin_shufflevector(cd01, cd23, 0, 1, 8, 9, 4, 5, 12, 13),
          __builtin_shufflevector(cd01, cd23, 2, 3, 10, 11, 6, 7, 14, 15)};
}
inline WideFloat side_by_side(const Row& low, const Row& high) {
  return {__builtin_shufflevector(low.v, high.v, 0, 1, 2, 3, 4, 5, 6, 7)};
}
}  // namespace wide_detail

/// Brings items into the cache that will be read soon, in an order that the processor cannot guess.
/// Reads them: a processor that is asked for many lines at once forgets most of them, but follows a
/// loop that runs through memory, and waits for many reads at once when none needs another.
class BringIn {
 public:
  void line_of(const void* item) {
    sum_ |= std::to_integer<unsigned>(*static_cast<const std::byte*>(item));
  }
  template <class T>
  void range(const T* begin, const T* end) {
    constexpr std::size_t line = 64;
    const auto* last = reinterpret_cast<const std::byte*>(end);
    for (auto* p = reinterpret_cast<const std::byte*>(begin); p < last; p += line) line_of(p);
  }
  ~BringIn() { asm("" ::"r"(sum_)); }  // or the compiler would leave the reading out

 private:
  unsigned sum_ = 0;
};

/// Asks for one item that will be read soon.
template <class T>
inline void fetch_ahead(const T* item) {
  __builtin_prefetch(item, 0, 2);
}

/// Eight numbers of rows, multiplied once for all arrays of rows that they lead into.
struct RowPlaces {
  RowPlaces() = default;
  explicit RowPlaces(WideInt numbers) {
    store_integers(v_, numbers << 3);
    // Through memory: taking lanes out of a register costs twice as much as loading them.
    asm("" : "+m"(v_));
  }
  WideInt numbers() const { return load_integers(v_) >> 3; }
  template <class R>
  R& in(R* rows, unsigned lane) const {
    using Byte = std::conditional_t<std::is_const_v<R>, const std::byte, std::byte>;
    return *reinterpret_cast<R*>(reinterpret_cast<Byte*>(rows) +
                                 std::size_t{v_[lane]} * (sizeof(R) / 8));
  }

 private:
  alignas(32) std::uint32_t v_[wide_width];
};

inline WideColumns load_rows(const Row* rows, const RowPlaces& at) {
  const auto pair = [&](unsigned low, unsigned high) {
    return wide_detail::side_by_side(at.in(rows, low), at.in(rows, high));
  };
  return wide_detail::columns(pair(0, 4), pair(1, 5), pair(2, 6), pair(3, 7));
}
inline WideColumns load_rows(const Row* rows, const std::uint32_t* index) {
  return load_rows(rows, RowPlaces(load_integers(index)));
}
/// rows[0..7].
inline WideColumns load_rows(const Row* rows) {
  const auto pair = [&](unsigned low, unsigned high) {
    return wide_detail::side_by_side(rows[low], rows[high]);
  };
  return wide_detail::columns(pair(0, 4), pair(1, 5), pair(2, 6), pair(3, 7));
}

/// The inverse of load_rows with out[0..7].
inline void to_rows(const WideColumns& w, Row* out) {
  const WideFloatBits ab01 = __builtin_shufflevector(w.a.v, w.b.v, 0, 8, 1, 9, 4, 12, 5, 13);
  const WideFloatBits ab23 = __builtin_shufflevector(w.a.v, w.b.v, 2, 10, 3, 11, 6, 14, 7, 15);
  const WideFloatBits cd01 = __builtin_shufflevector(w.c.v, w.d.v, 0, 8, 1, 9, 4, 12, 5, 13);
  const WideFloatBits cd23 = __builtin_shufflevector(w.c.v, w.d.v, 2, 10, 3, 11, 6, 14, 7, 15);
  const WideFloatBits r04 = __builtin_shufflevector(ab01, cd01, 0, 1, 8, 9, 4, 5, 12, 13);
  const WideFloatBits r15 = __builtin_shufflevector(ab01, cd01, 2, 3, 10, 11, 6, 7, 14, 15);
  const WideFloatBits r26 = __builtin_shufflevector(ab23, cd23, 0, 1, 8, 9, 4, 5, 12, 13);
  const WideFloatBits r37 = __builtin_shufflevector(ab23, cd23, 2, 3, 10, 11, 6, 7, 14, 15);
  out[0].v = __builtin_shufflevector(r04, r04, 0, 1, 2, 3);
  out[4].v = __builtin_shufflevector(r04, r04, 4, 5, 6, 7);
  out[1].v = __builtin_shufflevector(r15, r15, 0, 1, 2, 3);
  out[5].v = __builtin_shufflevector(r15, r15, 4, 5, 6, 7);
  out[2].v = __builtin_shufflevector(r26, r26, 0, 1, 2, 3);
  out[6].v = __builtin_shufflevector(r26, r26, 4, 5, 6, 7);
  out[3].v = __builtin_shufflevector(r37, r37, 0, 1, 2, 3);
  out[7].v = __builtin_shufflevector(r37, r37, 4, 5, 6, 7);
}

/// Two rows side by side, read and written at once.
struct alignas(32) RowPair {
  Row first, second;
};
struct WideColumnPair {
  WideColumns first, second;
};

namespace wide_detail {
/// Eight rows of eight become eight columns, and back.
[[gnu::always_inline]] inline void transpose(WideFloatBits (&r)[8]) {
  const WideFloatBits a0 = __builtin_shufflevector(r[0], r[1], 0, 8, 1, 9, 4, 12, 5, 13);
  const WideFloatBits a1 = __builtin_shufflevector(r[0], r[1], 2, 10, 3, 11, 6, 14, 7, 15);
  const WideFloatBits a2 = __builtin_shufflevector(r[2], r[3], 0, 8, 1, 9, 4, 12, 5, 13);
  const WideFloatBits a3 = __builtin_shufflevector(r[2], r[3], 2, 10, 3, 11, 6, 14, 7, 15);
  const WideFloatBits a4 = __builtin_shufflevector(r[4], r[5], 0, 8, 1, 9, 4, 12, 5, 13);
  const WideFloatBits a5 = __builtin_shufflevector(r[4], r[5], 2, 10, 3, 11, 6, 14, 7, 15);
  const WideFloatBits a6 = __builtin_shufflevector(r[6], r[7], 0, 8, 1, 9, 4, 12, 5, 13);
  const WideFloatBits a7 = __builtin_shufflevector(r[6], r[7], 2, 10, 3, 11, 6, 14, 7, 15);
  const WideFloatBits b0 = __builtin_shufflevector(a0, a2, 0, 1, 8, 9, 4, 5, 12, 13);
  const WideFloatBits b1 = __builtin_shufflevector(a0, a2, 2, 3, 10, 11, 6, 7, 14, 15);
  const WideFloatBits b2 = __builtin_shufflevector(a1, a3, 0, 1, 8, 9, 4, 5, 12, 13);
  const WideFloatBits b3 = __builtin_shufflevector(a1, a3, 2, 3, 10, 11, 6, 7, 14, 15);
  const WideFloatBits b4 = __builtin_shufflevector(a4, a6, 0, 1, 8, 9, 4, 5, 12, 13);
  const WideFloatBits b5 = __builtin_shufflevector(a4, a6, 2, 3, 10, 11, 6, 7, 14, 15);
  const WideFloatBits b6 = __builtin_shufflevector(a5, a7, 0, 1, 8, 9, 4, 5, 12, 13);
  const WideFloatBits b7 = __builtin_shufflevector(a5, a7, 2, 3, 10, 11, 6, 7, 14, 15);
  r[0] = __builtin_shufflevector(b0, b4, 0, 1, 2, 3, 8, 9, 10, 11);
  r[1] = __builtin_shufflevector(b1, b5, 0, 1, 2, 3, 8, 9, 10, 11);
  r[2] = __builtin_shufflevector(b2, b6, 0, 1, 2, 3, 8, 9, 10, 11);
  r[3] = __builtin_shufflevector(b3, b7, 0, 1, 2, 3, 8, 9, 10, 11);
  r[4] = __builtin_shufflevector(b0, b4, 4, 5, 6, 7, 12, 13, 14, 15);
  r[5] = __builtin_shufflevector(b1, b5, 4, 5, 6, 7, 12, 13, 14, 15);
  r[6] = __builtin_shufflevector(b2, b6, 4, 5, 6, 7, 12, 13, 14, 15);
  r[7] = __builtin_shufflevector(b3, b7, 4, 5, 6, 7, 12, 13, 14, 15);
}
[[gnu::always_inline]] inline WideFloat both(const RowPair& p) {
  WideFloat wide;
  __builtin_memcpy(&wide.v, &p, sizeof wide.v);
  return wide;
}
}  // namespace wide_detail

[[gnu::always_inline]] inline WideColumnPair load_rows(const RowPair* rows, const RowPlaces& at) {
  WideFloatBits r[8];
  for (unsigned k = 0; k < 8; ++k) r[k] = wide_detail::both(at.in(rows, k)).v;
  wide_detail::transpose(r);
  return {{r[0], r[1], r[2], r[3]}, {r[4], r[5], r[6], r[7]}};
}
/// Eight pairs of rows to be added to others.
struct WideRowPairs {
  WideFloatBits v[8];
  void add_to(RowPair& to, unsigned k) const {
    const WideFloatBits sum = wide_detail::both(to).v + v[k];
    __builtin_memcpy(&to, &sum, sizeof sum);
  }
};
[[gnu::always_inline]] inline WideRowPairs to_row_pairs(const WideColumns& first,
                                                        const WideColumns& second) {
  WideRowPairs out{
      {first.a.v, first.b.v, first.c.v, first.d.v, second.a.v, second.b.v, second.c.v, second.d.v}};
  wide_detail::transpose(out.v);
  return out;
}

/// Four floats, or three integers and a float, for each of four lanes: into four rows.
inline void to_rows(RowFloatBits a, RowFloatBits b, RowFloatBits c, RowFloatBits d, Row* r0,
                    Row* r1, Row* r2, Row* r3) {
  const RowFloatBits ab01 = __builtin_shufflevector(a, b, 0, 4, 1, 5);
  const RowFloatBits ab23 = __builtin_shufflevector(a, b, 2, 6, 3, 7);
  const RowFloatBits cd01 = __builtin_shufflevector(c, d, 0, 4, 1, 5);
  const RowFloatBits cd23 = __builtin_shufflevector(c, d, 2, 6, 3, 7);
  r0->v = __builtin_shufflevector(ab01, cd01, 0, 1, 4, 5);
  r1->v = __builtin_shufflevector(ab01, cd01, 2, 3, 6, 7);
  r2->v = __builtin_shufflevector(ab23, cd23, 0, 1, 4, 5);
  r3->v = __builtin_shufflevector(ab23, cd23, 2, 3, 6, 7);
}
/// Four columns of four doubles, rounded to float and turned into four rows.
inline void to_rows(const WideDouble& a, const WideDouble& b, const WideDouble& c,
                    const WideDouble& d, Row* r0, Row* r1, Row* r2, Row* r3) {
  to_rows(narrowed(a), narrowed(b), narrowed(c), narrowed(d), r0, r1, r2, r3);
}

/// The lower 32 bits of the nearest integers, as they would be in an endless register: lengths on
/// a circle of 2^32 steps. For |a| < 2^51.
inline RowIntBits wrapped_integers(WideDouble a) {
  const WideLongBits shifted = (WideLongBits)(a.v + 0x1.8p52);
  return __builtin_shufflevector((WideMaskBits)shifted, (WideMaskBits)shifted, 0, 2, 4, 6);
}
inline std::int32_t wrapped_integer(double a) {
  const double shifted = a + 0x1.8p52;
  std::int64_t bits;
  __builtin_memcpy(&bits, &shifted, sizeof bits);
  return static_cast<std::int32_t>(bits);
}
/// Four rows' first three items as columns of doubles.
struct WideDoubleColumns {
  WideDouble a, b, c;
};
inline WideDoubleColumns rows_to_double(const Row& r0, const Row& r1, const Row& r2,
                                        const Row& r3) {
  const RowFloatBits ab01 = __builtin_shufflevector(r0.v, r1.v, 0, 4, 1, 5);
  const RowFloatBits ab23 = __builtin_shufflevector(r2.v, r3.v, 0, 4, 1, 5);
  const RowFloatBits c01 = __builtin_shufflevector(r0.v, r1.v, 2, 6, 3, 7);
  const RowFloatBits c23 = __builtin_shufflevector(r2.v, r3.v, 2, 6, 3, 7);
  const RowFloatBits a = __builtin_shufflevector(ab01, ab23, 0, 1, 4, 5);
  const RowFloatBits b = __builtin_shufflevector(ab01, ab23, 2, 3, 6, 7);
  const RowFloatBits c = __builtin_shufflevector(c01, c23, 0, 1, 4, 5);
  return {widened(a), widened(b), widened(c)};
}

inline Row make_row(float a, float b, float c, float d) {
  const RowFloatBits v{a, b, c, d};
  return {v};
}
inline Row operator+(Row a, Row b) { return {a.v + b.v}; }
inline Row operator-(Row a, Row b) { return {a.v - b.v}; }

}  // namespace talus
