#include "run_common.h"

#include "cli.h"
#include "run/estimate.h"
#include "run/manifest.h"

#include <fmt/format.h>

#include <unistd.h>

namespace talus {

namespace {

/// A request that was refused, or a folder that another program holds, has not made a run.
bool has_ended(const Result<RunEnd>& end, const std::filesystem::path& folder) {
  if (end) return true;
  if (end.error().kind == ErrorKind::request) return false;
  const auto manifest = read_manifest(folder);
  return manifest && manifest->state == "failed";
}

void leave_report(const RunOptions& options, const Executor& executor) {
  const auto made = report::write_report({options.folder, {}, {}}, executor);
  if (!made) {
    fmt::print(stderr,
               "talus: warning: no report.html: {}\nThe run itself is whole; 'talus report {}' "
               "tries again\n",
               made.error().message, options.folder.string());
    return;
  }
  if (options.progress == ProgressMode::lines || options.progress == ProgressMode::terminal)
    print_report(*made);
}

}  // namespace

void print_report(const report::ReportOutcome& made) {
  for (const std::string& note : made.notes) fmt::print("report: {}\n", note);
  fmt::print("report: {} ({})\n", made.file.string(), human_bytes(made.bytes));
}

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

int finish_run(const Result<RunEnd>& end, const RunOptions& options, bool wanted,
               const Executor& executor) {
  const int code = !end                       ? report_error(end.error())
                   : *end == RunEnd::finished ? 0
                                              : exit_interrupted;
  if (wanted && has_ended(end, options.folder)) leave_report(options, executor);
  return code;
}

}  // namespace talus
