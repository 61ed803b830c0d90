#include "view/panels.h"

#include "core/timer.h"
#include "render/image.h"
#include "render/legend.h"
#include "view/panel_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace talus::view {

namespace {

constexpr ImGuiWindowFlags fixed_panel = ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_NoResize |
                                         ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoCollapse |
                                         ImGuiWindowFlags_NoSavedSettings;
constexpr ImGuiWindowFlags label_panel = fixed_panel | ImGuiWindowFlags_NoInputs |
                                         ImGuiWindowFlags_AlwaysAutoResize |
                                         ImGuiWindowFlags_NoFocusOnAppearing;

float unit() { return ImGui::GetFontSize(); }
float margin() { return 0.7f * unit(); }

std::string grouped(std::uint64_t number) {
  std::string digits = std::to_string(number);
  for (auto place = static_cast<std::ptrdiff_t>(digits.size()) - 3; place > 0; place -= 3)
    digits.insert(static_cast<std::size_t>(place), " ");
  return digits;
}

}  // namespace

PanelRequests Panels::draw(ViewModel& model, const PanelFacts& facts) {
  requests_ = {};
  if (visible) {
    draw_side(model, facts);
    draw_timeline(model, facts);
  }
  draw_legend(model, facts);
  draw_messages(model, facts);
  if (help) draw_help(model, facts);
  return requests_;
}

void Panels::draw_side(ViewModel& model, const PanelFacts& facts) {
  ImGui::SetNextWindowPos({margin(), margin()});
  const float bottom = 4.6f * unit();
  ImGui::SetNextWindowSizeConstraints(
      {21 * unit(), 4 * unit()},
      {21 * unit(), static_cast<float>(facts.height) - bottom - 2 * margin()});
  ImGui::Begin("side", nullptr, fixed_panel | ImGuiWindowFlags_AlwaysAutoResize);
  ImGui::TextColored(colours::accent, "Talus");
  ImGui::SameLine();
  ImGui::TextUnformatted(model.name().c_str());
  if (model.frame()) {
    std::string text = grouped(model.frame()->particles) + " particles";
    if (facts.pictures_per_second > 0)
      text += fmt::format(" · {:.0f} pictures/s", facts.pictures_per_second);
    note(text);
  }
  if (model.live()) {
    draw_simulation(model);
    draw_hand(model);
    draw_material(model);
  }
  draw_colour(model);
  draw_cut(model);
  draw_look(model);
  draw_capture(facts);
  ImGui::Spacing();
  note("F1 keys and mouse · " + facts.driver);
  ImGui::End();
}

void Panels::draw_simulation(ViewModel& model) {
  if (!section("Simulation")) return;
  const LiveStatus& s = model.status();
  if (s.phase == LivePhase::preparing) {
    note("preparing the scene ...");
    return;
  }
  const double busy = s.busy_since > 0 ? seconds_now() - s.busy_since : 0;
  note(fmt::format("step {} · {:.3g} ms each", grouped(s.steps), 1e3 * s.step_seconds));
  note(fmt::format("dt {:.3g} ms ({}) · fastest {:.3g} m/s", 1e3 * s.dt, s.dt_reason, s.max_speed));
  if (busy > 0.5) note(fmt::format("computing a step for {:.1f} s ...", busy));
}

void Panels::draw_hand(ViewModel& model) {
  if (!section("Hand")) return;
  Tools& t = model.tools;
  const double size = double{model.look.size};
  if (wide_button("Orbit", 0.5f, tool == MouseTool::orbit)) tool = MouseTool::orbit;
  hint("left mouse button turns the camera");
  ImGui::SameLine();
  if (wide_button("Push  (T)", 0.5f, tool == MouseTool::push)) tool = MouseTool::push;
  hint("left mouse button pushes material and bodies; so does Shift with any tool");
  slider("push radius", t.push_radius, 0.02 * size, 0.5 * size, "%.3g m", true);
  ImGui::Spacing();
  if (wide_button("Ball", 0.25f, t.shape == DropShape::ball)) t.shape = DropShape::ball;
  ImGui::SameLine();
  if (wide_button("Box", 0.25f, t.shape == DropShape::box)) t.shape = DropShape::box;
  ImGui::SameLine();
  if (wide_button("Drop  (B)", 0.5f)) requests_.drop = true;
  hint("above the middle; the key B drops it above the mouse");
  slider("size", t.drop_size, 0.02 * size, 0.6 * size, "%.3g m", true);
  slider("density", t.drop_density, 50, 12000, "%.0f kg/m³", true);
  slider("height", t.drop_height, 0, 2 * size, "%.3g m");
  ImGui::Spacing();
  if (wide_button(model.pouring() ? "Stop pouring  (P)" : "Pour  (P)", 1, model.pouring()))
    requests_.pour = true;
  slider("nozzle", t.pour_radius, 0.01 * size, 0.3 * size, "%.3g m", true);
  ImGui::Spacing();
  bool tilted = slider("tilt", t.tilt_x_deg, -60, 60, "%.0f°");
  tilted = slider("tilt across", t.tilt_y_deg, -60, 60, "%.0f°") || tilted;
  tilted = slider("gravity", t.gravity_share, 0, 3, "%.2f ×") || tilted;
  if (wide_button("Level  (L)")) {
    t.tilt_x_deg = t.tilt_y_deg = 0;
    t.gravity_share = 1;
    tilted = true;
  }
  if (tilted) model.tilt();
}

