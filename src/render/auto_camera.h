// Cameras: the keyframes of a scene, or, when it has none, one that frames the action.
#pragma once

#include "render/picture.h"
#include "scene/scene.h"

#include <span>
#include <string>

namespace talus {

/// The camera called `name` (empty: the first) at time t, its keyframes joined smoothly. A request
/// error lists the names when there is no such camera.
Result<PictureCamera> scene_camera(const Scene& scene, const std::string& name, double t);

struct FramingInput {
  std::span<const Vec3f> points;   ///< a sample of what matters, over all frames
  std::span<const Vec3f> anchors;  ///< must be seen too, unless far away: corners of moving bodies
  Vec3f up{0, 0, 1};
  Vec3f to_sun{0, 0, 1};
  double aspect = 16.0 / 9;  ///< width / height
  double focal_length_mm = 45;
};

struct Framing {
  PictureCamera camera;
  double size = 1;  ///< m, extent of the action
};

/// A three-quarter view across the longer side, with the sun from the side, a little from above,
/// as close as the middle 98 % of the points allow. Stray grains may leave the picture.
Framing frame_action(const FramingInput& input);

}  // namespace talus
