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
#include <limits>
#include <numbers>

namespace talus {

namespace {

using namespace lab;

// What closed the hole leaves ahead of the grains that fall after it, and no faster than these are
// soon themselves: what moves fast keeps steps short.
constexpr double falling_away = 1.0;  // m/s
constexpr double far_away = 0.5;      // m

/// Scripted bodies with these names leave downwards from now on.
void take_away(Scene& scene, double now, FunctionRef<bool(const std::string&)> leaves) {
  for (SceneBody& b : scene.bodies) {
    if (b.motion != SceneMotion::scripted || !leaves(b.name)) continue;
    const Vec3d at = b.shape.pose.position;
    b.interpolation = Interpolation::linear;
    b.keyframes = {{now, at, {}}, {now + far_away / falling_away, at - Vec3d{0, 0, far_away}, {}}};
  }
}

/// How many are left over time since the hole was opened, less what was poured meanwhile.
struct Drain {
  std::vector<double> time, left;  ///< s; how many
  double mass = 0;                 ///< kg, of a grain in the mean

  /// How many have left since a time after the opening.
  double gone_since(double from) const {
    for (std::size_t k = 0; k < time.size(); ++k)
      if (time[k] >= from) return left[k] - left.back();
    return 0;
  }
};

/// Counts what leaves although more is poured. Old ones alone would not do: the bed flows fastest
/// in its middle, and what was poured there is soon at the hole.
class Census {
 public:
  explicit Census(const Simulation& simulation)
      : simulation_(simulation), first_(newest()), last_(first_) {}

  /// Grains that are there, less those poured since the start.
  double left() {
    last_ = std::max(last_, newest());
    return static_cast<double>(simulation_.particles().size()) -
           static_cast<double>(last_ - first_);
  }

 private:
  std::uint64_t newest() const {
    const auto ids = simulation_.particles().values<std::uint64_t>("id");
    return ids.empty() ? 0 : *std::max_element(ids.begin(), ids.end());
  }

  const Simulation& simulation_;
  std::uint64_t first_, last_;
};

double mean_mass(const Simulation& simulation) {
  const Material& m = simulation.scene().materials[0];
  double sum = 0;
  const auto radius = simulation.particles().values<float>("radius");
  for (const float r : radius) sum += std::pow(double{r}, 3);
  return m.grain_density * 4 * std::numbers::pi / 3 * sum / static_cast<double>(radius.size());
}

/// Steps until enough(course), at most for `seconds`; `refill` keeps the bed as high as it was.
Result<Drain> drain(const LabContext& context, const Simulation& settled_state, Scene scene,
                    double seconds, FunctionRef<bool(const Drain&)> enough,
                    const Pour* refill = nullptr) {
  scene.duration = 1000;
  auto run = continued(context, settled_state, std::move(scene));
  if (!run) return run.error();
  Simulation& simulation = **run;
  Census census(simulation);
  const double start = simulation.time();
  if (refill != nullptr)
    if (auto added = simulation.add_pour(*refill); !added) return added.error();
  Drain out;
  out.mass = mean_mass(simulation);
  double due = 0;
  while (simulation.time() < start + seconds) {
    if (context.stop()) return stopped();
    if (auto report = simulation.step(); !report) return report.error();
    if (simulation.time() - start < due) continue;
    due += 5e-3;
    out.time.push_back(simulation.time() - start);
    out.left.push_back(census.left());
    if (enough(out)) break;
  }
  return out;
}

struct Rate {
  double per_second = 0;
  double straightness = 0;  ///< R^2 of the line
};

/// Slope of the last third of what has gone since `from` over that of the first.
double steadiness(const Drain& d, double from) {
  std::vector<double> t[2], n[2];
  const double gone = d.gone_since(from), last = d.left.empty() ? 0 : d.left.back();
  for (std::size_t k = 0; k < d.time.size(); ++k) {
    if (d.time[k] < from || (d.left[k] < last + gone * 2 / 3 && d.left[k] > last + gone / 3))
      continue;
    const std::size_t part = d.left[k] > last + gone / 2 ? 0 : 1;
    t[part].push_back(d.time[k]);
    n[part].push_back(d.left[k]);
  }
  if (t[0].size() < 3 || t[1].size() < 3) return 0;
  return fit_line(t[1], n[1]).slope / fit_line(t[0], n[0]).slope;
}

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

constexpr double funnel_flows = 0.15;  // s after the opening

/// Until a quarter is left: the law needs a filled funnel.
Result<Drain> emptied_funnel(const LabContext& context, double friction, std::uint64_t seed) {
  auto scene = read_scene(context.folder + "/hourglass/funnel.toml", {});
  if (!scene) return scene.error();
  scene->seed = seed;
  scene->materials[0].friction = friction;
  if (!(friction > 0))
    for (SceneBody& b : scene->bodies) b.friction = 0;
  const std::string name =
      fmt::format("funnel-{:.1f}{}", friction, seed > 1 ? fmt::format("-{}", seed) : "");
  auto full = settled(context, *scene, name, 0.02 * grain_speed(*scene));
  if (!full) return full.error();
  const auto start = static_cast<double>((*full)->particles().size());
  take_away(*scene, (*full)->time(), [](const std::string&) { return true; });
  context.say(fmt::format("draining, friction {:.1f}", friction));
  return drain(context, **full, *scene, 10,
               [&](const Drain& d) { return d.left.back() < 0.25 * start; });
}

}  // namespace

namespace {

/// Funnels of one friction, from different starts.
struct Funnels {
  double friction = 0;
  std::vector<Drain> courses;

