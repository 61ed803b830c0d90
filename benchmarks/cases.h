// The modules that have benchmark cases, one file each.
#pragma once

#include "bench.h"

namespace talus {

void register_detail_cases(BenchRegistry& registry);
void register_neighbour_cases(BenchRegistry& registry);
void register_particle_cases(BenchRegistry& registry);
void register_render_cases(BenchRegistry& registry);
void register_sph_cases(BenchRegistry& registry);
void register_dem_cases(BenchRegistry& registry);
void register_body_cases(BenchRegistry& registry);
void register_export_cases(BenchRegistry& registry);

/// All of them.
void register_cases(BenchRegistry& registry);

}  // namespace talus
