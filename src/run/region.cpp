#include "run/region.h"

#include <vector>

namespace talus {

Result<Region> Region::create(const Shape& shape, double start, double stop, double resolution) {
  auto field = make_distance_field(shape, resolution);
  if (!field) return field.error();
  return Region(std::move(*field), shape, start, stop);
}

void Region::mark_inside(std::span<const Vec3f> points, std::span<std::uint8_t> inside,
                         const Executor& executor) const {
  executor.for_range(points.size(), 1024, [&](std::size_t begin, std::size_t end) {
    std::vector<Vec3f> local(end - begin);
    std::vector<DistanceSample> samples(end - begin);
    for (std::size_t i = begin; i < end; ++i)
      local[i - begin] = Vec3f(pose_.to_body(Vec3d(points[i])));
    field_->sample(local, samples);
    for (std::size_t i = begin; i < end; ++i)
      if (samples[i - begin].distance < 0) inside[i] = 1;
  });
}

}  // namespace talus
