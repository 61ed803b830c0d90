#include "cases.h"

namespace talus {

void register_cases(BenchRegistry& registry) {
  register_particle_cases(registry);
  register_render_cases(registry);
}

}  // namespace talus
