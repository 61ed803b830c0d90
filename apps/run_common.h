// What `run` and `resume` share: how a run is shown and what its end means to the shell.
#pragma once

#include "report/report.h"
#include "run/interrupt.h"
#include "run/runner.h"

#include <string>

namespace talus {

/// Terminal, plain lines, quiet or JSON, as asked and as stdout allows.
ProgressMode progress_mode(bool quiet, bool json);

/// The program's name, the watch for Ctrl-C and the mode of progress, for either verb.
RunOptions run_options(const std::string& folder, bool quiet, bool json,
                       const InterruptWatch& watch);

/// Where the page is, and what it lacks.
void print_report(const report::ReportOutcome& made);

/// What the end of a run leaves to do: its report.html (unless `wanted` is false), and the exit
/// code: 0 finished, 130 interrupted, else what the error says, which is printed. A report that
/// fails is a warning: the run is whole without it.
int finish_run(const Result<RunEnd>& end, const RunOptions& options, bool wanted,
               const Executor& executor);

}  // namespace talus
