// A run folder as one page, report.html: picture, figures, plots and a player of its particles, in
// a single file that needs no network and no other file. Made from what lies in the folder, so it
// can be made again at any time; the same folder gives the same bytes.
#pragma once

#include "core/error.h"
#include "core/parallel.h"
#include "report/cloud.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace talus::report {

struct ReportOptions {
  std::filesystem::path folder;  ///< of the run
  std::filesystem::path file;    ///< empty: report.html in the folder
  CloudLimits limits;
};

struct ReportOutcome {
  std::filesystem::path file;
  std::uint64_t bytes = 0;
  std::size_t frames = 0;          ///< in the player
  std::size_t spheres = 0;         ///< in the player, all frames together
  std::size_t damaged = 0;         ///< frames that could not be read
  std::vector<std::string> notes;  ///< what had to be left out, and why; the page says so too
};

/// Covers what exists: a run that is still being written, or that failed, gets a page as well.
/// Damaged frames, missing meshes and tables are left out with a note. An error only when the
/// folder is no run, or the page cannot be written; an older page is then still there.
Result<ReportOutcome> write_report(const ReportOptions& options, const Executor& executor);

}  // namespace talus::report
