// Wall-clock time of named phases. A solver owns one PhaseTimers; `talus bench`, the run statistics
// and the report read it.
#pragma once

#include <chrono>
#include <cstdint>
#include <string_view>
#include <vector>

namespace talus {

inline double seconds_now() {
  using Clock = std::chrono::steady_clock;
  return std::chrono::duration<double>(Clock::now().time_since_epoch()).count();
}

struct Phase {
  std::string_view name;  ///< must outlive the timers: a string literal
  double seconds = 0;
  std::uint64_t calls = 0;
};

class PhaseTimers {
 public:
  /// Runs work() and adds its duration to the phase `name`, a string literal.
  template <class Work>
  void time(std::string_view name, Work&& work) {
    const double start = seconds_now();
    work();
    add(name, seconds_now() - start);
  }

  void add(std::string_view name, double seconds) {
    for (Phase& phase : phases_) {
      if (phase.name.data() == name.data() || phase.name == name) {
        phase.seconds += seconds;
        ++phase.calls;
        return;
      }
    }
    phases_.push_back({name, seconds, 1});
  }

  const std::vector<Phase>& phases() const { return phases_; }
  void reset() { phases_.clear(); }

 private:
  std::vector<Phase> phases_;
};

}  // namespace talus
