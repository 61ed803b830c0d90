// A bed of grains under a plunger: Longmore 2009, section 7.2, rows 2 and 7 of Table 7.1.
#pragma once

#include "lab/experiment.h"

namespace talus {

Result<LabReport> run_compression(const LabContext& context);
Result<LabReport> run_oedometer(const LabContext& context);

}  // namespace talus
