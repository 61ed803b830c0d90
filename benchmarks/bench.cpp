#include "bench.h"

#include "core/machine.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <sys/utsname.h>
#include <unistd.h>

namespace talus {

Spread spread_of(std::vector<double> values) {
  if (values.empty()) return {};
  std::sort(values.begin(), values.end());
  const std::size_t n = values.size();
  const double median = n % 2 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
  return {median, values.front(), values.back()};
}

namespace {
/// The item of that name; an empty one when this repetition did not have it, e.g. a rare phase.
template <class Item>
Item named(const std::vector<Item>& items, std::string_view name) {
  const auto it =
      std::find_if(items.begin(), items.end(), [&](const Item& item) { return item.name == name; });
  return it == items.end() ? Item{} : *it;
}
}  // namespace

Result<BenchResult> run_case(const BenchCase& item, const BenchContext& context, int repeats) {
  const Result<BenchRun> run = item.prepare(context);
  if (!run) return run.error();
  (*run)();
  std::vector<BenchSample> samples;
  for (int i = 0; i < repeats; ++i) samples.push_back((*run)());

  const auto across = [&](auto&& value) {
    std::vector<double> values;
    for (const BenchSample& sample : samples) values.push_back(value(sample));
    return spread_of(std::move(values));
  };
  const BenchSample& last = samples.back();
  BenchResult result;
  result.name = item.name;
  result.threads = context.executor.threads();
  result.repeats = repeats;
  result.particles = last.particles;
  result.steps = last.steps;
  result.bytes_per_particle = last.bytes_per_particle;
  result.seconds = across([](const BenchSample& s) { return s.seconds; });
  result.cundall =
      static_cast<double>(last.particles) * static_cast<double>(last.steps) / result.seconds.median;
  for (const Phase& phase : last.phases)
    result.phases.push_back({std::string(phase.name), "s", across([&](const BenchSample& s) {
                               return named(s.phases, phase.name).seconds;
                             })});
  for (const BenchFigure& figure : last.figures)
    result.figures.push_back({figure.name, figure.unit, across([&](const BenchSample& s) {
                                return named(s.figures, figure.name).value;
                              })});
  return result;
}

namespace {

/// The commit that the source tree is at, with "-dirty" after it when files differ from it.
std::string source_commit() {
  const char* command =
      "git -C '" TALUS_SOURCE_DIR "' describe --always --dirty --abbrev=12 2>/dev/null";
  std::FILE* pipe = popen(command, "r");
  if (pipe == nullptr) return "unknown";
  char text[128] = {};
  const std::size_t length = std::fread(text, 1, sizeof text - 1, pipe);
  pclose(pipe);
  std::string commit(text, length);
  while (!commit.empty() && commit.back() == '\n') commit.pop_back();
  return commit.empty() ? "unknown" : commit;
}

}  // namespace

BenchMachine this_machine() {
  BenchMachine machine;
  machine.cpu = cpu_model();
#if defined(__clang__)
  machine.compiler = __VERSION__;
#else
  machine.compiler = "GCC " __VERSION__;
#endif
  machine.flags = TALUS_FLAGS;
  machine.commit = source_commit();
  machine.cores = sysconf(_SC_NPROCESSORS_ONLN);
  machine.memory_gib = static_cast<double>(sysconf(_SC_PHYS_PAGES)) *
                       static_cast<double>(sysconf(_SC_PAGESIZE)) / (1 << 30);
  utsname system{};
  if (uname(&system) == 0) machine.system = fmt::format("{} {}", system.sysname, system.release);
  return machine;
}

}  // namespace talus
