// Known materials: values to start from, as a continuum (sph) and as grains (dem).
#pragma once

#include "scene/scene.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace talus {

struct Preset {
  Material material;
  std::string note;  ///< what it stands for and where the numbers come from
};

std::span<const Preset> material_presets();
/// Null when there is no such preset.
const Preset* find_preset(std::string_view name);
std::vector<std::string> preset_names();

}  // namespace talus
