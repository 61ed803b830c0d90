// talus run SCENE: scene file -> Scene -> Simulation -> run folder.

#include "cli.h"
#include "run_common.h"
#include "scene/read_scene.h"
#include "scene/write_scene.h"
#include "verbs.h"

#include <fmt/format.h>

#include <filesystem>

namespace talus {

int verb_run(VerbArguments args) {
  std::string file, output, size;
  std::vector<std::string> overrides;
  int threads = 0, frames = 0;
  bool overwrite = false, force = false, quiet = false, json = false, no_report = false;
  Cli cli("run", "simulate a scene; writes a run folder");
  cli.word("SCENE", file, "scene file");
  cli.option("-o,--output", output, "run folder; default out/NAME, with --size out/NAME_SIZE");
  cli.option("-j,--threads", threads, 0, 1024, "threads; 0 = all cores");
  cli.option("--frames", frames, 0, 100000000, "last frame, instead of the scene's duration");
  cli.option("--size", size, "one of the scene's sizes, e.g. small; 'talus check' lists them");
  cli.option("--set", overrides, "change a key of the scene: --set sph.spacing=0.01");
  cli.flag("--overwrite", overwrite, "replace a run that is in the folder");
  cli.flag("--force", force, "start although memory or disk seem too small");
  cli.flag("--no-report", no_report, "leave no report.html in the folder");
  cli.flag("--quiet", quiet, "print errors only");
  cli.flag("--json", json, "print one JSON object for each frame");
  cli.footer(
      "Ctrl-C finishes the step, writes a checkpoint and exits with 130; 'talus resume DIR' "
      "continues.\nThe same scene and seed give the same frames for any number of threads.");
  if (const auto stop = cli.parse(args)) return *stop;

  if (!size.empty()) overrides.insert(overrides.begin(), "size=" + size);
  SceneWarnings warnings;
  const auto scene = read_scene(file, overrides, &warnings);
  if (!scene) return report_error(scene.error());
  for (const std::string& warning : warnings) fmt::print(stderr, "{}\n", warning);
  // The scene that runs is the one a later resume will read, to the last bit.
  const std::string text = to_toml(*scene);
  const auto resolved = reread_scene(*scene, text);
  if (!resolved) return report_error(resolved.error());

  const InterruptWatch watch;
  const std::string folder =
      !output.empty() ? output
      : size.empty()  ? (std::filesystem::path("out") / scene->name).string()
                      : (std::filesystem::path("out") / (scene->name + "_" + size)).string();
  RunOptions options = run_options(folder, quiet, json, watch);
  options.overwrite = overwrite;
  options.force = force;
  if (cli.given("--frames")) options.frames = static_cast<std::uint64_t>(frames);
  const Executor executor(threads);
  return finish_run(start_run(*resolved, text, options, executor), options, !no_report, executor);
}

}  // namespace talus
