#include "report/tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <utility>

namespace talus::report {

namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t most_entries = 2000;
constexpr std::size_t most_bodies = 6;

/// How many rows belong to frames up to `last_frame`.
std::size_t rows_up_to(const CsvColumns& table, std::uint64_t last_frame) {
  const std::vector<double> frame = table.numbers("frame");
  std::size_t rows = 0;
  while (rows < frame.size() && frame[rows] <= static_cast<double>(last_frame)) ++rows;
  return rows;
}

class Statistics {
 public:
  Statistics(const CsvColumns& table, std::uint64_t last_frame)
      : table_(table), rows_(rows_up_to(table, last_frame)) {
    time_ = column("time_s");
    steps_ = column("steps");
  }

  std::vector<double> column(const std::string& name, double factor = 1) const {
    std::vector<double> out = table_.numbers(name);
    out.resize(rows_, nan);
    for (double& v : out) v *= factor;
    return out;
  }
  /// Without the frames that no step led to.
  std::vector<double> stepped(const std::string& name, double factor = 1) const {
    std::vector<double> out = column(name, factor);
    for (std::size_t i = 0; i < out.size(); ++i)
      if (!(steps_[i] > 0)) out[i] = nan;
    return out;
  }
  std::vector<double> per_step(const std::string& name) const {
    std::vector<double> out = stepped(name);
    for (std::size_t i = 0; i < out.size(); ++i) out[i] /= steps_[i];
    return out;
  }
  std::vector<std::string> texts(const std::string& name) const {
    std::vector<std::string> out = table_.texts(name);
    out.resize(rows_);
    return out;
  }
  const std::vector<double>& time() const { return time_; }
  const std::vector<double>& steps() const { return steps_; }

 private:
  const CsvColumns& table_;
  std::size_t rows_;
  std::vector<double> time_, steps_;
};

bool has_content(const std::vector<double>& values) {
  return std::any_of(values.begin(), values.end(),
                     [](double v) { return std::isfinite(v) && v != 0; });
}

std::vector<double> above_lowest(std::vector<double> values) {
  double lowest = std::numeric_limits<double>::infinity();
  for (const double v : values)
    if (std::isfinite(v)) lowest = std::min(lowest, v);
  for (double& v : values) v -= lowest;
  return values;
}

/// Lines that are zero throughout tell nothing and are left out; so is a plot without lines.
void add_plot(std::vector<Plot>& plots, Plot plot) {
  std::erase_if(plot.series, [](const Series& s) { return !has_content(s.values); });
  if (plot.series.empty() || plot.time.size() < 2) return;
  thin_plot(plot, most_entries);
  plots.push_back(std::move(plot));
}

void add_statistics(const Statistics& s, RunTables& out) {
  std::vector<Plot>& plots = out.plots;
  add_plot(plots, {"energy",
                   "Energy",
                   "J",
                   s.time(),
                   {{"kinetic", s.column("kinetic_energy_J")},
                    {"potential, above its lowest", above_lowest(s.column("potential_energy_J"))}},
                   {}});
  add_plot(plots, {"speed",
                   "Fastest grain",
                   "m/s",
                   s.time(),
                   {{"largest speed", s.stepped("max_speed_m_s")}},
                   {}});
  add_plot(plots, {"particles",
                   "Particles",
                   "",
                   s.time(),
                   {{"in the scene", s.column("particles")}, {"asleep", s.column("asleep")}},
                   {}});
  add_plot(plots, {"contacts", "Contacts", "", s.time(), {{"contacts", s.column("contacts")}}, {}});
  add_plot(plots, {"iterations",
                   "Iterations of a step",
                   "",
                   s.time(),
                   {{"pressure", s.per_step("pressure_iterations")},
                    {"friction", s.per_step("friction_iterations")}},
                   {}});
  add_plot(plots, {"density",
                   "Density error",
                   "%",
                   s.time(),
                   {{"mean", s.stepped("mean_density_error", 100)},
                    {"largest", s.stepped("max_density_error", 100)}},
                   {}});
  add_plot(plots, {"step",
                   "Step size",
                   "ms",
                   s.time(),
                   {{"mean", s.stepped("mean_dt_s", 1000)},
                    {"smallest", s.stepped("smallest_dt_s", 1000)}},
                   s.texts("smallest_dt_reason")});
  const std::vector<double> particles = s.column("particles"), fastest = s.column("max_speed_m_s");
  for (std::size_t i = 0; i < s.steps().size(); ++i) {
    if (!std::isfinite(s.steps()[i])) continue;
    out.steps += s.steps()[i];
    if (std::isfinite(particles[i])) out.particle_steps += s.steps()[i] * particles[i];
    if (std::isfinite(fastest[i])) out.fastest = std::max(out.fastest, fastest[i]);
  }
}

/// Rows of a table of bodies, by body, in the order in which they first appear.
std::vector<std::pair<std::string, std::vector<std::size_t>>> rows_of_bodies(
    const CsvColumns& table, std::size_t rows) {
  std::vector<std::pair<std::string, std::vector<std::size_t>>> out;
  std::map<std::string, std::size_t> known;
  const std::vector<std::string> names = table.texts("body");
  for (std::size_t i = 0; i < std::min(rows, names.size()); ++i) {
    const auto [at, added] = known.try_emplace(names[i], out.size());
    if (added) out.push_back({names[i], {}});
    out[at->second].second.push_back(i);
  }
  return out;
}

/// One plot for each body that felt something: the components of the force, and its largest size.
void add_forces(const CsvColumns& table, std::uint64_t last_frame, RunTables& out) {
  const std::vector<double> time = table.numbers("time_s"), peak = table.numbers("peak_force_N");
  const std::vector<double> force[3] = {table.numbers("force_x_N"), table.numbers("force_y_N"),
                                        table.numbers("force_z_N")};
  if (peak.empty() || time.empty() || force[0].empty() || force[1].empty() || force[2].empty())
    return;
  struct Loaded {
    double largest = 0;
    std::size_t order = 0;
    Plot plot;
  };
  std::vector<Loaded> loaded;
  for (const auto& [name, rows] : rows_of_bodies(table, rows_up_to(table, last_frame))) {
    Loaded body{0, loaded.size(), {"force", "Force on " + name, "N", {}, {}, {}}};
    body.plot.series = {{"x", {}}, {"y", {}}, {"z", {}}, {"largest of a step", {}}};
    for (const std::size_t i : rows) {
      body.plot.time.push_back(time[i]);
      for (std::size_t axis = 0; axis < 3; ++axis)
        body.plot.series[axis].values.push_back(force[axis][i]);
      body.plot.series[3].values.push_back(peak[i]);
      if (std::isfinite(peak[i])) body.largest = std::max(body.largest, peak[i]);
    }
    if (body.largest > 0) loaded.push_back(std::move(body));
  }
  std::sort(loaded.begin(), loaded.end(), [](const Loaded& a, const Loaded& b) {
    return a.largest != b.largest ? a.largest > b.largest : a.order < b.order;
  });
  if (loaded.size() > most_bodies) {
    out.notes.push_back(fmt::format(
        "forces are plotted for the {} bodies with the largest ones; forces.csv has all {}",
        most_bodies, loaded.size()));
    loaded.resize(most_bodies);
  }
  for (Loaded& body : loaded) add_plot(out.plots, std::move(body.plot));
}

/// Phases by their time, and the time of each frame. The time of a frame is in the row "all".
void add_timings(const CsvColumns& table, std::uint64_t last_frame, const Statistics* statistics,
                 RunTables& out) {
  const std::vector<double> frame = table.numbers("frame"), seconds = table.numbers("seconds");
  const std::vector<std::string> phase = table.texts("phase");
  if (frame.empty() || seconds.empty() || phase.empty()) return;
  std::map<std::string, double> sums;
  std::map<double, double> of_frame;
  double told = 0;
  for (std::size_t i = 0; i < rows_up_to(table, last_frame); ++i) {
    if (!std::isfinite(seconds[i])) continue;
    if (phase[i] == "all") {
      out.wall_seconds += seconds[i];
      of_frame[frame[i]] += seconds[i];
    } else {
      sums[phase[i]] += seconds[i];
      told += seconds[i];
    }
  }
  for (const auto& [name, time] : sums)
    if (time > 0) out.phases.push_back({name, time});
  std::stable_sort(out.phases.begin(), out.phases.end(),
                   [](const PhaseTime& a, const PhaseTime& b) { return a.seconds > b.seconds; });
  if (out.wall_seconds > told) out.phases.push_back({"other", out.wall_seconds - told});
  if (statistics == nullptr) return;
  const std::vector<double> numbers = statistics->column("frame");
  Plot plot{"time", "Computing time of a frame", "s", statistics->time(), {{"wall clock", {}}}, {}};
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const auto at = of_frame.find(numbers[i]);
    const bool there = at != of_frame.end() && statistics->steps()[i] > 0;
    plot.series[0].values.push_back(there ? at->second : nan);
  }
  add_plot(out.plots, std::move(plot));
}

}  // namespace

