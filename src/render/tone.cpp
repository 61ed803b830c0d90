// From linear light to the screen. The curve is that of a photoreceptor (Naka & Rushton 1966),
//   y = peak x^n / (x^n + s^n),
// with s set so that middle grey stays middle grey: a soft toe, contrast n around grey, and a
// shoulder that lets highlights glow instead of clipping. It works on each channel, so very bright
// colours turn pale as on film.
#include "render/image.h"
#include "render/lighting.h"

#include <algorithm>
#include <cmath>

namespace talus {

namespace {
constexpr float contrast = 1.40f;
constexpr float middle_grey = 0.18f;
constexpr float peak = 1.05f;
constexpr float base_gain = 1.5f;    ///< exposure 0 suits sand, which reflects about a third
constexpr float saturation = 1.05f;  ///< the curve's shoulder pales colours; this gives some back
}  // namespace

float srgb_encode(float x) {
  x = std::clamp(x, 0.0f, 1.0f);
  return x <= 0.0031308f ? 12.92f * x : 1.055f * std::pow(x, 1 / 2.4f) - 0.055f;
}

float srgb_decode(float x) {
  x = std::clamp(x, 0.0f, 1.0f);
  return x <= 0.04045f ? x / 12.92f : std::pow((x + 0.055f) / 1.055f, 2.4f);
}

float tone_curve(float x) {
  if (!(x > 0)) return 0;
  static const float half = std::pow(middle_grey, contrast) * (peak / middle_grey - 1);
  const float p = std::pow(std::min(x, 1e6f), contrast);
  return std::min(1.0f, peak * p / (p + half));
}

ScreenImage to_screen(const Image& image, const ToneSettings& settings) {
  ScreenImage out(image.width, image.height);
  const float gain = base_gain * std::exp2(settings.exposure);
  const float cx = 0.5f * static_cast<float>(image.width);
  const float cy = 0.5f * static_cast<float>(image.height);
  const auto to_byte = [](float v) {
    return static_cast<std::uint8_t>(srgb_encode(tone_curve(v)) * 255.0f + 0.5f);
  };
  for (int y = 0; y < image.height; ++y) {
    for (int x = 0; x < image.width; ++x) {
      const float dx = (static_cast<float>(x) + 0.5f - cx) / cx;
      const float dy = (static_cast<float>(y) + 0.5f - cy) / cy;
      const float corner = 0.5f * (dx * dx + dy * dy);
      Vec3f c = image.at(x, y) * (gain * (1 - settings.vignette * corner * corner));
      const float grey = luminance(c);
      c = Vec3f{grey, grey, grey} * (1 - saturation) + c * saturation;
      out.at(x, y) = {to_byte(c.x), to_byte(c.y), to_byte(c.z)};
    }
  }
  return out;
}

ScreenImage beside(const ScreenImage& left, const ScreenImage& right) {
  constexpr int gap = 4;
  ScreenImage out(left.width + gap + right.width, std::max(left.height, right.height));
  const auto place = [&](const ScreenImage& part, int x0) {
    for (int y = 0; y < part.height; ++y) std::copy_n(&part.at(0, y), part.width, &out.at(x0, y));
  };
  place(left, 0);
  place(right, left.width + gap);
  return out;
}

}  // namespace talus
