// The window: GLFW and Dear ImGui around the painter; pictures, screenshots, recordings.
#include "core/timer.h"
#include "view/gl_context.h"
#include "view/overlay.h"
#include "view/panels.h"
#include "view/recorder.h"
#include "view/scene_painter.h"
#include "view/script.h"
#include "view/view_app.h"
#include "view/window_input.h"

#include <imgui.h>

#include <algorithm>
#include <backends/imgui_impl_glfw.h>
#include <backends/imgui_impl_opengl3.h>

namespace talus::view {

namespace {

/// GLFW reports errors through a function without data; the last one is asked for instead.
std::string glfw_reason(int& code) {
  const char* text = nullptr;
  code = glfwGetError(&text);
  return text != nullptr ? text : "no reason given";
}

class Glfw {
 public:
  static Status start() {
    if (glfwInit() == GLFW_TRUE) return {};
    int code = 0;
    const std::string reason = glfw_reason(code);
    return work_error(
        "there is no display to open a window on ({}). On a machine without one, --headless draws "
        "into files: talus view ... --headless --frame 30 --screenshot out.png",
        reason);
  }
  ~Glfw() { glfwTerminate(); }
};

class ViewWindow {
 public:
  ViewWindow(const ViewOptions& options, ViewModel& model) : options_(options), model_(model) {}
  ~ViewWindow();
  ViewWindow(const ViewWindow&) = delete;
  ViewWindow& operator=(const ViewWindow&) = delete;
  Status open();
  Status run(Script& script);

 private:
  void paint(bool rough);
  void draw_panels();
  bool changed();
  Status serve(Script& script);
  void take_screenshot(const std::filesystem::path& path);
  void toggle_recording();
  void begin_recording(const std::filesystem::path& folder);
  void end_recording();
  void record(bool fresh);
  void obey(const PanelRequests& wants);

  const ViewOptions& options_;
  ViewModel& model_;
  GLFWwindow* window_ = nullptr;
  bool panels_ready_ = false;
  std::unique_ptr<ScenePainter> painter_;
  Panels panels_;
  std::unique_ptr<WindowInput> input_;
  Recorder recorder_;
  int width_ = 0, height_ = 0;
  double speed_ = 0;  ///< pictures per second, smoothed
  std::string last_key_;
  const ViewFrame* last_frame_ = nullptr;
  bool resume_play_ = false;
  bool quick_ = false;  ///< the processor draws: fewer pixels while something moves
  bool rough_ = false;  ///< the last picture was such a one
  double moved_ = 0;
};

ViewWindow::~ViewWindow() {
  painter_.reset();
  if (panels_ready_) {
    ImGui_ImplOpenGL3_Shutdown();
    ImGui_ImplGlfw_Shutdown();
    ImGui::DestroyContext();
  }
  if (window_ != nullptr) glfwDestroyWindow(window_);
}

Status ViewWindow::open() {
  glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 3);
  glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 3);
  glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
  glfwWindowHint(GLFW_OPENGL_FORWARD_COMPAT, GLFW_TRUE);
  const std::string title = "Talus · " + model_.name();
  window_ = glfwCreateWindow(options_.width, options_.height, title.c_str(), nullptr, nullptr);
  if (window_ == nullptr) {
    int code = 0;
    return no_opengl("the window could not be opened: " + glfw_reason(code));
  }
  glfwMakeContextCurrent(window_);
  glfwSwapInterval(1);
  if (Status s = check_opengl(); !s) return s;
  auto painter = ScenePainter::create();
  if (!painter) return painter.error();
  painter_ = std::move(*painter);
  quick_ = is_software_driver();
  if (quick_)
    model_.look.shadow_points = 5;
  else
    model_.look.supersampling = std::max(model_.look.supersampling, 2);
  IMGUI_CHECKVERSION();
  ImGui::CreateContext();
  float scale = 1, scale_y = 1;
  glfwGetWindowContentScale(window_, &scale, &scale_y);
  Panels::set_style(std::clamp(scale, 1.0f, 3.0f));
  input_ = std::make_unique<WindowInput>(window_, model_, *painter_, panels_);
  ImGui_ImplGlfw_InitForOpenGL(window_, true);
  ImGui_ImplOpenGL3_Init("#version 330 core");
  panels_ready_ = true;
  return {};
}

Status ViewWindow::run(Script& script) {
  double last = seconds_now();
  while (glfwWindowShouldClose(window_) == GLFW_FALSE && !script.quit() &&
         !options_.interrupted()) {
    input_->poll();
    glfwGetFramebufferSize(window_, &width_, &height_);
    const double now = seconds_now();
    const double seconds = now - last;
    last = now;
    speed_ += (1 / std::max(seconds, 1e-4) - speed_) * std::min(1.0, seconds);
    const bool fresh = model_.update(seconds);
    if (Status s = script.tick(model_, now); !s) return s;
    if (width_ < 1 || height_ < 1) continue;  // iconified
    ImGui_ImplOpenGL3_NewFrame();
    ImGui_ImplGlfw_NewFrame();
    ImGui::NewFrame();
    obey(input_->apply(width_, height_));
    draw_panels();
    ImGui::Render();
    if (changed() || fresh) {
      moved_ = now;
      paint(quick_ && !recorder_.on());
    } else if (rough_ && now - moved_ > 0.3) {
      paint(false);  // what stands still deserves all pixels
    }
    record(fresh);
    if (Status s = serve(script); !s) return s;
    painter_->show(0);
    glViewport(0, 0, width_, height_);
    ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
    glfwSwapBuffers(window_);
  }
  recorder_.finish();
  recorder_.wait();
  for (const std::string& text : recorder_.take_messages()) options_.say(text);
  return {};
}

