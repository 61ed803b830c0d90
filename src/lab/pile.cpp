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

}  // namespace

Result<LabReport> run_pile(const LabContext& context) {
  const std::vector<double> frictions = {0.1, 0.2, 0.3, 0.5, 0.8};
  LabReport report;
  Plot heaps{"heaps", "Heaps below the slot", "x, m", "height, m", false, false, {}};
  Curve angles{"measured", CurveKind::points, {}, {}, {}};
  // The control, of spheres, comes last.
  std::vector<Profile> profiles(frictions.size() + 1);
  const Status ran =
      side_by_side(context, profiles.size(), [&](const LabContext& each, std::size_t k) -> Status {
        const bool spheres = k == frictions.size();
        auto profile = heap(each, spheres ? frictions.back() : frictions[k], spheres);
        if (!profile) return profile.error();
        profiles[k] = std::move(*profile);
        return {};
      });
  if (!ran) return ran.error();
  double difference = 0;
  for (std::size_t k = 0; k < frictions.size(); ++k) {
    angles.x.push_back(frictions[k]);
    angles.y.push_back(angle_of(profiles[k], difference));
    angles.error.push_back(0.5 * difference);
    report.remarks.push_back({fmt::format("friction {}: angle, degrees", frictions[k]),
                              angles.y.back(), 0.5 * difference, ""});
    heaps.curves.push_back({fmt::format("friction {}", frictions[k]),
                            CurveKind::line,
                            profiles[k].x,
                            profiles[k].z,
                            {}});
  }
  const double of_spheres = angle_of(profiles.back(), difference);
  heaps.curves.push_back(
      {"control: spheres", CurveKind::line, profiles.back().x, profiles.back().z, {}});
  const auto law = [](std::span<const double> p, double mu) { return p[0] * std::pow(mu, p[1]); };
  const Fit fit = fit_curve(law, std::vector<double>{35, 0.4}, angles.x, angles.y);
  report.quantities = {
      {"exponent of the power law", "", fit.parameter[1], fit.error[1], 0.27, 0.51,
       "0.27 (Zhou et al. 2002, spheres), 0.51 (thesis, Fig. 7.13, tetrahedra)"},
      {"control: spheres over tetrahedra, highest friction", "", of_spheres / angles.y.back(), 0, 0,
       0.85, "shape holds heaps up; without it the experiment must show less"}};
  for (std::size_t k = 1; k < frictions.size(); ++k)
    report.quantities.push_back(
        {fmt::format("rise of the angle from friction {} to {}", frictions[k - 1], frictions[k]),
         "degrees", angles.y[k] - angles.y[k - 1], 0, 0, 40,
         "larger coefficients give steeper heaps (both)"});
  Plot plot{"pile",
            "Angle of repose against friction",
            "friction coefficient",
            "angle, degrees",
            false,
            false,
            {}};
  Curve fitted{fmt::format("{:.3g} mu^{:.2g}", fit.parameter[0], fit.parameter[1]),
               CurveKind::line,
               {},
               {},
               {}};
  Curve thesis{"mu^0.51 (thesis) through the last point", CurveKind::published, {}, {}, {}};
  for (double mu = 0.05; mu <= frictions.back() + 1e-9; mu += 0.025) {
    fitted.x.push_back(mu);
    fitted.y.push_back(law(fit.parameter, mu));
    thesis.x.push_back(mu);
    thesis.y.push_back(angles.y.back() * std::pow(mu / frictions.back(), 0.51));
  }
  plot.curves = {angles, fitted, thesis};
  report.plots = {plot, heaps};
  return report;
}

}  // namespace talus
