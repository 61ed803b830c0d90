#include "cases.h"

namespace talus {

void register_cases(BenchRegistry& registry) {
  register_particle_cases(registry);
  register_detail_cases(registry);
  register_neighbour_cases(registry);
  register_render_cases(registry);
  register_sph_cases(registry);
  register_dem_cases(registry);
  register_body_cases(registry);
  register_export_cases(registry);
}

}  // namespace talus
