#include "lab/press.h"

#include "lab/bed.h"
#include "lab/force_fits.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace talus {

namespace {

using namespace lab;

/// m/s, of the plunger: inertial numbers below 1e-3 from 1 kPa on. In full size the bed is twice as
/// deep, and this is the same rate of strain.
double speed_of(const LabContext& context) { return context.full ? 0.04 : 0.02; }
constexpr double most = 2e4;        // Pa, an order above the bed's own weight
constexpr double flattening = 2e3;  // Pa, first, to make the top even
constexpr double hurry = 0.1;       // m/s, while flattening: nothing is measured then
constexpr double nothing = 20;      // Pa, counts as no load
constexpr double sampling = 2e-3;   // s, forces are averages over this time

/// Stresses that end a drive.
auto above(double limit) {
  return [=](double stress) { return stress > limit; };
}
auto below(double limit) {
  return [=](double stress) { return stress < limit; };
}

/// What the plunger felt, over its way.
struct Course {
  std::vector<double> height, stress;  ///< m; Pa
};

/// A plunger on a bed, moved at a chosen speed.
class Press {
 public:
  Press(const LabContext& context, std::unique_ptr<Simulation> bed)
      : context_(context), simulation_(std::move(bed)), scene_(simulation_->scene()) {
    scene_.duration = 1000;
    const auto is_plunger = [](const SceneBody& b) { return b.name == "plunger"; };
    plunger_ = static_cast<std::size_t>(
        std::find_if(scene_.bodies.begin(), scene_.bodies.end(), is_plunger) -
        scene_.bodies.begin());
    z_ = simulation_->bodies()[plunger_].state.pose.position.z;
    double top = 0;
    for (const Vec3f& x : simulation_->particles().values<Vec3f>("position"))
      top = std::max(top, double{x.z});
    above_ =
        top + 0.5 * scene_.materials[0].grain_diameter + 0.5 * scene_.bodies[plunger_].shape.height;
  }

  Simulation& simulation() { return *simulation_; }
  std::unique_ptr<Simulation> take() { return std::move(simulation_); }
  double height() const { return z_; }

  /// To just above the grains, at once: there is nothing in between.
  void approach() { z_ = above_; }

  /// Moves at `velocity` until enough(stress); takes down what happened.
  template <class Enough>
  Status drive(const char* doing, double velocity, Enough&& enough, Course* course = nullptr) {
    constexpr double long_enough = 20;  // s
    SceneBody& body = scene_.bodies[plunger_];
    const double t0 = simulation_->time(), z0 = z_;
    const Vec3d from{0, 0, z0}, to{0, 0, z0 + velocity * long_enough};
    body.interpolation = Interpolation::linear;
    body.keyframes = {{t0, from, {}}, {t0 + long_enough, to, {}}};
    auto next = continued(context_, *simulation_, scene_);
    if (!next) return next.error();
    simulation_ = std::move(*next);
    double due = t0 + sampling, impulse = 0, since = t0;
    const double radius = body.shape.radius;
    const double area = std::numbers::pi * radius * radius;
    while (simulation_->time() < t0 + long_enough) {
      if (context_.stop()) return stopped();
      const double before = simulation_->at_frame() ? 0 : frame_impulse();
      if (auto report = simulation_->step(); !report) return report.error();
      impulse += frame_impulse() - before;
      z_ = z0 + velocity * (simulation_->time() - t0);
      if (simulation_->time() < due) continue;
      const double stress = impulse / (area * (simulation_->time() - since));
      if (course != nullptr) {
        course->height.push_back(z_);
        course->stress.push_back(stress);
      }
      context_.say(fmt::format("{}: {:.3f} s, plunger at {:.2f} mm, {:.0f} Pa", doing,
                               simulation_->time() - t0, 1000 * z_, stress));
      if (enough(stress)) return {};
      due += sampling;
      since = simulation_->time();
      impulse = 0;
    }
    return work_error("the plunger met nothing in {} s", long_enough);
  }

 private:
  double frame_impulse() const { return simulation_->summary().impulse(plunger_).z; }

  const LabContext& context_;
  std::unique_ptr<Simulation> simulation_;
  Scene scene_;
  std::size_t plunger_ = 0;
  double z_ = 0, above_ = 0;
};

/// A flattened bed with the plunger where it just does not press.
Result<Press> flattened(const LabContext& context, const BedKind& kind) {
  auto bed = settled_bed(context, kind);
  if (!bed) return bed.error();
  const Scene scene = (*bed)->scene();
  auto flat = kept(
      context, scene, fmt::format("flattened-{:.0f}Pa{}", flattening, context.full ? "-full" : ""),
      [&]() -> Result<std::unique_ptr<Simulation>> {
        Press press(context, std::move(*bed));
        press.approach();
        if (Status s = press.drive("flattening the bed", -hurry, above(flattening)); !s)
          return s.error();
        if (Status s = press.drive("letting go", speed_of(context), below(nothing)); !s)
          return s.error();
        return press.take();
      });
  if (!flat) return flat.error();
  return Press(context, std::move(*flat));
}

}  // namespace

