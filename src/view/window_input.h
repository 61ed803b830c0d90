// Mouse and keys of the window become calls of the model.
#pragma once

#include "view/panels.h"
#include "view/scene_painter.h"

// GLFW must not bring headers of its own for OpenGL.
#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>

#include <algorithm>
#include <optional>
#include <vector>

namespace talus::view {

class WindowInput {
 public:
  /// Listens to the keys of the window; ImGui, when started later, hands them on.
  WindowInput(GLFWwindow* window, ViewModel& model, const ScenePainter& painter, Panels& panels);
  WindowInput(const WindowInput&) = delete;
  WindowInput& operator=(const WindowInput&) = delete;

  /// Forgets the keys of the last picture and takes what has happened since.
  void poll();
  /// Within a frame of ImGui; the size is that of the picture, in pixels. Returns what others have
  /// to do.
  PanelRequests apply(int width, int height);

 private:
  struct KeyPress {
    int key = 0;
    bool repeated = false;
  };

  static void on_key(GLFWwindow* window, int key, int, int action, int);
  /// Since the last picture, however short: slow drawing must not swallow keys. `held`: or
  /// repeated.
  bool pressed(int key, bool held = false) const {
    return std::any_of(keys_.begin(), keys_.end(),
                       [&](const KeyPress& k) { return k.key == key && (held || !k.repeated); });
  }
  double aspect() const { return static_cast<double>(width_) / std::max(1, height_); }
  void mouse();
  void push(double dx, double dy);
  void keys(PanelRequests& wants);
  void live_keys();
  void next_field();
  std::optional<Vec3d> under_mouse() const;

  GLFWwindow* window_;
  ViewModel& model_;
  const ScenePainter& painter_;
  Panels& panels_;
  std::vector<KeyPress> keys_;
  int width_ = 1, height_ = 1;
  Vec3d held_{};  ///< the point that is being pushed
  bool holding_ = false;
};

}  // namespace talus::view
