#include "lab/forces.h"

#include "geometry/cell_grid.h"
#include "lab/bed.h"
#include "lab/force_fits.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace talus {

namespace {

using namespace lab;

/// In full size the cylinder of the thesis. A cylinder of 7 K grains is 16 of them wide, and what
/// is not near its wall is hardly a bulk; the quick bed has no wall.
Result<Bed> bed_at_rest(const LabContext& context, BedKind kind) {
  kind.walled = context.full;
  auto simulation = settled_bed(context, kind);
  if (!simulation) return simulation.error();
  return bed_of(**simulation);
}

/// Beds of tetrahedra with friction: one in full size, in quick size two from different starts, as
/// one of 9 K grains may differ from the next by more than its own statistics tell.
Result<std::vector<Bed>> rough_beds(const LabContext& context) {
  constexpr std::size_t several = 2;
  std::vector<Bed> beds(context.full ? 1 : several);
  if (context.full) {
    auto bed = bed_at_rest(context, {0.5, false});
    if (!bed) return bed.error();
    beds[0] = std::move(*bed);
    return beds;
  }
  const Status made =
      side_by_side(context, beds.size(), [&](const LabContext& each, std::size_t k) -> Status {
        BedKind kind{0.5, false};
        kind.seed = k + 1;
        auto bed = bed_at_rest(each, kind);
        if (!bed) return bed.error();
        beds[k] = std::move(*bed);
        return {};
      });
  if (!made) return made.error();
  return beds;
}

/// What a function finds in each of the beds, in one list.
std::vector<double> pooled(std::span<const Bed> beds, std::vector<double> (*of)(const Bed&)) {
  std::vector<double> out;
  for (const Bed& bed : beds) {
    const std::vector<double> more = of(bed);
    out.insert(out.end(), more.begin(), more.end());
  }
  return out;
}

constexpr double silbert[] = {2.55, 0.65, 1.35};  // with friction; thesis Table 7.2
constexpr double mueth[] = {3.0, 0.75, 1.5};      // experiment, glass beads, at the walls
const char* const alpha_source =
    "1.5 +- 0.4 (Radjai et al. 1996), 1.7 +- 0.1 (van Eerd et al. 2007)";
const char* const beta_source =
    "1.24 and 1.29 (thesis, Table 7.2), 1.35 (Silbert et al. 2002), 1.5 +- 0.1 (Mueth et al. 1998)";

void add_remarks(LabReport& report, const std::string& name, const Fit& fit,
                 std::span<const char* const> published) {
  const char* const parameter[] = {"a", "b", "beta"};
  for (std::size_t k = 0; k < 3; ++k)
    report.remarks.push_back(
        {fmt::format("{}: {}", name, parameter[k]), fit.parameter[k], fit.error[k], published[k]});
}

/// Density of forces below a tenth of the mean.
double density_at_zero(std::span<const double> f) {
  const auto weak = std::count_if(f.begin(), f.end(), [](double x) { return x < 0.1; });
  return static_cast<double>(weak) / (0.1 * static_cast<double>(f.size()));
}

}  // namespace

