// Beverloo's law: W = C rho_b sqrt(g) (D - k d)^(5/2), W mass per second, rho_b density of the bed,
// D and d diameters of hole and grain (Beverloo, Leniger & van de Velde 1961; thesis Eq. 7.5).
#include "lab/flow.h"

#include "lab/fit.h"
#include "lab/flank.h"
#include "lab/settled.h"
#include "lab/statistics.h"
#include "scene/read_scene.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace talus {

namespace {

using namespace lab;

constexpr double falling_away = 5.0;  // m/s, of what closed the hole
constexpr double far_away = 0.5;      // m: there it stays, as what moves fast keeps steps short

/// Scripted bodies with these names leave downwards from now on.
void take_away(Scene& scene, double now, FunctionRef<bool(const std::string&)> leaves) {
  for (SceneBody& b : scene.bodies) {
    if (b.motion != SceneMotion::scripted || !leaves(b.name)) continue;
    const Vec3d at = b.shape.pose.position;
    b.interpolation = Interpolation::linear;
    b.keyframes = {{now, at, {}}, {now + far_away / falling_away, at - Vec3d{0, 0, far_away}, {}}};
  }
}

/// How many are left, over time since the hole was opened.
struct Drain {
  std::vector<double> time, left;
};

Result<Drain> drain(const LabContext& context, const Simulation& settled_state, Scene scene,
                    double seconds, FunctionRef<bool(const Drain&)> enough) {
  scene.duration = 1000;
  auto run = continued(context, settled_state, std::move(scene));
  if (!run) return run.error();
  Simulation& simulation = **run;
  const double start = simulation.time();
  Drain out;
  double due = 0;
  while (simulation.time() < start + seconds) {
    if (context.stop()) return stopped();
    if (auto report = simulation.step(); !report) return report.error();
    if (simulation.time() - start < due) continue;
    due += 5e-3;
    out.time.push_back(simulation.time() - start);
    out.left.push_back(static_cast<double>(simulation.particles().size()));
    if (enough(out)) break;
  }
  return out;
}

/// How many have left since a time after the opening.
double beads_since(const Drain& d, double from) {
  for (std::size_t k = 0; k < d.time.size(); ++k)
    if (d.time[k] >= from) return d.left[k] - d.left.back();
  return 0;
}

struct Rate {
  double per_second = 0;
  double straightness = 0;  ///< R^2 of the line
};

/// Once the flow has developed: from `from` seconds after the opening on.
Rate rate_of(const Drain& d, double from) {
  std::vector<double> t, n;
  for (std::size_t k = 0; k < d.time.size(); ++k)
    if (d.time[k] >= from) {
      t.push_back(d.time[k]);
      n.push_back(d.left[k]);
    }
  if (t.size() < 3) return {};
  const Line line = fit_line(t, n);
  double off = 0, all = 0;
  const double middle = mean(n);
  for (std::size_t k = 0; k < t.size(); ++k) {
    const double e = n[k] - line.intercept - line.slope * t[k];
    off += e * e;
    all += (n[k] - middle) * (n[k] - middle);
  }
  return {-line.slope, all > 0 ? 1 - off / all : 0};
}

}  // namespace

Result<LabReport> run_hourglass(const LabContext& context) {
  LabReport report;
  Plot plot{"hourglass", "Grains left in the funnel", "time, s", "grains", false, false, {}};
  const std::vector<double> frictions = context.full ? std::vector<double>{0.1, 0.2, 0.3, 0.5, 0.8}
                                                     : std::vector<double>{0.1, 0.3, 0.8};
  std::vector<double> rates;
  for (const double friction : frictions) {
    auto scene = read_scene(context.folder + "/hourglass/funnel.toml", {});
    if (!scene) return scene.error();
    scene->materials[0].friction = friction;
    auto full = settled(context, *scene, fmt::format("funnel-{:.1f}", friction),
                        0.02 * grain_speed(*scene));
    if (!full) return full.error();
    const auto start = static_cast<double>((*full)->particles().size());
    take_away(*scene, (*full)->time(), [](const std::string&) { return true; });
    context.say(fmt::format("draining, friction {:.1f}", friction));
    // The law needs a filled funnel: the last quarter does not count.
    auto course = drain(context, **full, *scene, 10,
                        [&](const Drain& d) { return d.left.back() < 0.25 * start; });
    if (!course) return course.error();
    const Rate rate = rate_of(*course, 0.15);
    rates.push_back(rate.per_second);
    report.quantities.push_back(
        {fmt::format("friction {:.1f}: straightness of the course", friction), "R^2",
         rate.straightness, 0, 0.995, 1, "constant mean flow rate (thesis, Fig. 7.14: a line)"});
    report.remarks.push_back(
        {fmt::format("friction {:.1f}: grains per second", friction), rate.per_second, 0, ""});
    plot.curves.push_back({fmt::format("friction {:.1f}", friction),
                           CurveKind::line,
                           course->time,
                           course->left,
                           {}});
  }
  for (std::size_t k = 1; k < rates.size(); ++k)
    report.quantities.push_back(
        {fmt::format("rate at friction {:.1f} over that at {:.1f}", frictions[k], frictions[k - 1]),
         "", rates[k] / rates[k - 1], 0, 0.2, 0.999,
         "slower with more friction (Mankoc et al. 2007; thesis)"});
  report.plots = {plot};
  return report;
}

