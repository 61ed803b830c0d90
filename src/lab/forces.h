// Forces between the grains of a bed: Longmore 2009, section 7.2, rows 1 to 6 of Table 7.1.
#pragma once

#include "lab/experiment.h"

namespace talus {

Result<LabReport> run_forces(const LabContext& context);
Result<LabReport> run_tangential(const LabContext& context);
Result<LabReport> run_correlation(const LabContext& context);
Result<LabReport> run_angles(const LabContext& context);
Result<LabReport> run_network(const LabContext& context);

}  // namespace talus