Result<LabReport> run_forces(const LabContext& context) {
  const auto rough = rough_beds(context);
  if (!rough) return rough.error();
  const auto smooth = bed_at_rest(context, {0, false});
  if (!smooth) return smooth.error();
  const auto beads = bed_at_rest(context, {0.5, true});
  if (!beads) return beads.error();
  const std::vector<double> frictionless = normal_forces(*smooth),
                            contacts = pooled(*rough, normal_forces);
  const Histogram of_beads = histogram(normal_forces(*beads), 0),
                  of_particles = histogram(pooled(*rough, sphere_forces), 0),
                  of_contacts = histogram(contacts, 0),
                  of_grains = histogram(pooled(*rough, grain_forces), 0),
                  of_frictionless = histogram(frictionless, 0);
  const Fit fit_beads = fit_exponential(of_beads), fit_particles = fit_exponential(of_particles),
            tail_beads = fit_tail(of_beads), tail_particles = fit_tail(of_particles);
  LabReport report;
  report.quantities = {
      {"spheres, contacts: beta of the exponential", "", fit_beads.parameter[2], fit_beads.error[2],
       1.24, 1.6, beta_source},
      {"tetrahedra, particles: beta of the exponential", "", fit_particles.parameter[2],
       fit_particles.error[2], 1.24, 1.6, beta_source},
      {"spheres, contacts: exponent alpha of the tail", "", tail_beads.parameter[2],
       tail_beads.error[2], 1.1, 1.9, alpha_source},
      {"tetrahedra, particles: exponent alpha of the tail", "", tail_particles.parameter[2],
       tail_particles.error[2], 1.1, 1.9, alpha_source},
      {"weak contacts, with over without friction", "",
       density_at_zero(contacts) / density_at_zero(frictionless), 0, 1, 10,
       "P(f) bends up at small f with friction, down without (Silbert et al. 2002)"}};
  const char* const silbert_row[] = {"2.55 (Silbert)", "0.65", "1.35"};
  const char* const particles_row[] = {"2.10 (thesis)", "0.61", "1.29"};
  const char* const grains_row[] = {"2.14 (thesis)", "0.66", "1.24"};
  const char* const frictionless_row[] = {"2.78 (thesis)", "0.72", "1.46"};
  const char* const contacts_row[] = {"", "", ""};
  add_remarks(report, "spheres, contacts", fit_beads, silbert_row);
  add_remarks(report, "tetrahedra, particles", fit_particles, particles_row);
  add_remarks(report, "tetrahedra, resultants of grains", fit_exponential(of_grains), grains_row);
  add_remarks(report, "tetrahedra, contacts", fit_exponential(of_contacts), contacts_row);
  add_remarks(report, "tetrahedra, contacts, no friction", fit_exponential(of_frictionless),
              frictionless_row);
  report.remarks.push_back({"contacts in the bulk", static_cast<double>(contacts.size()), 0, ""});

  Plot plot{
      "normal", "Normal forces in a bed at rest", "force over mean force", "P(f)", false, true, {}};
  plot.curves = {
      points_of("spheres, contacts", of_beads), points_of("tetrahedra, particles", of_particles),
      curve_of("fit, spheres", CurveKind::line, of_beads, exponential_curve, fit_beads.parameter),
      curve_of("Silbert et al. 2002", CurveKind::published, of_beads, exponential_curve, silbert),
      curve_of("Mueth et al. 1998", CurveKind::published, of_beads, exponential_curve, mueth)};
  Plot second{
      "friction", "Friction and the weak forces", "force over mean force", "P(f)", false, false,
      {}};
  second.curves = {points_of("tetrahedra, contacts, friction 0.5", of_contacts),
                   points_of("the same without friction", of_frictionless)};
  report.plots = {plot, second};
  return report;
}

