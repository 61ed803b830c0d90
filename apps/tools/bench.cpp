// talus bench: runs the cases that the modules registered; prints a table, writes JSON.

#include "bench.h"

#include "cases.h"
#include "cli.h"
#include "frames/atomic_file.h"
#include "scene/diagnostics.h"
#include "verbs.h"

#include <fmt/format.h>

namespace talus {

namespace {

struct BenchArguments {
  std::string pattern, json;
  int threads = 0, repeats = 5;
  bool quick = false, list = false;
};

/// Cases whose name is, or begins with, the pattern; all of them when it is empty.
std::vector<BenchCase> chosen(const BenchRegistry& registry, const std::string& pattern) {
  std::vector<BenchCase> cases;
  for (const BenchCase& item : registry.cases())
    if (item.name.starts_with(pattern)) cases.push_back(item);
  return cases;
}

Error no_such_case(const BenchRegistry& registry, const std::string& pattern) {
  std::vector<std::string> names;
  for (const BenchCase& item : registry.cases()) names.push_back(item.name);
  const std::string guess = nearest_word(pattern, names);
  return request_error("no benchmark case '{}'{}\n'talus bench --list' shows them", pattern,
                       guess.empty() ? "" : fmt::format("; did you mean '{}'?", guess));
}

Result<std::vector<BenchResult>> run_cases(const std::vector<BenchCase>& cases,
                                           const BenchArguments& arguments) {
  const Executor executor(arguments.threads);
  const BenchContext context{executor, arguments.quick};
  std::vector<BenchResult> results;
  for (const BenchCase& item : cases) {
    fmt::print(stderr, "measuring {} ...\n", item.name);
    Result<BenchResult> result = run_case(item, context, arguments.repeats);
    if (!result) return result.error();
    results.push_back(*std::move(result));
  }
  return results;
}

int verb_bench(VerbArguments args) {
  BenchArguments arguments;
  Cli cli("bench", "measure the throughput of each phase on this machine");
  cli.optional_word("CASE", arguments.pattern, "a case or the beginning of its name; default all");
  cli.option("--json", arguments.json, "also write the results to this file");
  cli.option("-j,--threads", arguments.threads, 0, 1024, "threads; 0 = all cores");
  cli.option("--repeat", arguments.repeats, 1, 1000, "repetitions, of which the median counts");
  cli.flag("--quick", arguments.quick, "small problems: tries the cases, does not measure");
  cli.flag("--list", arguments.list, "list the cases and stop");
  if (const auto stop = cli.parse(args)) return *stop;

  BenchRegistry registry;
  register_cases(registry);
  if (arguments.list) {
    for (const BenchCase& item : registry.cases())
      fmt::print("{:<24} {}\n", item.name, item.meaning);
    return 0;
  }
  const std::vector<BenchCase> cases = chosen(registry, arguments.pattern);
  if (cases.empty()) return report_error(no_such_case(registry, arguments.pattern));
  const Result<std::vector<BenchResult>> results = run_cases(cases, arguments);
  if (!results) return report_error(results.error());
  const BenchMachine machine = this_machine();
  fmt::print("{}", to_table(machine, *results));
  if (!arguments.json.empty()) {
    const Status written = write_text_file(arguments.json, to_json(machine, *results));
    if (!written) return report_error(written.error());
  }
  return 0;
}

}  // namespace

}  // namespace talus

int main(int argc, char** argv) { return talus::run_guarded(argc, argv, talus::verb_bench); }
