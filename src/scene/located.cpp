#include "scene/located.h"

namespace talus {
namespace {

std::string name_of(const Scene& scene) {
  return scene.file.empty() ? "scene '" + scene.name + "'" : scene.file;
}

}  // namespace

Error located_error(const Scene& scene, const ScenePlace& place, const std::string& text) {
  if (place.text.empty()) return request_error("{}: {}", name_of(scene), text);
  return request_error("1 error in the scene '{}'\n{}: error: {}", name_of(scene), place.text,
                       text);
}

Error located_error(const Scene& scene, const ScenePlace& place, const std::string& what,
                    const Error& cause) {
  return {cause.kind, located_error(scene, place, what + ": " + cause.message).message};
}

std::string located_warning(const Scene& scene, const ScenePlace& place, const std::string& text) {
  return fmt::format("{}: warning: {}", place.text.empty() ? name_of(scene) : place.text, text);
}

}  // namespace talus
