// Scenes small enough to know their pictures.
#pragma once

#include "render/picture.h"

#include <vector>

namespace talus::test {

/// One matte sphere without bumps, gloss or roughness.
struct OneSphere {
  std::vector<PictureSphere> spheres{{{0, 0, 0}, 1}};
  std::vector<PaintedGrain> paint{{255, 255, 255, 0}};  // albedo 1
  std::vector<Vec3f> velocity;
  PictureScene scene;

  OneSphere() { refresh(); }
  void refresh() {
    GrainLook look;
    look.roughness = look.specular = look.bumps = 0;
    scene.spheres = {{spheres, paint, {}, velocity, look}};
  }
};

/// From y = -20 along +y, so far away that rays are nearly parallel; 2.5 m wide at the origin.
inline PictureCamera front_camera() {
  PictureCamera camera;
  camera.position = {0, -20, 0};
  camera.target = {0, 0, 0};
  camera.focal_length_mm = 36 * 20 / 2.5;
  return camera;
}

inline RenderOptions small_picture(int samples) {
  RenderOptions options;
  options.width = options.height = 64;
  options.samples = samples;
  return options;
}

}  // namespace talus::test
