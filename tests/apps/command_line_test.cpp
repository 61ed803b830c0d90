// The program as a user meets it: exit codes and messages of right and wrong commands.
#include "program_call.h"

#include <cstdio>
#include <fstream>
#include <gtest/gtest.h>
#include <string>

namespace {

TEST(CommandLine, HelpAndVersion) {
  expect_call("--version", 0, "talus 0.");
  expect_call("--help", 0, "usage: talus VERB");
  expect_call("-h", 0, "usage: talus VERB");
  expect_call("", 2, "usage: talus VERB");
}

TEST(CommandLine, AnUnknownVerbGetsASuggestion) {
  expect_call("bnech", 2, "unknown verb 'bnech'; did you mean 'bench'?");
  expect_call("qqqqqqq", 2, "'talus --help' lists the verbs");
}

TEST(CommandLine, EveryListedVerbHasHelp) {
  const std::string help = talus_call("--help").text;
  std::size_t verbs = 0;
  for (std::size_t at = help.find("\n  "); at != std::string::npos;
       at = help.find("\n  ", at + 1)) {
    const std::string verb = help.substr(at + 3, help.find(' ', at + 3) - at - 3);
    expect_call(verb + " --help", 0, "Usage: talus " + verb);
    ++verbs;
  }
  EXPECT_GE(verbs, 5u);
}

TEST(CommandLine, MistakesInArgumentsExitWithTwo) {
  expect_call("bench --jsn x", 2, "unknown option '--jsn'; did you mean '--json'?");
  expect_call("bench one two", 2, "'two' is one word too many");
  expect_call("bench -j many", 2, "'many' is not a number from 0 to 1024");
  expect_call("bench -j -1", 2, "not a number from 0 to 1024");
  expect_call("bench --repeat nan", 2, "not a number");
  expect_call("bench --json", 2, "--json");
  expect_call("bench particles/raeorder", 2, "did you mean 'particles/reorder'?");
}

TEST(CommandLine, AMissingWordIsNamed) { expect_call("run", 2, "SCENE"); }

TEST(CommandLine, BenchMeasuresAndWritesJson) {
  const std::string file = testing::TempDir() + "talus_bench.json";
  expect_call("bench particles/reorder --quick --repeat 2 -j 2 --json '" + file + "'", 0,
              "Cundall number");
  std::ifstream stream(file);
  const std::string json{std::istreambuf_iterator<char>(stream), {}};
  EXPECT_NE(json.find("\"particles/reorder\""), std::string::npos);
  EXPECT_NE(json.find("\"bytes_per_particle\""), std::string::npos);
  std::remove(file.c_str());
}

TEST(CommandLine, AFileThatCannotBeWrittenIsAFailureOfTheWork) {
  expect_call("bench particles/reorder --quick --repeat 1 --json /nonexistent/x.json", 1,
              "cannot create /nonexistent/x.json");
}

}  // namespace
