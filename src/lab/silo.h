// Vertical stress of continuum sand in a tank and in a silo.
#pragma once

#include "lab/experiment.h"

namespace talus {

Result<LabReport> run_silo(const LabContext& context);

}  // namespace talus
