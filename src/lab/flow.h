// Grains that run out of a hole: Longmore 2009, section 7.2, rows 9 and 10 of Table 7.1.
#pragma once

#include "lab/experiment.h"

namespace talus {

Result<LabReport> run_hourglass(const LabContext& context);
Result<LabReport> run_orifice(const LabContext& context);

}  // namespace talus
