#include "lab/pile.h"

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

constexpr double slot_underside = 0.15;  // m
constexpr double opening = 2.0;          // m/s, of the gate, sideways
constexpr double longest_flow = 4.0;     // s

/// Tops of the heap over x, in bins one grain wide.
struct Profile {
  std::vector<double> x, z;
};

Profile profile_of(const Simulation& simulation, double bin) {
  constexpr int bins = 81;
  std::vector<std::vector<double>> column(bins);
  for (const Vec3f& p : simulation.particles().values<Vec3f>("position")) {
    if (double{p.z} > slot_underside) continue;
    const int k = static_cast<int>(std::floor(double{p.x} / bin + 0.5 * bins));
    if (k >= 0 && k < bins) column[static_cast<std::size_t>(k)].push_back(double{p.z});
  }
  Profile out;
  for (int k = 0; k < bins; ++k) {
    const auto& c = column[static_cast<std::size_t>(k)];
    if (c.size() < 3) continue;
    out.x.push_back((k + 0.5 - 0.5 * bins) * bin);
    out.z.push_back(quantile(c, 0.95));
  }
  return out;
}

/// Mean slope of both flanks between a fifth and four fifths of the height, by bisquare weights.
double angle_of(const Profile& p, double& difference) {
  double top = 0;
  for (const double z : p.z) top = std::max(top, z);
  double angle[2] = {0, 0};
  for (const int side : {0, 1}) {
    std::vector<double> x, z;
    for (std::size_t k = 0; k < p.x.size(); ++k) {
      if ((p.x[k] > 0) != (side == 1) || p.z[k] < 0.2 * top || p.z[k] > 0.8 * top) continue;
      x.push_back(std::abs(p.x[k]));
      z.push_back(p.z[k]);
    }
    if (x.size() >= 3) angle[side] = -std::atan(fit_line(x, z).slope) * 180 / std::numbers::pi;
  }
  difference = std::abs(angle[0] - angle[1]);
  return 0.5 * (angle[0] + angle[1]);
}

/// Opens the gate, lets the heap grow until it chokes the slot or the reservoir is half empty,
/// closes, and waits for rest.
Result<Profile> heap(const LabContext& context, double friction, bool spheres) {
  auto scene = read_scene(context.folder + "/pile/reservoir.toml", {});
  if (!scene) return scene.error();
  Material& m = scene->materials[0];
  m.friction = friction;
  if (spheres) m.grain_shape = "sphere";
  const std::string name =
      fmt::format("reservoir-{}-{}", spheres ? "spheres" : "tetrahedra", friction);
  const double scale = grain_speed(*scene);
  auto full = settled(context, *scene, name, 0.02 * scale);
  if (!full) return full.error();
  SceneBody& gate = scene->bodies.back();
  const Vec3d closed = gate.shape.pose.position, open = closed + Vec3d{0.3, 0, 0};
  const double t0 = (*full)->time();
  gate.interpolation = Interpolation::linear;
  gate.keyframes = {{t0, closed, {}}, {t0 + norm(open - closed) / opening, open, {}}};
  scene->duration = 1000;
  auto run = continued(context, **full, *scene);
  if (!run) return run.error();
  Simulation& simulation = **run;
  std::vector<double> speeds;
  while (simulation.time() < t0 + longest_flow) {
    if (context.stop()) return stopped();
    if (Status s = step_frame(simulation); !s) return s.error();
    const double speed = mean_speed(simulation);
    context.say(fmt::format("{}: flowing {:.2f} s, mean speed {:.2g} m/s", name,
                            simulation.time() - t0, speed));
    if (simulation.time() > t0 + 0.3 && speed < 2e-3 * scale) break;
  }
  return profile_of(simulation, m.grain_diameter);
}

/// Friction above which grains turn over their edges instead of sliding, and the angle no longer
/// rises. What a power law up to there has for an exponent is told, but not what counts: the papers
/// do not end theirs there.
constexpr double saturated = 0.5;

struct Heap {
  double friction = 0;
  bool spheres = false;
  Profile profile;
  double angle = 0, error = 0;  ///< degrees
};

