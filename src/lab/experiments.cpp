#include "lab/experiment.h"
#include "lab/repose.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace talus {

namespace {
constexpr Experiment experiments[] = {
    {"repose", "the angle that slopes and heaps of continuum sand take, against the one asked for",
     run_repose},
};
}

std::span<const Experiment> lab_experiments() { return experiments; }

std::string lab_table(std::string_view experiment, const LabReport& report) {
  std::string out;
  for (const Quantity& q : report.quantities) {
    const std::string error = q.error > 0 ? fmt::format(" +- {:.2g}", q.error) : "";
    out += fmt::format("  {:<44} {:>8.4g}{} {}  (band {:.4g} to {:.4g}: {})  {}\n", q.name, q.value,
                       error, q.unit, q.lower, q.upper, q.source, q.in_band() ? "ok" : "OUT");
  }
  std::size_t good = 0;
  for (const Quantity& q : report.quantities) good += q.in_band();
  out += fmt::format("{}: {} ({} of {} within their bands)\n", experiment,
                     report.passed() ? "passed" : "OUT OF BAND", good, report.quantities.size());
  return out;
}

std::string lab_json(std::string_view experiment, const LabReport& report) {
  nlohmann::ordered_json json;
  json["experiment"] = experiment;
  json["passed"] = report.passed();
  for (const Quantity& q : report.quantities)
    json["quantities"].push_back({{"name", q.name},
                                  {"unit", q.unit},
                                  {"value", q.value},
                                  {"error", q.error},
                                  {"lower", q.lower},
                                  {"upper", q.upper},
                                  {"source", q.source},
                                  {"in_band", q.in_band()}});
  return json.dump(2) + "\n";
}

std::string lab_csv(const LabReport& report) {
  std::string out = "curve,x,y\n";
  for (const Curve& c : report.curves)
    for (std::size_t k = 0; k < c.x.size(); ++k)
      out += fmt::format("\"{}\",{:.6g},{:.6g}\n", c.name, c.x[k], c.y[k]);
  return out;
}

}  // namespace talus
