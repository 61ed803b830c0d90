// Small scenes for tests, and what reading them says.
#pragma once

#include "scene/read_scene.h"

#include <string>
#include <vector>

namespace talus {

/// A scene that is right, to which a test adds what is wrong.
inline const std::string valid_scene =
    "[[fill]]\n"                                              // 1
    "shape = { type = \"box\", size = [1, 1, 1] }\n"          // 2
    "[[body]]\n"                                              // 3
    "name = \"floor\"\n"                                      // 4
    "shape = { type = \"plane\", position = [0, 0, -1] }\n";  // 5
inline constexpr int valid_lines = 5;

inline std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines(1);
  for (const char c : text) {
    if (c == '\n')
      lines.emplace_back();
    else
      lines.back() += c;
  }
  return lines;
}

/// The located lines of the error, without its headline; empty when the text is a valid scene.
inline std::vector<std::string> errors_of(const std::string& text,
                                          const SceneOverrides& overrides = {}) {
  const Result<Scene> scene = parse_scene(text, "s.toml", overrides);
  if (scene) return {};
  std::vector<std::string> lines = lines_of(scene.error().message);
  lines.erase(lines.begin());
  return lines;
}

inline std::vector<std::string> warnings_of(const std::string& text) {
  SceneWarnings warnings;
  const Result<Scene> scene = parse_scene(text, "s.toml", {}, &warnings);
  if (!scene) warnings.push_back(scene.error().message);
  return warnings;
}

}  // namespace talus
