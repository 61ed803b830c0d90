// A picture in linear RGB, its way to the screen (tone curve, 8 bit) and to disk (PNG, EXR).
#pragma once

#include "core/error.h"
#include "math/vec.h"

#include <cstdint>
#include <string>
#include <vector>

namespace talus {

struct Image {
  int width = 0, height = 0;
  std::vector<Vec3f> pixels;  ///< rows from the top; linear, unbounded

  Image() = default;
  Image(int w, int h) : width(w), height(h), pixels(static_cast<std::size_t>(w) * h) {}
  Vec3f& at(int x, int y) { return pixels[static_cast<std::size_t>(y) * width + x]; }
  const Vec3f& at(int x, int y) const { return pixels[static_cast<std::size_t>(y) * width + x]; }
};

struct Rgb8 {
  std::uint8_t r = 0, g = 0, b = 0;
  friend bool operator==(const Rgb8&, const Rgb8&) = default;
};

/// What a screen shows: sRGB, 8 bit.
struct ScreenImage {
  int width = 0, height = 0;
  std::vector<Rgb8> pixels;

  ScreenImage() = default;
  ScreenImage(int w, int h) : width(w), height(h), pixels(static_cast<std::size_t>(w) * h) {}
  Rgb8& at(int x, int y) { return pixels[static_cast<std::size_t>(y) * width + x]; }
  const Rgb8& at(int x, int y) const { return pixels[static_cast<std::size_t>(y) * width + x]; }
};

float srgb_encode(float linear);
float srgb_decode(float encoded);

struct ToneSettings {
  float exposure = 0;      ///< stops
  float vignette = 0.12f;  ///< fraction of light lost in the corners
};

/// Filmic tone curve for one linear value: contrast around middle grey, soft shoulder and toe.
float tone_curve(float linear);
/// The whole way from scene light to the screen.
ScreenImage to_screen(const Image& image, const ToneSettings& settings);
/// Two pictures of equal height next to each other, with a dark line between them.
ScreenImage beside(const ScreenImage& left, const ScreenImage& right);

/// The file appears whole or not at all.
Status write_png(const ScreenImage& image, const std::string& path);
Result<ScreenImage> read_png(const std::string& path);
/// Half floats, linear, the light before the tone curve.
Status write_exr(const Image& image, const std::string& path);
Result<Image> read_exr(const std::string& path);

}  // namespace talus
