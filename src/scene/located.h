// Messages about parts of a scene that it takes more than the scene to find out, such as the faces
// of a mesh: with their place in the file, like those of read_scene.h.
#pragma once

#include "core/error.h"
#include "scene/scene.h"

#include <string>

namespace talus {

/// A headline and a line "scene.toml:12:9: error: TEXT". Without a place, as in scenes made in
/// code: "scene.toml: TEXT", or the name of the scene.
Error located_error(const Scene& scene, const ScenePlace& place, const std::string& text);
/// The same around an error that knows nothing of scenes; its kind stays.
Error located_error(const Scene& scene, const ScenePlace& place, const std::string& what,
                    const Error& cause);
/// "scene.toml:12:9: warning: TEXT"
std::string located_warning(const Scene& scene, const ScenePlace& place, const std::string& text);

}  // namespace talus