/// From little friction to much; the control, of spheres, comes last.
std::vector<Heap> planned_heaps(bool full) {
  const std::vector<double> frictions =
      full ? std::vector<double>{0.1, 0.15, 0.2, 0.3, 0.4, saturated, 0.8}
           : std::vector<double>{0.1, 0.2, 0.3, saturated, 0.8};
  std::vector<Heap> heaps;
  for (const double friction : frictions) heaps.push_back({friction, false, {}, 0, 0});
  heaps.push_back({frictions.back(), true, {}, 0, 0});
  return heaps;
}

double power_law(std::span<const double> p, double mu) { return p[0] * std::pow(mu, p[1]); }

Fit fit_power(const Curve& angles) {
  return fit_curve(power_law, std::vector<double>{35, 0.4}, angles.x, angles.y);
}

Curve power_curve(const std::string& name, CurveKind kind, double factor, double exponent,
                  double last) {
  Curve curve{name, kind, {}, {}, {}};
  for (double mu = 0.05; mu <= last + 1e-9; mu += 0.025) {
    curve.x.push_back(mu);
    curve.y.push_back(factor * std::pow(mu, exponent));
  }
  return curve;
}

}  // namespace

Result<LabReport> run_pile(const LabContext& context) {
  std::vector<Heap> heaps = planned_heaps(context.full);
  const Status ran =
      side_by_side(context, heaps.size(), [&](const LabContext& each, std::size_t k) -> Status {
        auto profile = heap(each, heaps[k].friction, heaps[k].spheres);
        if (!profile) return profile.error();
        heaps[k].profile = std::move(*profile);
        double difference = 0;
        heaps[k].angle = angle_of(heaps[k].profile, difference);
        heaps[k].error = 0.5 * difference;
        return {};
      });
  if (!ran) return ran.error();
  LabReport report;
  Plot shapes{"heaps", "Heaps below the slot", "x, m", "height, m", false, false, {}};
  Curve angles{"measured", CurveKind::points, {}, {}, {}}, rising = angles;
  for (const Heap& h : heaps) {
    const std::string name =
        h.spheres ? "control: spheres" : fmt::format("friction {}", h.friction);
    shapes.curves.push_back({name, CurveKind::line, h.profile.x, h.profile.z, {}});
    if (h.spheres) continue;
    report.remarks.push_back({fmt::format("{}: angle, degrees", name), h.angle, h.error, ""});
    for (Curve* curve : {&angles, &rising}) {
      if (curve == &rising && h.friction > saturated) continue;
      curve->x.push_back(h.friction);
      curve->y.push_back(h.angle);
      curve->error.push_back(h.error);
    }
  }
  const Fit fit = fit_power(angles), up_to_there = fit_power(rising);
  report.quantities = {{"exponent of the power law", "", fit.parameter[1], fit.error[1], 0.27, 0.51,
                        "0.27 (Zhou et al. 2002, spheres), 0.51 (thesis, Fig. 7.13, tetrahedra)"},
                       {"control: spheres over tetrahedra, highest friction", "",
                        heaps.back().angle / angles.y.back(), 0, 0, 0.85,
                        "shape holds heaps up; without it the experiment must show less"}};
  for (std::size_t k = 1; k < angles.x.size(); ++k)
    report.quantities.push_back(
        {fmt::format("rise of the angle from friction {} to {}", angles.x[k - 1], angles.x[k]),
         "degrees", angles.y[k] - angles.y[k - 1], 0, 0, 40,
         "larger coefficients give steeper heaps (both)"});
  report.remarks.push_back({fmt::format("exponent, friction up to {}", saturated),
                            up_to_there.parameter[1], up_to_there.error[1], ""});
  Plot plot{"pile",
            "Angle of repose against friction",
            "friction coefficient",
            "angle, degrees",
            false,
            false,
            {}};
  plot.curves = {angles,
                 power_curve(fmt::format("{:.3g} mu^{:.2g}", fit.parameter[0], fit.parameter[1]),
                             CurveKind::line, fit.parameter[0], fit.parameter[1], angles.x.back()),
                 power_curve("mu^0.51 (thesis) through friction 0.5", CurveKind::published,
                             rising.y.back() / std::pow(saturated, 0.51), 0.51, saturated)};
  report.plots = {plot, shapes};
  return report;
}

}  // namespace talus