void ViewWindow::paint(bool rough) {
  Look look = model_.look;
  look.reduction = rough ? 2 : 1;
  rough_ = rough;
  painter_->set_frame(model_.frame());
  painter_->draw(model_.camera, width_, height_, look);
}

/// Whether the picture would look different: a still one is not drawn again.
bool ViewWindow::changed() {
  const Look& l = model_.look;
  const OrbitCamera& c = model_.camera;
  const Vec3d p = c.position(), t = c.target();
  const std::string key =
      fmt::format("{} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {}", width_,
                  height_, p.x, p.y, p.z, t.x, t.y, t.z, c.focal_length_mm(), l.map, l.clip.on,
                  l.clip.offset, l.clip.normal.x, l.clip.normal.y, l.clip.normal.z, l.shadows,
                  l.occlusion, l.bodies, l.floor, l.exposure, l.supersampling, l.shadow_pixels,
                  l.range ? fmt::format("{} {}", l.range->lower, l.range->upper) : "");
  const bool different = key != last_key_ || model_.frame().get() != last_frame_;
  last_key_ = key;
  last_frame_ = model_.frame().get();
  return different;
}

void ViewWindow::draw_panels() {
  PanelFacts facts;
  facts.width = width_;
  facts.height = height_;
  facts.pictures_per_second = speed_;
  facts.driver = driver_name();
  facts.recording = recorder_.on();
  facts.recorded = recorder_.pictures();
  obey(panels_.draw(model_, facts));
}

void ViewWindow::obey(const PanelRequests& wants) {
  if (wants.drop) model_.drop({});
  if (wants.pour) model_.pouring() ? model_.stop_pouring() : model_.pour({});
  if (wants.record) toggle_recording();
  if (wants.screenshot) take_screenshot(free_name(".", "talus", ".png"));
}

Status ViewWindow::serve(Script& script) {
  if (const auto path = script.take_screenshot()) {
    paint(false);
    if (Status s = write_png(with_legend(painter_->read(), model_), path->string()); !s) return s;
    options_.say("picture: " + path->string());
  }
  if (const auto folder = script.take_recording())
    folder->empty() ? end_recording() : begin_recording(*folder);
  return {};
}

void ViewWindow::take_screenshot(const std::filesystem::path& path) {
  paint(false);
  const Status s = write_png(with_legend(painter_->read(), model_), path.string());
  model_.say(s.ok() ? "picture: " + path.string() : s.error().message);
}

void ViewWindow::toggle_recording() {
  recorder_.on() ? end_recording() : begin_recording(free_name(".", "recording", ""));
}

/// While it records, every frame is drawn: a run is stepped, a simulation waits.
void ViewWindow::begin_recording(const std::filesystem::path& folder) {
  if (Status s = recorder_.start(folder, model_.scene().frame_rate); !s) {
    model_.say(s.error().message);
    return;
  }
  model_.say("recording into " + folder.string());
  if (model_.live()) {
    model_.set_lockstep(true);
  } else {
    resume_play_ = model_.timeline().playing();
    model_.timeline().set_playing(false);
    paint(false);
    recorder_.add(with_legend(painter_->read(), model_));
  }
}

void ViewWindow::end_recording() {
  recorder_.finish();
  if (model_.live())
    model_.set_lockstep(false);
  else
    model_.timeline().set_playing(resume_play_);
  model_.say("making the film ...");
}

void ViewWindow::record(bool fresh) {
  for (std::string& text : recorder_.take_messages()) model_.say(std::move(text));
  if (!recorder_.on()) return;
  if (fresh) recorder_.add(with_legend(painter_->read(), model_));
  if (model_.live() || !model_.ready()) return;
  Timeline& t = model_.timeline();
  if (t.current() + 1 < t.count())
    t.go_to(t.current() + 1);
  else if (!model_.run_is_written())
    end_recording();
}

}  // namespace

Status run_window(const ViewOptions& options) {
  if (Status s = Glfw::start(); !s) return s;
  const Glfw glfw;
  auto model = ViewModel::open(options.settings);
  if (!model) return model.error();
  auto script = Script::parse(whole_script(options, (*model)->live()));
  if (!script) return script.error();
  ViewWindow window(options, **model);
  if (Status s = window.open(); !s) return s;
  return window.run(*script);
}

}  // namespace talus::view
