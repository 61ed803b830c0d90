#include "bodies/body_world.h"
#include "sampling/surface.h"

#include <cmath>

namespace talus {

Status sample_body_surfaces(std::vector<Body>& bodies, double spacing, std::uint64_t seed,
                            const Executor& executor) {
  for (Body& body : bodies) {
    const Box3d bounds = body.field->bounds();
    if (!std::isfinite(norm(bounds.upper - bounds.lower))) continue;
    const Result<SurfaceSamples> samples = sample_surface(*body.field, spacing, seed, executor);
    if (!samples)
      return Error{samples.error().kind,
                   fmt::format("body '{}': {}", body.name, samples.error().message)};
    body.surface.clear();
    for (const Vec3f& p : samples->points) body.surface.push_back(p + Vec3f(body.field_offset));
  }
  return {};
}

}  // namespace talus
