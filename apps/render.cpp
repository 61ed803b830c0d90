// talus render: run folder -> pictures -> film.

#include "cli.h"
#include "core/parallel.h"
#include "render/colour_map.h"
#include "render/sequence.h"
#include "run/interrupt.h"
#include "run/progress.h"
#include "verbs.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <unistd.h>
#include <vector>

namespace talus {

namespace {

struct Words {
  std::string run, beside, output, frames, slice, size, camera, colour_by, colour_map = "dune",
                                                                           range;
  std::vector<std::string> hidden, glass;
  int samples = 0, grains = 0, bounces = 4, threads = 0;
  double f_stop = 0, exposure = 0, rate = 0;
  bool preview = false, detail = false, film = false, no_film = false, exr = false;
  bool motion_blur = false, denoise = false, no_denoise = false;
};

void declare(Cli& cli, Words& w) {
  cli.word("DIR", w.run, "run folder");
  cli.option("-o,--output", w.output, "folder for the pictures; default DIR/pictures...");
  cli.option("--frames", w.frames, "frames A:B or A:B:STEP, or one number; default all");
  cli.option("--slice", w.slice,
             "k/n: only every n-th picture, so that n processes share the work");
  cli.flag("--preview", w.preview, "a small picture of the last frame in seconds");
  cli.option("--size", w.size, "WIDTHxHEIGHT in pixels; default as the scene says");
  cli.option("--samples", w.samples, 0, 65536, "paths per pixel; 0 = as the scene says");
  cli.option("--bounces", w.bounces, 0, 64, "of indirect light");
  cli.option("--camera", w.camera,
             "name of a camera of the scene; default its first, else automatic");
  cli.option("--f-stop", w.f_stop, 0, 128, "aperture: smaller blurs more; 0 = as the camera says");
  cli.option("--exposure", w.exposure, -20, 20, "stops; default as the scene says");
  cli.option("--colour-by", w.colour_by,
             "a field: speed, height, pressure, density, wetness, id, ..., or force_chains: the "
             "contacts of grains");
  cli.choice("--colour-map", w.colour_map, ColourMap::names(), "colours for --colour-by");
  cli.option("--range", w.range,
             "values A:B of the ends of the colour map; default from the frames");
  cli.option("--grains", w.grains, 0, 1000,
             "draw each particle as so many small grains; 0 = automatic, 1 = as one sphere");
  cli.flag("--detail", w.detail, "draw the grains that 'talus detail' made");
  cli.option("--hide", w.hidden, "leave out a body");
  cli.option("--glass", w.glass, "draw a body as thin glass");
  cli.option("--beside", w.beside, "a second run folder, drawn to the right of the first");
  cli.flag("--motion-blur", w.motion_blur, "smear along the velocities, half a frame long");
  cli.flag("--denoise", w.denoise, "smooth the noise of few samples; default below 128 samples");
  cli.flag("--no-denoise", w.no_denoise, "leave the noise as it is");
  cli.flag("--exr", w.exr, "also write linear EXR pictures");
  cli.flag("--film", w.film, "make a film (default)");
  cli.flag("--no-film", w.no_film, "pictures only");
  cli.option("--fps", w.rate, 0, 1000, "pictures per second of the film; 0 = real time");
  cli.option("-j,--threads", w.threads, 0, 1024, "threads; 0 = all cores");
  cli.footer(
      "Pictures that are there already are kept: a stopped job goes on where it was.\n"
      "Exit codes: 0 done; 1 the work failed; 2 wrong request; 130 interrupted.\n\n"
      "  talus render out/pile --preview\n"
      "  talus render out/pile --size 1920x1080 --samples 64\n"
      "  talus render out/pile --colour-by pressure --frames 0:100:5\n"
      "  talus render out/chains --colour-by force_chains --colour-map ember\n");
}

Status parse_frames(const std::string& text, SequenceOptions& o) {
  std::vector<double> parts{0, 9e15, 1};
  if (Status s = parse_numbers(text, ':', parts); !s)
    return request_error("--frames: {}; it takes A:B or A:B:STEP", s.error().message);
  if (text.find(':') == std::string::npos) parts[1] = parts[0];
  if (!(parts[2] >= 1) || parts[1] < parts[0] || parts[0] < 0)
    return request_error("--frames {}: no frame is in that range", text);
  o.first = static_cast<std::int64_t>(parts[0]);
  o.last = static_cast<std::int64_t>(parts[1]);
  o.stride = static_cast<std::int64_t>(parts[2]);
  o.frames_given = true;
  return {};
}

Result<SequenceOptions> to_options(const Words& w, const Cli& cli) {
  SequenceOptions o;
  o.run = w.run;
  o.beside = w.beside;
  o.output = w.output;
  o.detail = w.detail;
  if (!w.frames.empty())
    if (Status s = parse_frames(w.frames, o); !s) return s.error();
  std::vector<double> pair{0, 0};
  if (!w.size.empty()) {
    if (Status s = parse_numbers(w.size, 'x', pair); !s || pair[0] < 1 || pair[1] < 1)
      return request_error("--size {}: give WIDTHxHEIGHT, both at least 1, e.g. 1920x1080", w.size);
    o.width = static_cast<int>(pair[0]);
    o.height = static_cast<int>(pair[1]);
  }
  if (!w.slice.empty()) {
    if (Status s = parse_numbers(w.slice, '/', pair); !s)
      return request_error("--slice: {}; it takes k/n, e.g. 1/4", s.error().message);
    o.slice = static_cast<int>(pair[0]);
    o.slices = static_cast<int>(pair[1]);
  }
  if (!w.range.empty()) {
    if (Status s = parse_numbers(w.range, ':', pair); !s)
      return request_error("--range: {}; it takes A:B", s.error().message);
    o.range = ValueRange{pair[0], pair[1]};
  }
  o.samples = w.samples;
  o.preview = w.preview;
  o.camera = w.camera;
  o.colour_by = w.colour_by;
  std::replace(o.colour_by.begin(), o.colour_by.end(), '-', '_');  // no field has a hyphen
  o.colour_map = w.colour_map;
  o.grains_per_particle = w.grains;
  o.hidden = w.hidden;
  o.glass = w.glass;
  if (w.motion_blur) o.motion_blur = true;
  if (w.denoise || w.no_denoise) o.denoise = w.denoise;
  if (cli.given("--exposure")) o.exposure = w.exposure;
  o.f_stop = w.f_stop;
  o.bounces = w.bounces;
  o.exr = w.exr;
  o.film = !w.no_film;
  o.frames_per_second = w.rate;
  return o;
}

void print_progress(const PictureProgress& p) {
  if (p.kept) {
    fmt::print("picture {}/{}  frame {}  kept\n", p.done, p.total, p.frame);
  } else {
    fmt::print("picture {}/{}  frame {}  {} grains  {:.1f} s{}  {}\n", p.done, p.total, p.frame,
               p.grains, p.seconds,
               p.done < p.total ? "  ETA " + human_seconds(p.remaining) : std::string(),
               p.file.string());
  }
  std::fflush(stdout);
}

}  // namespace

int verb_render(VerbArguments args) {
  Words words;
  Cli cli("render", "ray-traced pictures and film of a run");
  declare(cli, words);
  if (const auto stop = cli.parse(args)) return *stop;
  const auto options = to_options(words, cli);
  if (!options) return report_error(options.error());
  const Executor executor(words.threads);
  const InterruptWatch watch;
  const auto report =
      render_sequence(*options, executor, print_progress, [&] { return watch.interrupted(); });
  if (!report) return report_error(report.error());
  if (report->interrupted) {
    fmt::print("interrupted; the pictures so far are in {}, the same command goes on\n",
               report->folder.string());
    return exit_interrupted;
  }
  fmt::print("{} pictures made, {} kept, in {}\n", report->rendered, report->kept,
             report->folder.string());
  if (!report->film.empty()) fmt::print("film: {}\n", report->film.string());
  if (report->film_failed) return report_error(work_error("{}", report->film_note));
  if (!report->film_note.empty()) fmt::print("{}\n", report->film_note);
  return 0;
}

}  // namespace talus
