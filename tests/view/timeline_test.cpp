#include "view/timeline.h"

#include <gtest/gtest.h>

namespace talus::view {
namespace {

TEST(Timeline, PlaysInRealTime) {
  Timeline t(10);
  t.set_count(100);
  t.set_playing(true);
  EXPECT_FALSE(t.advance(0.09, true));
  EXPECT_TRUE(t.advance(0.02, true));
  EXPECT_EQ(t.current(), 1u);
  EXPECT_TRUE(t.advance(0.5, true)) << "slow drawing leaves frames out";
  EXPECT_EQ(t.current(), 6u);
  t.speed = 2;
  t.advance(0.1, true);
  EXPECT_EQ(t.current(), 8u);
}

TEST(Timeline, WaitsForAFrameThatIsNotThereYet) {
  Timeline t(10);
  t.set_count(100);
  t.set_playing(true);
  EXPECT_FALSE(t.advance(5, false));
  EXPECT_EQ(t.current(), 0u);
  EXPECT_FALSE(t.advance(0.05, true)) << "and does not jump afterwards";
}

TEST(Timeline, ShowsTheLastFrameThenLoopsOrStops) {
  Timeline t(10);
  t.set_count(5);
  t.set_playing(true);
  t.advance(10, true);
  EXPECT_EQ(t.current(), 4u);
  t.advance(0.1, true);
  EXPECT_EQ(t.current(), 0u);
  t.loop = false;
  t.go_to(4);
  t.advance(0.1, true);
  EXPECT_EQ(t.current(), 4u);
  EXPECT_FALSE(t.playing());
  t.set_playing(true);
  EXPECT_EQ(t.current(), 0u) << "playing at the end starts over";
}

TEST(Timeline, StepsStopAtTheEnds) {
  Timeline t(25);
  t.set_count(3);
  t.step(-1);
  EXPECT_EQ(t.current(), 0u);
  t.step(7);
  EXPECT_EQ(t.current(), 2u);
  t.go_to(99);
  EXPECT_EQ(t.current(), 2u);
  t.set_count(0);
  EXPECT_EQ(t.current(), 0u);
  t.step(1);
  t.to_end();
  EXPECT_EQ(t.current(), 0u);
  t.set_playing(true);
  EXPECT_FALSE(t.playing()) << "there is nothing to play";
}

TEST(Timeline, FollowsARunThatGrows) {
  Timeline t(25);
  t.set_count(3);
  t.follow = true;
  t.set_count(4);
  EXPECT_EQ(t.current(), 3u);
  t.set_count(9);
  EXPECT_EQ(t.current(), 8u);
  t.go_to(2);
  EXPECT_FALSE(t.follow) << "going back lets go";
  t.set_count(12);
  EXPECT_EQ(t.current(), 2u);
}

}  // namespace
}  // namespace talus::view
