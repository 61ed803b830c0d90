// The angle of repose of grains against their friction: Longmore 2009, section 7.2, row 8 of Table
// 7.1.
#pragma once

#include "lab/experiment.h"

namespace talus {

Result<LabReport> run_pile(const LabContext& context);

}  // namespace talus
