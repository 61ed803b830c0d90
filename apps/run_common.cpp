#include "run_common.h"

#include "cli.h"

#include <unistd.h>

namespace talus {

ProgressMode progress_mode(bool quiet, bool json) {
  if (json) return ProgressMode::json;
  if (quiet) return ProgressMode::quiet;
  return ::isatty(STDOUT_FILENO) != 0 ? ProgressMode::terminal : ProgressMode::lines;
}

RunOptions run_options(const std::string& folder, bool quiet, bool json,
                       const InterruptWatch& watch) {
  RunOptions options;
  options.folder = folder;
  options.program = "talus " TALUS_VERSION;
  options.progress = progress_mode(quiet, json);
  options.interrupted = [&watch] { return watch.interrupted(); };
  return options;
}

int run_exit_code(const Result<RunEnd>& end) {
  if (!end) return report_error(end.error());
  return *end == RunEnd::finished ? 0 : 130;
}

}  // namespace talus
