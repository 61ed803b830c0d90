// talus export: frames -> files of other programs.

#include "cli.h"
#include "export/export_run.h"
#include "run/estimate.h"
#include "run/interrupt.h"
#include "run/progress.h"
#include "verbs.h"

#include <fmt/format.h>

#include <charconv>
#include <cstdio>
#include <string>

namespace talus {

namespace {

/// "A", "A:B" or "A:B:STEP"; an empty part keeps its default.
Status parse_frames(const std::string& text, ExportOptions& o) {
  std::uint64_t* const numbers[] = {&o.first, &o.last, &o.stride};
  std::size_t start = 0, part = 0;
  while (start <= text.size()) {
    const std::size_t end = std::min(text.find(':', start), text.size());
    const char* from = text.data() + start;
    const char* to = text.data() + end;
    if (part == 3) return request_error("--frames {}: it takes A:B or A:B:STEP", text);
    if (from != to) {
      const auto [stop, code] = std::from_chars(from, to, *numbers[part]);
      if (code != std::errc() || stop != to)
        return request_error("--frames {}: '{}' is not a frame number; it takes A:B or A:B:STEP",
                             text, std::string(from, to));
    }
    ++part;
    start = end + 1;
  }
  if (part == 1) o.last = o.first;
  if (o.stride == 0 || o.last < o.first)
    return request_error("--frames {}: no frame is in that range", text);
  return {};
}

void print_plan(const ExportPlan& plan) {
  fmt::print("{} files of {} frames, {} grains in all, about {}, into {}\n", plan.files,
             plan.frames, plan.grains, human_bytes(plan.bytes), plan.output.string());
  std::fflush(stdout);
}

void print_progress(const ExportProgress& p) {
  if (p.kept)
    fmt::print("file {}/{}  frame {}  kept\n", p.done, p.total, p.frame);
  else
    fmt::print("file {}/{}  frame {}  {:.3g} M grains/s{}\n", p.done, p.total, p.frame,
               p.grains_per_second / 1e6,
               p.done < p.total ? "  ETA " + human_seconds(p.remaining) : std::string());
  std::fflush(stdout);
}

void declare(Cli& cli, ExportOptions& o, std::string& run, std::string& output, std::string& frames,
             bool& no_bodies, bool& raw, bool& sc, int& threads) {
  std::string meaning = "format:";
  for (const ExportFormat& format : export_formats())
    meaning += fmt::format(" {} ({});", format.name, format.program);
  meaning.pop_back();
  cli.word("DIR", run, "run folder");
  cli.option("--to", o.format, meaning);
  cli.option("-o,--output", output, "folder for the files; default DIR/export_FORMAT");
  cli.option("--frames", frames, "frames A:B or A:B:STEP, or one number; default all");
  cli.flag("--detail", o.detail, "the grains that 'talus detail' made");
  cli.flag("--no-bodies", no_bodies, "grains only");
  cli.flag("--density", o.settings.density, "vdb: also a volume with the share of space filled");
  cli.flag("--raw", raw, "bgeo: not compressed; larger, but Houdini loads it faster");
  cli.flag("--sc", sc, "bgeo: .bgeo.sc, packed in blocks on all cores; the fastest to write");
  cli.flag("--force", o.force, "start although the disk seems too small");
  cli.option("-j,--threads", threads, 0, 1024, "threads; 0 = all cores");
  cli.footer(
      "Files that are there and newer than their frame are kept: a stopped job goes on where it "
      "was.\n"
      "A frame that cannot be read is named and left out; the exit code is then 1.\n\n"
      "  talus export out/pile --to vtk             and open out/pile/export_vtk/run.pvd\n"
      "  talus export out/pile --to bgeo --frames 0:100:5\n");
}

int verb_export(VerbArguments args) {
  ExportOptions options;
  std::string run, output, frames;
  bool no_bodies = false, raw = false, sc = false;
  int threads = 0;
  Cli cli("export", "files for ParaView, Houdini, Blender, numpy");
  declare(cli, options, run, output, frames, no_bodies, raw, sc, threads);
  if (const auto stop = cli.parse(args)) return *stop;
  options.run = run;
  options.output = output;
  options.bodies = !no_bodies;
  if (raw && sc) return report_error(request_error("--raw and --sc exclude each other"));
  if (raw) options.settings.packing = BgeoPacking::none;
  if (sc) options.settings.packing = BgeoPacking::blocks;
  if (!frames.empty())
    if (Status s = parse_frames(frames, options); !s) return report_error(s.error());
  const Executor executor(threads);
  const InterruptWatch watch;
  const auto report = export_run(options, executor,
                                 {print_plan, print_progress, [&] { return watch.interrupted(); }});
  if (!report) return report_error(report.error());
  fmt::print("{} files written, {} kept, {}, {:.1f} s\n", report->written, report->kept,
             human_bytes(report->bytes), report->seconds);
  for (const std::string& failure : report->failures) report_error(work_error("{}", failure));
  if (report->interrupted) {
    fmt::print("interrupted; the same command goes on\n");
    return exit_interrupted;
  }
  return report->failures.empty() ? 0 : static_cast<int>(ErrorKind::work);
}

}  // namespace

}  // namespace talus

int main(int argc, char** argv) { return talus::run_guarded(argc, argv, talus::verb_export); }
