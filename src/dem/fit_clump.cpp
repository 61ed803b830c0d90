// A clump for a mesh, greedily: of all points of a grid inside the mesh, each the centre of the
// largest ball that fits there, take the one whose ball covers most of what is still uncovered.
// After Bradshaw & O'Sullivan 2004 and Wang et al. 2006 in spirit; theirs optimise afterwards.
#include "dem/grain_shape.h"
#include "geometry/distance.h"
#include "geometry/mesh.h"

#include <algorithm>
#include <cmath>

namespace talus {

namespace {

constexpr int cells_across = 24;

struct Inside {
  Vec3f at;
  float depth;
  bool covered = false;
};

std::vector<Inside> points_inside(const DistanceField& field, float step) {
  const Box3d box = field.bounds();
  std::vector<Inside> out;
  std::vector<Vec3f> line;
  std::vector<DistanceSample> samples;
  for (double z = box.lower.z + step / 2; z < box.upper.z; z += step) {
    for (double y = box.lower.y + step / 2; y < box.upper.y; y += step) {
      line.clear();
      for (double x = box.lower.x + step / 2; x < box.upper.x; x += step)
        line.push_back(Vec3f(Vec3d{x, y, z}));
      samples.resize(line.size());
      field.sample(line, samples);
      for (std::size_t k = 0; k < line.size(); ++k)
        if (samples[k].distance < 0) out.push_back({line[k], -samples[k].distance});
    }
  }
  return out;
}

std::size_t newly_covered(const std::vector<Inside>& points, const Inside& ball) {
  std::size_t n = 0;
  for (const Inside& p : points)
    n += !p.covered && squared_norm(p.at - ball.at) <= ball.depth * ball.depth;
  return n;
}

}  // namespace

Result<std::vector<Ball>> fit_balls(const std::string& mesh_file, int count) {
  Shape shape;
  shape.kind = ShapeKind::mesh;
  shape.file = mesh_file;
  const auto loaded = load_mesh_with_report(mesh_file, 1, true);
  if (!loaded) return loaded.error();
  if (const std::string breaks = describe_breaks(loaded->defects); !breaks.empty())
    return request_error(
        "{}: the mesh is no solid:{}\n  mend it in the program that made it: a clump of spheres "
        "can only be fitted to a closed surface, which has an inside",
        mesh_file, breaks);
  const Box3d box = loaded->mesh.bounds();
  const Vec3d size = box.upper - box.lower;
  const double longest = std::max({size.x, size.y, size.z});
  const auto step = static_cast<float>(longest / cells_across);
  auto field = make_distance_field(shape, static_cast<double>(step));
  if (!field) return field.error();
  std::vector<Inside> points = points_inside(**field, step);
  if (points.empty())
    return request_error("{}: encloses no volume in which a sphere could be placed", mesh_file);
  // Beyond the narrow band depths are only known to be at least its width.
  const float band = (*field)->band();
  if (std::isfinite(band)) {
    for (Inside& p : points) {
      if (p.depth < 0.95f * band) continue;
      float nearest = 1e30f;
      for (const Inside& other : points)
        if (other.depth < 0.95f * band)
          nearest = std::min(nearest, norm(other.at - p.at) + other.depth);
      p.depth = std::max(p.depth, std::min(nearest, 1e29f));
    }
  }
  std::vector<Ball> balls;
  for (int k = 0; k < count; ++k) {
    const Inside* best = nullptr;
    std::size_t gain = 0;
    for (const Inside& p : points) {
      if (p.depth < 0.5f * step) continue;
      const std::size_t n = newly_covered(points, p);
      if (n > gain) {
        gain = n;
        best = &p;
      }
    }
    if (best == nullptr) break;
    const Inside chosen = *best;
    for (Inside& p : points)
      p.covered |= squared_norm(p.at - chosen.at) <= chosen.depth * chosen.depth;
    balls.push_back({Vec3d(chosen.at), static_cast<double>(chosen.depth)});
  }
  if (balls.empty())
    return request_error("{}: too thin for a sphere of a hundredth of its length", mesh_file);
  return balls;
}

}  // namespace talus
