#include "view/script.h"

#include "scene/diagnostics.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numbers>

namespace talus::view {

namespace {

struct Command {
  const char* verb;
  const char* usage;
  std::size_t least, most;  ///< words
  bool live;                ///< makes sense for a scene alone
  const char* meaning;
};

constexpr Command commands[] = {
    {"wait", "wait SECONDS", 1, 1, false, "let time pass"},
    {"play", "play", 0, 0, false, "play the run, or let the simulation go"},
    {"pause", "pause", 0, 0, false, "stop there"},
    {"frame", "frame N", 1, 1, false, "show frame N of the run"},
    {"frames", "frames N", 1, 1, true, "simulate N frames, then pause"},
    {"step", "step [N]", 0, 1, false, "one step of the simulation, one frame of a run"},
    {"reset", "reset", 0, 0, true, "start the scene over"},
    {"drop", "drop ball|box [X Y Z]", 1, 4, true, "let a body fall, from there or from above"},
    {"pour", "pour [X Y Z]", 0, 3, true, "open a nozzle"},
    {"close", "close", 0, 0, true, "close the nozzles opened by hand"},
    {"push", "push X Y Z VX VY VZ", 6, 6, true, "push what is near a point"},
    {"tilt", "tilt DEGREES DEGREES", 2, 2, true, "tilt gravity about the two level axes"},
    {"friction", "friction DEGREES", 1, 1, true, "of the first material"},
    {"colour", "colour FIELD|natural", 1, 1, false, "by a field"},
    {"grains", "grains N", 1, 1, false, "small grains drawn for each particle"},
    {"clip", "clip x|y|z OFFSET, clip off", 1, 2, false, "cut along an axis"},
    {"orbit", "orbit DEGREES DEGREES", 2, 2, false, "turn the camera"},
    {"pan", "pan RIGHT UP", 2, 2, false, "move it, in parts of the picture's height"},
    {"zoom", "zoom FACTOR", 1, 1, false, "above 1 comes closer"},
    {"screenshot", "screenshot FILE", 1, 1, false, "write a PNG"},
    {"record", "record FOLDER", 1, 1, false, "start a recording"},
    {"cut", "cut", 0, 0, false, "end it and make the film"},
    {"quit", "quit", 0, 0, false, "end"},
};

const Command* find_command(const std::string& verb) {
  const auto* found = std::find_if(std::begin(commands), std::end(commands),
                                   [&](const Command& c) { return verb == c.verb; });
  return found == std::end(commands) ? nullptr : found;
}

std::vector<std::string> split(const std::string& text, const char* separators) {
  std::vector<std::string> out;
  std::size_t start = 0;
  while ((start = text.find_first_not_of(separators, start)) != std::string::npos) {
    const std::size_t end = std::min(text.find_first_of(separators, start), text.size());
    out.push_back(text.substr(start, end - start));
    start = end;
  }
  return out;
}

constexpr double degree = std::numbers::pi / 180;

}  // namespace

std::string script_help() {
  std::string out;
  for (const Command& c : commands)
    out += fmt::format("  {:<28} {}{}\n", c.usage, c.meaning, c.live ? " (scenes)" : "");
  return out;
}

Result<Script> Script::parse(const std::string& text) {
  Script script;
  for (const std::string& line : split(text, ";\n")) {
    Step step;
    step.words = split(line, " \t\r");
    if (step.words.empty()) continue;
    step.verb = step.words.front();
    step.words.erase(step.words.begin());
    if ((step.verb == "screenshot" || step.verb == "record") && !step.words.empty()) {
      // A path may have spaces in it: all of the rest.
      const std::size_t start =
          line.find(step.words.front(), line.find(step.verb) + step.verb.size());
      step.words = {line.substr(start, line.find_last_not_of(" \t\r") + 1 - start)};
    }
    const Command* command = find_command(step.verb);
    if (command == nullptr) {
      std::vector<std::string> verbs;
      for (const Command& c : commands) verbs.emplace_back(c.verb);
      const std::string guess = nearest_word(step.verb, verbs);
      return request_error("--do: there is no command '{}'{}; 'talus view --help' lists them",
                           step.verb,
                           guess.empty() ? "" : fmt::format(" (did you mean '{}'?)", guess));
    }
    for (const std::string& word : step.words) {
      double number = 0;
      const auto [end, code] = std::from_chars(word.data(), word.data() + word.size(), number);
      if (code == std::errc() && end == word.data() + word.size() && std::isfinite(number))
        step.numbers.push_back(number);
    }
    const bool has_word = step.verb == "drop" || step.verb == "colour" || step.verb == "clip" ||
                          step.verb == "screenshot" || step.verb == "record";
    const std::size_t wanted = step.words.size() - (has_word && !step.words.empty() ? 1 : 0);
    if (step.words.size() < command->least || step.words.size() > command->most ||
        (step.verb != "screenshot" && step.verb != "record" && step.verb != "colour" &&
         step.numbers.size() != wanted) ||
        ((step.verb == "drop" || step.verb == "pour") && !step.numbers.empty() &&
         step.numbers.size() != 3))
      return request_error("--do: '{}' is not '{}'", line, command->usage);
    script.steps_.push_back(std::move(step));
  }
  return script;
}

std::optional<std::filesystem::path> Script::take_screenshot() {
  return std::exchange(screenshot_, std::nullopt);
}
std::optional<std::filesystem::path> Script::take_recording() {
  return std::exchange(recording_, std::nullopt);
}

Status Script::tick(ViewModel& model, double now) {
  while (!finished() && !screenshot_ && !recording_) {
    const Step& step = steps_[next_];
    if (find_command(step.verb)->live && !model.live())
      return request_error("--do: '{}' is for scenes, and this is a run folder", step.verb);
    const auto progress = carry_out(step, model, now);
    if (!progress) return progress.error();
    started_ = *progress == Progress::begun;
    if (*progress != Progress::done) return {};
    ++next_;
  }
  return {};
}

/// A command that waits is called again; started_ tells that it has begun.
Result<Script::Progress> Script::carry_out(const Step& step, ViewModel& model, double now) {
  const auto& n = step.numbers;
  if (find_command(step.verb)->live) return carry_out_live(step, model);
  if (!model.frame() && model.problem().empty() && step.verb != "wait") return Progress::not_yet;
  if (!model.frame() && (step.verb == "colour" || step.verb == "grains"))
    return work_error("{}", model.problem());
  if (step.verb == "wait") {
    if (!started_) start_ = now;
    return wait_until(now - start_ >= n[0]);
  }
  if (step.verb == "play" || step.verb == "pause") {
    const bool play = step.verb == "play";
    model.live() ? model.set_paused(!play) : model.timeline().set_playing(play);
  } else if (step.verb == "frame") {
    if (model.live()) return request_error("--do: 'frame' is for run folders; use 'frames'");
    const auto& entries = model.entries();
    const auto found = std::find_if(entries.begin(), entries.end(), [&](const FrameEntry& e) {
      return static_cast<double>(e.index) == n[0];
    });
    if (found == entries.end())
      return request_error("there is no frame {}; the run has {} frames, {} to {}", n[0],
                           entries.size(), entries.empty() ? 0 : entries.front().index,
                           entries.empty() ? 0 : entries.back().index);
    if (!started_) {
      model.timeline().set_playing(false);
      model.timeline().go_to(static_cast<std::size_t>(found - entries.begin()));
      return Progress::begun;
    }
    return wait_until(model.ready());
  } else if (step.verb == "step") {
    const int count = n.empty() ? 1 : static_cast<int>(n[0]);
    if (!model.live()) {
      if (!started_) {
        model.timeline().step(count);
        return Progress::begun;
      }
      return wait_until(model.ready());
    }
    if (!started_) {
      target_ = model.status().steps + static_cast<std::uint64_t>(std::max(count, 0));
      model.advance(count, false);
      return Progress::begun;
    }
    if (!model.problem().empty()) return work_error("{}", model.problem());
    return wait_until(model.status().steps >= target_ && model.frame()->info.step >= target_);
  } else if (step.verb == "colour") {
    const std::string field = step.words[0] == "natural" ? "" : step.words[0];
    model.set_field(field);
    const auto& fields = model.frame()->fields;
    if (!field.empty() && std::find(fields.begin(), fields.end(), field) == fields.end())
      return request_error("cannot colour by '{}'; there are {}", field, fmt::join(fields, ", "));
    return wait_until(model.frame()->request == model.request());
  } else if (step.verb == "grains") {
    model.set_grains_per_particle(std::clamp(static_cast<int>(n[0]), 1, 200));
    return wait_until(model.frame()->request == model.request());
  } else if (step.verb == "clip") {
    model.look.clip.on = step.words[0] != "off";
    model.look.clip.normal = {};
    const int axis = std::clamp(step.words[0][0] - 'x', 0, 2);
    model.look.clip.normal[axis] = 1;
    model.look.clip.offset = n.empty() ? 0 : n[0];
  } else if (step.verb == "orbit") {
    model.camera.orbit(n[0] * degree, n[1] * degree);
  } else if (step.verb == "pan") {
    model.camera.pan(n[0], n[1], 16.0 / 9);
  } else if (step.verb == "zoom") {
    model.camera.zoom(n[0]);
  } else if (step.verb == "screenshot") {
    screenshot_ = step.words[0];
  } else if (step.verb == "record") {
    recording_ = step.words[0];
  } else if (step.verb == "cut") {
    recording_ = "";
  } else if (step.verb == "quit") {
    quit_ = true;
  }
  return Progress::done;
}

Result<Script::Progress> Script::carry_out_live(const Step& step, ViewModel& model) {
  if (!model.problem().empty()) return work_error("{}", model.problem());
  if (!model.frame() || model.status().phase == LivePhase::preparing) return Progress::not_yet;
  const auto& n = step.numbers;
  const auto point = n.size() >= 3 ? std::optional(Vec3d{n[0], n[1], n[2]}) : std::nullopt;
  if (step.verb == "frames") {
    if (!started_) {
      target_ = model.status().frame + static_cast<std::uint64_t>(std::max(n[0], 0.0));
      model.advance(static_cast<int>(n[0]), true);
      return Progress::begun;
    }
    return wait_until(model.status().frame >= target_ && model.frame()->info.index >= target_ &&
                      model.status().busy_since == 0);
  }
  if (started_) return wait_until(model.idle());  // the rest are orders that must have been obeyed
  if (step.verb == "reset") {
    model.reset();
  } else if (step.verb == "drop") {
    model.tools.shape = step.words[0] == "box" ? DropShape::box : DropShape::ball;
    point ? model.drop_at(*point) : model.drop({});
  } else if (step.verb == "pour") {
    model.pour(point);
  } else if (step.verb == "close") {
    model.stop_pouring();
  } else if (step.verb == "push") {
    model.push(*point, {n[3], n[4], n[5]});
  } else if (step.verb == "tilt") {
    model.tools.tilt_x_deg = n[0];
    model.tools.tilt_y_deg = n[1];
    model.tilt();
  } else if (step.verb == "friction") {
    if (model.status().materials.empty()) return request_error("the scene has no material");
    Material changed = model.status().materials[0];
    changed.friction = std::tan(std::clamp(n[0], 0.0, 80.0) * degree);
    model.change_material(0, changed);
  }
  return Progress::begun;
}

}  // namespace talus::view
