// Times the steps of a solver: what the cases of all solvers share.
#pragma once

#include "bench.h"
#include "solver/solver.h"

namespace talus {

/// `steps` steps of at most `dt` seconds; inspect(report) sees the report of each.
template <class Inspect>
BenchSample time_steps(Solver& solver, std::uint64_t steps, double dt, Inspect&& inspect) {
  BenchSample sample;
  sample.particles = solver.particles().size();
  sample.steps = steps;
  solver.timers().reset();
  const double start = seconds_now();
  for (std::uint64_t k = 0; k < steps; ++k) {
    const auto report = solver.step(dt);
    TALUS_CHECK(report.ok(), "{}", report.ok() ? "" : report.error().message);
    inspect(*report);
  }
  sample.seconds = seconds_now() - start;
  sample.phases = solver.timers().phases();
  sample.bytes_per_particle =
      static_cast<double>(solver.memory_bytes()) / static_cast<double>(sample.particles);
  return sample;
}

}  // namespace talus
