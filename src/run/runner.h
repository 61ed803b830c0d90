// From a scene to a finished run folder, and on from where one stopped.
#pragma once

#include "core/error.h"
#include "core/parallel.h"
#include "run/manifest.h"
#include "run/progress.h"
#include "run/solver_factory.h"
#include "scene/scene.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

namespace talus {

struct RunOptions {
  std::filesystem::path folder;
  std::string program;                  ///< "talus 0.1.0", for the manifest
  std::optional<std::uint64_t> frames;  ///< last frame, instead of the scene's
  bool overwrite = false;
  bool force = false;  ///< start although it does not seem to fit
  ProgressMode progress = ProgressMode::lines;
  std::FILE* out = stdout;
  SolverFactory factory = make_solver;
  std::function<bool()> interrupted = [] { return false; };  ///< asked after each step
};

enum class RunEnd { finished, interrupted };

/// The manifest of a run that begins.
Manifest new_manifest(const Scene& scene, const RunOptions& options);

/// `scene_text` is to_toml(scene); the folder keeps it, and resume reads it.
Result<RunEnd> start_run(const Scene& scene, const std::string& scene_text,
                         const RunOptions& options, const Executor& executor);

/// `scene` was read from the folder's scene.toml. Continues at the last checkpoint; from the start
/// when there is none yet.
Result<RunEnd> resume_run(const Scene& scene, const RunOptions& options, const Executor& executor);

}  // namespace talus
