#include "core/error.h"

#include <cstdio>
#include <cstdlib>

namespace talus {

void check_failed(const char* file, int line, const char* condition, const std::string& values) {
  std::fprintf(
      stderr,
      "talus: internal check failed at %s:%d\n  %s\n  %s\n"
      "This is a mistake in Talus, not in your scene. Please report it with these lines.\n",
      file, line, condition, values.c_str());
  std::abort();
}

}  // namespace talus
