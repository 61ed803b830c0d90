// talus resume DIR: goes on from the last checkpoint, bit-equal to never having stopped.

#include "cli.h"
#include "run/manifest.h"
#include "run_common.h"
#include "scene/read_scene.h"
#include "verbs.h"

#include <filesystem>

namespace talus {

int verb_resume(VerbArguments args) {
  std::string folder;
  int threads = 0, frames = 0;
  bool force = false, quiet = false, json = false, no_report = false;
  Cli cli("resume", "continue a run from its last checkpoint");
  cli.word("DIR", folder, "run folder");
  cli.option("-j,--threads", threads, 0, 1024, "threads; 0 = all cores");
  cli.option("--frames", frames, 0, 100000000, "new last frame, to go further than planned");
  cli.flag("--force", force, "continue although memory or disk seem too small");
  cli.flag("--no-report", no_report, "leave no report.html in the folder");
  cli.flag("--quiet", quiet, "print errors only");
  cli.flag("--json", json, "print one JSON object for each frame");
  if (const auto stop = cli.parse(args)) return *stop;

  // Looked at first: a folder that is no run, or a newer one, explains itself better than its
  // scene.
  if (const auto manifest = read_manifest(folder); !manifest) return report_error(manifest.error());
  const auto scene = read_scene((std::filesystem::path(folder) / "scene.toml").string());
  if (!scene) return report_error(scene.error());

  const InterruptWatch watch;
  RunOptions options = run_options(folder, quiet, json, watch);
  options.force = force;
  if (cli.given("--frames")) options.frames = static_cast<std::uint64_t>(frames);
  const Executor executor(threads);
  return finish_run(resume_run(*scene, options, executor), options, !no_report, executor);
}

}  // namespace talus
