// How many particles a scene will have, before any is made.
#pragma once

#include "scene/scene.h"

namespace talus {

struct ParticleEstimate {
  double at_start = 0;  ///< placed by fills
  double poured = 0;    ///< added by pours until the end
  bool meshes_left_out =
      false;  ///< fills of meshes are not counted: their volume is not known here
};

ParticleEstimate estimate_particles(const Scene& scene);

/// What one particle of a material stands for, as a length: the spacing (sph) or the grain's
/// diameter.
double particle_size(const Scene& scene, std::uint32_t material);

/// Estimated particles in a volume of a material.
double particles_in_volume(const Scene& scene, std::uint32_t material, double volume);

/// Estimated particles that a pour makes until it stops or the scene ends.
double particles_poured(const Scene& scene, const Pour& pour);

}  // namespace talus