RunTables read_tables(const std::filesystem::path& folder, std::uint64_t last_frame) {
  RunTables out;
  const auto statistics_table = CsvColumns::read(folder / "statistics.csv");
  const auto forces = CsvColumns::read(folder / "forces.csv");
  const auto timings = CsvColumns::read(folder / "timings.csv");
  for (const Result<CsvColumns>* table : {&statistics_table, &forces, &timings})
    if (!*table) out.notes.push_back(table->error().message);
  std::optional<Statistics> statistics;
  if (statistics_table) {
    statistics.emplace(*statistics_table, last_frame);
    add_statistics(*statistics, out);
  }
  if (forces) add_forces(*forces, last_frame, out);
  if (timings) add_timings(*timings, last_frame, statistics ? &*statistics : nullptr, out);
  return out;
}

void thin_plot(Plot& plot, std::size_t limit) {
  const std::size_t count = plot.time.size(), stretches = std::max<std::size_t>(limit / 2, 1);
  if (count <= limit) return;
  const auto begin_of = [&](std::size_t k) { return k * count / stretches; };
  Plot out{plot.key, plot.title, plot.unit, {}, {}, {}};
  for (std::size_t k = 0; k < stretches; ++k) {
    out.time.push_back(plot.time[begin_of(k)]);
    out.time.push_back(plot.time[begin_of(k + 1) - 1]);
  }
  for (const Series& series : plot.series) {
    Series thin{series.name, {}};
    for (std::size_t k = 0; k < stretches; ++k) {
      std::size_t low = begin_of(k), high = low;
      for (std::size_t i = low; i < begin_of(k + 1); ++i) {
        const double v = series.values[i];
        if (v < series.values[low] || std::isnan(series.values[low])) low = i;
        if (v > series.values[high] || std::isnan(series.values[high])) high = i;
      }
      thin.values.push_back(series.values[std::min(low, high)]);
      thin.values.push_back(series.values[std::max(low, high)]);
    }
    out.series.push_back(std::move(thin));
  }
  plot = std::move(out);
}

}  // namespace talus::report
