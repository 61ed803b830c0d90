#include "core/parallel.h"

#include "core/random.h"
#include "core/timer.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <gtest/gtest.h>
#include <mutex>
#include <numeric>
#include <set>
#include <thread>
#include <vector>

namespace talus {
namespace {

std::vector<float> unordered_floats(std::size_t n) {
  std::vector<float> values(n);
  for (std::size_t i = 0; i < n; ++i) {
    const auto r = random_floats(7, i, Purpose::test);
    values[i] = (r[0] - 0.5f) * std::exp(20 * r[1]);  // magnitudes differ, so that order matters
  }
  return values;
}

float sum(const Executor& executor, const std::vector<float>& values) {
  return executor.reduce<float>(
      values.size(), 0,
      [&](std::size_t begin, std::size_t end) {
        float part = 0;
        for (std::size_t i = begin; i < end; ++i) part += values[i];
        return part;
      },
      [](float a, float b) { return a + b; });
}

class ParallelThreads : public testing::TestWithParam<int> {};

TEST_P(ParallelThreads, VisitsEveryIndexOnce) {
  const Executor executor(GetParam());
  EXPECT_EQ(executor.threads(), GetParam());
  for (const std::size_t n : {0u, 1u, 1023u, 1024u, 1025u, 100'003u}) {
    std::vector<int> visits(n, 0);
    executor.for_each(n, [&](std::size_t i) { ++visits[i]; });
    EXPECT_EQ(std::accumulate(visits.begin(), visits.end(), std::size_t{0}), n);
    EXPECT_TRUE(std::all_of(visits.begin(), visits.end(), [](int v) { return v == 1; }));
  }
}

TEST_P(ParallelThreads, CutsByProblemSizeOnly) {
  const Executor executor(GetParam());
  std::vector<std::size_t> chunk_end(10, 0);
  executor.for_range(1000, 103,
                     [&](std::size_t begin, std::size_t end) { chunk_end[begin / 103] = end; });
  for (std::size_t c = 0; c < 9; ++c) EXPECT_EQ(chunk_end[c], (c + 1) * 103);
  EXPECT_EQ(chunk_end[9], 1000u);
}

TEST_P(ParallelThreads, SumsOfFloatsHaveTheBitsOfOneThread) {
  const Executor one(1);
  const Executor many(GetParam());
  for (const std::size_t n : {1u, 1025u, 50'000u, 1'000'003u}) {
    const std::vector<float> values = unordered_floats(n);
    const auto expected = std::bit_cast<std::uint32_t>(sum(one, values));
    for (int repeat = 0; repeat < 5; ++repeat)
      ASSERT_EQ(std::bit_cast<std::uint32_t>(sum(many, values)), expected) << n << " values";
  }
}

TEST_P(ParallelThreads, CombinesPartsInAscendingOrder) {
  const Executor executor(GetParam());
  // Joining ranges is not commutative: it fails unless the parts arrive in order.
  struct Range {
    std::size_t begin = 0, end = 0;
    bool whole = true;
  };
  const Range all = executor.reduce<Range>(
      777'777, {},
      [](std::size_t begin, std::size_t end) {
        return Range{begin, end, true};
      },
      [](Range a, Range b) {
        return Range{a.begin, b.end, a.whole && b.whole && a.end == b.begin};
      });
  EXPECT_TRUE(all.whole);
  EXPECT_EQ(all.begin, 0u);
  EXPECT_EQ(all.end, 777'777u);
}

TEST_P(ParallelThreads, LoopsMayNest) {
  const Executor executor(GetParam());
  std::vector<std::size_t> inner(64, 0);
  executor.for_range(64, 1, [&](std::size_t begin, std::size_t) {
    inner[begin] = executor.reduce<std::size_t>(
        5000, 0, [](std::size_t b, std::size_t e) { return e - b; },
        [](std::size_t a, std::size_t b) { return a + b; });
  });
  for (const std::size_t n : inner) EXPECT_EQ(n, 5000u);
}

TEST_P(ParallelThreads, WorkersThatRunTogetherHaveDifferentNumbers) {
  const Executor executor(GetParam());
  const auto threads = static_cast<std::size_t>(GetParam());
  std::vector<std::atomic<int>> busy(threads);
  std::atomic<int> clashes = 0, strangers = 0;
  executor.run_chunks_with_worker(200, [&](std::size_t, std::size_t worker) {
    if (worker >= threads) {
      ++strangers;
      return;
    }
    clashes += busy[worker].fetch_add(1) != 0;
    std::this_thread::sleep_for(std::chrono::microseconds(100));
    busy[worker].fetch_sub(1);
  });
  EXPECT_EQ(clashes, 0);
  EXPECT_EQ(strangers, 0);
}

TEST_P(ParallelThreads, ReallyRunsOnThatManyThreads) {
  // Also with more threads than cores: otherwise the comparisons of thread counts mean nothing.
  const Executor executor(GetParam());
  std::mutex mutex;
  std::set<std::thread::id> seen;
  // A busy machine may keep a worker waiting: tries for a while.
  const double start = seconds_now();
  while (seen.size() < static_cast<std::size_t>(GetParam()) && seconds_now() - start < 30) {
    seen.clear();
    executor.run_chunks(64, [&](std::size_t) {
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
      const std::lock_guard lock(mutex);
      seen.insert(std::this_thread::get_id());
    });
  }
  EXPECT_EQ(seen.size(), static_cast<std::size_t>(GetParam()));
}

INSTANTIATE_TEST_SUITE_P(Counts, ParallelThreads, testing::Values(1, 2, 3, 8));

TEST(Parallel, OrderOfSummationMatters) {
  // Guards the test above: with other chunks the same values give another sum, so equal bits for
  // all thread counts are no accident of easy numbers.
  const std::vector<float> values = unordered_floats(1'000'003);
  const float straight = std::accumulate(values.begin(), values.end(), 0.0f);
  EXPECT_NE(std::bit_cast<std::uint32_t>(straight),
            std::bit_cast<std::uint32_t>(sum(Executor(1), values)));
}

TEST(Parallel, ZeroThreadsMeansAllCores) { EXPECT_GE(Executor(0).threads(), 1); }

TEST(Parallel, EmptyReductionIsTheIdentity) {
  const Executor executor(2);
  EXPECT_EQ(
      executor.reduce<int>(
          0, 42, [](std::size_t, std::size_t) { return 1; }, [](int a, int b) { return a + b; }),
      42);
}

}  // namespace
}  // namespace talus
