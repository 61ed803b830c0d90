#include "report/page.h"

#include "core/html.h"
#include "render/image.h"
#include "report/json_text.h"
#include "run/estimate.h"
#include "run/progress.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace talus::report {

namespace {

void add_figure(std::string& out, std::string_view name, const std::string& value,
                const std::string& more = "") {
  if (value.empty()) return;
  out += fmt::format("<div><dt>{}</dt><dd>{}{}</dd></div>\n", name, html_escaped(value),
                     more.empty() ? "" : fmt::format("<small>{}</small>", html_escaped(more)));
}

/// A length in the unit that reads best.
std::string length_text(double metres) {
  if (metres < 1e-3) return fmt::format("{:.4g} µm", metres * 1e6);
  if (metres < 1) return fmt::format("{:.4g} mm", metres * 1e3);
  return fmt::format("{:.4g} m", metres);
}

std::string particles_text(const Manifest& m, std::string& more) {
  if (m.frames.empty()) return "none yet";
  const std::uint64_t first = m.frames.front().particles, last = m.frames.back().particles;
  if (first != last) more = fmt::format("{} at the start", grouped(first));
  return grouped(last);
}

std::string solver_text(const PageFacts& f) {
  if (f.manifest.solver == "dem") return "rigid grains";
  return f.manifest.solver == "sph" ? "continuum sand" : f.manifest.solver;
}

std::string resolution_text(const Scene& scene) {
  if (scene.solver == SolverKind::sph) return length_text(scene.sph.spacing) + " spacing";
  if (scene.materials.empty()) return "";
  double low = 1e300, high = 0;
  for (const Material& m : scene.materials) {
    low = std::min(low, m.grain_diameter);
    high = std::max(high, m.grain_diameter);
  }
  return low == high ? length_text(low) + " grains"
                     : fmt::format("{} to {} grains", length_text(low), length_text(high));
}

}  // namespace

std::string css_colour(const std::array<float, 3>& linear) {
  const auto part = [](float v) {
    return std::clamp(static_cast<int>(std::lround(255 * srgb_encode(v))), 0, 255);
  };
  return fmt::format("#{:02x}{:02x}{:02x}", part(linear[0]), part(linear[1]), part(linear[2]));
}

std::string grouped(std::uint64_t number) {
  const std::string digits = std::to_string(number);
  std::string out;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) out += "\u202f";
    out += digits[i];
  }
  return out;
}

std::string state_html(const PageFacts& f) {
  const Manifest& m = f.manifest;
  const std::uint64_t last = m.frames.empty() ? 0 : m.frames.back().index;
  const std::string so_far = fmt::format("frame {} of {}", last, m.frames_total);
  if (m.state == "finished") return "<span class=\"state good\">finished</span>";
  if (m.state == "running" && f.being_written)
    return fmt::format("<span class=\"state\">still running, {}</span>", so_far);
  const std::string go_on =
      fmt::format("<code>talus resume {}</code> continues it", html_escaped(f.folder));
  if (m.state == "failed")
    return fmt::format("<span class=\"state bad\">failed after {}</span> {} · {}", so_far,
                       html_escaped(m.message), go_on);
  return fmt::format("<span class=\"state\">stopped after {}</span> · {}", so_far, go_on);
}

std::string figures_html(const PageFacts& f) {
  const Manifest& m = f.manifest;
  const RunTables& t = f.tables;
  std::uint64_t bytes = 0;
  for (const ManifestFrame& frame : m.frames) bytes += frame.bytes;
  std::string out, more;
  const std::string particles = particles_text(m, more);
  add_figure(out, "Particles", particles, more);
  if (!m.frames.empty())
    add_figure(out, "Simulated", fmt::format("{:.4g} s", m.frames.back().time),
               fmt::format("{} frames, {:.4g} a second", m.frames.size(), m.frame_rate));
  add_figure(out, "Method", solver_text(f), f.run ? resolution_text(f.run->scene) : "");
  if (t.wall_seconds > 0) {
    add_figure(out, "Computing time", human_seconds(t.wall_seconds),
               fmt::format("{} steps", grouped(static_cast<std::uint64_t>(t.steps))));
    add_figure(out, "Throughput",
               fmt::format("{:.3g} M/s", t.particle_steps / t.wall_seconds / 1e6),
               "particles × steps");
  }
  if (t.fastest > 0) add_figure(out, "Fastest grain", fmt::format("{:.3g} m/s", t.fastest));
  add_figure(out, "Frames on disk", human_bytes(bytes));
  add_figure(out, "Made by", m.program, fmt::format("seed {}", m.seed));
  return out;
}

