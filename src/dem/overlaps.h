// Grains that start inside each other or inside a body are moved apart before they ever feel a
// force: overlaps of a tenth of a radius would shoot them off like bullets.
#pragma once

#include "core/parallel.h"
#include "dem/contact_list.h"
#include "dem/grains.h"
#include "dem/wall_faces.h"

#include <cstdint>
#include <vector>

namespace talus::dem {

struct Relaxation {
  std::size_t moved = 0;           ///< grains that overlapped
  std::size_t hopeless = 0;        ///< of those, grains for which there is no room
  std::vector<std::uint8_t> keep;  ///< per grain; 0 for the hopeless
};

/// Moves the grains from number `first` on; the ones before stay where they are.
Relaxation relax_overlaps(Grains& grains, const ShapeTable& shapes, const Images& images,
                          const WallFaces& walls, std::size_t first, const Executor& executor);

}  // namespace talus::dem