Result<LabReport> run_tangential(const LabContext& context) {
  const auto bed = bed_at_rest(context, {0.5, false});
  if (!bed) return bed.error();
  const auto smooth = bed_at_rest(quick_size(context), {0, false});
  if (!smooth) return smooth.error();
  const std::vector<double> normal = normal_forces(*bed), tangential = tangential_forces(*bed);
  const auto over_normal = [](const Bed& of) {
    double t = 0, n = 0;
    for (const BedContact& c : of.contacts) {
      t += norm(c.tangential);
      n += c.force;
    }
    return t / n;
  };
  const Histogram hn = histogram(normal, 0), ht = histogram(tangential, 0);
  const Fit fit_n = fit_exponential(hn), fit_t = fit_exponential(ht);
  const auto share_above = [](std::span<const double> f, double limit) {
    return static_cast<double>(
               std::count_if(f.begin(), f.end(), [&](double x) { return x > limit; })) /
           static_cast<double>(f.size());
  };
  LabReport report;
  report.quantities = {
      {"beta of tangential over beta of normal forces", "", fit_t.parameter[2] / fit_n.parameter[2],
       0, 0.3, 0.999, "the tail of P(f_t) falls slower (Silbert et al. 2002; thesis, Fig. 7.8d)"},
      {"share above 4 means, tangential over normal", "",
       share_above(tangential, 4) / std::max(share_above(normal, 4), 1e-9), 0, 1.0, 1000,
       "likewise"},
      {"tangential over normal force", "", over_normal(*bed), 0, 0.01, 0.5,
       "friction carries load, at most its coefficient of 0.5"},
      {"control: the same without friction", "", over_normal(*smooth), 0, 0, 0.01,
       "nothing is left to distribute: the quantity before is out of its band"}};
  double used = 0;
  for (const BedContact& c : bed->contacts) used += norm(c.tangential) / (0.5 * c.force);
  report.remarks = {{"mean share of the Coulomb limit in use",
                     used / static_cast<double>(bed->contacts.size()), 0, ""},
                    {"beta, normal", fit_n.parameter[2], fit_n.error[2], "1.29, 1.35"},
                    {"beta, tangential", fit_t.parameter[2], fit_t.error[2], ""}};
  Plot plot{"tangential",
            "Tangential forces in a bed at rest",
            "force over mean force",
            "P(f)",
            false,
            true,
            {}};
  plot.curves = {
      points_of("tangential", ht), points_of("normal", hn),
      curve_of("fit, tangential", CurveKind::line, ht, exponential_curve, fit_t.parameter),
      curve_of("fit, normal", CurveKind::line, hn, exponential_curve, fit_n.parameter)};
  report.plots = {plot};
  return report;
}

namespace {

struct Correlation {
  std::vector<double> r, f;  ///< sphere diameters; F of thesis Eq. 7.4
};

/// Pairs of spheres on one grain do not count.
Correlation correlation_of(const Bed& bed, std::span<const LoadedSphere> spheres,
                           const Executor& executor) {
  std::vector<Vec3f> at;
  for (const LoadedSphere& sphere : spheres) at.push_back(Vec3f(sphere.at));
  constexpr double from = 0.9, to = 6, step = 0.1;
  const auto bins = static_cast<std::size_t>(std::lround((to - from) / step));
  std::vector<double> sum(bins), count(bins);
  CellGrid grid;
  const auto reach = static_cast<float>(to * bed.sphere_diameter);
  grid.build(at, reach, executor);
  for (std::size_t i = 0; i < at.size(); ++i) {
    const Vec3f far{reach, reach, reach};
    grid.for_cells_in(at[i] - far, at[i] + far, [&](CellGrid::Range range) {
      for (std::uint32_t k = range.begin; k < range.end; ++k) {
        const std::uint32_t j = grid.order()[k];
        if (j <= i || spheres[j].grain == spheres[i].grain) continue;
        const double r = double{norm(at[i] - at[j])} / bed.sphere_diameter;
        if (r < from || r >= to) continue;
        const auto bin = static_cast<std::size_t>((r - from) / step);
        sum[bin] += spheres[i].force * spheres[j].force;
        count[bin] += 1;
      }
    });
  }
  Correlation out;
  for (std::size_t k = 0; k < bins; ++k) {
    if (count[k] < 100) continue;
    out.r.push_back(from + (static_cast<double>(k) + 0.5) * step);
    out.f.push_back(sum[k] / count[k]);
  }
  return out;
}

/// Mean beyond four diameters.
double far_value(const Correlation& c) {
  double sum = 0, n = 0;
  for (std::size_t k = 0; k < c.r.size(); ++k)
    if (c.r[k] > 4) {
      sum += c.f[k];
      n += 1;
    }
  return n > 0 ? sum / n : 1;
}

/// The last distance at which F is off its far value by more than 5 %.
double correlation_length(const Correlation& c) {
  const double far = far_value(c);
  double last = 0;
  for (std::size_t k = 0; k < c.r.size(); ++k)
    if (std::abs(c.f[k] / far - 1) > 0.05) last = c.r[k];
  return last;
}

}  // namespace

