// A part of space that acts on the particles inside it during a time span: a sink, a wetting.
#pragma once

#include "core/error.h"
#include "core/parallel.h"
#include "geometry/distance.h"
#include "math/vec.h"
#include "scene/scene.h"

#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace talus {

/// The field of a shape that `what` ("fill 'bed'") needs; if it cannot be, an error at its place.
Result<std::shared_ptr<const DistanceField>> located_field(const Scene& scene, const Shape& shape,
                                                           const ScenePlace& place,
                                                           const std::string& what,
                                                           double resolution);

class Region {
 public:
  static Result<Region> create(const Scene& scene, const Sink& sink);
  static Result<Region> create(const Scene& scene, const Wetting& wetting);

  bool active(double time) const { return time >= start_ && time < stop_; }
  /// inside[i] = 1 for points in the region, else unchanged.
  void mark_inside(std::span<const Vec3f> points, std::span<std::uint8_t> inside,
                   const Executor& executor) const;

 private:
  Region(std::shared_ptr<const DistanceField> field, const Shape& shape, double start, double stop)
      : field_(std::move(field)), pose_(shape.pose), start_(start), stop_(stop) {}

  std::shared_ptr<const DistanceField> field_;
  Posed pose_;
  double start_, stop_;
};

}  // namespace talus
