#include "lab/report.h"

#include "core/html.h"
#include "frames/atomic_file.h"
#include "lab/plot.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace talus::lab {

namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

constexpr std::uint64_t largest_report = 64 << 20;

ordered_json to_json(const Experiment& experiment, const LabReport& report,
                     const Circumstances& how) {
  ordered_json json;
  json["experiment"] = experiment.name;
  json["summary"] = experiment.summary;
  json["passed"] = report.passed();
  json["date"] = how.date;
  json["version"] = how.version;
  json["machine"] = how.machine;
  json["threads"] = how.threads;
  json["size"] = how.full ? "full" : "quick";
  json["seconds"] = how.seconds;
  json["quantities"] = ordered_json::array();
  for (const Quantity& q : report.quantities)
    json["quantities"].push_back({{"name", q.name},
                                  {"unit", q.unit},
                                  {"value", q.value},
                                  {"error", q.error},
                                  {"lower", q.lower},
                                  {"upper", q.upper},
                                  {"source", q.source},
                                  {"in_band", q.in_band()}});
  json["remarks"] = ordered_json::array();
  for (const Remark& r : report.remarks)
    json["remarks"].push_back(
        {{"name", r.name}, {"value", r.value}, {"error", r.error}, {"published", r.published}});
  json["plots"] = ordered_json::array();
  for (const Plot& p : report.plots)
    json["plots"].push_back(
        {{"title", p.title}, {"file", fmt::format("{}_{}.svg", experiment.name, p.name)}});
  return json;
}

std::string to_csv(const LabReport& report) {
  std::string out = "plot,curve,x,y\n";
  for (const Plot& p : report.plots)
    for (const Curve& c : p.curves)
      for (std::size_t k = 0; k < c.x.size(); ++k)
        out += fmt::format("\"{}\",\"{}\",{:.6g},{:.6g}\n", p.name, c.name, c.x[k], c.y[k]);
  return out;
}

