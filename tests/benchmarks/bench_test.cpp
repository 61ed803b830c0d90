#include "bench.h"

#include "cases.h"
#include "stream.h"

#include <gtest/gtest.h>
#include <numeric>
#include <set>

namespace talus {
namespace {

TEST(Bench, MedianAndExtremes) {
  const Spread odd = spread_of({3, 1, 2});
  EXPECT_EQ(odd.median, 2);
  EXPECT_EQ(odd.lowest, 1);
  EXPECT_EQ(odd.highest, 3);
  EXPECT_EQ(spread_of({4, 1, 2, 3}).median, 2.5);
  EXPECT_EQ(spread_of({}).median, 0);
}

TEST(Bench, RepeatsAreSummarised) {
  int calls = 0;
  const BenchCase item{"test/fake", "", [&](const BenchContext&) {
                         return Result<BenchRun>(BenchRun([&calls] {
                           ++calls;
                           BenchSample sample;
                           sample.particles = 100;
                           sample.steps = 10;
                           sample.seconds = calls;
                           sample.phases = {{"always", 0.5 * calls, 1}};
                           if (calls == 4) sample.phases.push_back({"rare", 1.0, 1});
                           return sample;
                         }));
                       }};
  const Executor executor(1);
  const auto result = run_case(item, {executor, true}, 3);
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(calls, 4) << "one to warm up and three that count";
  EXPECT_EQ(result->seconds.median, 3);
  EXPECT_EQ(result->seconds.lowest, 2);
  EXPECT_DOUBLE_EQ(result->cundall, 1000.0 / 3);
  ASSERT_EQ(result->phases.size(), 2u);
  EXPECT_EQ(result->phases[0].value.median, 1.5);
  EXPECT_EQ(result->phases[1].value.lowest, 0) << "a phase that did not happen took no time";
}

TEST(Bench, AFailedPreparationIsReported) {
  const BenchCase item{"test/broken", "", [](const BenchContext&) -> Result<BenchRun> {
                         return work_error("no scene");
                       }};
  const Executor executor(1);
  const auto result = run_case(item, {executor, true}, 1);
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().message, "no scene");
}

TEST(Bench, JsonSurvivesOddNames) {
  BenchMachine machine;
  machine.cpu = "A \"fast\" one\\\n";
  BenchResult result;
  result.name = "x";
  const std::string json = to_json(machine, {result, result});
  EXPECT_NE(json.find(R"("cpu": "A \"fast\" one\\\u000a")"), std::string::npos) << json;
  EXPECT_NE(json.find("\"cundall_number\""), std::string::npos);
  EXPECT_NE(to_table(machine, {result}).find("Cundall number"), std::string::npos);
}

TEST(Bench, StreamReadsEveryWord) {
  std::vector<std::uint64_t> words(100'000);
  std::iota(words.begin(), words.end(), std::uint64_t{0});
  const std::uint64_t expected = 100'000ull * 99'999ull / 2;
  for (const int threads : {1, 3})
    EXPECT_EQ(sum_words(std::as_bytes(std::span(words)), Executor(threads)), expected);
  EXPECT_GT(stream_seconds(1 << 20, Executor(1)), 0);
}

TEST(Bench, RegisteredCasesHaveNamesOfTheirOwn) {
  BenchRegistry registry;
  register_cases(registry);
  std::set<std::string> names;
  for (const BenchCase& item : registry.cases()) {
    EXPECT_TRUE(names.insert(item.name).second) << item.name << " twice";
    EXPECT_NE(item.name.find('/'), std::string::npos) << item.name << " is not module/what";
    EXPECT_FALSE(item.meaning.empty()) << item.name;
  }
}

TEST(Bench, TheMachineIsNamed) {
  const BenchMachine machine = this_machine();
  EXPECT_FALSE(machine.cpu.empty());
  EXPECT_FALSE(machine.compiler.empty());
  EXPECT_GT(machine.cores, 0);
  EXPECT_GT(machine.memory_gib, 0);
}

}  // namespace
}  // namespace talus
