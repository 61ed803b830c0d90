// Arguments of a verb: declares them, parses them, and answers mistakes with one helpful line and
// exit code 2. The parser behind it (CLI11) is confined to cli.cpp, so that a verb compiles fast.
//
//   std::string scene, output;
//   int threads = 0;
//   Cli cli("run", "simulate a scene; writes a run folder");
//   cli.word("SCENE", scene, "scene file");
//   cli.option("-o,--output", output, "run folder; default out/NAME");
//   cli.option("-j,--threads", threads, 0, 1024, "threads; 0 = all cores");
//   if (const auto stop = cli.parse(args)) return *stop;
#pragma once

#include "core/error.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace talus {

class Cli {
 public:
  Cli(std::string verb, std::string summary);
  ~Cli();
  Cli(const Cli&) = delete;
  Cli& operator=(const Cli&) = delete;

  /// A word in its place, e.g. SCENE; `name` is how the help and the messages call it.
  void word(const std::string& name, std::string& value, const std::string& meaning);
  void optional_word(const std::string& name, std::string& value, const std::string& meaning);
  void words(const std::string& name, std::vector<std::string>& values, const std::string& meaning);

  /// An option with a value; `names` is "-o,--output". The value before parsing is the default,
  /// which the help shows. Numbers must lie in [lower, upper].
  void option(const std::string& names, std::string& value, const std::string& meaning);
  void option(const std::string& names, int& value, int lower, int upper,
              const std::string& meaning);
  void option(const std::string& names, std::uint64_t& value, const std::string& meaning);
  void option(const std::string& names, double& value, double lower, double upper,
              const std::string& meaning);
  /// May be given several times, one value each: --set a=1 --set b=2.
  void option(const std::string& names, std::vector<std::string>& values,
              const std::string& meaning);
  /// One of the words in `allowed`.
  void choice(const std::string& names, std::string& value, const std::vector<std::string>& allowed,
              const std::string& meaning);
  void flag(const std::string& names, bool& value, const std::string& meaning);

  /// Text below the list of options in --help: examples, exit codes.
  void footer(const std::string& text);

  /// True when the option, e.g. "--seed", was on the command line.
  bool given(const std::string& name) const;

  /// Empty when the verb should go on; else the exit code it must return: 0 after --help, 2 after a
  /// mistake, which has been printed.
  [[nodiscard]] std::optional<int> parse(std::span<const std::string> args);

 private:
  struct Parser;
  std::unique_ptr<Parser> parser_;
};

/// The exit code of a verb that Ctrl-C stopped after it had saved its work.
constexpr int exit_interrupted = 130;

/// "3:10:2" -> {3, 10, 2} for separator ':'. An empty part keeps its default.
Status parse_numbers(const std::string& text, char separator, std::vector<double>& numbers);

/// Calls `verb` with the words of the command line after the program's name; an exception that
/// escapes it becomes a message and exit code 1.
int run_guarded(int argc, char** argv, int (*verb)(std::span<const std::string>));

/// Prints "talus: MESSAGE" to stderr and returns the exit code that belongs to the error.
int report_error(const Error& error);

}  // namespace talus