Result<LabReport> run_correlation(const LabContext& context) {
  LabReport report;
  Plot plot{"correlation",
            "Correlation of the forces on two spheres",
            "distance, sphere diameters",
            "F(r)",
            false,
            false,
            {}};
  for (const double friction : {0.5, 0.0}) {
    const auto bed = bed_at_rest(context, {friction, false});
    if (!bed) return bed.error();
    std::vector<LoadedSphere> spheres = loaded_spheres(*bed);
    const Correlation c = correlation_of(*bed, spheres, context.executor);
    const std::string name = friction > 0 ? "friction 0.5" : "no friction";
    report.quantities.push_back(
        {fmt::format("{}: distance up to which F is off by 5 %", name), "diameters",
         correlation_length(c), 0.05, 0, 3,
         "no more than three diameters in the bulk (Silbert et al. 2002); 2.5 in the thesis"});
    report.remarks.push_back(
        {fmt::format("{}: F far away", name), far_value(c), 0, "1 (Silbert), 1.269 (thesis)"});
    plot.curves.push_back({name, CurveKind::points, c.r, c.f, {}});
    if (friction > 0) continue;
    // Columns of strong and weak forces, six diameters wide.
    for (LoadedSphere& sphere : spheres)
      sphere.force *=
          std::sin(std::numbers::pi * sphere.at.x / (6 * bed->sphere_diameter)) > 0 ? 1.5 : 0.5;
    const Correlation columns = correlation_of(*bed, spheres, context.executor);
    report.quantities.push_back(
        {"control: the same with forces in columns", "diameters", correlation_length(columns), 0.05,
         3, 6, "a pattern of long range is seen: the quantity before is out of its band"});
    plot.curves.push_back({"control: columns", CurveKind::line, columns.r, columns.f, {}});
  }
  plot.curves.push_back({"no correlation", CurveKind::published, {0.9, 6}, {1, 1}, {}});
  report.plots = {plot};
  return report;
}

namespace {

/// Degrees between a line and the vertical: 90 is level.
double tilt_of(const Vec3d& line) {
  const double size = norm(line);
  if (!(size > 0)) return 0;
  return std::acos(std::min(std::abs(line.z) / size, 1.0)) * 180 / std::numbers::pi;
}

/// Of the lines between the centres of touching grains, where their force is `above_force`, in a
/// bed stretched upwards.
std::vector<double> grain_angles(const Bed& bed, double above_force, double stretch = 1) {
  std::vector<double> out;
  for (const TouchingGrains& pair : touching_grains(bed))
    if (pair.force >= above_force)
      out.push_back(tilt_of({pair.apart.x, pair.apart.y, stretch * pair.apart.z}));
  return out;
}

/// Of the normals at all contacts.
std::vector<double> contact_angles(const Bed& bed) {
  std::vector<double> out;
  for (const BedContact& c : bed.contacts) out.push_back(tilt_of(c.normal));
  return out;
}

Curve angle_curve(const std::string& name, std::span<const double> angles) {
  return points_of(name, histogram(angles, 0, 90, 18));
}

}  // namespace

Result<LabReport> run_angles(const LabContext& context) {
  const auto rough = bed_at_rest(context, {0.5, false});
  if (!rough) return rough.error();
  const auto smooth = bed_at_rest(context, {0, false});
  if (!smooth) return smooth.error();
  const std::vector<double> with = grain_angles(*rough, 0), without = grain_angles(*smooth, 0),
                            strong = grain_angles(*rough, 2),
                            stretched = grain_angles(*smooth, 0, 2);
  LabReport report;
  report.quantities = {
      {"largest difference of the two distributions", "", largest_difference(with, without), 0, 0,
       0.1, "friction has only a weak influence (Silbert et al. 2002; thesis): a tenth at most"},
      {"mean angle of touching grains", "degrees", mean(with), 0, 54, 60,
       "57.3 when they touch from anywhere; the distributions of the papers are nearly so"},
      {"control: the difference when one bed is stretched to twice its height", "",
       largest_difference(with, stretched), 0, 0.1, 1,
       "directions that are not alike are seen: the first quantity is out of its band"},
      {"control: mean angle in the stretched bed", "degrees", mean(stretched), 0, 0, 54,
       "likewise, the second"}};
  report.remarks = {{"mean angle of forces above twice the mean, degrees", mean(strong), 0,
                     "lower than all with spheres (Silbert), slightly higher in the thesis"},
                    {"mean angle without friction, degrees", mean(without), 0, ""},
                    {"mean angle of the normals of single contacts, degrees",
                     mean(contact_angles(*rough)), 0, ""}};
  Plot plot{"angles",
            "Angle of touching grains to the vertical",
            "angle, degrees",
            "P, per degree",
            false,
            false,
            {}};
  plot.curves = {angle_curve("friction 0.5", with), angle_curve("no friction", without),
                 angle_curve("friction 0.5, above twice the mean force", strong)};
  Curve even{"all directions alike", CurveKind::published, {}, {}, {}};
  for (int k = 0; k <= 90; ++k) {
    even.x.push_back(k);
    even.y.push_back(std::sin(k * std::numbers::pi / 180) * std::numbers::pi / 180);
  }
  plot.curves.push_back(even);
  report.plots = {plot};
  return report;
}

