// talus detail: frames of a run -> fine grains.

#include "cli.h"
#include "detail/detail_job.h"
#include "run/estimate.h"
#include "run/interrupt.h"
#include "run/progress.h"
#include "verbs.h"

#include <fmt/format.h>

#include <charconv>
#include <cstdio>

namespace talus {

namespace {

struct Words {
  std::string run, method, slice, memory;
  std::vector<std::string> set;
  int factor = 0, frames = 0, threads = 0;
  bool join = false, follow = false, overwrite = false, force = false, velocity = false,
       quiet = false;
};

void declare(Cli& cli, Words& w) {
  cli.word("DIR", w.run, "run folder");
  cli.option("--factor", w.factor, 1, 1000, "grains for each particle; default from the scene");
  cli.choice("--method", w.method, {"blend", "split", "fixed"}, "how grains move");
  cli.option("--set", w.set, "change a key of the scene: --set detail.time_step=0.005");
  cli.flag("--velocity", w.velocity, "also write velocities, for motion blur");
  cli.option("--frames", w.frames, 0, 100000000, "last frame");
  cli.option("--memory", w.memory, "most memory to use, e.g. 2GB; default 60 % of what is free");
  cli.option("--slice", w.slice, "k/n: only share k of n, for n processes or a job array");
  cli.flag("--join", w.join, "check that all slices are there, whole and of the same settings");
  cli.flag("--follow", w.follow, "wait for the frames of a run that is still being written");
  cli.flag("--overwrite", w.overwrite, "replace grains made with other settings");
  cli.flag("--force", w.force, "start although the disk seems too small");
  cli.flag("--quiet", w.quiet, "print errors only");
  cli.option("-j,--threads", w.threads, 0, 1024, "threads; 0 = all cores");
  cli.footer(
      "What is there already is kept: a stopped job goes on where it was.\n"
      "Any split into slices gives the same grains, for any number of threads.\n\n"
      "  talus detail out/pile --factor 250\n"
      "  talus detail out/pile --slice 3/8        # and the other seven elsewhere\n"
      "  talus detail out/pile --join\n"
      "  talus render out/pile --detail\n");
}

/// "2GB", "500 MB", "1.5e9" -> bytes.
Result<std::uint64_t> parse_bytes(const std::string& text) {
  double value = 0;
  const auto [stop, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  std::string unit(stop, text.data() + text.size());
  std::erase(unit, ' ');
  const std::pair<const char*, double> units[] = {
      {"", 1},      {"B", 1},   {"kB", 1e3}, {"KB", 1e3}, {"MB", 1e6}, {"GB", 1e9},
      {"TB", 1e12}, {"k", 1e3}, {"K", 1e3},  {"M", 1e6},  {"G", 1e9},  {"T", 1e12}};
  for (const auto& [name, factor] : units)
    if (code == std::errc() && unit == name && value * factor >= 1e6 && value * factor < 1e18)
      return static_cast<std::uint64_t>(value * factor);
  return request_error("--memory {}: give at least a megabyte as a number with a unit, e.g. 2GB",
                       text);
}

Result<detail::JobOptions> to_options(const Words& w, const Cli& cli) {
  detail::JobOptions o;
  o.run = w.run;
  o.overrides = w.set;
  if (cli.given("--factor")) o.overrides.push_back(fmt::format("detail.factor={}", w.factor));
  if (!w.method.empty()) o.overrides.push_back(fmt::format("detail.method=\"{}\"", w.method));
  if (w.velocity) o.overrides.push_back("detail.write_velocity=true");
  if (cli.given("--frames")) o.last_frame = static_cast<std::uint64_t>(w.frames);
  o.follow = w.follow;
  o.overwrite = w.overwrite;
  o.force = w.force;
  if (!w.memory.empty()) {
    const auto bytes = parse_bytes(w.memory);
    if (!bytes) return bytes.error();
    o.memory_bytes = *bytes;
  }
  if (!w.slice.empty()) {
    const std::size_t bar = w.slice.find('/');
    const auto number = [](std::string_view text, int& value) {
      const auto [stop, code] = std::from_chars(text.data(), text.data() + text.size(), value);
      return code == std::errc() && stop == text.data() + text.size();
    };
    if (bar == std::string::npos || !number(std::string_view(w.slice).substr(0, bar), o.slice) ||
        !number(std::string_view(w.slice).substr(bar + 1), o.slices))
      return request_error("--slice {}: it takes k/n, e.g. 1/4", w.slice);
  }
  return o;
}

void print_plan(const detail::JobOptions& o, const detail::JobPlan& plan) {
  for (const std::string& note : plan.notes) fmt::print("note: {}\n", note);
  fmt::print(
      "{}: {} grains (factor {:g}{}), {} frames; about {} of memory{} and {} of disk ({} free)\n",
      o.run.string(), plan.grains, plan.cloud.detail.factor,
      o.slices > 1 ? fmt::format(", slice {}/{}", o.slice, o.slices) : "", plan.frames,
      human_bytes(plan.memory_bytes),
      plan.parts > 1 ? fmt::format(" for each of {} parts", plan.parts) : "",
      human_bytes(plan.disk_bytes), human_bytes(plan.disk_free));
  std::fflush(stdout);
}

void print_progress(const detail::JobProgress& p) {
  std::string line;
  if (p.parts > 1) line = fmt::format("part {}/{}  ", p.part, p.parts);
  if (p.kept) {
    fmt::print("{}all frames are there, kept\n", line);
  } else {
    line += fmt::format("frame {}/{}", p.frame, p.frames);
    if (p.remaining >= 0) line += "  ETA " + human_seconds(p.remaining);
    line += fmt::format("  {} grains", p.grains);
    if (p.steps > 0)
      line += fmt::format("  {} steps  {:.2f} s  {:.3g} grains x steps/s", p.steps, p.seconds,
                          static_cast<double>(p.grains * p.steps) / p.seconds);
    fmt::print("{}  {}  {:.1f} B/grain on disk\n", line, human_bytes(p.memory_bytes),
               p.bytes_per_grain);
  }
  std::fflush(stdout);
}

}  // namespace

int verb_detail(VerbArguments args) {
  Words words;
  Cli cli("detail", "fine grains on top of a coarse run");
  declare(cli, words);
  if (const auto stop = cli.parse(args)) return *stop;
  const auto options = to_options(words, cli);
  if (!options) return report_error(options.error());
  if (words.join) {
    const auto joined = detail::join_detail(options->run);
    if (!joined) return report_error(joined.error());
    fmt::print("{}\n", *joined);
    return 0;
  }
  const Executor executor(words.threads);
  const InterruptWatch watch;
  const auto plan = detail::plan_detail(*options, executor);
  if (!plan) return report_error(plan.error());
  if (!words.quiet) print_plan(*options, *plan);
  const auto report = detail::run_detail(
      *options, *plan, executor,
      [&](const detail::JobProgress& p) {
        if (!words.quiet) print_progress(p);
      },
      [&] { return watch.interrupted(); });
  if (!report) return report_error(report.error());
  if (report->interrupted) {
    fmt::print("interrupted; the same command goes on where it was\n");
    return exit_interrupted;
  }
  if (!words.quiet)
    fmt::print("{} grains in {} frames, {} written: {}\n", report->grains, report->frames,
               human_bytes(report->disk_bytes), (options->run / "detail").string());
  return 0;
}

}  // namespace talus