constexpr std::string_view style = R"(
body { font: 16px/1.45 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; color: #1c1c1e; }
h1 { font-size: 1.7rem; } h2 { margin-top: 2.4rem; border-top: 1px solid #ddd; padding-top: 1.2rem; }
table { border-collapse: collapse; width: 100%; font-size: .92rem; margin: .8rem 0; }
td, th { text-align: left; padding: .25rem .6rem; border-bottom: 1px solid #eee; vertical-align: top; }
td.number { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; }
.ok { color: #1b6e33; } .out { color: #b3261e; font-weight: 600; }
.how { color: #666; font-size: .88rem; } svg { max-width: 100%; height: auto; }
)";

std::string error_text(double error) { return error > 0 ? fmt::format(" ± {:.2g}", error) : ""; }

/// The picture itself, so that the page needs no other file.
std::string inlined_svg(const fs::path& file) {
  const auto text = read_text_file(file, largest_report);
  if (!text) return "";
  const std::size_t start = text->find("<svg");
  return start == std::string::npos ? "" : text->substr(start);
}

std::string section(const fs::path& folder, const ordered_json& r) {
  const bool passed = r.value("passed", false);
  std::string out = fmt::format(
      "<h2 id=\"{0}\">{0} <span class=\"{1}\">{2}</span></h2>\n<p>{3}</p>\n",
      html_escaped(r.value("experiment", "")), passed ? "ok" : "out",
      passed ? "within its bands" : "out of band", html_escaped(r.value("summary", "")));
  out += fmt::format("<p class=\"how\">{}; {} size; {} threads; {:.0f} s; Talus {}; {}</p>\n",
                     html_escaped(r.value("date", "")), r.value("size", ""), r.value("threads", 0),
                     r.value("seconds", 0.0), html_escaped(r.value("version", "")),
                     html_escaped(r.value("machine", "")));
  out +=
      "<table><tr><th>quantity</th><th>measured</th><th>band</th><th>source of the band</th>"
      "<th></th></tr>\n";
  for (const auto& q : r.value("quantities", ordered_json::array())) {
    const bool good = q.value("in_band", false);
    out += fmt::format(
        "<tr><td>{}</td><td class=\"number\">{:.4g}{} {}</td><td class=\"number\">{:.4g} to "
        "{:.4g}</td><td>{}</td><td class=\"{}\">{}</td></tr>\n",
        html_escaped(q.value("name", "")), q.value("value", 0.0), error_text(q.value("error", 0.0)),
        html_escaped(q.value("unit", "")), q.value("lower", 0.0), q.value("upper", 0.0),
        html_escaped(q.value("source", "")), good ? "ok" : "out", good ? "ok" : "OUT");
  }
  out += "</table>\n";
  const auto remarks = r.value("remarks", ordered_json::array());
  if (!remarks.empty()) out += "<table><tr><th>also</th><th>measured</th><th>published</th></tr>\n";
  for (const auto& m : remarks)
    out += fmt::format("<tr><td>{}</td><td class=\"number\">{:.4g}{}</td><td>{}</td></tr>\n",
                       html_escaped(m.value("name", "")), m.value("value", 0.0),
                       error_text(m.value("error", 0.0)), html_escaped(m.value("published", "")));
  if (!remarks.empty()) out += "</table>\n";
  for (const auto& p : r.value("plots", ordered_json::array()))
    out += inlined_svg(folder / p.value("file", ""));
  return out;
}

}  // namespace

std::string table(std::string_view experiment, const LabReport& report) {
  std::string out;
  for (const Quantity& q : report.quantities)
    out += fmt::format("  {:<52} {:>8.4g}{} {}  (band {:.4g} to {:.4g}: {})  {}\n", q.name, q.value,
                       error_text(q.error), q.unit, q.lower, q.upper, q.source,
                       q.in_band() ? "ok" : "OUT");
  for (const Remark& r : report.remarks)
    out += fmt::format("  {:<52} {:>8.4g}{}{}\n", r.name, r.value, error_text(r.error),
                       r.published.empty() ? "" : "  published: " + r.published);
  std::size_t good = 0;
  for (const Quantity& q : report.quantities) good += q.in_band();
  out += fmt::format("{}: {} ({} of {} within their bands)\n", experiment,
                     report.passed() ? "passed" : "OUT OF BAND", good, report.quantities.size());
  return out;
}

Status write_report(const fs::path& folder, const Experiment& experiment, const LabReport& report,
                    const Circumstances& how) {
  std::error_code code;
  fs::create_directories(folder, code);
  if (code) return file_error("create folder", folder, code.value());
  const std::string base = (folder / experiment.name).string();
  for (const Plot& p : report.plots)
    if (Status s = write_plot(fmt::format("{}_{}", base, p.name), p); !s) return s;
  if (Status s = write_text_file(base + ".csv", to_csv(report)); !s) return s;
  return write_text_file(base + ".json", to_json(experiment, report, how).dump(2) + "\n");
}

Status write_page(const fs::path& folder) {
  std::string contents, sections;
  for (const Experiment& e : lab_experiments()) {
    const fs::path file = folder / (std::string(e.name) + ".json");
    const auto text = read_text_file(file, largest_report);
    if (!text) continue;
    const auto report = ordered_json::parse(*text, nullptr, false);
    if (!report.is_object()) return work_error("{} is damaged; delete it", file.string());
    const bool passed = report.value("passed", false);
    contents += fmt::format(
        "<tr><td><a href=\"#{0}\">{0}</a></td><td>{1}</td><td class=\"{2}\">"
        "{3}</td></tr>\n",
        e.name, html_escaped(std::string(e.summary)), passed ? "ok" : "out", passed ? "ok" : "OUT");
    sections += section(folder, report);
  }
  return write_text_file(
      folder / "index.html",
      fmt::format("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
                  "<title>Talus laboratory</title><style>{}</style></head><body>\n"
                  "<h1>Talus laboratory</h1>\n<table>{}</table>\n{}</body></html>\n",
                  style, contents, sections));
}

}  // namespace talus::lab
