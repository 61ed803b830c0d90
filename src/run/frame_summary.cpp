#include "run/frame_summary.h"

#include <algorithm>

namespace talus {

void FrameSummary::clear() {
  sums_ = {};
  std::fill(loads_.begin(), loads_.end(), LoadSums{});
}

void FrameSummary::add(const StepReport& report, std::span<const Body> bodies) {
  // The last step before a frame is cut to fit; it says nothing unless all steps are like that.
  const bool cut = report.dt_reason == "frame", stored_cut = smallest_reason() == "frame";
  const bool smaller = cut == stored_cut ? report.dt < sums_.smallest_dt : stored_cut;
  if (sums_.steps == 0 || smaller) {
    sums_.smallest_dt = report.dt;
    sums_.smallest_reason = {};
    report.dt_reason.copy(sums_.smallest_reason.data(), sums_.smallest_reason.size() - 1);
  }
  ++sums_.steps;
  sums_.time += report.dt;
  sums_.pressure_iterations += static_cast<std::uint64_t>(std::max(report.pressure_iterations, 0));
  sums_.friction_iterations += static_cast<std::uint64_t>(std::max(report.friction_iterations, 0));
  sums_.mean_density_error += report.mean_density_error * report.dt;
  sums_.max_density_error = std::max(sums_.max_density_error, report.max_density_error);
  sums_.stress_change = std::max(sums_.stress_change, report.stress_change);
  sums_.max_speed = std::max(sums_.max_speed, report.max_speed);
  sums_.asleep = report.asleep;
  sums_.contacts = report.contacts;
  for (std::size_t b = 0; b < loads_.size(); ++b) {
    const BodyLoad& load = bodies[b].load;
    loads_[b].impulse += load.force * report.dt;
    loads_[b].angular_impulse += load.torque * report.dt;
    loads_[b].peak_force = std::max(loads_[b].peak_force, norm(load.force));
  }
}

void FrameSummary::add_particles(std::uint64_t poured, std::uint64_t drained,
                                 std::uint64_t blocked) {
  sums_.poured += poured;
  sums_.drained += drained;
  sums_.blocked += blocked;
}

double FrameSummary::mean_density_error() const {
  return sums_.time > 0 ? sums_.mean_density_error / sums_.time : 0;
}

double FrameSummary::mean_dt() const {
  return sums_.steps > 0 ? sums_.time / static_cast<double>(sums_.steps) : 0;
}

BodyLoad FrameSummary::mean_load(std::size_t body) const {
  if (!(sums_.time > 0)) return {};
  return {loads_[body].impulse / sums_.time, loads_[body].angular_impulse / sums_.time};
}

void FrameSummary::save(State& state) const {
  state.put("run/sums", sums_);
  state.put("run/loads", std::span<const LoadSums>(loads_));
}

Status FrameSummary::load(const State& state) {
  const std::size_t bodies = loads_.size();
  if (Status status = state.get("run/sums", sums_); !status.ok()) return status;
  if (Status status = state.get("run/loads", loads_); !status.ok()) return status;
  sums_.smallest_reason.back() = '\0';
  if (loads_.size() != bodies)
    return work_error("checkpoint has loads of {} bodies, the scene has {}", loads_.size(), bodies);
  return {};
}

}  // namespace talus
