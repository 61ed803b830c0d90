#include "scene/estimate.h"

#include "scene/shape_measure.h"

#include <algorithm>
#include <numbers>

namespace talus {
namespace {

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
  return volume / (size * size * size);  // fills begin with a cubic lattice, of grains too
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
