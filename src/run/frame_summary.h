// What happened between two frames: the sums behind statistics.csv, forces.csv and the progress
// line. Part of a checkpoint, because an interrupt may fall between two frames.
#pragma once

#include "bodies/body.h"
#include "core/error.h"
#include "particles/state.h"
#include "solver/solver.h"

#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace talus {

/// Plain data, written to checkpoints as it is.
struct StepSums {
  std::uint64_t steps = 0;
  double time = 0;                         ///< s covered
  double smallest_dt = 0;                  ///< s, of the steps not cut to end at the frame
  std::array<char, 32> smallest_reason{};  ///< which limit set the smallest step
  std::uint64_t pressure_iterations = 0, friction_iterations = 0;
  double mean_density_error = 0;  ///< time average of the mean
  double max_density_error = 0;
  double stress_change = 0;                            ///< largest
  double max_speed = 0;                                ///< m/s
  std::uint64_t asleep = 0, contacts = 0;              ///< at the last step
  std::uint64_t poured = 0, drained = 0, blocked = 0;  ///< particles
};

struct LoadSums {
  Vec3d impulse{};          ///< N s
  Vec3d angular_impulse{};  ///< N m s
  double peak_force = 0;    ///< N, largest magnitude in a step
};

class FrameSummary {
 public:
  explicit FrameSummary(std::size_t bodies = 0) : loads_(bodies) {}

  void clear();
  /// A body joined the others; it is the last.
  void add_body() { loads_.emplace_back(); }
  void add(const StepReport& report, std::span<const Body> bodies);
  void add_particles(std::uint64_t poured, std::uint64_t drained, std::uint64_t blocked);

  const StepSums& sums() const { return sums_; }
  std::string_view smallest_reason() const { return sums_.smallest_reason.data(); }
  double mean_density_error() const;
  double mean_dt() const;
  /// Mean over the interval.
  BodyLoad mean_load(std::size_t body) const;
  /// N s, of the material on the body, since the frame began.
  Vec3d impulse(std::size_t body) const { return loads_[body].impulse; }
  double peak_force(std::size_t body) const { return loads_[body].peak_force; }

  void save(State& state) const;
  Status load(const State& state);

 private:
  StepSums sums_;
  std::vector<LoadSums> loads_;
};

}  // namespace talus
