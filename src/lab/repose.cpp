#include "lab/repose.h"

#include "core/timer.h"
#include "lab/flank.h"
#include "lab/settled.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace talus {

namespace {

constexpr double slope_band = 1;  // degrees: flow starts and stops this near to what was asked for
constexpr double heap_band = 2;
constexpr double heap_rests = 1e-3;  // m/s, mean speed: what still flows then is a few particles

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

struct Slope {
  double angle, spacing;  ///< degrees, m
  std::string name{};
  Curve curve{};
  SlopeAngles found{};
};

Status measure_slopes(const LabContext& context, LabReport& report) {
  const std::vector<double> spacings =
      context.full ? std::vector<double>{0.05, 0.025, 0.0125} : std::vector<double>{0.05};
  std::vector<Slope> slopes;
  for (const double spacing : spacings)
    for (const double angle : {20.0, 30.0, 40.0}) slopes.push_back({angle, spacing});
  const Status done = lab::side_by_side(
      context, slopes.size(), [&](const LabContext& own, std::size_t k) -> Status {
        Slope& slope = slopes[k];
        slope.name = fmt::format("slope, {:.0f} degrees, spacing {} m", slope.angle, slope.spacing);
        slope.curve = {slope.name, CurveKind::line, {}, {}, {}};
        own.say(slope.name);
        const auto found = tilt_up_and_down(own, slope.angle, slope.spacing, slope.curve);
        if (!found) return found.error();
        slope.found = *found;
        return {};
      });
  if (!done) return done;
  Plot plot{"slopes", "A tilted bed without ends", "tilt, degrees", "mean speed, m/s", false, false,
            {}};
  for (Slope& slope : slopes) {
    const double lower = slope.angle - slope_band, upper = slope.angle + slope_band;
    report.quantities.push_back(
        {slope.name + ": starts", "degrees", slope.found.start, 0.1, lower, upper, "asked for"});
    report.remarks.push_back(
        {slope.name + ": starts, as filled, degrees", slope.found.first, 0.1, ""});
    report.quantities.push_back(
        {slope.name + ": slows", "degrees", slope.found.stop, 0.1, lower, upper, "asked for"});
    plot.curves.push_back(std::move(slope.curve));
  }
  report.plots.push_back(std::move(plot));
  return {};
}

struct Heap {
  double angle, spacing;  ///< degrees, m
  std::string name{};
  Flank flank{};
  double step = 0;  ///< s, mean
  double work = 0;  ///< s that one of sand took; hardly any when the heap had been kept
};

/// The nozzle hangs a little above the top of the cone that the sand will be, however steep.
Result<Scene> heap_scene(const LabContext& context, const Heap& heap) {
  const std::string file = context.folder + "/repose/pour.toml";
  SceneOverrides changes = asked_for(heap.angle, heap.spacing);
  changes.push_back(
      fmt::format("body.rough ground.friction_angle_deg={}", std::max(heap.angle, 45.0)));
  auto scene = read_scene(file, changes);
  if (!scene) return scene;
  const Pour& stream = scene->pours[0];
  const double volume = stream.rate * stream.stop / scene->materials[0].density;
  const double slope = std::tan(heap.angle * std::numbers::pi / 180);
  const double top = std::cbrt(3 * volume * slope * slope / std::numbers::pi);
  changes.push_back(fmt::format("pour.0.position=[0, 0, {:.3f}]", top + 0.1));
  return read_scene(file, changes);
}

Status measure_heap(const LabContext& context, Heap& heap) {
  const auto scene = heap_scene(context, heap);
  if (!scene) return scene.error();
  const double volume = std::pow(heap.spacing, 3);
  const Pour& stream = scene->pours[0];
  heap.name =
      fmt::format("poured, {:.0f} degrees, {:.2g} K particles", heap.angle,
                  stream.rate * stream.stop / (scene->materials[0].density * volume) / 1000);
  const double before = seconds_now();
  const auto settled = lab::settled(
      context, *scene, fmt::format("heap-{}-{}", heap.angle, heap.spacing), heap_rests);
  if (!settled) return settled.error();
  const Simulation& rested = **settled;
  heap.work = (seconds_now() - before) / rested.time();
  heap.step = rested.time() / static_cast<double>(rested.steps());
  heap.flank = measure_flank(rested.particles().values<Vec3f>("position"), heap.spacing, volume);
  return {};
}

Status measure_heaps(const LabContext& context, LabReport& report) {
  const std::vector<double> angles =
      context.full ? std::vector<double>{20, 30, 40, 45, 55, 60} : std::vector<double>{30, 40, 55};
  const std::vector<double> spacings =
      context.full ? std::vector<double>{0.05, 0.0245, 0.012} : std::vector<double>{0.05};
  std::vector<Heap> heaps;
  for (const double spacing : spacings)  // 7 K, 60 K and 500 K particles
    for (const double angle : angles) heaps.push_back({angle, spacing});
  const Status done = lab::side_by_side(
      context, heaps.size(),
      [&](const LabContext& own, std::size_t k) { return measure_heap(own, heaps[k]); });
  if (!done) return done;
  Plot plot{"heaps", "Poured heaps", "radius, m", "height, m", false, false, {}};
  for (const Heap& heap : heaps) {
    report.quantities.push_back({heap.name, "degrees", heap.flank.angle_deg, heap.flank.error_deg,
                                 heap.angle - heap_band, heap.angle + heap_band, "asked for"});
    report.remarks.push_back({heap.name + ": mean step, ms", 1000 * heap.step, 0, ""});
    report.remarks.push_back(
        {heap.name + ": seconds of work for one of sand, one thread", heap.work, 0, ""});
    plot.curves.push_back(
        {heap.name, CurveKind::points, heap.flank.radius, heap.flank.profile, {}});
  }
  report.plots.push_back(std::move(plot));
  return {};
}

}  // namespace

Result<LabReport> run_repose(const LabContext& context) {
  LabReport report;
  if (Status s = measure_slopes(context, report); !s) return s.error();
  if (Status s = measure_heaps(context, report); !s) return s.error();
  return report;
}

}  // namespace talus
