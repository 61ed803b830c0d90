// Chains and ropes: capsules in a row, joined by ball joints.
#pragma once

#include "core/error.h"
#include "scene/scene.h"

namespace talus {

/// The number of links that a rope gets.
int rope_links(const Rope& rope);
/// Name of a link, 0 being the one at `from`.
std::string rope_link_name(const Rope& rope, int link);

/// Appends the links and joints of a rope to the scene. Who holds the ends is not looked up.
Status add_rope(Scene& scene, const Rope& rope);

}  // namespace talus
