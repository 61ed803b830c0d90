// The bar below the picture, and the list of keys.
#include "view/panel_parts.h"
#include "view/panels.h"

#include <fmt/format.h>

#include <algorithm>

namespace talus::view {

namespace {

constexpr ImGuiWindowFlags bar_panel =
    ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoMove |
    ImGuiWindowFlags_NoCollapse | ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoScrollbar;

/// Items after the signs, in the middle of their height.
void beside_signs(float gap) {
  ImGui::SameLine(0, gap);
  ImGui::SetCursorPosY(ImGui::GetStyle().WindowPadding.y + 0.175f * ImGui::GetFrameHeight());
}

void draw_live_bar(ViewModel& model) {
  const LiveStatus& s = model.status();
  const bool paused = model.paused();
  if (sign_button(paused ? Sign::play : Sign::pause, "run",
                  paused ? "run (Space)" : "pause (Space)", !paused))
    model.set_paused(!paused);
  ImGui::SameLine();
  if (sign_button(Sign::step, "step", "one step (.)")) model.advance(1, false);
  ImGui::SameLine();
  if (sign_button(Sign::next, "frame", "one frame (Right)")) model.advance(1, true);
  ImGui::SameLine();
  if (sign_button(Sign::reset, "reset", "start the scene over (R)")) model.reset();
  beside_signs(24);
  ImGui::AlignTextToFramePadding();
  ImGui::Text("%.3f s", s.time);
  ImGui::SameLine(0, 16);
  const char* phase = s.phase == LivePhase::preparing ? "preparing"
                      : s.phase == LivePhase::failed  ? "stopped by an error; R starts over"
                      : paused                        ? "paused"
                                                      : "running";
  ImGui::TextColored(s.phase == LivePhase::failed ? colours::warning : colours::quiet,
                     "frame %llu · %s", static_cast<unsigned long long>(s.frame), phase);
}

}  // namespace

void Panels::draw_timeline(ViewModel& model, const PanelFacts& facts) {
  const float unit = ImGui::GetFontSize(), gap = 0.7f * unit;
  const auto width = static_cast<float>(facts.width);
  ImGui::SetNextWindowPos({gap, static_cast<float>(facts.height) - gap}, 0, {0, 1});
  ImGui::SetNextWindowSize({width - 2 * gap, 0});
  ImGui::Begin("bar", nullptr, bar_panel);
  if (model.live())
    draw_live_bar(model);
  else
    draw_transport(model);
  ImGui::End();
}

void Panels::draw_transport(ViewModel& model) {
  Timeline& t = model.timeline();
  if (t.count() == 0) {
    ImGui::TextColored(
        colours::quiet, "%s",
        model.run_is_written() ? "waiting for the first frame ..." : "this run has no frames yet");
    return;
  }
  if (sign_button(Sign::first, "first", "to the start (Page Up)")) t.to_start();
  ImGui::SameLine();
  if (sign_button(Sign::previous, "previous", "one frame back (Left)")) t.step(-1);
  ImGui::SameLine();
  if (sign_button(t.playing() ? Sign::pause : Sign::play, "play",
                  t.playing() ? "pause (Space)" : "play (Space)", t.playing()))
    t.set_playing(!t.playing());
  ImGui::SameLine();
  if (sign_button(Sign::next, "next", "one frame on (Right)")) t.step(1);
  ImGui::SameLine();
  if (sign_button(Sign::last, "last", "to the end (Page Down)")) t.to_end();
  beside_signs(16);
  const float unit = ImGui::GetFontSize();
  const float right = (model.run_is_written() ? 17.5f : 12.0f) * unit;
  ImGui::SetNextItemWidth(std::max(6 * unit, ImGui::GetContentRegionAvail().x - right));
  auto place = static_cast<int>(t.current());
  const FrameEntry* entry =
      t.current() < model.entries().size() ? &model.entries()[t.current()] : nullptr;
  const double rate = model.scene().frame_rate > 0 ? model.scene().frame_rate : 25;
  const std::string label = entry != nullptr ? fmt::format("frame {}   {:.3f} s", entry->index,
                                                           static_cast<double>(entry->index) / rate)
                                             : "";
  if (ImGui::SliderInt("##time", &place, 0, static_cast<int>(t.count()) - 1, label.c_str()))
    t.go_to(static_cast<std::size_t>(std::max(place, 0)));
  beside_signs(16);
  ImGui::SetNextItemWidth(6 * unit);
  auto speed = static_cast<float>(t.speed);
  if (ImGui::SliderFloat("##speed", &speed, 0.05f, 5, "%.2f ×", ImGuiSliderFlags_Logarithmic))
    t.speed = double{speed};
  hint("speed: 1 is as in nature");
  beside_signs(8);
  ImGui::Checkbox("loop", &t.loop);
  if (!model.run_is_written()) return;
  beside_signs(8);
  if (ImGui::Checkbox("follow", &t.follow) && t.follow) t.to_end();
  hint("the run is still being written: stay at its newest frame");
}

void Panels::draw_help(const ViewModel& model, const PanelFacts& facts) {
  struct Key {
    const char* key;
    const char* meaning;
    int where;  ///< 0 everywhere, 1 runs, 2 scenes
  };
  constexpr Key keys[] = {
      {"left drag", "turn about the target", 0},
      {"right or middle drag", "move sideways", 0},
      {"wheel", "closer, farther", 0},
      {"double click", "look at this point", 0},
      {"Home", "camera as at the start", 0},
      {"Space", "play or pause", 0},
      {"Left, Right", "one frame back, on", 1},
      {"Right", "one frame on", 2},
      {".", "one step", 2},
      {"Page Up, Page Down", "first, last frame", 1},
      {"B", "drop a ball or box above the mouse", 2},
      {"Shift + left drag", "push", 2},
      {"T", "left drag pushes, or turns", 2},
      {"P", "pour above the mouse, or stop", 2},
      {"arrow keys + Ctrl", "tilt gravity", 2},
      {"L", "level again", 2},
      {"R", "start the scene over", 2},
      {"C", "cut open, or close", 0},
      {"N", "next colour", 0},
      {"F2", "screenshot", 0},
      {"F3", "record, or end the recording", 0},
      {"Tab", "hide or show the panels", 0},
      {"F1", "this list", 0},
      {"Esc", "close the window", 0},
  };
  ImGui::SetNextWindowPos(
      {0.5f * static_cast<float>(facts.width), 0.5f * static_cast<float>(facts.height)}, 0,
      {0.5f, 0.5f});
  ImGui::Begin("help", nullptr, bar_panel | ImGuiWindowFlags_AlwaysAutoResize);
  ImGui::TextColored(colours::accent, "Keys and mouse");
  ImGui::Separator();
  for (const Key& k : keys) {
    if (k.where == (model.live() ? 1 : 2)) continue;
    ImGui::TextUnformatted(k.key);
    ImGui::SameLine(14 * ImGui::GetFontSize());
    ImGui::TextColored(colours::quiet, "%s", k.meaning);
  }
  ImGui::End();
}

}  // namespace talus::view
