// Where and when something was made, for reports and logs.
#pragma once

#include <string>

namespace talus {

/// "AMD EPYC 7763"; "unknown processor" where the system does not tell.
std::string cpu_model();
/// "2026-11-16T08:30:00Z"
std::string utc_now();

}  // namespace talus
