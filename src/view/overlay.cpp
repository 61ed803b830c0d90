#include "view/overlay.h"

#include "view/gl_context.h"

#include <imgui.h>

#include <backends/imgui_impl_opengl3.h>

namespace talus::view {

Overlay::Overlay(int width, int height) : width_(width), height_(height) {
  IMGUI_CHECKVERSION();
  ImGui::CreateContext();
  Panels::set_style(1);
  ImGui_ImplOpenGL3_Init("#version 330 core");
  colour_ = make_texture(width, height, {});
  target_ = make_framebuffer();
  glBindFramebuffer(GL_FRAMEBUFFER, target_.get());
  glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, colour_.get(), 0);
}

Overlay::~Overlay() {
  ImGui_ImplOpenGL3_Shutdown();
  ImGui::DestroyContext();
}

ScreenImage Overlay::draw(const ScenePainter& painter, ViewModel& model) {
  PanelFacts facts;
  facts.width = width_;
  facts.height = height_;
  facts.driver = driver_name();
  // Twice: panels learn their size while they are drawn for the first time.
  for (int pass = 0; pass < 2; ++pass) {
    ImGuiIO& io = ImGui::GetIO();
    io.DisplaySize = {static_cast<float>(width_), static_cast<float>(height_)};
    io.DeltaTime = 1 / 60.0f;
    ImGui_ImplOpenGL3_NewFrame();
    ImGui::NewFrame();
    panels_.draw(model, facts);
    ImGui::Render();
  }
  painter.show(target_.get());
  glViewport(0, 0, width_, height_);
  ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
  std::vector<std::uint8_t> bytes(static_cast<std::size_t>(width_) * height_ * 3);
  glPixelStorei(GL_PACK_ALIGNMENT, 1);
  glReadPixels(0, 0, width_, height_, GL_RGB, GL_UNSIGNED_BYTE, bytes.data());
  ScreenImage image(width_, height_);
  for (int y = 0; y < height_; ++y)
    for (int x = 0; x < width_; ++x) {
      const std::size_t at = 3 * (static_cast<std::size_t>(height_ - 1 - y) * width_ + x);
      image.at(x, y) = {bytes[at], bytes[at + 1], bytes[at + 2]};
    }
  return image;
}

}  // namespace talus::view
