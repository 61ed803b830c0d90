#include "run/progress.h"

#include "frames/json.h"

#include <cmath>

namespace talus {

std::string human_seconds(double seconds) {
  const auto s = static_cast<std::uint64_t>(std::llround(std::max(seconds, 0.0)));
  if (s < 60) return fmt::format("{} s", s);
  if (s < 3600) return fmt::format("{} min {} s", s / 60, s % 60);
  return fmt::format("{} h {} min", s / 3600, s % 3600 / 60);
}

FrameProgress frame_progress(const Simulation& simulation, std::uint64_t frames, double elapsed,
                             double remaining, double seconds) {
  const FrameSummary& summary = simulation.summary();
  const StepSums& sums = summary.sums();
  const double steps = static_cast<double>(std::max<std::uint64_t>(sums.steps, 1));
  FrameProgress p;
  p.frame = simulation.frame();
  p.frames = frames;
  p.time = simulation.time();
  p.elapsed = elapsed;
  p.remaining = remaining;
  p.steps = sums.steps;
  p.mean_dt = summary.mean_dt();
  p.smallest_dt = sums.smallest_dt;
  p.dt_reason = summary.smallest_reason();
  p.pressure_iterations = static_cast<double>(sums.pressure_iterations) / steps;
  p.friction_iterations = static_cast<double>(sums.friction_iterations) / steps;
  p.max_speed = sums.max_speed;
  p.max_density_error = sums.max_density_error;
  p.particles = simulation.particles().size();
  p.memory_bytes = resident_bytes();
  p.cundall = seconds > 0 ? static_cast<double>(p.particles * p.steps) / seconds : 0;
  return p;
}

std::string progress_line(const FrameProgress& p) {
  std::string line = fmt::format("frame {}/{}", p.frame, p.frames);
  if (p.remaining >= 0) line += "  ETA " + human_seconds(p.remaining);
  if (p.steps > 0)
    line += fmt::format(
        "  {} steps of {:.3g} ms ({})  iterations {:.1f}+{:.1f}  fastest {:.3g} m/s", p.steps,
        p.mean_dt * 1e3, p.dt_reason, p.pressure_iterations, p.friction_iterations, p.max_speed);
  line += fmt::format("  {} particles  {}", p.particles, human_bytes(p.memory_bytes));
  if (p.cundall > 0) line += fmt::format("  {:.3g} grains x steps/s", p.cundall);
  return line;
}

std::string progress_json(const FrameProgress& p) {
  const json_read::json data{{"frame", p.frame},
                             {"frames", p.frames},
                             {"time", p.time},
                             {"elapsed_seconds", p.elapsed},
                             {"remaining_seconds", p.remaining},
                             {"steps", p.steps},
                             {"mean_dt", p.mean_dt},
                             {"smallest_dt", p.smallest_dt},
                             {"smallest_dt_reason", p.dt_reason},
                             {"pressure_iterations", p.pressure_iterations},
                             {"friction_iterations", p.friction_iterations},
                             {"max_speed", p.max_speed},
                             {"max_density_error", p.max_density_error},
                             {"particles", p.particles},
                             {"memory_bytes", p.memory_bytes},
                             {"cundall", p.cundall}};
  return json_read::dump(data);
}

void ProgressPrinter::finish_line() {
  if (line_open_) fmt::print(out_, "\n");
  line_open_ = false;
}

void ProgressPrinter::say(const std::string& line) {
  if (mode_ == ProgressMode::json || mode_ == ProgressMode::quiet) return;
  finish_line();
  fmt::print(out_, "{}\n", line);
  std::fflush(out_);
}

void ProgressPrinter::frame(const FrameProgress& progress) {
  switch (mode_) {
    case ProgressMode::quiet: return;
    case ProgressMode::json: fmt::print(out_, "{}\n", progress_json(progress)); break;
    case ProgressMode::lines: fmt::print(out_, "{}\n", progress_line(progress)); break;
    case ProgressMode::terminal:
      // Back to the first column, and clear what a longer line left.
      fmt::print(out_, "\r{}\x1b[K", progress_line(progress));
      line_open_ = true;
      break;
  }
  std::fflush(out_);
}

void ProgressPrinter::end(const std::string& state, const std::string& folder,
                          const std::string& line) {
  finish_line();
  if (mode_ == ProgressMode::json)
    fmt::print(out_, "{}\n",
               json_read::dump(json_read::json{{"state", state}, {"folder", folder}}));
  else if (mode_ != ProgressMode::quiet)
    fmt::print(out_, "{}\n", line);
  std::fflush(out_);
}

}  // namespace talus
