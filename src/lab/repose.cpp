#include "lab/repose.h"

#include "core/timer.h"
#include "lab/flank.h"
#include "lab/settled.h"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

namespace talus {

namespace {

constexpr double slope_band = 1;  // degrees: flow starts and stops this near to what was asked for
constexpr double heap_band = 2;

SceneOverrides asked_for(double angle, double spacing) {
  return {fmt::format("material.sand.friction_angle_deg={}", angle),
          fmt::format("sph.spacing={}", spacing)};
}

double mean_speed_along_x(const Simulation& simulation) {
  double sum = 0;
  const auto v = simulation.particles().values<Vec3f>("velocity");
  for (const Vec3f& u : v) sum += double{u.x};
  return v.empty() ? 0 : sum / static_cast<double>(v.size());
}

/// Tilts gravity to `degrees`, steps for `seconds`, returns the mean speed down the slope.
Result<double> tilt_for(Simulation& simulation, double degrees, double seconds) {
  const double angle = degrees * std::numbers::pi / 180;
  simulation.set_gravity({9.81 * std::sin(angle), 0, -9.81 * std::cos(angle)});
  for (const double end = simulation.time() + seconds; simulation.time() < end - 1e-9;)
    if (Result<StepReport> report = simulation.step(); !report) return report.error();
  return mean_speed_along_x(simulation);
}

struct SlopeAngles {
  double first = 0;  ///< degrees: from here on the bed speeds up, as it was filled
  double start = 0;  ///< the same once it has flowed and rested
  double stop = 0;   ///< on the way back: from here on it slows down
};

/// A bed without ends whose tilt changes by a tenth of a degree every tenth of a second.
class TiltedBed {
 public:
  TiltedBed(const LabContext& context, Simulation& bed, double angle, Curve& curve)
      : context_(context), bed_(bed), angle_(angle), curve_(curve) {}

  /// Up until the bed flows in earnest; the last tilt at which it was slow, less what a Coulomb
  /// material needs to get that fast: beyond its angle it accelerates in proportion to the excess.
  Result<double> start_of_flow() {
    constexpr double slow = 0.02, fast = 0.5;  // m/s
    double last_slow = 0;
    for (tilt_ = angle_ - 6; speed_ < fast && tilt_ < angle_ + 10; tilt_ += step) {
      if (Status s = go(); !s) return s.error();
      if (speed_ < slow) last_slow = tilt_;
    }
    const double radian = 180 / std::numbers::pi;
    return last_slow - std::sqrt(2 * slow * std::cos(angle_ / radian) / 9.81 * radian);
  }

  /// Down again: where the speed is largest, friction and weight are in balance.
  Result<double> end_of_flow() {
    double fastest = 0, found = tilt_;
    for (; tilt_ > angle_ - 6; tilt_ -= step) {
      if (Status s = go(); !s) return s.error();
      if (speed_ > fastest) {
        fastest = speed_;
        found = tilt_;
      }
    }
    return found;
  }

  Status rest() {
    tilt_ = angle_ - 8;
    for (int k = 0; k < 20; ++k)
      if (Status s = go(); !s) return s;
    return {};
  }

 private:
  static constexpr double step = 0.1;  // degrees, and seconds

  Status go() {
    if (context_.stop()) return lab::stopped();
    Result<double> now = tilt_for(bed_, tilt_, step);
    if (!now) return now.error();
    speed_ = *now;
    curve_.x.push_back(tilt_);
    curve_.y.push_back(speed_);
    return {};
  }

  const LabContext& context_;
  Simulation& bed_;
  double angle_;
  Curve& curve_;
  double tilt_ = 0, speed_ = 0;
};

Result<SlopeAngles> tilt_up_and_down(const LabContext& context, double angle, double spacing,
                                     Curve& curve) {
  auto created = lab::started(context, "repose/slope.toml", asked_for(angle, spacing));
  if (!created) return created.error();
  TiltedBed bed(context, **created, angle, curve);
  const Result<double> first = bed.start_of_flow();
  if (!first) return first.error();
  const Result<double> stop = bed.end_of_flow();
  if (!stop) return stop.error();
  if (Status s = bed.rest(); !s) return s.error();
  const Result<double> start = bed.start_of_flow();
  if (!start) return start.error();
  return SlopeAngles{*first, *start, *stop};
}

Status measure_slopes(const LabContext& context, LabReport& report) {
  const std::vector<double> spacings =
      context.full ? std::vector<double>{0.05, 0.025, 0.0125} : std::vector<double>{0.05};
  Plot plot{"slopes", "A tilted bed without ends", "tilt, degrees", "mean speed, m/s", false, false,
            {}};
  for (const double spacing : spacings) {
    for (const double angle : {20.0, 30.0, 40.0}) {
      const std::string name = fmt::format("slope, {:.0f} degrees, spacing {} m", angle, spacing);
      context.say(name);
      Curve curve{name, CurveKind::line, {}, {}, {}};
      Result<SlopeAngles> found = tilt_up_and_down(context, angle, spacing, curve);
      if (!found) return found.error();
      plot.curves.push_back(std::move(curve));
      const double lower = angle - slope_band, upper = angle + slope_band;
      report.quantities.push_back(
          {name + ": starts", "degrees", found->start, 0.1, lower, upper, "asked for"});
      report.remarks.push_back({name + ": starts, as filled, degrees", found->first, 0.1, ""});
      report.quantities.push_back(
          {name + ": slows", "degrees", found->stop, 0.1, lower, upper, "asked for"});
    }
  }
  report.plots.push_back(std::move(plot));
  return {};
}

Status measure_heap(const LabContext& context, double angle, double spacing, LabReport& report,
                    Plot& plot) {
  auto created = lab::started(context, "repose/pour.toml", asked_for(angle, spacing));
  if (!created) return created.error();
  Simulation& pour = **created;
  const std::string name =
      fmt::format("poured, {:.0f} degrees, {:.2g} K particles", angle,
                  static_cast<double>(pour.expected_particles(pour.frame_count())) / 1000);
  const double before = seconds_now();
  if (Status s = lab::run_to_end(context, pour, name); !s) return s;
  report.remarks.push_back(
      {name + ": mean step, ms", 1000 * pour.time() / static_cast<double>(pour.steps()), 0, ""});
  report.remarks.push_back(
      {name + ": seconds of work for one of sand", (seconds_now() - before) / pour.time(), 0, ""});
  const Flank flank = measure_flank(pour.particles().values<Vec3f>("position"), spacing,
                                    spacing * spacing * spacing);
  report.quantities.push_back({name, "degrees", flank.angle_deg, flank.error_deg, angle - heap_band,
                               angle + heap_band, "asked for"});
  plot.curves.push_back({name, CurveKind::points, flank.radius, flank.profile, {}});
  return {};
}

}  // namespace

Result<LabReport> run_repose(const LabContext& context) {
  LabReport report;
  if (Status s = measure_slopes(context, report); !s) return s.error();
  const std::vector<double> angles =
      context.full ? std::vector<double>{20, 30, 40, 45, 55, 60} : std::vector<double>{30};
  const std::vector<double> spacings =
      context.full ? std::vector<double>{0.05, 0.0245, 0.012} : std::vector<double>{0.05};
  Plot heaps{"heaps", "Poured heaps", "radius, m", "height, m", false, false, {}};
  for (const double spacing : spacings)  // 7 K, 60 K and 500 K particles
    for (const double angle : angles)
      if (Status s = measure_heap(context, angle, spacing, report, heaps); !s) return s.error();
  report.plots.push_back(std::move(heaps));
  return report;
}

}  // namespace talus
