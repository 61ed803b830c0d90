// Colour of one grain in natural light.
#pragma once

#include "core/random.h"
#include "frames/frame.h"
#include "render/lighting.h"

namespace talus {

/// Albedo of one grain: what the frame says, a little warmer or cooler, and now and then a dark or
/// a pale mineral. `part` tells apart the small grains that one particle is drawn as.
inline Vec3f natural_colour(const FrameMaterial& material, std::uint8_t shade, std::uint64_t id,
                            std::uint32_t part) {
  const auto u = random_floats(0, id, Purpose::colour, part + 1);
  const float v = material.colour_variation;
  const auto mean =
      grain_colour(material, part == 0 ? shade : static_cast<std::uint8_t>(255 * u[2]));
  Vec3f c{mean[0], mean[1], mean[2]};
  const float warm = v * (u[0] - 0.5f);
  c = tint(c, {1 + 0.12f * warm, 1, 1 - 0.9f * warm});
  if (u[1] < 0.10f * v) return c * 0.42f;
  if (u[1] > 1 - 0.12f * v) return c * 0.45f + Vec3f{0.40f, 0.37f, 0.33f};
  return c;
}

}  // namespace talus
