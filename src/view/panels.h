// What stands around and over the picture: panels, timeline, legend, messages, help. Dear ImGui.
#pragma once

#include "render/colour_map.h"
#include "view/view_model.h"

#include <optional>
#include <string>

namespace talus::view {

enum class MouseTool { orbit, push };

struct PanelFacts {
  int width = 0, height = 0;  ///< of the window, pixels
  double pictures_per_second = 0;
  std::string driver;
  std::size_t recorded = 0;
  bool recording = false;
};

/// What the user asked for since the last call.
struct PanelRequests {
  bool screenshot = false, record = false, drop = false, pour = false;
};

class Panels {
 public:
  /// After the context of ImGui was made: colours, sizes, and a font of the system.
  static void set_style(float scale);

  PanelRequests draw(ViewModel& model, const PanelFacts& facts);

  bool visible = true, help = false;
  MouseTool tool = MouseTool::orbit;

 private:
  void draw_side(ViewModel& model, const PanelFacts& facts);
  void draw_simulation(ViewModel& model);
  void draw_hand(ViewModel& model);
  void draw_material(ViewModel& model);
  void draw_colour(ViewModel& model);
  void draw_cut(ViewModel& model);
  void draw_look(ViewModel& model);
  void draw_capture(const PanelFacts& facts);
  void draw_timeline(ViewModel& model, const PanelFacts& facts);
  void draw_transport(ViewModel& model);
  void draw_legend(const ViewModel& model, const PanelFacts& facts);
  void draw_messages(const ViewModel& model, const PanelFacts& facts);
  void draw_help(const ViewModel& model, const PanelFacts& facts);

  PanelRequests requests_;
  int material_ = 0;
  std::optional<Material> edited_;
};

}  // namespace talus::view
