#include "render/stroke_font.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace talus {

namespace {

// A point is two digits, x and y + 2, so that tails below the base line have digits too. Capitals
// reach from 2 to 8, small letters to 6. A space goes on with the pen down, a comma lifts it.
struct Glyph {
  char letter;
  std::string_view strokes;
};

constexpr Glyph glyphs[] = {
    {'!', "28 24,22 22"},
    {'%', "02 48,08 18 17 07 08,33 43 42 32 33"},
    {'\'', "28 26"},
    {'(', "38 27 23 32"},
    {')', "18 27 23 12"},
    {'*', "14 36,16 34,05 45"},
    {'+', "05 45,27 23"},
    {',', "22 11"},
    {'-', "15 35"},
    {'.', "22 22"},
    {'/', "02 48"},
    {'0', "12 03 07 18 38 47 43 32 12"},
    {'1', "17 28 22,12 32"},
    {'2', "07 18 38 47 46 02 42"},
    {'3', "07 18 38 47 46 35 44 43 32 12 03,15 35"},
    {'4', "32 38 04 44"},
    {'5', "48 08 05 35 44 43 32 12 03"},
    {'6', "47 38 18 07 03 12 32 43 44 35 15 04"},
    {'7', "08 48 12"},
    {'8', "15 06 07 18 38 47 46 35 15 04 03 12 32 43 44 35"},
    {'9', "03 12 32 43 47 38 18 07 06 15 35 46"},
    {':', "23 23,26 26"},
    {'<', "47 05 43"},
    {'=', "04 44,06 46"},
    {'>', "07 45 03"},
    {'?', "07 18 38 47 46 25 24,22 22"},
    {'A', "02 28 42,15 35"},
    {'B', "02 08 38 47 46 35 05,35 44 43 32 02"},
    {'C', "47 38 18 07 03 12 32 43"},
    {'D', "02 08 28 46 44 22 02"},
    {'E', "48 08 02 42,05 35"},
    {'F', "48 08 02,05 35"},
    {'G', "47 38 18 07 03 12 32 43 45 25"},
    {'H', "02 08,42 48,05 45"},
    {'I', "22 28,12 32,18 38"},
    {'J', "48 43 32 12 03"},
    {'K', "02 08,48 05 42"},
    {'L', "08 02 42"},
    {'M', "02 08 24 48 42"},
    {'N', "02 08 42 48"},
    {'O', "12 03 07 18 38 47 43 32 12"},
    {'P', "02 08 38 47 46 35 05"},
    {'Q', "12 03 07 18 38 47 43 32 12,24 42"},
    {'R', "02 08 38 47 46 35 05,25 42"},
    {'S', "47 38 18 07 06 15 35 44 43 32 12 03"},
    {'T', "08 48,28 22"},
    {'U', "08 03 12 32 43 48"},
    {'V', "08 22 48"},
    {'W', "08 12 26 32 48"},
    {'X', "02 48,08 42"},
    {'Y', "08 25 48,25 22"},
    {'Z', "08 48 02 42"},
    {'[', "38 28 22 32"},
    {']', "18 28 22 12"},
    {'^', "16 28 36"},
    {'_', "01 41"},
    {'a', "16 36 45 42,44 14 03 12 32 43"},
    {'b', "08 02,05 16 36 45 43 32 12 03"},
    {'c', "45 36 16 05 03 12 32 43"},
    {'d', "48 42,45 36 16 05 03 12 32 43"},
    {'e', "04 44 45 36 16 05 03 12 32 43"},
    {'f', "38 28 17 12,06 36"},
    {'g', "46 41 30 10,45 36 16 05 03 12 32 43"},
    {'h', "08 02,05 16 36 45 42"},
    {'i', "26 22,28 28"},
    {'j', "26 21 10,28 28"},
    {'k', "08 02,46 04 42"},
    {'l', "28 23 32"},
    {'m', "02 06,05 16 25 22,25 36 45 42"},
    {'n', "02 06,05 16 36 45 42"},
    {'o', "12 03 05 16 36 45 43 32 12"},
    {'p', "00 06,05 16 36 45 43 32 12 03"},
    {'q', "40 46,45 36 16 05 03 12 32 43"},
    {'r', "02 06,05 16 36"},
    {'s', "45 36 16 05 14 34 43 32 12 03"},
    {'t', "18 13 22 32,06 36"},
    {'u', "06 03 12 32 43,46 42"},
    {'v', "06 22 46"},
    {'w', "06 12 25 32 46"},
    {'x', "02 46,06 42"},
    {'y', "06 22,46 22 10"},
    {'z', "06 46 02 42"},
    {'|', "28 20"},
    {'~', "05 16 34 45"},
};

constexpr float advance = 5.7f;  ///< of the pen after a letter, in grid units
constexpr float cap_height = 6;
constexpr float pen_radius = 0.46f;

struct Segment {
  float x0, y0, x1, y1;
};

std::string_view strokes_of(char letter) {
  for (const Glyph& g : glyphs)
    if (g.letter == letter) return g.strokes;
  return {};
}

std::vector<Segment> segments_of(std::string_view strokes) {
  std::vector<Segment> out;
  for (std::size_t i = 0; i + 4 < strokes.size(); i += 3) {
    if (strokes[i + 2] == ',') continue;
    const auto digit = [&](std::size_t k) { return static_cast<float>(strokes[k] - '0'); };
    out.push_back({digit(i), digit(i + 1) - 2, digit(i + 3), digit(i + 4) - 2});
  }
  return out;
}

float distance_to(const Segment& s, float x, float y) {
  const float dx = s.x1 - s.x0, dy = s.y1 - s.y0;
  const float length = dx * dx + dy * dy;
  const float t =
      length > 0 ? std::clamp(((x - s.x0) * dx + (y - s.y0) * dy) / length, 0.0f, 1.0f) : 0;
  return std::hypot(x - s.x0 - t * dx, y - s.y0 - t * dy);
}

void blend(Rgb8& pixel, Rgb8 colour, float share) {
  const auto mix = [&](std::uint8_t a, std::uint8_t b) {
    return static_cast<std::uint8_t>(static_cast<float>(a) * (1 - share) +
                                     static_cast<float>(b) * share + 0.5f);
  };
  pixel = {mix(pixel.r, colour.r), mix(pixel.g, colour.g), mix(pixel.b, colour.b)};
}

void draw_letter(ScreenImage& image, char letter, float x, float y, float unit, Rgb8 colour) {
  const std::vector<Segment> segments = segments_of(strokes_of(letter));
  if (segments.empty()) return;
  const int x0 = std::max(0, static_cast<int>(x - unit) - 1);
  const int x1 = std::min(image.width - 1, static_cast<int>(x + 5 * unit) + 1);
  const int y0 = std::max(0, static_cast<int>(y - 7 * unit) - 1);
  const int y1 = std::min(image.height - 1, static_cast<int>(y + 3 * unit) + 1);
  for (int py = y0; py <= y1; ++py) {
    for (int px = x0; px <= x1; ++px) {
      const float gx = (static_cast<float>(px) + 0.5f - x) / unit;
      const float gy = (y - static_cast<float>(py) - 0.5f) / unit;
      float nearest = 1e9f;
      for (const Segment& s : segments) nearest = std::min(nearest, distance_to(s, gx, gy));
      const float cover = std::clamp((pen_radius - nearest) * unit + 0.5f, 0.0f, 1.0f);
      if (cover > 0) blend(image.at(px, py), colour, cover);
    }
  }
}

}  // namespace

float text_width(std::string_view text, float height) {
  if (text.empty()) return 0;
  return (static_cast<float>(text.size()) * advance - 1.2f) * height / cap_height;
}

void draw_text(ScreenImage& image, std::string_view text, float x, float y, float height,
               Rgb8 colour) {
  const float unit = height / cap_height;
  for (const char letter : text) {
    draw_letter(image, letter, x, y, unit, colour);
    x += advance * unit;
  }
}

void shade_rectangle(ScreenImage& image, int x0, int y0, int x1, int y1, float strength) {
  for (int y = std::max(0, y0); y < std::min(image.height, y1); ++y)
    for (int x = std::max(0, x0); x < std::min(image.width, x1); ++x)
      blend(image.at(x, y), {14, 14, 16}, strength);
}

}  // namespace talus
