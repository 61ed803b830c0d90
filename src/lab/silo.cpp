#include "lab/silo.h"

#include "lab/settled.h"
#include "scene/read_scene.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace talus {

namespace {

using namespace lab;

struct SiloKind {
  const char* name;
  double wall_friction, friction;
  double filling = 1;    ///< of the scene's height
  bool endless = false;  ///< no walls: it repeats itself to the sides
};

/// Vertical stress over depth below the top.
struct StressProfile {
  std::vector<double> depth, stress;  ///< m, Pa

  double deepest() const { return depth.empty() ? 0 : depth.back(); }
  /// Mean over the lowest tenth of the depth, away from the floor's own layer.
  double at_the_bottom() const {
    double sum = 0, n = 0;
    for (std::size_t k = 0; k + 1 < depth.size(); ++k)
      if (depth[k] > 0.87 * deepest()) sum += stress[k] / depth[k], n += 1;
    return n > 0 ? sum / n : 0;
  }
};

Result<StressProfile> measure(const LabContext& context, const SiloKind& kind, double spacing) {
  auto scene = read_scene(context.folder + "/silo/silo.toml", {});
  if (!scene) return scene.error();
  scene->sph.spacing = spacing;
  scene->materials[0].friction = kind.friction;
  for (SceneBody& body : scene->bodies) body.friction = kind.wall_friction;
  if (kind.endless) {
    const Vec3d half = scene->bodies[0].shape.size * 0.5;
    scene->periodic = {true, true, false};
    scene->domain_lower = {-half.x, -half.y, -1};
    scene->domain_upper = {half.x, half.y, 9};
    scene->bodies.erase(scene->bodies.begin());
  }
  Shape& fill = scene->fills[0].shape;
  fill.size.z *= kind.filling;
  fill.pose.position.z *= kind.filling;
  auto run = Simulation::create(std::move(*scene), context.executor);
  if (!run) return run.error();
  Simulation& simulation = **run;
  const std::string name = fmt::format("{}, spacing {} m", kind.name, spacing);
  if (Status s = run_to_end(context, simulation, name); !s) return s.error();
  const auto x = simulation.particles().values<Vec3f>("position");
  const auto p = simulation.particles().values<float>("pressure");
  const auto s = simulation.particles().values<Sym3f>("stress");
  double top = 0;
  for (const Vec3f& at : x) top = std::max(top, double{at.z} + 0.5 * spacing);
  std::vector<double> sum(static_cast<std::size_t>(top / spacing) + 1), count(sum.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    const auto k = static_cast<std::size_t>(std::max(top - double{x[i].z}, 0.0) / spacing);
    sum[std::min(k, sum.size() - 1)] += double{p[i] - s[i].zz};
    count[std::min(k, sum.size() - 1)] += 1;
  }
  StressProfile out;
  for (std::size_t k = 0; k < sum.size(); ++k) {
    if (count[k] < 8) continue;
    out.depth.push_back((static_cast<double>(k) + 0.5) * spacing);
    out.stress.push_back(sum[k] / count[k]);
  }
  return out;
}

/// Janssen's law for a square silo.
struct Janssen {
  double side = 0, wall = 0;  ///< m, friction coefficient
  double weight = 0;          ///< rho g, Pa/m
  double stress(double k, double depth) const {
    const double l = side / (4 * wall * k);
    return weight * l * (1 - std::exp(-depth / l));
  }
};

}  // namespace

Result<LabReport> run_silo(const LabContext& context) {
  LabReport report;
  const auto scene = read_scene(context.folder + "/silo/silo.toml", {});
  if (!scene) return scene.error();
  const Material& sand = scene->materials[0];
  const Janssen law{scene->bodies[0].shape.size.x, scene->bodies[0].friction,
                    sand.density * norm(scene->gravity)};
  const std::vector<double> spacings =
      context.full ? std::vector<double>{0.025, 0.0125} : std::vector<double>{0.025};
  for (const double spacing : spacings) {
    const std::string at = fmt::format("spacing {} m: ", spacing);
    const SiloKind kinds[] = {
        {"silo", law.wall, sand.friction},
        {"silo, half as deep", law.wall, sand.friction, 0.5},
        {"smooth walls", 0, sand.friction},
        {"lake of sand that hardly rubs", 0, std::tan(2 * std::numbers::pi / 180), 1, true}};
    Plot plot{fmt::format("silo{}", spacing < 0.02 ? "-fine" : ""),
              "Vertical stress",
              "depth, m",
              "kPa",
              false,
              false,
              {}};
    std::vector<StressProfile> found;
    for (const SiloKind& kind : kinds) {
      auto profile = measure(context, kind, spacing);
      if (!profile) return profile.error();
      Curve curve{kind.name, CurveKind::points, profile->depth, profile->stress, {}};
      for (double& y : curve.y) y /= 1000;
      plot.curves.push_back(std::move(curve));
      found.push_back(std::move(*profile));
    }
    const auto share = [&](const StressProfile& p) { return p.at_the_bottom() / law.weight; };
    const double deep = found[0].deepest();
    report.quantities.push_back({at + "silo, bottom stress over rho g z", "", share(found[0]), 0,
                                 law.stress(1, deep) / (law.weight * deep),
                                 law.stress(1.0 / 3, deep) / (law.weight * deep),
                                 "Janssen 1895, K from 1 to 1/3"});
    report.quantities.push_back(
        {at + "twice the depth, times the stress", "",
         share(found[0]) * found[0].deepest() / (share(found[1]) * found[1].deepest()), 0, 0.8, 1.4,
         "it saturates: 1.03 (K = 1) to 1.30 (K = 1/3) by Janssen"});
    report.quantities.push_back({at + "control: smooth walls over rough ones", "",
                                 share(found[2]) / share(found[0]), 0, 2, 10,
                                 "walls without friction carry nothing"});
    report.quantities.push_back({at + "lake of sand that hardly rubs, bottom stress over rho g z",
                                 "", share(found[3]), 0, 0.95, 1.05, "hydrostatics, 5 %"});
    for (const double k : {1.0, 1.0 / 3}) {
      Curve theory{fmt::format("Janssen, K = {:.2g}", k), CurveKind::published, {}, {}, {}};
      for (double z = 0; z <= deep; z += 0.02) {
        theory.x.push_back(z);
        theory.y.push_back(law.stress(k, z) / 1000);
      }
      plot.curves.push_back(std::move(theory));
    }
    report.plots.push_back(std::move(plot));
  }
  return report;
}

}  // namespace talus