void Panels::draw_material(ViewModel& model) {
  const auto& materials = model.status().materials;
  if (materials.empty() || !section("Material", false)) return;
  material_ = std::clamp(material_, 0, static_cast<int>(materials.size()) - 1);
  const Material& now = materials[static_cast<std::size_t>(material_)];
  row("material");
  if (ImGui::BeginCombo("##material", now.name.c_str())) {
    for (int m = 0; m < static_cast<int>(materials.size()); ++m)
      if (ImGui::Selectable(materials[static_cast<std::size_t>(m)].name.c_str(), m == material_)) {
        material_ = m;
        edited_.reset();
      }
    ImGui::EndCombo();
  }
  // What is being dragged must not jump back to what the simulation still has.
  Material m = edited_.value_or(now);
  constexpr double degree = std::numbers::pi / 180;
  double angle = std::atan(m.friction) / degree;
  bool changed = slider("friction", angle, 0, 60, "%.1f°");
  m.friction = std::tan(angle * degree);
  if (model.scene().solver == SolverKind::sph) {
    changed = slider("cohesion", m.cohesion, 0, 20000, "%.0f Pa", true) || changed;
    changed = slider("viscosity", m.viscosity, 0, 1, "%.3f") || changed;
  } else {
    changed = slider("restitution", m.restitution, 0.02, 0.95, "%.2f") || changed;
    changed = slider("rolling", m.rolling_friction, 0, 1, "%.2f") || changed;
    changed = slider("capillary", m.capillary_force, 0, 0.01, "%.2g N", true) || changed;
  }
  if (changed) {
    edited_ = m;
    model.change_material(static_cast<std::size_t>(material_), m);
  } else if (!ImGui::IsAnyItemActive()) {
    edited_.reset();
  }
}

void Panels::draw_colour(ViewModel& model) {
  if (!section("Colour")) return;
  const std::string& field = model.request().field;
  row("by");
  if (ImGui::BeginCombo("##field", field.empty() ? "natural" : field.c_str())) {
    if (ImGui::Selectable("natural", field.empty())) model.set_field("");
    if (model.frame())
      for (const std::string& name : model.frame()->fields)
        if (ImGui::Selectable(name.c_str(), name == field)) model.set_field(name);
    ImGui::EndCombo();
  }
  if (!field.empty() && model.frame() && !model.frame()->categories) {
    row("map");
    if (ImGui::BeginCombo("##map", model.look.map.c_str())) {
      for (const std::string& name : ColourMap::names())
        if (ImGui::Selectable(name.c_str(), name == model.look.map)) model.look.map = name;
      ImGui::EndCombo();
    }
    bool automatic = !model.look.range.has_value();
    row("range");
    if (ImGui::Checkbox("automatic", &automatic))
      model.look.range = automatic ? std::nullopt : std::optional(model.frame()->range);
    if (model.look.range) {
      float ends[2] = {static_cast<float>(model.look.range->lower),
                       static_cast<float>(model.look.range->upper)};
      const float step = std::max(1e-6f, 0.005f * std::abs(ends[1] - ends[0]));
      row("from, to");
      if (ImGui::DragFloat2("##range", ends, step, 0, 0, "%.4g") && ends[1] > ends[0])
        model.look.range = ValueRange{double{ends[0]}, double{ends[1]}};
    }
  } else if (model.scene().solver == SolverKind::sph) {
    int grains = model.request().grains_per_particle;
    row("grains each");
    if (ImGui::SliderInt("##grains", &grains, 1, 64)) model.set_grains_per_particle(grains);
    hint("small grains drawn for each particle of the continuum; decoration");
  }
}

void Panels::draw_cut(ViewModel& model) {
  if (!section("Cut", model.look.clip.on)) return;
  ClipPlane& clip = model.look.clip;
  ImGui::Checkbox("cut open  (C)", &clip.on);
  const char* names[3] = {"x", "y", "z"};
  int axis = 0;
  for (int k = 0; k < 3; ++k)
    if (std::abs(clip.normal[k]) > 0.5) axis = k;
  double side = clip.normal[axis] < 0 ? -1 : 1;
  double place = clip.offset * side;
  for (int k = 0; k < 3; ++k) {
    if (wide_button(names[k], 0.23f, k == axis)) axis = k;
    ImGui::SameLine();
  }
  if (wide_button("turn", 0.31f)) side = -side;
  double low = -1, high = 1;
  if (model.frame() && model.frame()->bounds.lower.x <= model.frame()->bounds.upper.x) {
    low = model.frame()->bounds.lower[axis];
    high = model.frame()->bounds.upper[axis];
  }
  slider("at", place, low, high, "%.3f m");
  clip.normal = {};
  clip.normal[axis] = side;
  clip.offset = place * side;
}

