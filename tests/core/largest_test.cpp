#include "core/largest.h"

#include "core/random.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <vector>

namespace talus {
namespace {

TEST(Largest, IsTheSameInWhateverPartsTheValuesCome) {
  std::vector<float> values;
  for (std::uint64_t k = 0; k < 100; ++k) values.push_back(random_floats(3, k, Purpose::test)[0]);
  Largest<5> all;
  for (const float v : values) all.add(v);
  std::vector<float> sorted = values;
  std::sort(sorted.rbegin(), sorted.rend());
  EXPECT_EQ(all.least(), sorted[4]);
  for (const std::size_t cut : {0, 1, 3, 50, 99}) {
    Largest<5> first, second;
    for (std::size_t k = 0; k < values.size(); ++k) (k < cut ? second : first).add(values[k]);
    first.add(second);
    EXPECT_EQ(first.least(), all.least()) << cut;
  }
}

TEST(Largest, OfFewValuesTheLeastIsNothing) {
  Largest<3> two;
  two.add(7);
  two.add(5);
  EXPECT_EQ(two.least(), 0);
  two.add(-1);
  EXPECT_EQ(two.least(), 0);
  two.add(6);
  EXPECT_EQ(two.least(), 5);
}

}  // namespace
}  // namespace talus
