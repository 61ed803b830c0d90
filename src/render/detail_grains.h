// Fine grains of a run's detail/ folder, share after share, so that only one share is in memory
// besides what is made of it.
#pragma once

#include "frames/detail_frame.h"
#include "render/grain_fields.h"
#include "render/run_source.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace talus {

/// The grains of one share; columns that its file lacks are empty.
struct DetailGrains {
  DetailFrameInfo info;
  std::vector<Vec3f> position, velocity;
  std::vector<std::uint64_t> id;
  std::vector<std::uint8_t> shade, material;
  std::vector<float> radius;
  FieldValues shown;  ///< of the field that was asked for

  PictureSphere sphere(std::size_t i) const;
  /// Constant over time for a grain.
  std::uint32_t texture(std::size_t i) const;
  PaintedGrain natural_paint(std::size_t i) const;
};

/// Hands over one share after the other. A grain has its own height, id and, when 'talus detail
/// --velocity' wrote them, velocity; all other fields are those of the particle of the base that it
/// belongs to. Returns time, bodies and materials of the frame.
Result<FrameInfo> read_detail_grains(const RunSource& run, std::uint64_t frame,
                                     const GrainRequest& request, const Executor& executor,
                                     const std::function<void(const DetailGrains&)>& share);

/// The fields that can be asked for, in alphabetical order.
std::vector<std::string> detail_fields(const RunSource& run, std::uint64_t frame);

}  // namespace talus
