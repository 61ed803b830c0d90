// The force network of a frame of grains: a rod for each two grains that touch, and for each
// contact with a body, as thick as the normal force is large.
#pragma once

#include "core/error.h"
#include "core/parallel.h"
#include "frames/frame.h"
#include "render/picture.h"
#include "render/run_source.h"

#include <string_view>
#include <vector>

namespace talus {

/// What is asked for in place of a field.
inline constexpr std::string_view force_chains_name = "force_chains";

struct ForceChains {
  std::vector<PictureRod> rods;
  /// Of each rod: the normal force over the mean size of all normal forces of the frame; negative
  /// where a moist bridge pulls.
  std::vector<float> strength;
};

/// A request error tells how to get contacts when the run did not write them.
Result<ForceChains> read_force_chains(const FrameFile& frame, const RunSource& run,
                                      const Executor& executor);

}  // namespace talus
