// What `run` and `resume` share: how a run is shown and what its end means to the shell.
#pragma once

#include "run/interrupt.h"
#include "run/runner.h"

#include <string>

namespace talus {

/// Terminal, plain lines, quiet or JSON, as asked and as stdout allows.
ProgressMode progress_mode(bool quiet, bool json);

/// The program's name, the watch for Ctrl-C and the mode of progress, for either verb.
RunOptions run_options(const std::string& folder, bool quiet, bool json,
                       const InterruptWatch& watch);

/// 0 finished, 130 interrupted, else what the error says, which is printed.
int run_exit_code(const Result<RunEnd>& end);

}  // namespace talus
