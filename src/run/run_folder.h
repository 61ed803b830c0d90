// The run folder on disk: made, locked, written frame by frame, cut back to a checkpoint.
// Formats: docs/run-folder.md.
#pragma once

#include "core/error.h"
#include "core/parallel.h"
#include "run/csv_table.h"
#include "run/manifest.h"
#include "run/simulation.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace talus {

/// Does a program hold the folder now? A run that was killed does not.
bool is_being_written(const std::filesystem::path& folder);

class RunFolder {
 public:
  /// Whether a new run may be put there: an existing one is only replaced when asked for.
  static Status may_create(const std::filesystem::path& path, bool overwrite);
  /// A new folder with scene and manifest; refuses an existing run unless `overwrite`.
  static Result<RunFolder> create(const std::filesystem::path& path, std::string_view scene_text,
                                  Manifest manifest, bool overwrite);
  /// An existing run. Refuses when scene.toml is not the one the run was started with.
  static Result<RunFolder> open(const std::filesystem::path& path);
  RunFolder(RunFolder&&) noexcept;
  ~RunFolder();

  const std::filesystem::path& path() const { return path_; }
  Manifest& manifest() { return manifest_; }
  std::uint64_t checkpoint_bytes() const;

  /// The last checkpoint; empty when the run was stopped before its first.
  Result<std::optional<State>> read_checkpoint(const Executor& executor) const;
  /// Starts the tables anew, or cuts them and the manifest back to `checkpoint`.
  Status begin(const State* checkpoint);

  /// Frame, rows of the tables, manifest; in this order, so that the manifest never lists a frame
  /// that is not there.
  Status write_frame(Simulation& simulation, double seconds, const Executor& executor);
  Status write_checkpoint(const Simulation& simulation, const Executor& executor);
  Status set_state(std::string state, std::string message = "");
  /// One line with the time of day; failures are ignored, a log must not end a run.
  void log(std::string_view line);

 private:
  struct Tables;
  explicit RunFolder(std::filesystem::path path);
  Status lock();
  Status append_rows(Simulation& simulation, double seconds);

  std::filesystem::path path_;
  Manifest manifest_;
  std::unique_ptr<Tables> tables_;
  int lock_ = -1;
};

}  // namespace talus