Result<LabReport> run_compression(const LabContext& context) {
  auto press = flattened(context, {0.5, false, true});
  if (!press) return press.error();
  auto unloaded = settled_bed(quick_size(context), {0.5, false, false});
  if (!unloaded) return unloaded.error();
  const Fit at_rest = fit_gamma(histogram(sphere_forces(bed_of(**unloaded)), 0));
  if (Status s = press->drive("pressing", -speed_of(context), above(most)); !s) return s.error();
  const double hold = press->simulation().time() + 0.1;
  if (Status s =
          press->drive("holding", 0, [&](double) { return press->simulation().time() > hold; });
      !s)
    return s.error();
  const Bed bed = bed_of(press->simulation());
  const Histogram h = histogram(sphere_forces(bed), 0), hg = histogram(grain_forces(bed), 0);
  const Fit fit = fit_gamma(h), grains = fit_gamma(hg),
            contacts = fit_gamma(histogram(normal_forces(bed), 0));
  const auto peak = [](const Fit& f) { return (f.parameter[0] - 1) * f.parameter[1]; };
  LabReport report;
  report.quantities = {
      {"particles: peak of the gamma fit", "mean forces", peak(fit), 0, 0.5, 1.1,
       "near 1 (thesis); (a - 1) b is 0.71 in its Table 7.2, 1.05 in its Fig. 7.1"},
      {"particles: mean of the gamma fit", "mean forces", fit.parameter[0] * fit.parameter[1], 0,
       0.95, 1.05, "1 when it fits the entire range; 1.01 in Table 7.2"},
      {"control: peak in the bed of lab/forces, at rest", "mean forces", peak(at_rest), 0, -1e3,
       0.5, "without the load and with friction that holds the first quantity is out of its band"}};
  report.remarks = {{"particles: a", fit.parameter[0], fit.error[0], "3.36 (thesis)"},
                    {"particles: b", fit.parameter[1], fit.error[1], "0.30 (thesis)"},
                    {"grains: a", grains.parameter[0], grains.error[0], "0.14 (thesis; misprint?)"},
                    {"grains: b", grains.parameter[1], grains.error[1], "0.16 (thesis)"},
                    {"contacts: a", contacts.parameter[0], contacts.error[0], ""},
                    {"contacts: b", contacts.parameter[1], contacts.error[1], ""}};
  const double thesis[] = {3.36, 0.30};
  Plot plot{"compression",
            fmt::format("Normal forces under {:.0f} kPa", most / 1000),
            "force over mean force",
            "P(f)",
            false,
            false,
            {}};
  plot.curves = {points_of("particles", h), points_of("grains", hg),
                 curve_of("gamma fit, particles", CurveKind::line, h, gamma_curve, fit.parameter),
                 curve_of("thesis, Table 7.2", CurveKind::published, h, gamma_curve, thesis)};
  report.plots = {plot};
  return report;
}

namespace {

/// Load up to `most` and back to nothing.
struct Cycle {
  Course load, unload;
  double start = 0, deepest = 0, end = 0;  ///< m, of the plunger
  double depth = 0;                        ///< m, of the bed

  double strain(double height) const { return (start - height) / depth; }
  double recovered() const { return (end - deepest) / (start - deepest); }
  double work_lost() const { return 1 + work(unload) / work(load); }

 private:
  static double work(const Course& c) {
    double sum = 0;
    for (std::size_t k = 1; k < c.height.size(); ++k)
      sum += 0.5 * (c.stress[k] + c.stress[k - 1]) * (c.height[k - 1] - c.height[k]);
    return sum;
  }
};

Result<Cycle> cycle_of(const LabContext& context, const BedKind& kind) {
  auto press = flattened(context, kind);
  if (!press) return press.error();
  Cycle out;
  out.start = press->height();
  // The plunger's middle is half its height above the grains.
  out.depth = out.start - 0.5 * press->simulation().scene().bodies.back().shape.height;
  if (Status s = press->drive("loading", -speed_of(context), above(most), &out.load); !s)
    return s.error();
  out.deepest = press->height();
  if (Status s = press->drive("unloading", speed_of(context), below(nothing), &out.unload); !s)
    return s.error();
  out.end = press->height();
  return out;
}

}  // namespace

Result<LabReport> run_oedometer(const LabContext& context) {
  const auto cycle = cycle_of(context, {0.5, false, false});
  if (!cycle) return cycle.error();
  const auto smooth = cycle_of(quick_size(context), {0, false, false});
  if (!smooth) return smooth.error();
  LabReport report;
  report.quantities = {
      {"share of the strain recovered", "", cycle->recovered(), 0, 0.57, 0.77,
       "two thirds (experiment of Coetzee & Els 2009; thesis, Fig. 7.12), taken as +- 0.1"},
      {"share of the work lost in the cycle", "", cycle->work_lost(), 0, 0.05, 0.95,
       "elastic hysteresis is seen (both)"},
      {"control: strain recovered without friction", "", smooth->recovered(), 0, 0.77, 2,
       "friction makes the hysteresis: without it the first quantity is out of its band"}};
  report.remarks = {{"strain at the full load, %", 100 * cycle->strain(cycle->deepest), 0, ""},
                    {"strain left, %", 100 * cycle->strain(cycle->end), 0, ""},
                    {"share of the work lost without friction", smooth->work_lost(), 0, ""}};
  Plot plot{
      "oedometer", "Load and unload under a plunger", "strain, %", "stress, kPa", false, false, {}};
  const auto add = [&](const std::string& name, const Cycle& of, const Course& course) {
    Curve curve{name, CurveKind::line, {}, {}, {}};
    for (std::size_t k = 0; k < course.height.size(); ++k) {
      curve.x.push_back(100 * of.strain(course.height[k]));
      curve.y.push_back(course.stress[k] / 1000);
    }
    plot.curves.push_back(std::move(curve));
  };
  add("load", *cycle, cycle->load);
  add("unload", *cycle, cycle->unload);
  add("no friction: load", *smooth, smooth->load);
  add("no friction: unload", *smooth, smooth->unload);
  report.plots = {plot};
  return report;
}

}  // namespace talus
