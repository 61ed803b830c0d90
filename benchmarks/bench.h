// Benchmarks: a module registers cases in the registry that it is given; `talus bench` runs them.
// A case is prepared once, outside the clock, and then repeated; each repetition returns a sample.
//
//   registry.add({"store/reorder", "what it measures", [](const BenchContext& context) {
//     auto data = std::make_shared<Data>(...);                     // not timed
//     return Result<BenchRun>([data, &context] { ...; return sample; });  // timed by the case
//     itself
//   }});
#pragma once

#include "core/error.h"
#include "core/parallel.h"
#include "core/timer.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace talus {

/// What a case may use. Outlives all of its repetitions.
struct BenchContext {
  const Executor& executor;
  bool quick = false;  ///< smaller problem: shows that the case works, not how fast the machine is
};

/// A figure of one case beyond those that all have, e.g. {"neighbours", "1", 30.2}.
struct BenchFigure {
  std::string name;
  std::string unit;
  double value = 0;
};

/// What one repetition measured.
struct BenchSample {
  std::uint64_t particles = 0;
  std::uint64_t steps = 1;
  double seconds = 0;             ///< of all steps
  double bytes_per_particle = 0;  ///< memory held by the case
  std::vector<Phase> phases;      ///< seconds of all steps, by phase
  std::vector<BenchFigure> figures;
};

using BenchRun = std::function<BenchSample()>;

struct BenchCase {
  std::string name;     ///< "module/what"
  std::string meaning;  ///< one line for the list
  std::function<Result<BenchRun>(const BenchContext&)> prepare;
};

class BenchRegistry {
 public:
  void add(BenchCase item) { cases_.push_back(std::move(item)); }
  const std::vector<BenchCase>& cases() const { return cases_; }

 private:
  std::vector<BenchCase> cases_;
};

/// Middle and extremes of repeated measurements.
struct Spread {
  double median = 0, lowest = 0, highest = 0;
};
Spread spread_of(std::vector<double> values);

/// A case after all its repetitions.
struct BenchResult {
  std::string name;
  int threads = 0;
  int repeats = 0;
  std::uint64_t particles = 0, steps = 0;
  double bytes_per_particle = 0;
  Spread seconds;
  double cundall = 0;  ///< particles x steps / median seconds
  struct NamedSpread {
    std::string name, unit;
    Spread value;
  };
  std::vector<NamedSpread> phases;   ///< seconds
  std::vector<NamedSpread> figures;  ///< in their own units
};

/// One repetition to warm up, then `repeats` that count.
Result<BenchResult> run_case(const BenchCase& item, const BenchContext& context, int repeats);

/// Where figures were measured; they mean nothing without it.
struct BenchMachine {
  std::string cpu, compiler, flags, commit, system;
  long cores = 0;
  double memory_gib = 0;
};
BenchMachine this_machine();

std::string to_table(const BenchMachine& machine, const std::vector<BenchResult>& results);
std::string to_json(const BenchMachine& machine, const std::vector<BenchResult>& results);

}  // namespace talus
