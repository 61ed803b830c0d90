// Panels over a picture that goes to a file instead of a window.
#pragma once

#include "render/image.h"
#include "view/gl_objects.h"
#include "view/panels.h"
#include "view/scene_painter.h"
#include "view/view_model.h"

namespace talus::view {

class Overlay {
 public:
  /// Needs a current context of OpenGL.
  Overlay(int width, int height);
  ~Overlay();
  Overlay(const Overlay&) = delete;
  Overlay& operator=(const Overlay&) = delete;

  ScreenImage draw(const ScenePainter& painter, ViewModel& model);

 private:
  int width_, height_;
  GlTexture colour_;
  GlFramebuffer target_;
  Panels panels_;
};

/// The picture with the meaning of its colours, when it shows a field.
ScreenImage with_legend(ScreenImage image, const ViewModel& model);

}  // namespace talus::view
