// A Scene back into the text of a scene file.
#pragma once

#include "scene/scene.h"

#include <string>
#include <string_view>

namespace talus {

/// Complete and resolved: every key that is in use is written, files by absolute path, so that the
/// text means the same anywhere. Reading it gives an equal Scene.
std::string to_toml(const Scene& scene);

/// Text as a TOML string, in quotes.
std::string toml_string(std::string_view text);

}  // namespace talus
