// What a run says while it runs. Terminal: one line that is rewritten. File or pipe: a plain line
// for each frame. Quiet: nothing but the end. JSON: one object for each frame.
#pragma once

#include "run/estimate.h"
#include "run/simulation.h"

#include <cstdint>
#include <cstdio>
#include <string>

namespace talus {

enum class ProgressMode { lines, terminal, quiet, json };

struct FrameProgress {
  std::uint64_t frame = 0, frames = 0;
  double time = 0;       ///< s, simulated
  double elapsed = 0;    ///< s, wall clock since the start or the resume
  double remaining = 0;  ///< s, wall clock; negative when unknown
  std::uint64_t steps = 0;
  double mean_dt = 0, smallest_dt = 0;  ///< s
  std::string dt_reason;
  double pressure_iterations = 0, friction_iterations = 0;  ///< mean for a step
  double max_speed = 0;                                     ///< m/s
  double max_density_error = 0;
  std::uint64_t particles = 0;
  std::uint64_t memory_bytes = 0;
  double cundall = 0;  ///< particles x steps / second
};

FrameProgress frame_progress(const Simulation& simulation, std::uint64_t frames, double elapsed,
                             double remaining, double seconds);
/// "frame 12/240  ETA 3 min 20 s  dt 1.2 ms (speed)  ..."
std::string progress_line(const FrameProgress& progress);
std::string progress_json(const FrameProgress& progress);
std::string human_seconds(double seconds);  ///< "3 min 20 s"

class ProgressPrinter {
 public:
  ProgressPrinter(ProgressMode mode, std::FILE* out) : mode_(mode), out_(out) {}
  void say(const std::string& line);  ///< before and after the run; not in JSON or quiet
  void frame(const FrameProgress& progress);
  void end(const std::string& state, const std::string& folder, const std::string& line);

 private:
  void finish_line();
  ProgressMode mode_;
  std::FILE* out_;
  bool line_open_ = false;
};

}  // namespace talus
