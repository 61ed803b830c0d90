// Rays against spheres, rods and triangles. Embree is confined to tracer.cpp.
#pragma once

#include "core/error.h"
#include "core/parallel.h"
#include "math/vec.h"
#include "render/picture.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace talus {

struct Ray {
  Vec3f origin;
  Vec3f direction;  ///< unit
  float near = 0;
  float far = 1e30f;
  float time = 0.5f;  ///< within the shutter, 0..1
};

enum class HitKind : std::uint8_t { none, sphere, rod, mesh, plane };

enum class RayKind : std::uint8_t {
  camera,  ///< meets everything
  light    ///< passes the spheres that the camera looks through
};

struct Hit {
  float distance = 1e30f;
  HitKind kind = HitKind::none;
  std::uint32_t set = 0;        ///< index of the sphere set, mesh or plane
  std::uint32_t primitive = 0;  ///< sphere, rod or triangle
  float u = 0, v = 0;           ///< barycentric, triangles
};

/// Immutable after build(); queries are safe from any thread. The scene must outlive it.
class Tracer {
 public:
  static Result<std::unique_ptr<Tracer>> build(const PictureScene& scene, double shutter,
                                               const Executor& executor);
  ~Tracer();
  Tracer(const Tracer&) = delete;
  Tracer& operator=(const Tracer&) = delete;

  Hit intersect(const Ray& ray, RayKind kind) const;
  /// Is anything in the way but glass and what the camera looks through?
  bool occluded(const Ray& ray) const;

  Vec3f sphere_centre(const Hit& hit, float time) const;
  Vec3f mesh_normal(const Hit& hit) const;  ///< of the triangle, unit, as its corners turn
  Vec3f smooth_normal(const Hit& hit) const;

  std::size_t bytes() const;

 private:
  struct Parts;
  explicit Tracer(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

}  // namespace talus