std::string timings_html(const RunTables& tables) {
  double longest = 0;
  for (const PhaseTime& phase : tables.phases) longest = std::max(longest, phase.seconds);
  if (longest <= 0) return "";
  std::string out =
      "<section class=\"card\"><h2>Time by phase</h2>\n<table class=\"phases\">"
      "<thead><tr><th>phase</th><th></th><th>seconds</th><th>share</th></tr></thead><tbody>\n";
  double all = 0;
  for (const PhaseTime& phase : tables.phases) all += phase.seconds;
  for (const PhaseTime& phase : tables.phases)
    out += fmt::format(
        "<tr><td>{}</td><td><i style=\"width:{:.2f}%\"></i></td><td>{:.2f}</td><td>{:.1f} "
        "%</td></tr>\n",
        html_escaped(phase.name), 100 * phase.seconds / longest, phase.seconds,
        100 * phase.seconds / all);
  return out + "</tbody></table></section>\n";
}

std::string materials_html(const Scene& scene) {
  if (scene.materials.empty()) return "";
  const bool grains = scene.solver == SolverKind::dem;
  std::string out = fmt::format(
      "<div class=\"scroll\"><table class=\"facts\"><thead><tr><th>material</th><th>density "
      "kg/m³</th><th>friction angle</th>{}</tr></thead><tbody>\n",
      grains ? "<th>grain diameter</th><th>Young's modulus Pa</th><th>restitution</th>"
             : "<th>cohesion Pa</th><th>wetness</th>");
  for (const Material& m : scene.materials) {
    out += fmt::format(
        "<tr><td><b class=\"swatch\" style=\"background:{}\"></b>{}</td><td>{:.4g}</td>"
        "<td>{:.3g}°</td>",
        css_colour(m.colour), html_escaped(m.name), grains ? m.grain_density : m.density,
        std::atan(m.friction) * 180 / std::numbers::pi);
    out += grains ? fmt::format("<td>{}</td><td>{:.3g}</td><td>{:.3g}</td></tr>\n",
                                length_text(m.grain_diameter), m.young_modulus, m.restitution)
                  : fmt::format("<td>{:.4g}</td><td>{:.3g}</td></tr>\n", m.cohesion, m.wetness);
  }
  return out + "</tbody></table></div>\n";
}

std::string notes_html(std::span<const std::string> notes) {
  if (notes.empty()) return "";
  std::string out = "<aside class=\"notes\"><ul>";
  for (const std::string& note : notes) out += "<li>" + html_escaped(note) + "</li>";
  return out + "</ul></aside>\n";
}

std::string picture_html(const std::string& picture, const std::string& film) {
  if (picture.empty() && film.empty()) return "";
  std::string out = "<div class=\"pictures\">";
  if (!picture.empty())
    out += fmt::format(
        "<figure class=\"card\"><img src=\"{}\" alt=\"A rendered frame of the run\">"
        "<figcaption>Rendered from the frames of this run</figcaption></figure>",
        picture);
  if (!film.empty())
    out += fmt::format(
        "<figure class=\"card\"><video controls loop muted playsinline src=\"{}\"></video>"
        "<figcaption>The run as a film</figcaption></figure>",
        film);
  return out + "</div>\n";
}

std::string plots_json(std::span<const Plot> plots) {
  const auto series = [](const Series& s) {
    return fmt::format("{{\"name\":{},\"values\":{}}}", json_string(s.name),
                       json_list(s.values, json_number));
  };
  return json_list(plots, [&](const Plot& plot) {
    return fmt::format(
        "{{\"key\":{},\"title\":{},\"unit\":{},\"time\":{},\"series\":{},\"notes\":{}}}",
        json_string(plot.key), json_string(plot.title), json_string(plot.unit),
        json_list(plot.time, json_number), json_list(plot.series, series),
        json_list(plot.notes, json_string));
  });
}

}  // namespace talus::report