void Panels::draw_look(ViewModel& model) {
  if (!section("Look", false)) return;
  Look& look = model.look;
  const float half = 0.5f * ImGui::GetWindowWidth();
  ImGui::Checkbox("shadows", &look.shadows);
  ImGui::SameLine(half);
  ImGui::Checkbox("ambient shade", &look.occlusion);
  ImGui::Checkbox("bodies", &look.bodies);
  ImGui::SameLine(half);
  ImGui::Checkbox("floor", &look.floor);
  bool smooth = look.supersampling > 1;
  if (ImGui::Checkbox("smooth edges", &smooth)) look.supersampling = smooth ? 2 : 1;
  hint("draws four pixels for each one that is shown");
  ImGui::SameLine(half);
  bool fine = look.shadow_pixels > 2048;
  if (ImGui::Checkbox("fine shadows", &fine)) look.shadow_pixels = fine ? 4096 : 2048;
  double exposure = double{look.exposure}, lens = model.camera.focal_length_mm();
  if (slider("exposure", exposure, -3, 3, "%+.1f stops"))
    look.exposure = static_cast<float>(exposure);
  if (slider("lens", lens, 12, 200, "%.0f mm", true)) model.camera.set_focal_length_mm(lens);
  if (wide_button("Reset camera  (Home)")) model.reset_camera();
}

void Panels::draw_capture(const PanelFacts& facts) {
  if (!section("Pictures")) return;
  if (wide_button("Screenshot  (F2)", 0.5f)) requests_.screenshot = true;
  hint("the picture without panels, as PNG in the current folder");
  ImGui::SameLine();
  const std::string label =
      facts.recording ? fmt::format("Cut ({})", facts.recorded) : "Record  (F3)";
  if (wide_button((label + "###record").c_str(), 0.5f, facts.recording)) requests_.record = true;
  hint("every frame as PNG, then a film");
}

void Panels::draw_legend(const ViewModel& model, const PanelFacts& facts) {
  const auto& frame = model.frame();
  if (!frame || frame->field.empty() || frame->categories) return;
  const ValueRange range = model.look.range.value_or(frame->range);
  const float width = 17 * unit(), height = 0.9f * unit();
  ImGui::SetNextWindowPos({static_cast<float>(facts.width) - margin(), margin()}, 0, {1, 0});
  ImGui::Begin("legend", nullptr, label_panel);
  ImGui::TextUnformatted(frame->title.c_str());
  const ImVec2 at = ImGui::GetCursorScreenPos();
  ImDrawList* list = ImGui::GetWindowDrawList();
  const ColourMap map(model.look.map);
  constexpr int pieces = 96;
  for (int i = 0; i < pieces; ++i) {
    const Vec3f c = map((static_cast<float>(i) + 0.5f) / pieces);
    const ImU32 colour =
        ImGui::GetColorU32(ImVec4(srgb_encode(c.x), srgb_encode(c.y), srgb_encode(c.z), 1));
    list->AddRectFilled({at.x + width * static_cast<float>(i) / pieces, at.y},
                        {at.x + width * static_cast<float>(i + 1) / pieces + 1, at.y + height},
                        colour);
  }
  const auto ticks = tick_values(range.lower, range.upper, 4);
  const double step = ticks.size() > 1 ? ticks[1] - ticks[0] : std::abs(ticks[0]);
  for (const double value : ticks) {
    const std::string text = tick_text(value, step);
    const auto part =
        static_cast<float>((value - range.lower) / std::max(range.upper - range.lower, 1e-30));
    const float x = at.x + part * width;
    const float half = 0.5f * ImGui::CalcTextSize(text.c_str()).x;
    list->AddLine({x, at.y + height}, {x, at.y + 1.25f * height},
                  ImGui::GetColorU32(colours::quiet));
    list->AddText({std::clamp(x - half, at.x, at.x + width - 2 * half), at.y + 1.35f * height},
                  ImGui::GetColorU32(colours::text), text.c_str());
  }
  ImGui::Dummy({width, 2.6f * height});
  ImGui::End();
}

void Panels::draw_messages(const ViewModel& model, const PanelFacts& facts) {
  if (model.messages().empty() && model.problem().empty()) return;
  const float x = 0.5f * static_cast<float>(facts.width) + (visible ? 10.5f * unit() : 0);
  ImGui::SetNextWindowPos({x, static_cast<float>(facts.height) - 5.4f * unit()}, 0, {0.5f, 1});
  ImGui::SetNextWindowSizeConstraints({10 * unit(), 0}, {36 * unit(), 30 * unit()});
  ImGui::Begin("messages", nullptr, label_panel);
  ImGui::PushTextWrapPos(35 * unit());
  if (!model.problem().empty()) {
    ImGui::PushStyleColor(ImGuiCol_Text, colours::warning);
    ImGui::TextUnformatted(model.problem().c_str());
    ImGui::PopStyleColor();
  }
  for (const Message& m : model.messages()) ImGui::TextUnformatted(m.text.c_str());
  ImGui::PopTextWrapPos();
  ImGui::End();
}

}  // namespace talus::view
