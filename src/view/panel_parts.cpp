#include "view/panel_parts.h"

#include "view/panels.h"

#include <array>
#include <filesystem>

namespace talus::view {

namespace {

void draw_sign(ImDrawList* list, Sign sign, ImVec2 at, float r, ImU32 colour) {
  const auto bar = [&](float x0, float x1) {
    list->AddRectFilled({at.x + x0 * r, at.y - r}, {at.x + x1 * r, at.y + r}, colour, 0.15f * r);
  };
  const auto arrow = [&](float tip, float base) {
    list->AddTriangleFilled({at.x + base * r, at.y - r}, {at.x + base * r, at.y + r},
                            {at.x + tip * r, at.y}, colour);
  };
  switch (sign) {
    case Sign::play: arrow(1.1f, -0.7f); break;
    case Sign::pause:
      bar(-0.8f, -0.2f);
      bar(0.2f, 0.8f);
      break;
    case Sign::next:
      arrow(0.5f, -0.7f);
      bar(0.5f, 0.8f);
      break;
    case Sign::previous:
      arrow(-0.5f, 0.7f);
      bar(-0.8f, -0.5f);
      break;
    case Sign::first:
      arrow(-0.1f, 0.8f);
      arrow(-0.9f, 0.1f);
      bar(-1.1f, -0.85f);
      break;
    case Sign::last:
      arrow(0.1f, -0.8f);
      arrow(0.9f, -0.1f);
      bar(0.85f, 1.1f);
      break;
    case Sign::step:
      bar(-0.9f, -0.5f);
      arrow(0.9f, -0.3f);
      break;
    case Sign::reset:
      list->PathArcTo(at, 0.85f * r, 0.9f, 6.0f, 20);
      list->PathStroke(colour, 0, 0.3f * r);
      list->AddTriangleFilled({at.x + 0.35f * r, at.y - 0.35f * r},
                              {at.x + 1.2f * r, at.y - 0.2f * r},
                              {at.x + 0.95f * r, at.y - 1.0f * r}, colour);
      break;
    case Sign::record: list->AddCircleFilled(at, 0.85f * r, colour, 24); break;
    case Sign::stop:
      list->AddRectFilled({at.x - 0.8f * r, at.y - 0.8f * r}, {at.x + 0.8f * r, at.y + 0.8f * r},
                          colour, 0.15f * r);
      break;
  }
}

}  // namespace

bool sign_button(Sign sign, const char* id, const char* text, bool lit) {
  const float side = 1.35f * ImGui::GetFrameHeight();
  ImGui::PushID(id);
  if (lit) ImGui::PushStyleColor(ImGuiCol_Button, colours::accent_dim);
  const ImVec2 corner = ImGui::GetCursorScreenPos();
  const bool pressed = ImGui::Button("##sign", {side, side});
  if (lit) ImGui::PopStyleColor();
  draw_sign(ImGui::GetWindowDrawList(), sign, {corner.x + 0.5f * side, corner.y + 0.5f * side},
            0.22f * side, ImGui::GetColorU32(colours::text));
  hint(text);
  ImGui::PopID();
  return pressed;
}

bool wide_button(const char* label, float share, bool lit) {
  if (lit) ImGui::PushStyleColor(ImGuiCol_Button, colours::accent_dim);
  const float gap = ImGui::GetStyle().ItemSpacing.x;
  const float width = ImGui::GetWindowContentRegionWidth();
  const bool pressed = ImGui::Button(label, {share * (width + gap) - gap, 0});
  if (lit) ImGui::PopStyleColor();
  return pressed;
}

void row(const char* label) {
  ImGui::AlignTextToFramePadding();
  ImGui::TextColored(colours::quiet, "%s", label);
  ImGui::SameLine(0.38f * ImGui::GetWindowWidth());
  ImGui::SetNextItemWidth(-1);
}

bool slider(const char* label, double& value, double low, double high, const char* format,
            bool logarithmic) {
  row(label);
  ImGui::PushID(label);
  auto v = static_cast<float>(value);
  const ImGuiSliderFlags flags = logarithmic ? ImGuiSliderFlags_Logarithmic : 0;
  const bool changed = ImGui::SliderFloat("##value", &v, static_cast<float>(low),
                                          static_cast<float>(high), format, flags);
  if (changed) value = double{v};
  ImGui::PopID();
  return changed;
}

bool section(const char* title, bool open) {
  ImGui::Spacing();
  return ImGui::CollapsingHeader(title, open ? ImGuiTreeNodeFlags_DefaultOpen : 0);
}

void note(const std::string& text) {
  ImGui::PushStyleColor(ImGuiCol_Text, colours::quiet);
  ImGui::TextWrapped("%s", text.c_str());
  ImGui::PopStyleColor();
}

void hint(const char* text) {
  if (ImGui::IsItemHovered()) ImGui::SetTooltip("%s", text);
}

void Panels::set_style(float scale) {
  ImGuiIO& io = ImGui::GetIO();
  io.IniFilename = nullptr;  // panels have their places; no file is left behind
  for (const char* path :
       {"/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf", "/usr/share/fonts/dejavu/DejaVuSans.ttf",
        "/usr/share/fonts/TTF/DejaVuSans.ttf"}) {
    std::error_code code;
    if (!std::filesystem::exists(path, code)) continue;
    io.Fonts->AddFontFromFileTTF(path, 14.0f * scale);
    break;
  }
  ImGuiStyle& style = ImGui::GetStyle();
  ImGui::StyleColorsDark();
  style.WindowRounding = 6;
  style.FrameRounding = style.GrabRounding = style.PopupRounding = 4;
  style.WindowBorderSize = 0;
  style.WindowPadding = {12, 10};
  style.FramePadding = {7, 4};
  style.ItemSpacing = {8, 6};
  style.GrabMinSize = 9;
  style.ScrollbarSize = 10;
  const auto set = [&](ImGuiCol which, const ImVec4& colour) { style.Colors[which] = colour; };
  set(ImGuiCol_Text, colours::text);
  set(ImGuiCol_WindowBg, colours::panel);
  set(ImGuiCol_PopupBg, {0.12f, 0.125f, 0.14f, 0.97f});
  set(ImGuiCol_FrameBg, colours::item);
  set(ImGuiCol_FrameBgHovered, colours::item_hot);
  set(ImGuiCol_FrameBgActive, colours::item_hot);
  set(ImGuiCol_Button, colours::item);
  set(ImGuiCol_ButtonHovered, colours::item_hot);
  set(ImGuiCol_ButtonActive, colours::accent_dim);
  set(ImGuiCol_Header, {1, 1, 1, 0.05f});
  set(ImGuiCol_HeaderHovered, {1, 1, 1, 0.10f});
  set(ImGuiCol_HeaderActive, {1, 1, 1, 0.14f});
  set(ImGuiCol_CheckMark, colours::accent);
  set(ImGuiCol_SliderGrab, {0.93f, 0.72f, 0.40f, 0.62f});
  set(ImGuiCol_SliderGrabActive, colours::accent);
  set(ImGuiCol_ScrollbarBg, {0, 0, 0, 0});
  style.ScaleAllSizes(scale);
}

}  // namespace talus::view
