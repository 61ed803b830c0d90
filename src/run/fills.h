// The particles a run starts with. Overlaps are settled here, so that no run begins with an
// explosion: a body carves the material it stands in, and a later fill gives way to earlier ones.
#pragma once

#include "bodies/body.h"
#include "core/error.h"
#include "core/parallel.h"
#include "run/particle_batch.h"
#include "scene/scene.h"

#include <span>
#include <string>
#include <vector>

namespace talus {

/// Distances below which a sample is dropped, in spacings.
inline constexpr double carve_distance = 0.5;  ///< to the surface of a body
inline constexpr double fill_distance = 0.7;   ///< to a particle of an earlier fill

struct FilledParticles {
  ParticleBatch particles;         ///< ids 0, 1, 2, ... in the order of the fills
  std::vector<std::string> notes;  ///< for the log: what was carved and dropped
};

/// `present`: particles that are there already; all fills give way to them.
Result<FilledParticles> sample_fills(const Scene& scene, const std::vector<Body>& bodies,
                                     const Executor& executor, std::span<const Vec3f> present = {});

}  // namespace talus
