#include "core/timer.h"
#include "render/legend.h"
#include "view/gl_context.h"
#include "view/overlay.h"
#include "view/recorder.h"
#include "view/scene_painter.h"
#include "view/script.h"
#include "view/view_app.h"

#include <algorithm>
#include <chrono>
#include <thread>
#include <vector>

namespace talus::view {

namespace {

constexpr double idle = 0.002;  // s

struct Headless {
  const ViewOptions& options;
  ViewModel& model;
  ScenePainter& painter;
  std::unique_ptr<Overlay> overlay;
  Recorder recorder;

  ScreenImage picture();
  Status step_recording(bool fresh);
  Status serve(Script& script);
};

ScreenImage Headless::picture() {
  painter.set_frame(model.frame());
  painter.draw(model.camera, options.width, options.height, model.look);
  if (overlay) return overlay->draw(painter, model);
  return with_legend(painter.read(), model);
}

Status Headless::step_recording(bool fresh) {
  if (recorder.on() && fresh) recorder.add(picture());
  for (const std::string& text : recorder.take_messages()) options.say(text);
  return {};
}

/// Does what only a painter can do for a script.
Status Headless::serve(Script& script) {
  if (const auto path = script.take_screenshot()) {
    if (Status s = write_png(picture(), path->string()); !s) return s;
    options.say("picture: " + path->string());
  }
  if (const auto folder = script.take_recording()) {
    if (model.live()) model.set_lockstep(!folder->empty());
    if (folder->empty()) {
      recorder.finish();
      recorder.wait();
    } else if (Status s = recorder.start(*folder, model.scene().frame_rate); !s) {
      return s;
    }
  }
  return {};
}

/// Median times of the parts of a picture, with the camera turning a little between two.
void report_speed(Headless& view) {
  std::vector<PaintTimes> times;
  std::vector<double> whole;
  view.painter.measure(true);
  for (int i = 0; i < view.options.repeat; ++i) {
    view.model.camera.orbit(0.01, 0);
    view.painter.set_frame(nullptr);
    const double start = seconds_now();
    view.painter.set_frame(view.model.frame());
    view.painter.draw(view.model.camera, view.options.width, view.options.height, view.model.look);
    whole.push_back(seconds_now() - start);
    times.push_back(view.painter.times());
  }
  const auto median = [&](double PaintTimes::*part) {
    std::vector<double> values;
    for (const PaintTimes& t : times) values.push_back(t.*part);
    std::nth_element(values.begin(),
                     values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2), values.end());
    return 1e3 * values[values.size() / 2];
  };
  std::sort(whole.begin(), whole.end());
  const double middle = whole[whole.size() / 2];
  view.options.say(fmt::format(
      "{} spheres, {}x{}, {}: {:.1f} pictures/s ({:.1f} ms: upload {:.1f}, shadow map {:.1f}, "
      "geometry {:.1f}, ambient shade {:.1f}, light {:.1f})",
      view.model.frame()->sprites.size(), view.options.width, view.options.height, driver_name(),
      1 / middle, 1e3 * middle, median(&PaintTimes::upload), median(&PaintTimes::shadow),
      median(&PaintTimes::geometry), median(&PaintTimes::occlusion), median(&PaintTimes::light)));
}

}  // namespace

ScreenImage with_legend(ScreenImage image, const ViewModel& model) {
  const auto& frame = model.frame();
  if (frame && !frame->field.empty() && !frame->categories) {
    const ValueRange range = model.look.range.value_or(frame->range);
    draw_legend(image, {frame->title, range.lower, range.upper}, ColourMap(model.look.map));
  }
  return image;
}

std::string whole_script(const ViewOptions& options, bool live) {
  std::string script;
  // A field that is not there is told, and what is there.
  if (const std::string& field = options.settings.request.field; !field.empty())
    script += "colour " + field + ";";
  if (options.frame) script += fmt::format("{} {};", live ? "frames" : "frame", *options.frame);
  script += options.script;
  if (!options.screenshot.empty()) script += ";screenshot " + options.screenshot.string();
  return script;
}

Status run_headless(const ViewOptions& options) {
  std::error_code code;
  if (std::filesystem::is_directory(options.settings.path, code))
    if (auto run = open_run_source(options.settings.path, options.settings.detail); !run)
      return run.error();
  ViewSettings settings = options.settings;
  settings.paused = true;
  auto model = ViewModel::open(std::move(settings));
  if (!model) return model.error();
  auto script = Script::parse(whole_script(options, (*model)->live()));
  if (!script) return script.error();
  if (options.screenshot.empty() && options.script.empty() && options.repeat == 0)
    return request_error(
        "--headless without --screenshot or --do would draw nothing; e.g. --frame 30 --screenshot "
        "out.png");
  auto context = HeadlessContext::create();
  if (!context) return context.error();
  auto painter = ScenePainter::create();
  if (!painter) return painter.error();
  Headless view{options, **model, **painter, nullptr, {}};
  if (options.panels) view.overlay = std::make_unique<Overlay>(options.width, options.height);
  double last = seconds_now();
  while (!script->finished() && !script->quit()) {
    if (options.interrupted()) return {};
    const double now = seconds_now();
    const bool fresh = view.model.update(now - last);
    last = now;
    if (Status s = view.step_recording(fresh); !s) return s;
    if (Status s = script->tick(view.model, now); !s) return s;
    if (Status s = view.serve(*script); !s) return s;
    if (view.model.live() && !view.model.frame() && !view.model.problem().empty())
      return work_error("{}", view.model.problem());
    if (!fresh) std::this_thread::sleep_for(std::chrono::duration<double>(idle));
  }
  while (options.repeat > 0 && !view.model.frame() && view.model.problem().empty()) {
    view.model.update(idle);
    std::this_thread::sleep_for(std::chrono::duration<double>(idle));
  }
  if (!view.model.problem().empty()) return work_error("{}", view.model.problem());
  for (const Message& message : view.model.messages()) options.say(message.text);
  if (options.repeat > 0) report_speed(view);
  return {};
}

Status run_view(const ViewOptions& options) {
  if (options.width < 1 || options.height < 1 || options.width > 16384 || options.height > 16384)
    return request_error("the picture would be {} x {} pixels; both must be 1 to 16384",
                         options.width, options.height);
  return options.headless ? run_headless(options) : run_window(options);
}

}  // namespace talus::view
