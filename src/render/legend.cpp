#include "render/legend.h"

#include "render/lighting.h"
#include "render/stroke_font.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace talus {

namespace {

constexpr Rgb8 ink{236, 232, 224};

Rgb8 lit(const Vec3f& albedo) {
  const auto byte = [](float v) {
    return static_cast<std::uint8_t>(srgb_encode(tone_curve(v)) * 255.0f + 0.5f);
  };
  return {byte(albedo.x), byte(albedo.y), byte(albedo.z)};
}

double nice_step(double span, int count) {
  const double raw = span / std::max(1, count);
  const double power = std::pow(10.0, std::floor(std::log10(raw)));
  for (const double factor : {1.0, 2.0, 5.0})
    if (raw <= factor * power * 1.4) return factor * power;
  return 10 * power;
}

}  // namespace

std::vector<double> tick_values(double lower, double upper, int count) {
  if (!(upper > lower)) return {lower};
  const double step = nice_step(upper - lower, count);
  std::vector<double> out;
  for (double k = std::ceil(lower / step - 1e-9); k * step <= upper + 1e-9 * step; k += 1)
    out.push_back(k == 0 ? 0.0 : k * step);
  return out;
}

std::string tick_text(double value, double step) {
  if (value == 0) return "0";
  const double size = std::max(std::abs(value), std::abs(step));
  if (size >= 1e5 || size < 1e-3) return fmt::format("{:.3g}", value);
  const int digits = std::clamp(static_cast<int>(std::ceil(-std::log10(step) - 1e-9)), 0, 6);
  return fmt::format("{:.{}f}", value, digits);
}

void draw_legend(ScreenImage& image, const Legend& legend, const ColourMap& map) {
  const float text = std::max(7.0f, static_cast<float>(image.height) / 62.0f);
  const int margin = static_cast<int>(1.6f * text);
  const int bar_width =
      static_cast<int>(std::min(0.34f * static_cast<float>(image.width), 26.0f * text));
  const int bar_height = std::max(4, static_cast<int>(0.8f * text));
  const int x0 = 2 * margin, y0 = image.height - 2 * margin - static_cast<int>(2.6f * text);
  const int title = static_cast<int>(text_width(legend.title, text));
  const int panel_right = x0 + std::max(bar_width, title) + static_cast<int>(2.4f * text);
  shade_rectangle(image, margin, y0 - static_cast<int>(3.2f * text), panel_right,
                  image.height - margin, 0.62f);
  draw_text(image, legend.title, static_cast<float>(x0), static_cast<float>(y0) - 0.9f * text, text,
            ink);
  for (int x = 0; x < bar_width; ++x) {
    const Rgb8 colour = lit(map(static_cast<float>(x) / static_cast<float>(bar_width - 1)) * 0.95f);
    for (int y = 0; y < bar_height; ++y)
      if (x0 + x < image.width && y0 + y >= 0 && y0 + y < image.height)
        image.at(x0 + x, y0 + y) = colour;
  }
  const std::vector<double> ticks = tick_values(legend.lower, legend.upper, 4);
  const double step = ticks.size() > 1 ? ticks[1] - ticks[0] : std::abs(ticks[0]);
  const double span = legend.upper > legend.lower ? legend.upper - legend.lower : 1;
  for (const double value : ticks) {
    const std::string label = tick_text(value, step);
    const float x = static_cast<float>(x0) + static_cast<float>((value - legend.lower) / span) *
                                                 static_cast<float>(bar_width - 1);
    draw_text(image, label, x - 0.5f * text_width(label, 0.85f * text),
              static_cast<float>(y0 + bar_height) + 1.7f * text, 0.85f * text, ink);
  }
}

void draw_caption(ScreenImage& image, const std::string& text) {
  const float height = std::max(7.0f, static_cast<float>(image.height) / 54.0f);
  const int margin = static_cast<int>(1.4f * height);
  shade_rectangle(image, margin, margin, 3 * margin + static_cast<int>(text_width(text, height)),
                  2 * margin + static_cast<int>(2.2f * height), 0.55f);
  draw_text(image, text, static_cast<float>(2 * margin), static_cast<float>(margin) + 2.3f * height,
            height, ink);
}

}  // namespace talus
