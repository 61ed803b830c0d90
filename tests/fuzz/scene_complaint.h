// What must hold for any text given to the scene parser.
#pragma once

#include "scene/read_scene.h"
#include "scene/write_scene.h"

#include <string>

namespace talus {

/// Empty, or what is wrong: a refusal without a message or with unprintable bytes, or a scene that
/// does not survive being written and read.
inline std::string scene_complaint(const std::string& text) {
  const Result<Scene> scene = parse_scene(text, "f.toml");
  if (!scene) {
    const std::string& message = scene.error().message;
    if (message.empty()) return "refused without a message";
    for (const char c : message)
      if ((c < 0x20 && c >= 0 && c != '\n') || c == 0x7f) return "unprintable: " + message;
    return {};
  }
  const std::string written = to_toml(*scene);
  const Result<Scene> again = parse_scene(written, "f.toml");
  if (!again) return "written but not readable: " + again.error().message;
  if (!(*again == *scene)) return "reads back differently:\n" + written + "\n" + to_toml(*again);
  return {};
}

}  // namespace talus
