#include "run/fills.h"

#include "run/grain_scale.h"
#include "run/region.h"
#include "sampling/near_points.h"
#include "sampling/volume.h"
#include "scene/located.h"

#include <algorithm>

namespace talus {

namespace {

// A lattice that just touches a wall lies at exactly half a spacing, up to rounding.
constexpr double rounding = 0.98;

std::size_t keep_only(std::vector<Vec3f>& points, const std::vector<std::uint8_t>& keep) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < points.size(); ++i)
    if (keep[i] != 0) points[kept++] = points[i];
  const std::size_t dropped = points.size() - kept;
  points.resize(kept);
  return dropped;
}

/// Takes away the points closer to the body than `limit` (m; negative: inside it).
std::size_t carve(std::vector<Vec3f>& points, const Body& body, float limit,
                  const Executor& executor) {
  if (!body.field) return 0;
  std::vector<std::uint8_t> keep(points.size());
  executor.for_range(points.size(), 1024, [&](std::size_t begin, std::size_t end) {
    std::vector<Vec3f> local(end - begin);
    std::vector<DistanceSample> samples(end - begin);
    for (std::size_t i = begin; i < end; ++i)
      local[i - begin] = Vec3f(body.state.pose.to_body(Vec3d(points[i])) - body.field_offset);
    body.field->sample(local, samples);
    for (std::size_t i = begin; i < end; ++i) keep[i] = samples[i - begin].distance >= limit;
  });
  return keep_only(points, keep);
}

std::size_t give_way(std::vector<Vec3f>& points, std::span<const Vec3f> earlier, double spacing,
                     const Executor& executor) {
  if (earlier.empty() || points.empty()) return 0;
  const auto radius = static_cast<float>(fill_distance * spacing);
  NearPoints near_points;
  near_points.build(earlier, radius, executor);
  std::vector<std::uint8_t> keep(points.size());
  executor.for_each(points.size(), [&](std::size_t i) {
    bool free = true;
    near_points.for_near(points[i], radius,
                         [&](std::uint32_t, const Vec3f&, float) { free = false; });
    keep[i] = free;
  });
  return keep_only(points, keep);
}

Result<std::vector<Vec3f>> sample_fill(const Scene& scene, const Fill& fill, std::uint64_t stream,
                                       const Executor& executor) {
  const double spacing = particle_size(scene, fill.material);
  const std::string what = fmt::format("fill '{}'", fill.name);
  const auto field = located_field(scene, fill.shape, fill.place, what, spacing);
  if (!field) return field.error();
  const auto arrangement = parse_arrangement(fill.arrangement);
  if (!arrangement) return arrangement.error();
  auto points = fill_volume(**field, fill.shape.pose, spacing, *arrangement, fill.jitter,
                            scene.seed + stream, executor);
  if (!points) return located_error(scene, fill.place, what, points.error());
  return points;
}

}  // namespace

Result<FilledParticles> sample_fills(const Scene& scene, const std::vector<Body>& bodies,
                                     const Executor& executor, std::span<const Vec3f> present) {
  FilledParticles result;
  ParticleBatch& batch = result.particles;
  for (std::size_t f = 0; f < scene.fills.size(); ++f) {
    const Fill& fill = scene.fills[f];
    const double spacing = particle_size(scene, fill.material);
    auto points = sample_fill(scene, fill, f, executor);
    if (!points) return points.error();
    const auto limit = static_cast<float>(carve_distance * rounding * spacing);
    for (std::size_t b = 0; b < bodies.size(); ++b) {
      const Body& body = bodies[b];
      if (b < scene.bodies.size() && !scene.bodies[b].carve)
        if (const std::size_t n = carve(*points, body, 0, executor))
          return located_error(
              scene, scene.bodies[b].place,
              fmt::format("body '{}' starts inside material: {} particles of fill '{}' lie in it; "
                          "move one of them, or let the body take them away with carve = true",
                          body.name, n, fill.name));
      if (const std::size_t n = carve(*points, body, limit, executor))
        result.notes.push_back(fmt::format("fill '{}': {} particles carved away by body '{}'",
                                           fill.name, n, body.name));
    }
    if (const std::size_t n = give_way(*points, present, spacing, executor))
      result.notes.push_back(
          fmt::format("fill '{}': {} particles dropped where others are", fill.name, n));
    if (const std::size_t n = give_way(*points, batch.position, spacing, executor))
      result.notes.push_back(
          fmt::format("fill '{}': {} particles dropped where an earlier fill is", fill.name, n));
    if (points->empty())
      result.notes.push_back(
          fmt::format("fill '{}' is empty: bodies or other fills take all of "
                      "its room; move or shrink one of them",
                      fill.name));
    for (const Vec3f& p : *points) {
      const Vec3d arm = Vec3d(p) - fill.shape.pose.position;
      const Vec3f velocity(fill.velocity + cross(fill.angular_velocity, arm));
      const std::uint64_t id = batch.size();
      batch.add(p, velocity, id, fill.material, grain_size_scale(scene, fill.material, id));
    }
  }
  return result;
}

}  // namespace talus
