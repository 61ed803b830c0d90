// Size of one particle of a material, before it exists: what filling and pouring need.
#pragma once

#include "core/random.h"
#include "scene/estimate.h"

#include <algorithm>

namespace talus {

/// The smallest of all materials, m: resolution of distance fields.
inline double finest_spacing(const Scene& scene) {
  if (scene.solver == SolverKind::sph) return scene.sph.spacing;
  double spacing = 1e300;
  for (const Material& m : scene.materials) spacing = std::min(spacing, m.grain_diameter);
  return spacing;
}

/// Factor on the grain template's size, uniform in 1 -+ grain_size_spread.
inline float grain_size_scale(const Scene& scene, std::uint32_t material, std::uint64_t id) {
  const auto u = random_floats(scene.seed, id, Purpose::grain_size)[0];
  return 1.0f + static_cast<float>(scene.materials[material].grain_size_spread) * (2 * u - 1);
}

}  // namespace talus
