// How long a step may be, and why (limits measured; docs/numerics.md):
//   speed   neither particles nor bodies move more than 0.4 a; but the step is not cut below a
//           tenth of the one asked for because of a few stray particles that meet nobody anyway
//   depth   0.35 a / sqrt(p_max/rho): the stress solve passes load on by a few spacings each
//           step, and a deep layer must not fall further than it can be caught. Models that
//           forget the stress know no depth: theirs is what stops this step, and grows as it
//           shortens
#pragma once

#include <algorithm>
#include <cmath>
#include <string_view>

namespace talus::sph {

struct StepLimits {
  double asked = 0;         ///< s, upper limit of the scene
  double left = 0;          ///< s to the end of the frame
  double spacing = 0;       ///< m
  double max_speed = 0;     ///< m/s
  double body_speed = 0;    ///< m/s, of the fastest surface point of a body
  double max_pressure = 0;  ///< over rest density, m^2/s^2; 0: unknown
  bool adaptive = true;
};

struct StepChoice {
  double dt = 0;
  std::string_view reason;
};

inline StepChoice choose_time_step(const StepLimits& in) {
  StepChoice out{in.asked, "asked for"};
  const auto limit = [&](double value, std::string_view reason) {
    if (value < out.dt) out = {value, reason};
  };
  if (in.adaptive) {
    limit(std::max(0.4 * in.spacing / std::max(in.max_speed, 1e-9), 0.1 * in.asked), "speed");
    limit(0.4 * in.spacing / std::max(in.body_speed, 1e-9), "bodies");
    limit(0.35 * in.spacing / std::sqrt(std::max(in.max_pressure, 1e-9)), "depth");
  }
  if (in.left <= out.dt) return {in.left, "frame"};
  // Even steps up to the end of the frame, instead of full ones and a tiny rest.
  out.dt = in.left / std::ceil(in.left / out.dt - 1e-9);
  return out;
}

}  // namespace talus::sph
