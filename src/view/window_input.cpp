#include "view/window_input.h"

#include <imgui.h>

#include <cmath>
#include <numbers>

namespace talus::view {

WindowInput::WindowInput(GLFWwindow* window, ViewModel& model, const ScenePainter& painter,
                         Panels& panels)
    : window_(window), model_(model), painter_(painter), panels_(panels) {
  glfwSetWindowUserPointer(window, this);
  glfwSetKeyCallback(window, on_key);
}

void WindowInput::on_key(GLFWwindow* window, int key, int, int action, int) {
  if (action == GLFW_RELEASE) return;
  auto* self = static_cast<WindowInput*>(glfwGetWindowUserPointer(window));
  self->keys_.push_back({key, action == GLFW_REPEAT});
}

void WindowInput::poll() {
  keys_.clear();
  glfwPollEvents();
}

PanelRequests WindowInput::apply(int width, int height) {
  width_ = width;
  height_ = height;
  PanelRequests wants;
  mouse();
  keys(wants);
  return wants;
}

std::optional<Vec3d> WindowInput::under_mouse() const {
  double x = 0, y = 0;
  int w = 1, h = 1;
  glfwGetCursorPos(window_, &x, &y);
  glfwGetWindowSize(window_, &w, &h);
  return painter_.point_at(static_cast<int>(x * width_ / std::max(1, w)),
                           static_cast<int>(y * height_ / std::max(1, h)));
}

void WindowInput::mouse() {
  const ImGuiIO& io = ImGui::GetIO();
  if (!ImGui::IsMouseDown(0)) holding_ = false;
  if (io.WantCaptureMouse) return;
  const double dx = double{io.MouseDelta.x} / std::max(1, height_);
  const double dy = double{io.MouseDelta.y} / std::max(1, height_);
  if (io.MouseWheel != 0) model_.camera.zoom(std::pow(1.12, double{io.MouseWheel}));
  if (ImGui::IsMouseDoubleClicked(0))
    if (const auto point = under_mouse()) model_.camera.look_at(*point);
  if (ImGui::IsMouseDown(0)) {
    const bool pushes = model_.live() && (panels_.tool == MouseTool::push || io.KeyShift);
    if (pushes || holding_)
      push(dx, dy);
    else
      model_.camera.orbit(-dx * std::numbers::pi, dy * std::numbers::pi);
  } else if (ImGui::IsMouseDown(1) || ImGui::IsMouseDown(2)) {
    model_.camera.pan(-dx, dy, aspect());
  }
}

/// The point that was grabbed moves with the mouse, in the plane of the picture; what is near it
/// gets its velocity.
void WindowInput::push(double dx, double dy) {
  if (!holding_) {
    const auto point = under_mouse();
    if (!point) return;
    held_ = *point;
    holding_ = true;
    return;
  }
  const OrbitCamera& c = model_.camera;
  const double depth = dot(held_ - c.position(), c.forward());
  const double height = 2 * depth * c.half_height(aspect());
  const Vec3d way = (c.right() * dx - c.up() * dy) * height;
  const double seconds = std::max(double{ImGui::GetIO().DeltaTime}, 1e-3);
  model_.push(held_, way * (1 / seconds));
  held_ += way;
}

void WindowInput::next_field() {
  if (!model_.frame()) return;
  const auto& fields = model_.frame()->fields;
  const auto now = std::find(fields.begin(), fields.end(), model_.request().field);
  if (model_.request().field.empty())
    model_.set_field(fields.empty() ? "" : fields.front());
  else
    model_.set_field(now == fields.end() || now + 1 == fields.end() ? "" : *(now + 1));
}

void WindowInput::keys(PanelRequests& wants) {
  if (ImGui::GetIO().WantTextInput) return;
  Timeline& t = model_.timeline();
  if (pressed(GLFW_KEY_ESCAPE)) glfwSetWindowShouldClose(window_, GLFW_TRUE);
  if (pressed(GLFW_KEY_F1)) panels_.help = !panels_.help;
  if (pressed(GLFW_KEY_TAB)) panels_.visible = !panels_.visible;
  if (pressed(GLFW_KEY_HOME)) model_.reset_camera();
  if (pressed(GLFW_KEY_C)) model_.look.clip.on = !model_.look.clip.on;
  if (pressed(GLFW_KEY_N)) next_field();
  if (pressed(GLFW_KEY_F2)) wants.screenshot = true;
  if (pressed(GLFW_KEY_F3)) wants.record = true;
  if (model_.live()) return live_keys();
  if (pressed(GLFW_KEY_SPACE)) t.set_playing(!t.playing());
  if (pressed(GLFW_KEY_RIGHT, true)) t.step(1);
  if (pressed(GLFW_KEY_LEFT, true)) t.step(-1);
  if (pressed(GLFW_KEY_PAGE_UP)) t.to_start();
  if (pressed(GLFW_KEY_PAGE_DOWN)) t.to_end();
}

void WindowInput::live_keys() {
  if (pressed(GLFW_KEY_SPACE)) model_.set_paused(!model_.paused());
  if (pressed(GLFW_KEY_PERIOD, true)) model_.advance(1, false);
  if (pressed(GLFW_KEY_R)) model_.reset();
  if (pressed(GLFW_KEY_B)) model_.drop(under_mouse());
  if (pressed(GLFW_KEY_P)) model_.pouring() ? model_.stop_pouring() : model_.pour(under_mouse());
  if (pressed(GLFW_KEY_T))
    panels_.tool = panels_.tool == MouseTool::push ? MouseTool::orbit : MouseTool::push;
  Tools& tools = model_.tools;
  if (pressed(GLFW_KEY_L)) {
    tools.tilt_x_deg = tools.tilt_y_deg = 0;
    tools.gravity_share = 1;
    model_.tilt();
  }
  const auto arrow = [&](int key) { return pressed(key, true) ? 1 : 0; };
  const int right = arrow(GLFW_KEY_RIGHT), left = arrow(GLFW_KEY_LEFT);
  const int up = arrow(GLFW_KEY_UP), down = arrow(GLFW_KEY_DOWN);
  if (!ImGui::GetIO().KeyCtrl) {
    if (right) model_.advance(1, true);
    return;
  }
  if (right + left + up + down == 0) return;
  tools.tilt_x_deg = std::clamp(tools.tilt_x_deg + 2.0 * (up - down), -60.0, 60.0);
  tools.tilt_y_deg = std::clamp(tools.tilt_y_deg + 2.0 * (right - left), -60.0, 60.0);
  model_.tilt();
}

}  // namespace talus::view
