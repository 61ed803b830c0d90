#include "run/region.h"

#include "run/grain_scale.h"
#include "scene/located.h"

#include <vector>

namespace talus {

Result<std::shared_ptr<const DistanceField>> located_field(const Scene& scene, const Shape& shape,
                                                           const ScenePlace& place,
                                                           const std::string& what,
                                                           double resolution) {
  auto field = make_distance_field(shape, resolution);
  if (!field) return located_error(scene, place, what, field.error());
  return field;
}

Result<Region> Region::create(const Scene& scene, const Sink& sink) {
  auto field = located_field(scene, sink.shape, sink.place, fmt::format("sink '{}'", sink.name),
                             finest_spacing(scene));
  if (!field) return field.error();
  return Region(std::move(*field), sink.shape, sink.start, sink.stop);
}

Result<Region> Region::create(const Scene& scene, const Wetting& wetting) {
  auto field = located_field(scene, wetting.shape, wetting.place,
                             fmt::format("wetting '{}'", wetting.name), finest_spacing(scene));
  if (!field) return field.error();
  return Region(std::move(*field), wetting.shape, wetting.start, wetting.stop);
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
