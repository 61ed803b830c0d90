// Goes through a run and writes its frames in another program's format: whole files only, several
// frames at once, what is already there is kept, a damaged frame is named and left out.
#pragma once

#include "core/error.h"
#include "core/parallel.h"
#include "export/formats.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace talus {

struct ExportOptions {
  std::filesystem::path run;
  std::filesystem::path output;  ///< empty: RUN/export_FORMAT, or RUN/export_FORMAT_detail
  std::string format;
  bool detail = false;
  bool bodies = true;
  bool force = false;  ///< although the disk seems too small
  std::uint64_t first = 0, last = UINT64_MAX, stride = 1;
  ExportSettings settings;
};

struct ExportPlan {
  std::uint64_t files = 0, frames = 0;
  std::uint64_t grains = 0;  ///< of all frames
  std::uint64_t bytes = 0;   ///< about, on disk
  std::filesystem::path output;
};

struct ExportProgress {
  std::uint64_t done = 0, total = 0;  ///< files
  std::uint64_t frame = 0;
  bool kept = false;
  double grains_per_second = 0;
  double remaining = 0;  ///< s
};

struct ExportReport {
  std::uint64_t written = 0, kept = 0;
  std::uint64_t bytes = 0;
  double seconds = 0;
  std::uint64_t grains = 0;           ///< written
  std::vector<std::string> failures;  ///< one line for each frame that could not be exported
  bool interrupted = false;
};

struct ExportTalk {
  std::function<void(const ExportPlan&)> plan;  ///< before the first file
  std::function<void(const ExportProgress&)> progress;
  std::function<bool()> interrupted;
};

Result<ExportReport> export_run(const ExportOptions& options, const Executor& executor,
                                const ExportTalk& talk);

}  // namespace talus
