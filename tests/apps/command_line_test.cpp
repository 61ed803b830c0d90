// The program as a user meets it: exit codes and messages of right and wrong commands.
#include <array>
#include <cstdio>
#include <fstream>
#include <gtest/gtest.h>
#include <string>
#include <sys/wait.h>

namespace {

struct Outcome {
  int code = -1;
  std::string text;  ///< stdout and stderr
};

Outcome talus(const std::string& arguments) {
  const std::string command = std::string("'") + TALUS_PROGRAM + "' " + arguments + " 2>&1";
  std::FILE* pipe = popen(command.c_str(), "r");
  Outcome outcome;
  if (pipe == nullptr) return outcome;
  std::array<char, 4096> buffer;
  while (const std::size_t n = std::fread(buffer.data(), 1, buffer.size(), pipe))
    outcome.text.append(buffer.data(), n);
  const int status = pclose(pipe);
  outcome.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return outcome;
}

void expect(const std::string& arguments, int code, const std::string& text) {
  const Outcome outcome = talus(arguments);
  EXPECT_EQ(outcome.code, code) << "talus " << arguments << "\n" << outcome.text;
  EXPECT_NE(outcome.text.find(text), std::string::npos)
      << "talus " << arguments << " does not say '" << text << "' but\n"
      << outcome.text;
}

TEST(CommandLine, HelpAndVersion) {
  expect("--version", 0, "talus 0.");
  expect("--help", 0, "usage: talus VERB");
  expect("-h", 0, "usage: talus VERB");
  expect("", 2, "usage: talus VERB");
}

TEST(CommandLine, AnUnknownVerbGetsASuggestion) {
  expect("bnech", 2, "unknown verb 'bnech'; did you mean 'bench'?");
  expect("qqqqqqq", 2, "'talus --help' lists the verbs");
}

TEST(CommandLine, EveryListedVerbHasHelp) {
  const std::string help = talus("--help").text;
  std::size_t verbs = 0;
  for (std::size_t at = help.find("\n  "); at != std::string::npos;
       at = help.find("\n  ", at + 1)) {
    const std::string verb = help.substr(at + 3, help.find(' ', at + 3) - at - 3);
    expect(verb + " --help", 0, "Usage: talus " + verb);
    ++verbs;
  }
  EXPECT_GE(verbs, 5u);
}

TEST(CommandLine, MistakesInArgumentsExitWithTwo) {
  expect("bench --jsn x", 2, "unknown option '--jsn'; did you mean '--json'?");
  expect("bench one two", 2, "'two' is one word too many");
  expect("bench -j many", 2, "'many' is not a number from 0 to 1024");
  expect("bench -j -1", 2, "not a number from 0 to 1024");
  expect("bench --repeat nan", 2, "not a number");
  expect("bench --json", 2, "--json");
  expect("bench particles/raeorder", 2, "did you mean 'particles/reorder'?");
}

TEST(CommandLine, AMissingWordIsNamed) { expect("run", 2, "SCENE"); }

TEST(CommandLine, BenchMeasuresAndWritesJson) {
  const std::string file = testing::TempDir() + "talus_bench.json";
  expect("bench particles/reorder --quick --repeat 2 -j 2 --json '" + file + "'", 0,
         "Cundall number");
  std::ifstream stream(file);
  const std::string json{std::istreambuf_iterator<char>(stream), {}};
  EXPECT_NE(json.find("\"particles/reorder\""), std::string::npos);
  EXPECT_NE(json.find("\"bytes_per_particle\""), std::string::npos);
  std::remove(file.c_str());
}

TEST(CommandLine, AFileThatCannotBeWrittenIsAFailureOfTheWork) {
  expect("bench particles/reorder --quick --repeat 1 --json /nonexistent/x.json", 1,
         "cannot write '/nonexistent/x.json'");
}

}  // namespace
