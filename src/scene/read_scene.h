// A scene file -> a validated Scene. Everything that is wrong is reported at once, each mistake as
// "file:line:column: error: ..." with the offending key and the nearest valid one.
#pragma once

#include "core/error.h"
#include "scene/scene.h"

#include <string>
#include <string_view>
#include <vector>

namespace talus {

struct TomlNode;

/// Words "key=value" from the command line, applied over the file in order: "sph.spacing=0.01",
/// "material.sand.density=1600" (by name), "fill.0.jitter=0" (by number from 0). "size=NAME" stands
/// for the changes of that [[size]] of the scene.
using SceneOverrides = std::vector<std::string>;

/// Doubtful but possible things: lines "file:line:column: warning: ..."; pass one to receive them.
using SceneWarnings = std::vector<std::string>;

Result<Scene> read_scene(const std::string& path, const SceneOverrides& overrides = {},
                         SceneWarnings* warnings = nullptr);

/// The names of the scene's sizes, in its order. Empty when the file cannot be understood.
std::vector<std::string> scene_sizes(const std::string& path);

/// `path` names the text in messages; files in it are relative to the folder of `path`.
Result<Scene> parse_scene(std::string_view text, const std::string& path,
                          const SceneOverrides& overrides = {}, SceneWarnings* warnings = nullptr);

/// A scene that a program wrote as a tree (scene/toml_tree.h) instead of text. `places` names its
/// lines for messages: "body[0].mass" for the key at line n stands at places[n - 1].
Result<Scene> scene_from_tree(TomlNode root, std::vector<std::string> places,
                              const std::string& path, const SceneOverrides& overrides = {},
                              SceneWarnings* warnings = nullptr);

/// What a later resume will read from `text`, which is to_toml(scene), to the last bit. Messages
/// about it still name places in the file that the scene came from.
Result<Scene> reread_scene(const Scene& scene, const std::string& text);

/// The checks of read_scene on a scene made in code; "scene: error: ..." without lines.
Status validate_scene(const Scene& scene, SceneWarnings* warnings = nullptr);

}  // namespace talus
