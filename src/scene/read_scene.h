// A scene file -> a validated Scene. Everything that is wrong is reported at once, each mistake as
// "file:line:column: error: ..." with the offending key and the nearest valid one.
#pragma once

#include "core/error.h"
#include "scene/scene.h"

#include <string>
#include <string_view>
#include <vector>

namespace talus {

/// Words "key=value" from the command line, applied over the file in order: "sph.spacing=0.01",
/// "material.sand.density=1600" (by name), "fill.0.jitter=0" (by number from 0).
using SceneOverrides = std::vector<std::string>;

/// Doubtful but possible things: lines "file:line:column: warning: ..."; pass one to receive them.
using SceneWarnings = std::vector<std::string>;

Result<Scene> read_scene(const std::string& path, const SceneOverrides& overrides = {},
                         SceneWarnings* warnings = nullptr);

/// `path` names the text in messages; files in it are relative to the folder of `path`.
Result<Scene> parse_scene(std::string_view text, const std::string& path,
                          const SceneOverrides& overrides = {}, SceneWarnings* warnings = nullptr);

/// The checks of read_scene on a scene made in code; "scene: error: ..." without lines.
Status validate_scene(const Scene& scene, SceneWarnings* warnings = nullptr);

}  // namespace talus
