// Fine grains of a run's detail/ folder -> spheres, share after share.
#pragma once

#include "render/frame_picture.h"

namespace talus {

/// Adds the grains of all shares to the picture. Returns time, bodies and materials of the frame.
Result<FrameInfo> load_detail_grains(const RunSource& run, std::uint64_t frame,
                                     const FrameLook& look, FramePicture& out,
                                     const Executor& executor);

}  // namespace talus