namespace {

/// Shares of contacts above a threshold, and of the force they carry.
struct Network {
  Curve share{"", CurveKind::line, {}, {}, {}}, weight{"", CurveKind::line, {}, {}, {}};
  double stronger_half = 0;
};

Network network_of(const std::string& name, std::vector<double> f) {
  std::sort(f.begin(), f.end(), std::greater<>());
  double total = 0, sum = 0;
  for (const double x : f) total += x;
  Network out;
  out.share.name = name + ": share above";
  out.weight.name = name + ": force they carry";
  for (std::size_t k = 0; k < f.size(); ++k) {
    sum += f[k];
    if (2 * (k + 1) <= f.size()) out.stronger_half = sum / total;
    if (k % std::max<std::size_t>(f.size() / 400, 1) != 0) continue;
    out.share.x.push_back(f[k]);
    out.share.y.push_back(static_cast<double>(k + 1) / static_cast<double>(f.size()));
    out.weight.x.push_back(f[k]);
    out.weight.y.push_back(sum / total);
  }
  return out;
}

}  // namespace

Result<LabReport> run_network(const LabContext& context) {
  const auto tetrahedra = rough_beds(context);
  if (!tetrahedra) return tetrahedra.error();
  const auto smooth = bed_at_rest(quick_size(context), {0, false});
  if (!smooth) return smooth.error();
  const auto beads = bed_at_rest(context, {0.5, true});
  if (!beads) return beads.error();
  const Network of_beads = network_of("spheres", normal_forces(*beads)),
                of_particles = network_of("particles", pooled(*tetrahedra, sphere_forces));
  LabReport report;
  report.quantities = {
      {"spheres: force that the stronger half of the contacts carries", "", of_beads.stronger_half,
       0, 0.775, 0.825, "about 80 % (Silbert et al. 2002)"},
      {"tetrahedra: the stronger half of the particles", "", of_particles.stronger_half, 0, 0.775,
       0.825, "81 % (thesis, Fig. 7.11), about 80 % (Silbert)"},
      {"control: the same without friction", "",
       network_of("", sphere_forces(*smooth)).stronger_half, 0, 0.5, 0.775,
       "forces are more even then: the quantity before is out of its band"}};
  report.remarks = {{"tetrahedra: the stronger half of the contacts",
                     network_of("", pooled(*tetrahedra, normal_forces)).stronger_half, 0, ""},
                    {"without friction: the stronger half of the contacts",
                     network_of("", normal_forces(*smooth)).stronger_half, 0, ""}};
  Plot plot{"network",
            "Contacts above a threshold, and what they carry",
            "threshold over mean force",
            "share",
            false,
            false,
            {}};
  plot.curves = {of_beads.share,
                 of_beads.weight,
                 of_particles.share,
                 of_particles.weight,
                 {"81 % (thesis)", CurveKind::published, {0, 1}, {0.81, 0.81}, {}}};
  report.plots = {plot};
  return report;
}

}  // namespace talus
