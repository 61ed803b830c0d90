#include "scene/estimate.h"

#include "scene/shape_measure.h"

#include <algorithm>
#include <numbers>

namespace talus {
namespace {

/// Share of space that poured grains fill; spheres have 0.60 to 0.64.
constexpr double packing_fraction = 0.6;

/// Of the sphere around it that a clump of balls fills, about: 0.40 for clump4.
constexpr double clump_share = 0.4;

double sphere_volume(double diameter) {
  return std::numbers::pi / 6 * diameter * diameter * diameter;
}

}  // namespace

double particle_size(const Scene& scene, std::uint32_t material) {
  return scene.solver == SolverKind::sph ? scene.sph.spacing
                                         : scene.materials[material].grain_diameter;
}

double particles_in_volume(const Scene& scene, std::uint32_t material, double volume) {
  const double size = particle_size(scene, material);
  if (scene.solver == SolverKind::sph) return volume / (size * size * size);
  return volume * packing_fraction / sphere_volume(size);
}

double particles_poured(const Scene& scene, const Pour& pour) {
  const Material& material = scene.materials[pour.material];
  const double mass = pour.rate * std::max(0.0, std::min(pour.stop, scene.duration) - pour.start);
  if (scene.solver == SolverKind::sph)
    return particles_in_volume(scene, pour.material, mass / material.density);
  const double share = material.grain_shape == "sphere" ? 1 : clump_share;
  return mass / (material.grain_density * share * sphere_volume(material.grain_diameter));
}

ParticleEstimate estimate_particles(const Scene& scene) {
  ParticleEstimate estimate;
  for (const Fill& fill : scene.fills) {
    if (const auto volume = shape_volume(fill.shape))
      estimate.at_start += particles_in_volume(scene, fill.material, *volume);
    else
      estimate.meshes_left_out = true;
  }
  for (const Pour& pour : scene.pours) estimate.poured += particles_poured(scene, pour);
  return estimate;
}

}  // namespace talus
