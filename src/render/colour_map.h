// Colours for numbers, in equal perceived steps: straight lines in lightness of OKLab (Ottosson
// 2020) while the hue turns; chroma gives way where a screen cannot show it, lightness never does.
#pragma once

#include "math/vec.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace talus {

/// L lightness 0..1, C chroma, h hue in degrees -> linear RGB inside the screen's range.
Vec3f oklch_to_linear(float lightness, float chroma, float hue_degrees);
/// Perceived lightness of a linear colour.
float oklab_lightness(const Vec3f& linear);

class ColourMap {
 public:
  /// "dune" (violet, teal, yellow), "ember" (dark red to pale yellow), "balance" (blue, pale, red).
  static std::vector<std::string> names();
  static bool exists(std::string_view name);
  /// `name` must exist.
  explicit ColourMap(std::string_view name);

  /// Linear RGB for t in 0..1; values outside take the end's colour, NaN takes grey.
  Vec3f operator()(float t) const;

 private:
  std::vector<Vec3f> table_;
};

/// Well separated colours for things that have no order, e.g. ids.
Vec3f category_colour(std::uint64_t number);

}  // namespace talus
