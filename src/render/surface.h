// From a hit to what light sees there: position, normals, reflectance. The textures are procedural
// and our own: bumps of a grain, lumps of many grains, stains and fine grain of the floor.
#pragma once

#include "render/bsdf.h"
#include "render/tracer.h"

namespace talus {

struct Surface {
  Vec3f position;
  Vec3f geometric;  ///< unit, towards the viewer's side
  Vec3f shading;    ///< unit, with bumps
  Reflectance reflectance;
  float epsilon = 0;  ///< m: start rays this far above the surface
  float opacity = 1;  ///< share of camera rays that end here; the others go straight on
  bool glass = false;
};

/// `seen` is true for what the camera sees directly: only there textures are worked out.
Surface surface_at(const PictureScene& scene, const Tracer& tracer, const Ray& ray, const Hit& hit,
                   bool seen);

}  // namespace talus
