#include "core/hand_over.h"

#include "core/parallel.h"

#include <gtest/gtest.h>

namespace talus {
namespace {

TEST(Latest, GivesTheNewestOnce) {
  Latest<int> latest;
  EXPECT_EQ(latest.take(), nullptr);
  EXPECT_FALSE(latest.pending());
  latest.put(std::make_shared<int>(1));
  latest.put(std::make_shared<int>(2));
  EXPECT_TRUE(latest.pending());
  EXPECT_EQ(*latest.take(), 2);
  EXPECT_FALSE(latest.pending());
  EXPECT_EQ(latest.take(), nullptr);
}

TEST(Latest, TheProducerCanWaitUntilItWasTaken) {
  Latest<int> latest;
  latest.put(std::make_shared<int>(1));
  EXPECT_FALSE(latest.wait_taken(0.001));
  BackgroundWork consumer;
  consumer.start([&] { latest.take(); });
  EXPECT_TRUE(latest.wait_taken(10));
}

TEST(Latest, ValuesArriveWholeAndInOrder) {
  struct Pair {
    int a, b;
  };
  Latest<Pair> latest;
  BackgroundWork producer;
  constexpr int last = 20000;
  producer.start([&] {
    for (int i = 1; i <= last; ++i) latest.put(std::make_shared<Pair>(Pair{i, -i}));
  });
  int seen = 0;
  while (seen < last) {
    const auto value = latest.take();
    if (!value) continue;
    ASSERT_GT(value->a, seen);
    ASSERT_EQ(value->b, -value->a);
    seen = value->a;
  }
}

TEST(Mailbox, KeepsEveryOrderInItsSequence) {
  Mailbox<int> box;
  EXPECT_FALSE(box.wait(0.001));
  BackgroundWork poster;
  poster.start([&] {
    for (int i = 0; i < 1000; ++i) box.post(i);
  });
  int expected = 0;
  while (expected < 1000) {
    box.wait(1);
    for (const int order : box.take_all()) ASSERT_EQ(order, expected++);
  }
  EXPECT_TRUE(box.take_all().empty());
}

}  // namespace
}  // namespace talus
