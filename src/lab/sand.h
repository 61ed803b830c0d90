// Continuum sand: splash of three models, blocks of more and more cohesion, and how the density
// error depends on passes and steps.
#pragma once

#include "lab/experiment.h"

namespace talus {

Result<LabReport> run_splash(const LabContext& context);
Result<LabReport> run_cohesion(const LabContext& context);
Result<LabReport> run_accuracy(const LabContext& context);

}  // namespace talus