  /// What of(course) gives in the mean, and its standard error.
  std::pair<double, double> mean_of(FunctionRef<double(const Drain&)> of) const {
    std::vector<double> values;
    for (const Drain& course : courses) values.push_back(of(course));
    const double middle = mean(values), n = static_cast<double>(values.size());
    double squares = 0;
    for (const double v : values) squares += (v - middle) * (v - middle);
    return {middle, n > 1 ? std::sqrt(squares / (n * (n - 1))) : 0};
  }
};

/// The last are those without any friction, the control.
Result<std::vector<Funnels>> emptied_funnels(const LabContext& context) {
  const std::vector<double> frictions = context.full
                                            ? std::vector<double>{0.1, 0.2, 0.3, 0.5, 0.8, 0}
                                            : std::vector<double>{0.1, 0.3, 0.8, 0};
  // A third of one funnel's grains flows at a rate that is off by 4 %.
  const std::size_t starts = context.full ? 3 : 1;
  std::vector<Funnels> funnels;
  for (const double friction : frictions) funnels.push_back({friction, std::vector<Drain>(starts)});
  const Status ran = side_by_side(context, frictions.size() * starts,
                                  [&](const LabContext& each, std::size_t k) -> Status {
                                    Funnels& of = funnels[k / starts];
                                    auto course = emptied_funnel(each, of.friction, k % starts + 1);
                                    if (!course) return course.error();
                                    of.courses[k % starts] = std::move(*course);
                                    return {};
                                  });
  if (!ran) return ran.error();
  return funnels;
}

}  // namespace

Result<LabReport> run_hourglass(const LabContext& context) {
  const auto funnels = emptied_funnels(context);
  if (!funnels) return funnels.error();
  LabReport report;
  Plot plot{"hourglass", "Grains left in the funnel", "time, s", "grains", false, false, {}};
  const auto steady = [](const Drain& d) { return steadiness(d, funnel_flows); };
  const auto per_second = [](const Drain& d) { return rate_of(d, funnel_flows).per_second; };
  const auto straight = [](const Drain& d) { return rate_of(d, funnel_flows).straightness; };
  std::vector<double> rates;
  for (const Funnels& f : *funnels) {
    const bool smooth = !(f.friction > 0);
    const std::string name = smooth ? "no friction" : fmt::format("friction {:.1f}", f.friction);
    const auto [ratio, error] = f.mean_of(steady);
    rates.push_back(f.mean_of(per_second).first);
    report.remarks.push_back({name + ": grains per second", rates.back(), 0, ""});
    plot.curves.push_back(
        {name, CurveKind::line, f.courses.front().time, f.courses.front().left, {}});
    if (smooth) {
      report.quantities.push_back(
          {"control: rate of the last third over the first, no friction", "", ratio, error, 0, 0.95,
           "without friction grains flow like a liquid, slower as less is above the hole"});
      continue;
    }
    report.quantities.push_back({name + ": rate of the last third over that of the first", "",
                                 ratio, error, 0.95, 1.05,
                                 "constant mean flow rate (thesis, Fig. 7.14), taken as +- 5 %"});
    report.quantities.push_back({name + ": straightness of the course", "R^2",
                                 f.mean_of(straight).first, 0, 0.995, 1,
                                 "constant mean flow rate (thesis, Fig. 7.14: a line)"});
  }
  for (std::size_t k = 1; k + 1 < rates.size(); ++k)
    report.quantities.push_back({fmt::format("rate at friction {:.1f} over that at {:.1f}",
                                             (*funnels)[k].friction, (*funnels)[k - 1].friction),
                                 "", rates[k] / rates[k - 1], 0, 0.2, 0.999,
                                 "slower with more friction (Mankoc et al. 2007; thesis)"});
  report.plots = {plot};
  return report;
}

namespace {

// A rate is taken over at least so many beads and seconds. It fluctuates: over 0.1 s by 3 % through
// a hole of 8 diameters, by 1.6 % through one of 14.
constexpr double enough_beads = 2000, long_enough = 0.15;
constexpr double longest = 2.0;      // s
constexpr double control_hole = 12;  // diameters

/// A bin, over the one of the scene file, and the holes it is wide and high enough for: 2.5 times
/// as wide as the largest (Nedderman 1992).
struct Bin {
  const char* name;
  double wider, higher;
  std::vector<double> holes;
};
const Bin narrow{"bin", 1, 1, {8, 10, 12, 14}}, wide{"bin-wide", 5.0 / 3, 1.5, {20, 24}};

/// Seconds after the opening of a hole: the plug that falls first and the arch that forms behind it
/// last a few times of free fall over the hole's width.
double flow_developed(double hole) { return 2.5 * std::sqrt(hole / 9.81); }

/// Beverloo's law over rho sqrt(g) d^(5/2); the hole in diameters d.
double beverloo(double c, double k, double power, double hole) {
  return c * std::pow(std::max(hole - k, 1e-6), power);
}

/// The law that Mankoc et al. 2007 found over holes from 2 to 100 diameters, up to its constant.
double mankoc(double hole) {
  return std::pow(hole - 1, 2.5) * (1 - 0.5 * std::exp(-0.051 * (hole - 1)));
}

Result<Scene> bin_scene(const LabContext& context, const Bin& bin) {
  auto scene = read_scene(context.folder + "/orifice/bin.toml", {});
  if (!scene) return scene;
  for (Fill& f : scene->fills) {
    f.shape.radius *= bin.wider;
    f.shape.height *= bin.higher;
    f.shape.pose.position.z *= bin.higher;
  }
  for (SceneBody& b : scene->bodies) {
    // The plate has to reach beyond the wall, or beads leave between them.
    if (b.name == "plate")
      b.shape.thickness = bin.wider * (b.shape.radius + b.shape.thickness) - b.shape.radius;
    if (b.name != "wall") continue;
    b.shape.radius *= bin.wider;
    b.shape.height *= bin.higher;
    b.shape.pose.position.z *= bin.higher;
  }
  return scene;
}

/// kg/m^3, in the middle of the bed.
double bulk_density(Simulation& bed) {
  bed.prepare_frame();
  std::vector<double> fraction;
  const Material& beads = bed.scene().materials[0];
  const auto d = static_cast<float>(beads.grain_diameter);
  const auto at = bed.particles().values<Vec3f>("position");
  const auto filled = bed.particles().values<float>("packing_fraction");
  for (std::size_t k = 0; k < at.size(); ++k)
    if (at[k].z > 5 * d && at[k].z < 12 * d && std::hypot(at[k].x, at[k].y) < 14 * d)
      fraction.push_back(double{filled[k]});
  return mean(fraction) * beads.grain_density;
}

/// A nozzle over all of the bed, for as much as flows out.
Pour refill_of(const Simulation& bed, double rate) {
  const Scene& scene = bed.scene();
  double top = 0;
  for (const Vec3f& x : bed.particles().values<Vec3f>("position")) top = std::max(top, double{x.z});
  Pour pour;
  pour.name = "refill";
  pour.position = {0, 0, top + 4 * scene.materials[0].grain_diameter};
  pour.direction = {0, 0, -1};
  pour.radius = scene.fills[0].shape.radius - scene.materials[0].grain_diameter;
  pour.rate = rate;
  pour.speed = 0.5;
  pour.stop = std::numeric_limits<double>::infinity();
  return pour;
}

/// One hole: what flows through it.
struct Opening {
  const Bin* bin = nullptr;
  double hole = 0;  ///< diameters
  bool smooth = false;
  Drain course;
  double flow = 0;     ///< over rho sqrt(g) d^(5/2)
  double packing = 0;  ///< fraction, of the bed
};

Status let_flow(const LabContext& context, Opening& opening) {
  const auto scene = bin_scene(context, *opening.bin);
  if (!scene) return scene.error();
  auto bed = settled(context, *scene, opening.bin->name, 0.02 * grain_speed(*scene));
  if (!bed) return bed.error();
  const Material& beads = scene->materials[0];
  const double d = beads.grain_diameter, bulk = bulk_density(**bed);
  const double scale = bulk * std::sqrt(9.81) * std::pow(d, 2.5);  // kg/s
  Scene open = (*bed)->scene();
  if (opening.smooth) {
    for (Material& m : open.materials) m.friction = 0;
    for (SceneBody& b : open.bodies) b.friction = 0;
  }
  take_away(open, (*bed)->time(), [&](const std::string& name) {
    return std::stod(name.substr(name.find(' '))) <= opening.hole;
  });
  context.say(fmt::format("a hole of {} diameters", opening.hole));
  const double from = flow_developed(opening.hole * d);
  const Pour refill =
      refill_of(**bed, scale * beverloo(opening.smooth ? 0.9 : 0.58, 1.4, 2.5, opening.hole));
  auto drained = drain(
      context, **bed, open, longest,
      [&](const Drain& so_far) {
        return so_far.gone_since(from) > enough_beads && so_far.time.back() > from + long_enough;
      },
      &refill);
  if (!drained) return drained.error();
  opening.course = std::move(*drained);
  opening.flow = rate_of(opening.course, from).per_second * opening.course.mass / scale;
  opening.packing = bulk / beads.grain_density;
  return {};
}

/// Those of quick size, in full size also the large ones; the control comes last.
Result<std::vector<Opening>> all_openings(const LabContext& context) {
  std::vector<Opening> openings;
  for (const Bin* bin : {&narrow, &wide}) {
    if (bin == &wide && !context.full) continue;
    for (const double hole : bin->holes) openings.push_back({bin, hole, false, {}, 0, 0});
    // The runs below share the bed: it has to be there before they start side by side.
    const auto scene = bin_scene(context, *bin);
    if (!scene) return scene.error();
    if (auto bed = settled(context, *scene, bin->name, 0.02 * grain_speed(*scene)); !bed)
      return bed.error();
  }
  openings.push_back({&narrow, control_hole, true, {}, 0, 0});
  const Status ran = side_by_side(
      context, openings.size(),
      [&](const LabContext& each, std::size_t k) { return let_flow(each, openings[k]); });
  if (!ran) return ran.error();
  return openings;
}

Curve law_curve(const char* name, CurveKind kind, double first, double last,
                FunctionRef<double(double)> law) {
  Curve curve{name, kind, {}, {}, {}};
  for (double h = first; h <= last; h += 0.5) {
    curve.x.push_back(h);
    curve.y.push_back(law(h));
  }
  return curve;
}

/// Beverloo's constants of rates through holes. Relative errors count, as in a logarithmic plot.
Fit fit_beverloo(const std::vector<double>& hole, const std::vector<double>& rate) {
  return fit_curve([](std::span<const double> p, double h) { return beverloo(p[0], p[1], 2.5, h); },
                   std::vector<double>{0.58, 1.4}, hole, rate, rate);
}

/// How Mankoc's law compares: the largest deviation from it, and the k it has over these holes.
std::vector<Remark> beside_mankoc(const Curve& measured) {
  std::vector<double> law, ratio;
  for (std::size_t n = 0; n < measured.x.size(); ++n) {
    law.push_back(mankoc(measured.x[n]));
    ratio.push_back(measured.y[n] / law.back());
  }
  double most = 0;
  for (const double r : ratio) most = std::max(most, std::abs(r / mean(ratio) - 1));
  return {{"largest deviation from Mankoc's law, constant fitted", most, 0, ""},
          {"k, exponent 5/2, of Mankoc's law through the same holes",
           fit_beverloo(measured.x, law).parameter[1], 0, "Mankoc et al. 2007"}};
}

}  // namespace

Result<LabReport> run_orifice(const LabContext& context) {
  const auto openings = all_openings(context);
  if (!openings) return openings.error();
  LabReport report;
  Plot plot{"orifice",
            "Flow through a hole",
            "diameter of the hole, grain diameters",
            "rate over rho sqrt(g) d^2.5",
            true,
            true,
            {}};
  Plot courses{"courses", "Beads left, refill not counted", "time, s", "beads", false, false, {}};
  Curve measured{"measured", CurveKind::points, {}, {}, {}};
  for (const Opening& o : *openings) {
    courses.curves.push_back(
        {fmt::format("{} diameters{}", o.hole, o.smooth ? ", no friction" : ""),
         CurveKind::line,
         o.course.time,
         o.course.left,
         {}});
    if (o.smooth) continue;
    measured.x.push_back(o.hole);
    measured.y.push_back(o.flow);
    report.remarks.push_back({fmt::format("hole of {} diameters: rate", o.hole), o.flow, 0,
                              fmt::format("{:.4g} (Beverloo)", beverloo(0.58, 1.4, 2.5, o.hole))});
  }
  const Fit fit = fit_beverloo(measured.x, measured.y);
  const Fit power =
      fit_curve([](std::span<const double> p, double h) { return beverloo(p[0], 1.4, p[1], h); },
                std::vector<double>{0.58, 2.5}, measured.x, measured.y, measured.y);
  report.quantities = {
      {"C, exponent 5/2", "", fit.parameter[0], fit.error[0], 0.55, 0.65,
       "0.58 (Beverloo et al. 1961); 0.55 to 0.65 (Nedderman 1992)"},
      {"k, exponent 5/2", "", fit.parameter[1], fit.error[1], 1.2, 1.6,
       "1.4 (Beverloo et al. 1961), about 1.5 for spheres (Nedderman 1992)"},
      {"exponent, k = 1.4", "", power.parameter[1], power.error[1], 2.4, 2.6, "5/2"},
      {"control: C without friction, k = 1.4, 12 diameters", "",
       openings->back().flow / beverloo(1, 1.4, 2.5, control_hole), 0, 0.65, 10,
       "friction slows the flow: without it the first quantity is out of its band"}};
  for (Remark& r : beside_mankoc(measured)) report.remarks.push_back(std::move(r));
  report.remarks.push_back(
      {"packing fraction of the bed", openings->front().packing, 0, "0.60 to 0.64, poured"});
  const double first = measured.x.front(), last = measured.x.back();
  plot.curves = {
      measured,
      law_curve("fit, exponent 5/2", CurveKind::line, first, last,
                [&](double h) { return beverloo(fit.parameter[0], fit.parameter[1], 2.5, h); }),
      law_curve("Beverloo, C = 0.58, k = 1.4", CurveKind::published, first, last,
                [](double h) { return beverloo(0.58, 1.4, 2.5, h); })};
  report.plots = {plot, courses};
  return report;
}

}  // namespace talus
