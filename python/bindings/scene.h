// A Scene with what its reader warned of, and dictionaries as trees of keys.
#pragma once

#include "common.h"
#include "scene/read_scene.h"
#include "scene/scene.h"

#include <string>
#include <vector>

namespace talus::python {

struct PyScene {
  Scene scene;
  SceneWarnings warnings;
};

/// From a Scene, a dictionary, or the path of a file.
PyScene scene_of(const py::object& source, const SceneOverrides& overrides = {});

/// The scene with one more table `section` ("pour", "sink", "body", "fill"), checked as a whole.
Scene scene_with(const Scene& scene, const char* section, const py::dict& table);

/// The scene with other values for some keys of a material.
Scene scene_with_material(const Scene& scene, std::size_t index, const py::dict& changes);

}  // namespace talus::python
