#include "core/random.h"

#include <array>
#include <bit>
#include <cmath>
#include <gtest/gtest.h>
#include <set>

namespace talus {
namespace {

using Words = std::array<std::uint32_t, 4>;

// Published known answers of Philox4x32-10 (Random123, kat_vectors).
TEST(Random, PhiloxGivesThePublishedAnswers) {
  EXPECT_EQ(random_detail::philox({0, 0, 0, 0}, {0, 0}),
            (Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(random_detail::philox({0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff},
                                  {0xffffffff, 0xffffffff}),
            (Words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(random_detail::philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
                                  {0xa4093822, 0x299f31d0}),
            (Words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(Random, AllPartsOfTheKeyCount) {
  const Words base = random_words(1, 2, Purpose::jitter, 3);
  EXPECT_EQ(random_words(1, 2, Purpose::jitter, 3), base);
  EXPECT_NE(random_words(2, 2, Purpose::jitter, 3), base);
  EXPECT_NE(random_words(1 + (1ull << 32), 2, Purpose::jitter, 3), base);
  EXPECT_NE(random_words(1, 3, Purpose::jitter, 3), base);
  EXPECT_NE(random_words(1, 2 + (1ull << 32), Purpose::jitter, 3), base);
  EXPECT_NE(random_words(1, 2, Purpose::colour, 3), base);
  EXPECT_NE(random_words(1, 2, Purpose::jitter, 4), base);
}

TEST(Random, FloatsStayBelowOne) {
  EXPECT_EQ(to_unit_float(0), 0.0f);
  EXPECT_LT(to_unit_float(0xffffffffu), 1.0f);
  EXPECT_EQ(to_unit_float(0x80000000u), 0.5f);
}

TEST(Random, FloatsAreUniform) {
  // Chi-squared over 100 bins of 400,000 values: 99 degrees of freedom, standard deviation 14.07;
  // five deviations either way.
  constexpr int bins = 100, ids = 100'000;
  std::array<int, bins> count{};
  double sum = 0;
  for (std::uint64_t id = 0; id < ids; ++id) {
    for (const float r : random_floats(11, id, Purpose::test)) {
      ++count[static_cast<std::size_t>(r * bins)];
      sum += static_cast<double>(r);
    }
  }
  constexpr double total = 4.0 * ids, expected = total / bins;
  double chi_squared = 0;
  for (const int c : count) chi_squared += (c - expected) * (c - expected) / expected;
  EXPECT_NEAR(chi_squared, 99, 5 * 14.07);
  EXPECT_NEAR(sum / total, 0.5, 5 * std::sqrt(1 / 12.0 / total));
}

TEST(Random, NeighbouringIdsAndPurposesAreUncorrelated) {
  constexpr int n = 100'000;
  double next_id = 0, other_purpose = 0, next_word = 0;
  for (std::uint64_t id = 0; id < n; ++id) {
    const auto centred = [](float r) { return static_cast<double>(r) - 0.5; };
    const auto a = random_floats(5, id, Purpose::test);
    next_id += centred(a[0]) * centred(random_floats(5, id + 1, Purpose::test)[0]);
    other_purpose += centred(a[0]) * centred(random_floats(5, id, Purpose::render)[0]);
    next_word += centred(a[0]) * centred(a[1]);
  }
  // The product of two independent centred values has the standard deviation 1/12.
  const double limit = 5 * std::sqrt(static_cast<double>(n)) / 12;
  EXPECT_LT(std::abs(next_id), limit);
  EXPECT_LT(std::abs(other_purpose), limit);
  EXPECT_LT(std::abs(next_word), limit);
}

TEST(Random, EveryBitIsFairAndAnInputBitFlipsHalfOfTheOutput) {
  constexpr int n = 20'000;
  std::array<int, 128> ones{};
  std::int64_t flipped = 0;
  for (std::uint64_t id = 0; id < n; ++id) {
    const Words a = random_words(3, id, Purpose::test);
    const Words b = random_words(3, id ^ (1ull << (id % 64)), Purpose::test);
    for (std::size_t w = 0; w < 4; ++w) {
      flipped += std::popcount(a[w] ^ b[w]);
      for (std::size_t bit = 0; bit < 32; ++bit) ones[w * 32 + bit] += (a[w] >> bit) & 1;
    }
  }
  for (const int count : ones) EXPECT_NEAR(count, n / 2, 5.5 * std::sqrt(n / 4.0));
  const double bits = 128.0 * n;
  EXPECT_NEAR(static_cast<double>(flipped), bits / 2, 6 * std::sqrt(bits / 4));
}

TEST(Random, NoTwoParticlesShareTheirNumbers) {
  std::set<Words> seen;
  for (std::uint64_t id = 0; id < 50'000; ++id) seen.insert(random_words(9, id, Purpose::test));
  EXPECT_EQ(seen.size(), 50'000u);
}

}  // namespace
}  // namespace talus
