// Work that goes through a whole run or makes runs of its own: detail, the lab.
#include "common.h"
#include "core/parallel.h"
#include "detail/detail_job.h"
#include "lab/experiment.h"
#include "lab/flank.h"
#include "report/report.h"

namespace talus::python {

namespace {

using Numbers = py::array_t<double, py::array::c_style | py::array::forcecast>;

std::span<const double> numbers_of(const Numbers& array, const char* name) {
  if (array.ndim() != 1) throw py::value_error(std::string(name) + " must have one dimension");
  return {array.data(), static_cast<std::size_t>(array.size())};
}

py::dict progress_dict(const detail::JobProgress& p) {
  py::dict out;
  out["frame"] = p.frame;
  out["frames"] = p.frames;
  out["part"] = p.part;
  out["parts"] = p.parts;
  out["kept"] = p.kept;
  out["grains"] = p.grains;
  out["steps"] = p.steps;
  out["seconds"] = p.seconds;
  out["remaining"] = p.remaining;
  return out;
}

/// Calls back with Python's lock; an exception there stops the job and comes out of it.
class Listener {
 public:
  explicit Listener(py::object call) : call_(std::move(call)) {}

  /// `describe` makes the argument, with the lock.
  template <class Describe>
  void tell(Describe&& describe) {
    const py::gil_scoped_acquire lock;
    if (call_.is_none() || raised_) return;
    try {
      call_(describe());
    } catch (py::error_already_set& error) {
      raised_ = std::make_unique<py::error_already_set>(std::move(error));
    }
  }
  bool stop() {
    const py::gil_scoped_acquire lock;
    if (!raised_ && PyErr_CheckSignals() != 0) raised_ = std::make_unique<py::error_already_set>();
    return raised_ != nullptr;
  }
  void rethrow() {
    if (raised_) throw py::error_already_set(std::move(*raised_));
  }

 private:
  py::object call_;
  std::unique_ptr<py::error_already_set> raised_;
};

py::dict make_detail(const std::filesystem::path& run, const std::vector<std::string>& overrides,
                     std::pair<int, int> slice, std::uint64_t memory, std::uint64_t last_frame,
                     bool overwrite, bool force, int threads, const py::object& progress) {
  detail::JobOptions options;
  options.run = run;
  options.overrides = overrides;
  options.slice = slice.first;
  options.slices = slice.second;
  options.memory_bytes = memory;
  options.last_frame = last_frame;
  options.overwrite = overwrite;
  options.force = force;
  Listener listener(progress);
  detail::JobReport report;
  {
    const py::gil_scoped_release free;
    const Executor executor(threads);
    const auto plan = take(detail::plan_detail(options, executor));
    report = take(detail::run_detail(
        options, plan, executor,
        [&](const detail::JobProgress& p) { listener.tell([&] { return progress_dict(p); }); },
        [&] { return listener.stop(); }));
  }
  listener.rethrow();
  py::dict out;
  out["frames"] = report.frames;
  out["grains"] = report.grains;
  out["disk_bytes"] = report.disk_bytes;
  return out;
}

py::dict report_dict(const LabReport& report) {
  py::list quantities, remarks, curves;
  for (const Quantity& q : report.quantities) {
    py::dict item;
    item["name"] = q.name;
    item["unit"] = q.unit;
    item["value"] = q.value;
    item["error"] = q.error;
    item["lower"] = q.lower;
    item["upper"] = q.upper;
    item["source"] = q.source;
    item["in_band"] = q.in_band();
    quantities.append(item);
  }
  for (const Remark& r : report.remarks) {
    py::dict item;
    item["name"] = r.name;
    item["value"] = r.value;
    item["error"] = r.error;
    item["published"] = r.published;
    remarks.append(item);
  }
  for (const Plot& p : report.plots)
    for (const Curve& c : p.curves) {
      py::dict item;
      item["plot"] = p.name;
      item["name"] = c.name;
      item["x_name"] = p.x_name;
      item["y_name"] = p.y_name;
      item["x"] = array_of(c.x);
      item["y"] = array_of(c.y);
      curves.append(item);
    }
  py::dict out;
  out["quantities"] = quantities;
  out["remarks"] = remarks;
  out["curves"] = curves;
  out["passed"] = report.passed();
  return out;
}

py::dict run_experiment(const std::string& name, const std::filesystem::path& folder,
                        const std::filesystem::path& cache, bool full, int threads,
                        const py::object& say) {
  for (const Experiment& experiment : lab_experiments()) {
    if (experiment.name != name) continue;
    Listener listener(say);
    const auto report = [&] {
      const py::gil_scoped_release free;
      const Executor executor(threads);
      const LabContext context{
          executor,
          folder.string(),
          cache.string(),
          full,
          [&](std::string_view text) { listener.tell([&] { return py::str(std::string(text)); }); },
          [&] { return listener.stop(); }};
      return experiment.run(context);
    }();
    listener.rethrow();
    return report_dict(take(report));
  }
  std::string known;
  for (const Experiment& e : lab_experiments()) known += " " + std::string(e.name);
  throw py::value_error("no experiment '" + name + "'; there are" + known);
}

std::filesystem::path write_report(const std::filesystem::path& run, int threads) {
  const auto made = [&] {
    const py::gil_scoped_release free;
    const Executor executor(threads);
    return report::write_report({run, {}, {}}, executor);
  }();
  return take(made).file;
}

}  // namespace

void bind_jobs(py::module_& module) {
  module.def("make_detail", &make_detail, py::arg("run"), py::arg("overrides"), py::arg("slice"),
             py::arg("memory"), py::arg("last_frame"), py::arg("overwrite"), py::arg("force"),
             py::arg("threads"), py::arg("progress"));
  module.def("write_report", &write_report, py::arg("run"), py::arg("threads"));
  py::class_<Flank>(module, "Flank", "The slope of a heap's flank")
      .def_readonly("angle_deg", &Flank::angle_deg)
      .def_readonly("error_deg", &Flank::error_deg)
      .def_readonly("height", &Flank::height)
      .def_property_readonly("radius", [](const Flank& f) { return array_of(f.radius); })
      .def_property_readonly("profile", [](const Flank& f) { return array_of(f.profile); });
  module.def(
      "measure_flank",
      [](const Points& position, double spacing, double volume) {
        if (!(spacing > 0) || !(volume > 0))
          throw py::value_error("spacing and volume must be above 0");
        return measure_flank(points_of(position, "position"), spacing, volume);
      },
      py::arg("position"), py::arg("spacing"), py::arg("volume"));
  module.def(
      "fit_line",
      [](const Numbers& x, const Numbers& y) {
        const auto xs = numbers_of(x, "x"), ys = numbers_of(y, "y");
        if (xs.size() != ys.size()) throw py::value_error("x and y differ in length");
        if (xs.size() < 2) throw py::value_error("a line needs at least two points");
        const Line line = fit_line(xs, ys);
        return py::make_tuple(line.intercept, line.slope);
      },
      py::arg("x"), py::arg("y"));
  module.def("experiments", [] {
    py::list out;
    for (const Experiment& e : lab_experiments())
      out.append(py::make_tuple(std::string(e.name), std::string(e.summary)));
    return out;
  });
  module.def("run_experiment", &run_experiment, py::arg("name"), py::arg("folder"),
             py::arg("cache"), py::arg("full"), py::arg("threads"), py::arg("say"));
}

}  // namespace talus::python
