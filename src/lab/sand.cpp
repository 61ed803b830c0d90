#include "lab/sand.h"

#include "lab/settled.h"
#include "lab/statistics.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace talus {

namespace {

using namespace lab;

/// Of the positions in x, m.
double extent(const Simulation& simulation, double share) {
  std::vector<double> x;
  for (const Vec3f& at : simulation.particles().values<Vec3f>("position"))
    x.push_back(double{at.x});
  return quantile(x, share);
}

struct Splash {
  double density = 0;   ///< of airborne sand, over the rest density
  double airborne = 0;  ///< largest share in the air at one time
  Curve course;         ///< share in the air over time
};

Result<Splash> splash(const LabContext& context, const std::string& name, bool bilateral,
                      bool friction) {
  const double spacing = context.full ? 0.015 : 0.03;
  SceneOverrides changes{fmt::format("sph.spacing={}", spacing),
                         fmt::format("sph.bilateral={}", bilateral)};
  if (!friction) {
    changes.emplace_back("material.sand.friction_coefficient=0");
    changes.emplace_back("body.box.friction_coefficient=0");
  }
  auto created = started(context, "splash/splash.toml", changes);
  if (!created) return created.error();
  Simulation& simulation = **created;
  const Shape& bed = simulation.scene().fills[0].shape;
  const double above = bed.pose.position.z + bed.size.z / 2 + 3 * spacing;
  const double rest = simulation.scene().materials[0].density;
  Splash out;
  out.course = {name, CurveKind::line, {}, {}, {}};
  double sum = 0, flying = 0;
  const auto count_airborne = [&] {
    const auto x = simulation.particles().values<Vec3f>("position");
    const auto density = simulation.particles().values<float>("density");
    double now = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      if (double{x[i].z} < above) continue;
      sum += double{density[i]} / rest;
      now += 1;
    }
    flying += now;
    const double share = now / static_cast<double>(x.size());
    out.airborne = std::max(out.airborne, share);
    out.course.x.push_back(simulation.time());
    out.course.y.push_back(100 * share);
  };
  if (Status s = run_to_end(context, simulation, name, count_airborne); !s) return s.error();
  out.density = flying > 0 ? sum / flying : 0;
  return out;
}

/// How much wider the block is in the end, over its height.
Result<double> spreading(const LabContext& context, double cohesion, double spacing) {
  auto created = started(
      context, "cohesion/block.toml",
      {fmt::format("material.sand.cohesion={}", cohesion), fmt::format("sph.spacing={}", spacing)});
  if (!created) return created.error();
  Simulation& block = **created;
  const auto width = [&] { return extent(block, 0.995) - extent(block, 0.005); };
  const double before = width();
  if (Status s = run_to_end(context, block,
                            fmt::format("block of {:.0f} Pa, spacing {} m", cohesion, spacing));
      !s)
    return s.error();
  return (width() - before) / block.scene().fills[0].shape.size.z;
}

/// Pa: from here on a vertical cut as high as the block stands (Terzaghi 1943).
Result<double> critical_cohesion(const LabContext& context) {
  const auto scene = read_scene(context.folder + "/cohesion/block.toml", {});
  if (!scene) return scene.error();
  const Material& sand = scene->materials[0];
  const double active = std::numbers::pi / 4 + std::atan(sand.friction) / 2;
  return scene->fills[0].shape.size.z * sand.density * norm(scene->gravity) /
         (4 * std::tan(active));
}

struct Errors {
  double collapse = 0;  ///< mean density error while the column falls
  double rest = 0;      ///< in the end
  double largest = 0;   ///< of a particle, in the end
  double run_out = 0;   ///< m
  double step = 0;      ///< s, mean
};

Result<Errors> collapse(const LabContext& context, int passes, double time_step) {
  auto created = started(context, "accuracy/column.toml",
                         {fmt::format("sph.pressure_iterations={}", passes),
                          fmt::format("sph.time_step={}", time_step)});
  if (!created) return created.error();
  Simulation& column = **created;
  const double end = column.scene().duration, width = column.scene().fills[0].shape.size.x;
  context.say(fmt::format("column, {} passes, steps of {} ms", passes, 1000 * time_step));
  Errors out;
  double falling = 0, resting = 0;
  while (column.frame() < column.frame_count()) {
    if (context.stop()) return stopped();
    const auto step = column.step();
    if (!step) return step.error();
    if (column.time() > 0.1 && column.time() < 0.6) {
      out.collapse += step->dt * step->mean_density_error;
      falling += step->dt;
    } else if (column.time() > end - 0.4) {
      out.rest += step->dt * step->mean_density_error;
      out.largest = std::max(out.largest, step->max_density_error);
      resting += step->dt;
    }
  }
  out.collapse /= falling;
  out.rest /= resting;
  out.run_out = extent(column, 0.99) - width;
  out.step = column.time() / static_cast<double>(column.steps());
  return out;
}

/// Density errors in percent, over what was changed.
struct ErrorCurves {
  Curve falling{"while it falls", CurveKind::points, {}, {}, {}};
  Curve resting{"at rest", CurveKind::points, {}, {}, {}};

  void add(double x, const Errors& e) {
    falling.x.push_back(x);
    falling.y.push_back(100 * e.collapse);
    resting.x.push_back(x);
    resting.y.push_back(100 * e.rest);
  }
};

}  // namespace

