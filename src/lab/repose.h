// The angle of repose of continuum sand: an endless slope that is tilted, and heaps that are
// poured. lab/repose/README.md tells the methods and what was published.
#pragma once

#include "lab/experiment.h"

namespace talus {

Result<LabReport> run_repose(const LabContext& context);

}  // namespace talus
