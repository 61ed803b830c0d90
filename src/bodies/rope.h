// Chains and ropes: capsules in a row, joined by ball joints.
#pragma once

#include "core/error.h"
#include "scene/scene.h"

#include <optional>
#include <string>

namespace talus {

struct Rope {
  std::string name;       ///< links are NAME/0, NAME/1, ...; joints NAME/joint0, ...
  Vec3d from{}, to{};     ///< m
  double radius = 0.01;   ///< m
  int links = 0;          ///< 0: as many as make each link six radii long
  double density = 1000;  ///< kg/m^3 of a link
  double friction = 0.5;
  double break_force = 0;    ///< N at any joint, 0 = never
  double release_time = -1;  ///< s, of both end joints; negative = never
  /// The body that holds an end: a name, "" for the world, nothing for a free end.
  std::optional<std::string> from_body, to_body;
};

/// Appends the links and joints of a rope to the scene.
Status add_rope(Scene& scene, const Rope& rope);

}  // namespace talus