Result<LabReport> run_splash(const LabContext& context) {
  const auto bilateral = splash(context, "bilateral", true, false);
  if (!bilateral) return bilateral.error();
  const auto unilateral = splash(context, "unilateral", false, false);
  if (!unilateral) return unilateral.error();
  const auto rubbing = splash(context, "unilateral, with friction", false, true);
  if (!rubbing) return rubbing.error();
  constexpr const char* figure = "order of Alduan & Otaduy 2011, Fig. 2";
  constexpr double any = std::numeric_limits<double>::max();
  LabReport report;
  report.quantities = {{"airborne density, bilateral over unilateral", "",
                        bilateral->density / unilateral->density, 0, 1.1, any, figure},
                       {"airborne share, with friction over without", "",
                        rubbing->airborne / unilateral->airborne, 0, 0, 0.9, figure}};
  for (const auto* s : {&*bilateral, &*unilateral, &*rubbing}) {
    report.remarks.push_back({s->course.name + ": density of airborne sand", s->density, 0, ""});
    report.remarks.push_back({s->course.name + ": most in the air", s->airborne, 0, ""});
  }
  report.plots.push_back({"airborne",
                          "Sand in the air",
                          "time, s",
                          "% of the sand",
                          false,
                          false,
                          {bilateral->course, unilateral->course, rubbing->course}});
  return report;
}

Result<LabReport> run_cohesion(const LabContext& context) {
  const auto critical = critical_cohesion(context);
  if (!critical) return critical.error();
  LabReport report;
  Plot plot{"spreading",
            "A block with vertical walls",
            "cohesion over the critical one",
            "wider by, heights",
            false,
            false,
            {}};
  const std::vector<double> spacings =
      context.full ? std::vector<double>{0.025, 0.0125} : std::vector<double>{0.025};
  for (const double spacing : spacings) {
    const std::string at = fmt::format("spacing {} m: ", spacing);
    Curve curve{fmt::format("spacing {} m", spacing), CurveKind::points, {}, {}, {}};
    for (const double share : {0.0, 0.3, 0.6, 0.85, 1.15, 2.0, 4.0}) {
      const auto wider = spreading(context, share * *critical, spacing);
      if (!wider) return wider.error();
      curve.x.push_back(share);
      curve.y.push_back(*wider);
    }
    double rise = -1;
    for (std::size_t k = 1; k < curve.y.size(); ++k)
      rise = std::max(rise, curve.y[k] - curve.y[k - 1]);
    constexpr const char* cut = "height of a vertical cut, Terzaghi 1943";
    report.quantities.push_back({at + "control: no cohesion, wider by", "heights", curve.y[0], 0,
                                 2 * 0.7 * 1.2, 2 * 1.3 * 1.2, "Lube et al. 2005, two halves"});
    report.quantities.push_back(
        {at + "15 % below the critical one, wider by", "heights", curve.y[3], 0, 0.2, 3, cut});
    report.quantities.push_back(
        {at + "15 % above it, wider by", "heights", curve.y[4], 0, -0.1, 0.1, cut});
    report.quantities.push_back({at + "most that more cohesion spreads more", "heights", rise, 0,
                                 -1, 0.05, "order of Alduan & Otaduy 2011, Fig. 4"});
    plot.curves.push_back(std::move(curve));
  }
  plot.curves.push_back(
      {"stands from here on (theory)", CurveKind::published, {1, 1}, {0, 2.4}, {}});
  report.plots.push_back(std::move(plot));
  return report;
}

Result<LabReport> run_accuracy(const LabContext& context) {
  const std::vector<int> passes{1, 2, 3, 5, 10};
  const std::vector<double> steps{0.00025, 0.0005, 0.002};
  LabReport report;
  std::vector<Errors> by_passes;
  ErrorCurves over_passes, over_steps;
  for (const int n : passes) {
    const auto found = collapse(context, n, 0.001);
    if (!found) return found.error();
    over_passes.add(n, *found);
    by_passes.push_back(*found);
  }
  const Errors &usual = by_passes[2], &best = by_passes.back();
  double farthest = 0;
  const auto compare = [&](const Errors& e) {
    farthest = std::max(farthest, std::abs(e.run_out - best.run_out) / best.run_out);
  };
  for (std::size_t k = 2; k < by_passes.size(); ++k) compare(by_passes[k]);
  for (const double dt : steps) {
    const auto found = collapse(context, 3, dt);
    if (!found) return found.error();
    compare(*found);
    over_steps.add(1000 * found->step, *found);
    report.remarks.push_back(
        {fmt::format("steps of at most {} ms: density error while it falls, %", 1000 * dt),
         100 * found->collapse, 0, ""});
  }
  over_steps.add(1000 * usual.step, usual);
  report.quantities = {
      {"at rest, mean density error", "%", 100 * usual.rest, 0, 0, 0.5,
       "half a percent, as fluid solvers ask for"},
      {"at rest, largest density error", "%", 100 * usual.largest, 0, 0, 2, "four times the mean"},
      {"density error of ten passes over one, while it falls", "",
       best.collapse / by_passes[0].collapse, 0, 0, 1, "more passes compress less"},
      {"run-out, largest deviation from ten passes", "", farthest, 0, 0, 0.1,
       "passes and step do not decide where sand lies"}};
  report.plots.push_back({"passes",
                          "Density error against pressure passes",
                          "passes",
                          "%",
                          false,
                          true,
                          {over_passes.falling, over_passes.resting}});
  report.plots.push_back({"steps",
                          "Density error of three passes against the step",
                          "mean step, ms",
                          "%",
                          true,
                          true,
                          {over_steps.falling, over_steps.resting}});
  return report;
}

}  // namespace talus
