// How the window draws what it shows. Plain values that panels and options set.
#pragma once

#include "render/field_values.h"

#include <optional>
#include <string>

namespace talus::view {

/// What lies on the side that `normal` points away from is cut off.
struct ClipPlane {
  bool on = false;
  Vec3d normal{1, 0, 0};
  double offset = 0;  ///< m along the normal
};

struct Look {
  std::string map = "dune";
  std::optional<ValueRange> range;  ///< of the colours; none: that of the frame
  ClipPlane clip;
  bool shadows = true, occlusion = true, bodies = true, floor = true;
  float exposure = 0;       ///< stops
  int supersampling = 1;    ///< pixels drawn along each side of a pixel shown
  int shadow_pixels = 2048; ///< along each side of the shadow map
  float size = 1;           ///< m, extent of the action: scales the floor's stains and the haze
  std::optional<double> studio_floor;  ///< m along up: a floor where the scene has none
};

}  // namespace talus::view
