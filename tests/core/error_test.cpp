#include "core/error.h"

#include <gtest/gtest.h>
#include <memory>

namespace talus {
namespace {

Result<int> half(int n) {
  if (n % 2 != 0) return request_error("{} is odd", n);
  return n / 2;
}

TEST(Error, ResultCarriesAValueOrAnError) {
  const Result<int> good = half(8);
  ASSERT_TRUE(good.ok());
  EXPECT_EQ(*good, 4);
  const Result<int> bad = half(7);
  ASSERT_FALSE(bad);
  EXPECT_EQ(bad.error().message, "7 is odd");
  EXPECT_EQ(static_cast<int>(bad.error().kind), 2);
}

TEST(Error, ResultMovesItsValueOut) {
  Result<std::unique_ptr<int>> result(std::make_unique<int>(5));
  const std::unique_ptr<int> owned = std::move(result).value();
  EXPECT_EQ(*owned, 5);
}

TEST(Error, StatusIsGoodUnlessGivenAnError) {
  EXPECT_TRUE(Status().ok());
  const Status bad = work_error("disk '{}' is full", "/data");
  ASSERT_FALSE(bad);
  EXPECT_EQ(bad.error().message, "disk '/data' is full");
  EXPECT_EQ(static_cast<int>(bad.error().kind), 1);
}

TEST(ErrorDeathTest, ACheckPrintsConditionPlaceAndValues) {
  const int i = 9, n = 4;
  EXPECT_DEATH(TALUS_CHECK(i < n, "i={} n={}", i, n), "error_test.cpp:[0-9]+.*i < n.*i=9 n=4");
}

}  // namespace
}  // namespace talus
