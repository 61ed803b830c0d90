// A font of our own, drawn with a round pen: letters are strokes on a grid 4 wide and 6 high, so
// they are smooth at any size and need no file.
#pragma once

#include "render/image.h"

#include <string_view>

namespace talus {

/// Width in pixels of a text whose capital letters are `height` pixels high.
float text_width(std::string_view text, float height);

/// Draws with the left end of the base line at (x, y). Characters without strokes leave a gap.
void draw_text(ScreenImage& image, std::string_view text, float x, float y, float height,
               Rgb8 colour);

/// Darkens a rectangle, so that text on it can be read: 0 = not at all, 1 = black.
void shade_rectangle(ScreenImage& image, int x0, int y0, int x1, int y1, float strength);

}  // namespace talus
