// Small parts that panels are made of: buttons with drawn signs, rows with a label. Private to the
// panels.
#pragma once

#include <imgui.h>

#include <string>

namespace talus::view {

enum class Sign { play, pause, next, previous, first, last, step, reset, record, stop };

/// A square button with a drawn sign; `hint` is shown when the mouse rests on it.
bool sign_button(Sign sign, const char* id, const char* hint, bool lit = false);
/// A button as wide as the panel, or `share` of it.
bool wide_button(const char* label, float share = 1, bool lit = false);
/// A label on the left; the next item fills the right.
void row(const char* label);
bool slider(const char* label, double& value, double low, double high, const char* format,
            bool logarithmic = false);
bool section(const char* title, bool open = true);
/// Text in the colour of less important things.
void note(const std::string& text);
void hint(const char* text);

namespace colours {
inline const ImVec4 accent{0.93f, 0.72f, 0.40f, 1.0f};
inline const ImVec4 accent_dim{0.93f, 0.72f, 0.40f, 0.35f};
inline const ImVec4 text{0.93f, 0.92f, 0.89f, 1.0f};
inline const ImVec4 quiet{0.62f, 0.62f, 0.60f, 1.0f};
inline const ImVec4 panel{0.085f, 0.09f, 0.10f, 0.88f};
inline const ImVec4 item{0.17f, 0.18f, 0.20f, 1.0f};
inline const ImVec4 item_hot{0.24f, 0.25f, 0.28f, 1.0f};
inline const ImVec4 warning{0.98f, 0.52f, 0.36f, 1.0f};
}  // namespace colours

}  // namespace talus::view
