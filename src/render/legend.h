// What the colours mean, drawn into the picture: a bar with numbers, and captions.
#pragma once

#include "render/colour_map.h"
#include "render/image.h"

#include <string>

namespace talus {

struct Legend {
  std::string title;  ///< "speed  m/s"
  double lower = 0, upper = 1;
};

/// Lower left corner. The bar shows the colours as a sunlit grain has them after the tone curve.
void draw_legend(ScreenImage& image, const Legend& legend, const ColourMap& map);
/// A line of text in the upper left corner.
void draw_caption(ScreenImage& image, const std::string& text);

/// Round numbers, about `count` of them, within [lower, upper].
std::vector<double> tick_values(double lower, double upper, int count);
/// "0.25", "1.5e6": short, without needless zeros.
std::string tick_text(double value, double step);

}  // namespace talus