namespace {

constexpr double flow_developed = 0.12;  // s after the opening
constexpr double enough_beads = 3000;    // for a rate to a few hundredths

}  // namespace

Result<LabReport> run_orifice(const LabContext& context) {
  auto scene = read_scene(context.folder + "/orifice/bin.toml", {});
  if (!scene) return scene.error();
  const Material& beads = scene->materials[0];
  const double d = beads.grain_diameter;
  if (context.full)
    scene->fills[0].shape.height *= 2, scene->fills[0].shape.pose.position.z += 0.06;
  auto full =
      settled(context, *scene, context.full ? "bin-full" : "bin", 0.02 * grain_speed(*scene));
  if (!full) return full.error();
  (*full)->prepare_frame();
  std::vector<double> fraction;
  const auto at = (*full)->particles().values<Vec3f>("position");
  const auto filled = (*full)->particles().values<float>("packing_fraction");
  for (std::size_t k = 0; k < at.size(); ++k)
    if (at[k].z > 5 * static_cast<float>(d) && at[k].z < 12 * static_cast<float>(d) &&
        std::hypot(at[k].x, at[k].y) < 0.08f)
      fraction.push_back(double{filled[k]});
  const double bulk = mean(fraction) * beads.grain_density;
  const double mass = beads.grain_density * std::numbers::pi / 6 * d * d * d;

  Plot plot{
      "orifice", "Flow through a hole", "diameter of the hole, grain diameters", "kg/s", true, true,
      {}};
  Curve measured{"measured", CurveKind::points, {}, {}, {}};
  const std::vector<int> holes =
      context.full ? std::vector<int>{8, 10, 12, 16, 20, 24} : std::vector<int>{8, 10, 12, 16};
  LabReport report;
  for (const int hole : holes) {
    context.say(fmt::format("a hole of {} diameters", hole));
    Scene open = *scene;
    take_away(open, (*full)->time(), [&](const std::string& name) {
      return std::stoi(name.substr(name.find(' '))) <= hole;
    });
    auto course = drain(context, **full, open, 0.6, [&](const Drain& d) {
      return beads_since(d, flow_developed) > enough_beads;
    });
    if (!course) return course.error();
    const double flow = rate_of(*course, flow_developed).per_second * mass;
    measured.x.push_back(hole);
    measured.y.push_back(flow);
    report.remarks.push_back({fmt::format("hole of {} diameters: kg/s", hole), flow, 0, ""});
  }
  const auto law = [&](double c, double k, double power, double hole) {
    return c * bulk * std::sqrt(norm(scene->gravity)) * std::pow(d, 2.5) *
           std::pow(std::max(hole - k, 1e-6), power);
  };
  // Relative errors count, as in a logarithmic plot.
  const Fit fit =
      fit_curve([&](std::span<const double> p, double h) { return law(p[0], p[1], 2.5, h); },
                std::vector<double>{0.58, 1.4}, measured.x, measured.y, measured.y);
  const Fit power =
      fit_curve([&](std::span<const double> p, double h) { return law(p[0], 1.4, p[1], h); },
                std::vector<double>{0.58, 2.5}, measured.x, measured.y, measured.y);
  report.quantities = {
      {"C, exponent 5/2", "", fit.parameter[0], fit.error[0], 0.55, 0.65,
       "0.58 (Beverloo et al. 1961); 0.55 to 0.65 (Nedderman 1992)"},
      {"k, exponent 5/2", "", fit.parameter[1], fit.error[1], 1.2, 1.6,
       "1.4 (Beverloo et al. 1961), about 1.5 for spheres (Nedderman 1992)"},
      {"exponent, k = 1.4", "", power.parameter[1], power.error[1], 2.4, 2.6, "5/2"}};
  report.remarks.push_back(
      {"packing fraction of the bed", mean(fraction), 0, "0.60 to 0.64, poured"});
  Curve fitted{"fit, exponent 5/2", CurveKind::line, {}, {}, {}},
      beverloo{"Beverloo, C = 0.58, k = 1.4", CurveKind::published, {}, {}, {}};
  for (double h = measured.x.front(); h <= measured.x.back(); h += 0.5) {
    fitted.x.push_back(h);
    fitted.y.push_back(law(fit.parameter[0], fit.parameter[1], 2.5, h));
    beverloo.x.push_back(h);
    beverloo.y.push_back(law(0.58, 1.4, 2.5, h));
  }
  plot.curves = {measured, fitted, beverloo};
  report.plots = {plot};
  return report;
}

}  // namespace talus
