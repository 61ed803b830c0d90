// What no single key can tell: names, references, sizes against each other, counts of particles.
#pragma once

#include "scene/scene.h"
#include "scene/toml_tree.h"

#include <string>

namespace talus {

/// `root` gives the places for messages and may be null.
void validate(const Scene& scene, const TomlNode* root, Diagnostics& diagnostics);

/// Where "fill.3.shape.size" stands; the nearest table above it when it is not written.
Location locate(const TomlNode* root, std::string_view path);

}  // namespace talus
