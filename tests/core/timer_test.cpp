#include "core/timer.h"

#include <gtest/gtest.h>
#include <string>

namespace talus {
namespace {

TEST(Timer, AddsUpPhasesInTheOrderOfTheirFirstUse) {
  PhaseTimers timers;
  timers.add("search", 0.5);
  timers.add("pressure", 0.25);
  timers.add("search", 0.5);
  ASSERT_EQ(timers.phases().size(), 2u);
  EXPECT_EQ(timers.phases()[0].name, "search");
  EXPECT_DOUBLE_EQ(timers.phases()[0].seconds, 1.0);
  EXPECT_EQ(timers.phases()[0].calls, 2u);
  EXPECT_EQ(timers.phases()[1].calls, 1u);
  timers.reset();
  EXPECT_TRUE(timers.phases().empty());
}

TEST(Timer, EqualNamesAreOnePhaseWhereverTheyAreStored) {
  const std::string copy = "search";
  PhaseTimers timers;
  timers.add("search", 1);
  timers.add(copy, 1);
  EXPECT_EQ(timers.phases().size(), 1u);
}

TEST(Timer, MeasuresWork) {
  PhaseTimers timers;
  bool ran = false;
  timers.time("spin", [&] {
    const double start = seconds_now();
    while (seconds_now() - start < 0.01) ran = true;
  });
  EXPECT_TRUE(ran);
  EXPECT_GE(timers.phases()[0].seconds, 0.01);
}

}  // namespace
}  // namespace talus
