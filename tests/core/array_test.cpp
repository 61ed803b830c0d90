#include "core/array.h"

#include <cstdint>
#include <gtest/gtest.h>
#include <numeric>

namespace talus {
namespace {

TEST(ScratchArray, KeepsItemsWhileGrowing) {
  ScratchArray<std::uint32_t> a;
  EXPECT_TRUE(a.empty());
  for (std::uint32_t i = 0; i < 10'000; ++i) a.push_back(i);
  a.resize(50'000);
  ASSERT_EQ(a.size(), 50'000u);
  for (std::uint32_t i = 0; i < 10'000; ++i) ASSERT_EQ(a[i], i);
}

TEST(ScratchArray, ASizeSeenBeforeDoesNotAllocate) {
  ScratchArray<double> a;
  a.resize(1000);
  const double* data = a.data();
  const std::size_t memory = a.memory_bytes();
  for (int step = 0; step < 10; ++step) {
    a.clear();
    a.resize(500);
    a.resize(1000);
  }
  EXPECT_EQ(a.data(), data);
  EXPECT_EQ(a.memory_bytes(), memory);
}

TEST(ScratchArray, IsARangeOnACacheLine) {
  ScratchArray<float> a;
  a.resize(100);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(a.data()) % 64, 0u);
  std::iota(a.begin(), a.end(), 1.0f);
  EXPECT_EQ(std::accumulate(a.begin(), a.end(), 0.0f), 5050.0f);
  const std::span<const float> view(a);
  EXPECT_EQ(view.size(), 100u);
}

}  // namespace
}  // namespace talus
