// Rows that lie anywhere, as columns and back, and the integers that find them. The same tests run
// in the portable build.
#include "math/wide_records.h"

#include <algorithm>
#include <gtest/gtest.h>

namespace talus {
namespace {

constexpr std::uint32_t places[wide_width] = {5, 0, 31, 7, 7, 2, 30, 16};

Row row_of(std::uint32_t number) {
  const auto n = static_cast<float>(number);
  return make_row(n, n + 0.25f, n + 0.5f, n + 0.75f);
}

TEST(WideRecords, RowsAnywhereAndInARowBecomeColumns) {
  Row rows[32];
  for (std::uint32_t k = 0; k < 32; ++k) rows[k] = row_of(k);
  const WideColumns by_number = load_rows(rows, places);
  const WideColumns by_place = load_rows(rows, RowPlaces(load_integers(places)));
  const WideColumns following = load_rows(&rows[3]);
  for (int k = 0; k < wide_width; ++k) {
    const auto n = static_cast<float>(places[k]);
    EXPECT_EQ(by_number.a[k], n);
    EXPECT_EQ(by_number.d[k], n + 0.75f);
    EXPECT_EQ(by_place.b[k], n + 0.25f);
    EXPECT_EQ(by_place.c[k], n + 0.5f);
    EXPECT_EQ(following.a[k], static_cast<float>(3 + k));
    EXPECT_EQ(following.c[k], static_cast<float>(3 + k) + 0.5f);
  }
}

TEST(WideRecords, PairsOfRowsAreReadAndAddedTo) {
  RowPair rows[32];
  for (std::uint32_t k = 0; k < 32; ++k) rows[k] = {row_of(k), row_of(100 + k)};
  const RowPlaces at(load_integers(places));
  const auto [first, second] = load_rows(rows, at);
  for (int k = 0; k < wide_width; ++k) {
    EXPECT_EQ(first.b[k], static_cast<float>(places[k]) + 0.25f);
    EXPECT_EQ(second.d[k], static_cast<float>(100 + places[k]) + 0.75f);
  }
  const WideRowPairs add = to_row_pairs(first, second);
  for (unsigned k = 0; k < wide_width; ++k) add.add_to(at.in(rows, k), k);
  EXPECT_EQ(rows[5].first.v[1], 2 * 5.25f);
  EXPECT_EQ(rows[16].second.v[2], 2 * 116.5f);
  EXPECT_EQ(rows[7].first.v[0], 3 * 7.0f);  // named twice
  EXPECT_EQ(rows[1].first.v[0], 1.0f);
}

TEST(WideRecords, IntegersWrapCompareAndMask) {
  const std::uint32_t a[wide_width] = {0, 1, 0xffffffffu, 9, 1u << 31, 4, 5, 6};
  const WideInt wide = load_integers(a);
  std::uint32_t out[wide_width];
  store_integers(out, least(wide - wide_integer(2), wide_integer(7)));
  for (int k = 0; k < wide_width; ++k) EXPECT_EQ(out[k], std::min(a[k] - 2, 7u)) << k;
  store_integers(out, select(lane_numbers() < wide_integer(3), wide, wide_integer(8)));
  for (std::uint32_t k = 0; k < wide_width; ++k) EXPECT_EQ(out[k], k < 3 ? a[k] : 8) << k;
  EXPECT_TRUE(any_bit(wide & wide_integer(1u << 31)));
  EXPECT_FALSE(any_bit(wide & wide_integer(0)));
  for (const unsigned set : {0u, 1u, 0x80u, 0xa5u, 0xffu}) EXPECT_EQ(bits(mask_of(set)), set);
}

}  // namespace
}  // namespace talus
