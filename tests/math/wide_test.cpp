// Every operation of the wide float against the same operation on eight scalars. The same tests run
// in the portable build, where the lanes are not AVX2 registers.
#include "math/wide.h"

#include "core/random.h"

#include <bit>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>

namespace talus {
namespace {

struct Lanes {
  float v[wide_width];
};

Lanes random_lanes(std::uint64_t id) {
  Lanes lanes;
  for (int i = 0; i < wide_width; ++i) {
    const auto r = random_floats(23, id, Purpose::test, static_cast<std::uint32_t>(i));
    lanes.v[i] = (r[0] - 0.5f) * 100;
  }
  return lanes;
}

/// Applies `wide` to whole vectors and `scalar` to each lane; both must have the same bits.
template <class Wide, class Scalar>
void expect_same(Wide&& wide, Scalar&& scalar) {
  for (std::uint64_t id = 0; id < 100; id += 2) {
    const Lanes a = random_lanes(id), b = random_lanes(id + 1);
    const WideFloat result = wide(load_wide(a.v), load_wide(b.v));
    for (int i = 0; i < wide_width; ++i)
      ASSERT_EQ(std::bit_cast<std::uint32_t>(result[i]),
                std::bit_cast<std::uint32_t>(scalar(a.v[i], b.v[i])))
          << "lane " << i << " of " << a.v[i] << ", " << b.v[i];
  }
}

TEST(Wide, ArithmeticEqualsScalars) {
  expect_same([](WideFloat a, WideFloat b) { return a + b; },
              [](float a, float b) { return a + b; });
  expect_same([](WideFloat a, WideFloat b) { return a - b; },
              [](float a, float b) { return a - b; });
  expect_same([](WideFloat a, WideFloat b) { return a * b; },
              [](float a, float b) { return a * b; });
  expect_same([](WideFloat a, WideFloat b) { return a / b; },
              [](float a, float b) { return a / b; });
  expect_same([](WideFloat a, WideFloat) { return -a; }, [](float a, float) { return -a; });
  expect_same([](WideFloat a, WideFloat b) { return min(a, b); },
              [](float a, float b) { return a < b ? a : b; });
  expect_same([](WideFloat a, WideFloat b) { return max(a, b); },
              [](float a, float b) { return a > b ? a : b; });
  expect_same([](WideFloat a, WideFloat) { return abs(a); },
              [](float a, float) { return std::abs(a); });
  expect_same([](WideFloat a, WideFloat) { return sqrt(a * a); },
              [](float a, float) { return std::sqrt(a * a); });
}

TEST(Wide, AssignmentsEqualOperators) {
  expect_same([](WideFloat a, WideFloat b) { return a += b; },
              [](float a, float b) { return a + b; });
  expect_same([](WideFloat a, WideFloat b) { return a -= b; },
              [](float a, float b) { return a - b; });
  expect_same([](WideFloat a, WideFloat b) { return a *= b; },
              [](float a, float b) { return a * b; });
}

TEST(Wide, ComparisonsAndSelectEqualScalars) {
  expect_same([](WideFloat a, WideFloat b) { return select(a < b, a, b); },
              [](float a, float b) { return a < b ? a : b; });
  expect_same([](WideFloat a, WideFloat b) { return select(a >= b, a, b); },
              [](float a, float b) { return a >= b ? a : b; });
  expect_same([](WideFloat a, WideFloat b) { return select((a > b) & !(a <= 0.0f), a * b, a - b); },
              [](float a, float b) { return a > b && !(a <= 0.0f) ? a * b : a - b; });
  expect_same([](WideFloat a, WideFloat b) { return select((a > 10.0f) | (b > 10.0f), a, b); },
              [](float a, float b) { return a > 10.0f || b > 10.0f ? a : b; });
}

TEST(Wide, BitsTellTheLanes) {
  const Lanes a{{0, 1, 2, 3, 4, 5, 6, 7}};
  EXPECT_EQ(bits(load_wide(a.v) > 3.5f), 0xf0u);
  EXPECT_EQ(bits(load_wide(a.v) <= 0.0f), 0x01u);
  EXPECT_EQ(bits(!(load_wide(a.v) <= 0.0f)), 0xfeu);
  EXPECT_TRUE(any(load_wide(a.v) > 6.5f));
  EXPECT_FALSE(any(load_wide(a.v) > 7.0f));
}

TEST(Wide, NanIsUnordered) {
  const WideFloat nan(std::numeric_limits<float>::quiet_NaN());
  EXPECT_FALSE(any(nan < WideFloat(1)));
  EXPECT_FALSE(any(nan >= WideFloat(1)));
}

TEST(Wide, MinAndMaxTakeTheSecondWhenTheFirstIsNan) {
  // The rule of the instruction; the portable branch must have it too, or a NaN would spread in one
  // build and vanish in the other.
  const WideFloat nan(std::numeric_limits<float>::quiet_NaN());
  EXPECT_EQ(min(nan, WideFloat(2))[3], 2.0f);
  EXPECT_EQ(max(nan, WideFloat(2))[3], 2.0f);
  EXPECT_TRUE(std::isnan(min(WideFloat(2), nan)[3]));
}

TEST(Wide, SumHasAFixedTree) {
  const Lanes a = random_lanes(77);
  const float* v = a.v;
  const float tree = ((v[0] + v[4]) + (v[2] + v[6])) + ((v[1] + v[5]) + (v[3] + v[7]));
  EXPECT_EQ(std::bit_cast<std::uint32_t>(sum_lanes(load_wide(v))),
            std::bit_cast<std::uint32_t>(tree));
}

TEST(Wide, LargestLane) {
  Lanes a{{-9, -3, -8, -4, -7, -5, -6, -3.5f}};
  EXPECT_EQ(max_lane(load_wide(a.v)), -3.0f);
  a.v[7] = 2;
  EXPECT_EQ(max_lane(load_wide(a.v)), 2.0f);
}

TEST(Wide, LoadStoreGatherAtAnyAddress) {
  float memory[32];
  for (int i = 0; i < 32; ++i) memory[i] = static_cast<float>(i);
  float out[10] = {};
  store_wide(out + 1, load_wide(memory + 3));
  EXPECT_EQ(out[0], 0.0f);
  EXPECT_EQ(out[1], 3.0f);
  EXPECT_EQ(out[8], 10.0f);
  EXPECT_EQ(out[9], 0.0f);
  const std::uint32_t index[wide_width] = {31, 0, 7, 7, 1, 30, 2, 16};
  const WideFloat g = gather(memory, index);
  for (int i = 0; i < wide_width; ++i) EXPECT_EQ(g[i], static_cast<float>(index[i]));
  WideFloat w(1.5f);
  w.set(4, -2);
  EXPECT_EQ(w[3], 1.5f);
  EXPECT_EQ(w[4], -2.0f);
}

TEST(Wide, SetLanesAreListedInOrder) {
  for (unsigned mask = 0; mask < 256; ++mask) {
    std::uint32_t out[wide_width];
    const int count = store_set_lanes(mask, 1000, out);
    ASSERT_EQ(count, std::popcount(mask));
    int n = 0;
    for (unsigned lane = 0; lane < 8; ++lane) {
      if ((mask >> lane & 1) == 0) continue;
      ASSERT_EQ(out[n++], 1000 + lane) << "mask " << mask;
    }
  }
}

TEST(Wide, VectorsOfWideFloatsWork) {
  const Lanes x = random_lanes(1), y = random_lanes(2), z = random_lanes(3);
  const WideVec3 a{load_wide(x.v), load_wide(y.v), load_wide(z.v)};
  const WideFloat n = norm(a);
  for (int i = 0; i < wide_width; ++i) {
    const Vec3f s{x.v[i], y.v[i], z.v[i]};
    EXPECT_NEAR(n[i], norm(s), 1e-5f * norm(s));
  }
}

TEST(WideUnit, KeepsSixteenBits) {
  WideFloat a;
  for (int k = 0; k < wide_width; ++k) a.set(k, static_cast<float>(k) / 7);
  const WideFloat back = unpack_unit(pack_unit(a));
  for (int k = 0; k < wide_width; ++k)
    EXPECT_NEAR(back[k] / wide_unit_steps, a[k], 0.51f / wide_unit_steps) << k;
  EXPECT_EQ(back[0], 0.0f);
  EXPECT_EQ(back[7], wide_unit_steps);
}

}  // namespace
}  // namespace talus
