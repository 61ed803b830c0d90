// How long a step may be, and why (limits measured; docs/numerics.md):
//   speed   neither particles nor bodies move more than 0.4 a; but the step is not cut below a
//           tenth of the one asked for because of a few stray particles that meet nobody anyway
//   depth   sand under load must be stiff, and a pass of the stress bears only so much stiffness:
//           where more passes would be needed than a step may have (sph/elastoplastic.h). Models
//           that forget the stress know no depth
#pragma once

#include <algorithm>
#include <cmath>
#include <string_view>

namespace talus::sph {

struct StepLimits {
  double asked = 0;       ///< s, upper limit of the scene
  double left = 0;        ///< s to the end of the frame
  double spacing = 0;     ///< m
  double max_speed = 0;   ///< m/s
  double body_speed = 0;  ///< m/s, of the fastest surface point of a body
  double depth = 1e30;    ///< s, by the load; see above
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
    limit(in.depth, "depth");
  }
  if (in.left <= out.dt) return {in.left, "frame"};
  // Even steps up to the end of the frame, instead of full ones and a tiny rest.
  out.dt = in.left / std::ceil(in.left / out.dt - 1e-9);
  return out;
}

}  // namespace talus::sph
