// talus view: a window on a run or on a scene that is simulated, or pictures of it without a
// display.

#include "cli.h"
#include "render/colour_map.h"
#include "run/interrupt.h"
#include "verbs.h"
#include "view/script.h"
#include "view/view_app.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

namespace talus {

namespace {

struct Words {
  std::string path, size = "1280x720", screenshot, script, camera, colour_by, colour_map = "dune",
                    range;
  std::vector<std::string> overrides;
  std::uint64_t frame = 0;
  int grains = 1, threads = 0, repeat = 0, smooth = 0;
  bool headless = false, panels = false, detail = false, paused = false;
};

void declare(Cli& cli, Words& w) {
  cli.word("PATH", w.path, "run folder to play, or scene file to simulate");
  cli.option("--frame", w.frame, "frame to begin with; of a scene: simulate up to it");
  cli.option("--colour-by", w.colour_by,
             "a field: speed, height, pressure, density, wetness, id, ...");
  cli.choice("--colour-map", w.colour_map, ColourMap::names(), "colours for --colour-by");
  cli.option("--range", w.range, "values A:B of the ends of the colour map; default automatic");
  cli.option("--grains", w.grains, 1, 200, "draw each continuum particle as so many small grains");
  cli.option("--camera", w.camera,
             "name of a camera of the scene; default its first, else automatic");
  cli.flag("--detail", w.detail, "show the grains that 'talus detail' made");
  cli.option("--set", w.overrides, "key=value over the scene, e.g. sph.spacing=0.02");
  cli.flag("--paused", w.paused, "a scene waits at its start");
  cli.option("--size", w.size, "WIDTHxHEIGHT of the window or the picture, pixels");
  cli.flag("--headless", w.headless,
           "no window and no display: only the pictures that are asked for");
  cli.option("--screenshot", w.screenshot, "PNG to write after --frame and --do");
  cli.flag("--panels", w.panels, "headless: draw the panels of the window too");
  cli.option("--smooth", w.smooth, 0, 4,
             "pixels drawn along each side of a pixel; 0 = 2 for pictures and graphics cards");
  cli.option("--do", w.script, "commands in place of a hand, separated by ';', see below");
  cli.option("--repeat", w.repeat, 0, 100000, "headless: draw so often and tell how long it takes");
  cli.option("-j,--threads", w.threads, 0, 1024, "threads of the simulation; 0 = all cores");
  cli.footer("Commands of --do:\n" + view::script_help() +
             "\n  talus view out/pile\n"
             "  talus view scenes/demo.toml\n"
             "  talus view out/pile --headless --frame 30 --screenshot pile.png\n"
             "  talus view scenes/demo.toml --headless --do \"frames 20; drop ball; frames 20\" "
             "--screenshot ball.png\n");
}

Result<view::ViewOptions> to_options(const Words& w, const Cli& cli) {
  view::ViewOptions o;
  o.settings.path = w.path;
  o.settings.overrides = w.overrides;
  o.settings.detail = w.detail;
  o.settings.threads = w.threads;
  o.settings.paused = w.paused;
  o.settings.camera = w.camera;
  o.settings.request = {w.colour_by, w.grains};
  o.settings.look.map = w.colour_map;
  std::vector<double> size{0, 0}, range(2, std::nan(""));
  if (!parse_numbers(w.size, 'x', size) || !(size[0] >= 1) || !(size[1] >= 1))
    return request_error("--size {}: give WIDTHxHEIGHT, both at least 1, e.g. 1920x1080", w.size);
  o.width = static_cast<int>(size[0]);
  o.height = static_cast<int>(size[1]);
  o.settings.aspect = size[0] / size[1];
  if (!w.range.empty()) {
    if (!parse_numbers(w.range, ':', range) || !(range[1] > range[0]))
      return request_error("--range {}: it takes A:B with A below B", w.range);
    o.settings.look.range = ValueRange{range[0], range[1]};
  }
  o.settings.look.supersampling = w.smooth > 0 ? w.smooth : w.headless && w.repeat == 0 ? 2 : 1;
  o.headless = w.headless;
  o.panels = w.panels;
  o.script = w.script;
  if (cli.given("--frame")) o.frame = w.frame;
  o.screenshot = w.screenshot;
  o.repeat = w.repeat;
  return o;
}

int verb_view(VerbArguments args) {
  Words words;
  Cli cli("view", "a window on a run, or on a scene that is simulated live");
  declare(cli, words);
  if (const auto stop = cli.parse(args)) return *stop;
  auto options = to_options(words, cli);
  if (!options) return report_error(options.error());
  options->say = [](const std::string& text) {
    fmt::print("{}\n", text);
    std::fflush(stdout);
  };
  const InterruptWatch watch;
  options->interrupted = [&] { return watch.interrupted(); };
  const Status status = view::run_view(*options);
  if (!status.ok()) return report_error(status.error());
  return watch.interrupted() ? exit_interrupted : 0;
}

}  // namespace

}  // namespace talus

int main(int argc, char** argv) { return talus::run_guarded(argc, argv, talus::verb_view); }
