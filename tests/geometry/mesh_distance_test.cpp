// The voxel field against the exact nearest point on all faces, computed here by brute force.
#include "geometry/mesh_distance.h"

#include "core/random.h"
#include "geometry/field_cache.h"
#include "geometry/mesh_shapes.h"

#include <cmath>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>

namespace talus {
namespace {

/// Distance to one triangle by projecting onto its plane and, failing that, onto its edges.
double triangle_distance(const std::array<Vec3d, 3>& c, const Vec3d& p) {
  const Vec3d n = cross(c[1] - c[0], c[2] - c[0]);
  bool inside = true;
  double best = 1e300;
  for (std::size_t i = 0; i < 3; ++i) {
    const Vec3d a = c[i], e = c[(i + 1) % 3] - a;
    inside = inside && dot(cross(e, p - a), n) >= 0;
    const double t = std::clamp(dot(p - a, e) / dot(e, e), 0.0, 1.0);
    best = std::min(best, norm(p - a - t * e));
  }
  return inside ? std::abs(dot(p - c[0], n)) / norm(n) : best;
}

/// Solid angle of the mesh seen from p over 4 pi: 1 inside, 0 outside, whatever is nearest.
double winding(const Mesh& mesh, const Vec3d& p) {
  double sum = 0;
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
    const auto c = mesh.corners(t);
    const Vec3d a = c[0] - p, b = c[1] - p, d = c[2] - p;
    const double la = norm(a), lb = norm(b), ld = norm(d);
    sum += 2 * std::atan2(dot(a, cross(b, d)),
                          la * lb * ld + dot(a, b) * ld + dot(b, d) * la + dot(d, a) * lb);
  }
  return sum / (4 * M_PI);
}

double exact(const Mesh& mesh, const Vec3d& p) {
  double best = 1e300;
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t)
    best = std::min(best, triangle_distance(mesh.corners(t), p));
  return winding(mesh, p) > 0.5 ? -best : best;
}

Vec3d random_in(const Box3d& box, double margin, std::uint64_t id) {
  const auto r = random_floats(11, id, Purpose::test);
  Vec3d p;
  for (int axis = 0; axis < 3; ++axis) {
    const double e = box.upper[axis] - box.lower[axis] + 2 * margin;
    p[axis] = box.lower[axis] - margin + e * static_cast<double>(r[static_cast<std::size_t>(axis)]);
  }
  return p;
}

double processor_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

std::shared_ptr<const MeshField> field_of(Mesh mesh, double voxel, double band,
                                          std::string cache = {}) {
  auto field = MeshField::create(std::move(mesh), {voxel, band, std::move(cache), false});
  EXPECT_TRUE(field.ok());
  return *field;
}

struct Named {
  const char* name;
  Mesh mesh;
};

std::vector<Named> bodies() {
  return {{"star", spiky_star(0.3, 1.0, 1)},       {"needles", spiky_star(0.15, 1.0, 0)},
          {"box", box_mesh({1, 0.6, 0.3}, 2)},     {"torus", torus(0.7, 0.2, 40, 20)},
          {"trefoil", trefoil(0.8, 0.1, 120, 12)}, {"blob", uneven_blob(0.7, 30, 20)},
          {"sheet", box_mesh({1, 1, 0.01}, 1)}};  // thinner than a voxel
}

TEST(TriangleTree, NearestPointAndSignEqualBruteForce) {
  for (const Named& body : bodies()) {
    const TriangleTree tree(body.mesh);
    for (std::uint64_t i = 0; i < 400; ++i) {
      const Vec3d p = random_in(body.mesh.bounds(), 0.2, i);
      const double d = exact(body.mesh, p);
      const SurfacePoint s = tree.nearest(p);
      ASSERT_NEAR(s.distance, d, 1e-6) << body.name;
      ASSERT_NEAR(norm(s.point - p), std::abs(d), 1e-6) << body.name;
    }
  }
}

TEST(MeshField, VoxelsHoldTheExactSignedDistance) {
  for (const Named& body : bodies()) {
    const auto field = field_of(body.mesh, 0.03, 0.12);
    const DistanceBlocks& b = field->blocks();
    const TriangleTree tree(body.mesh);
    std::size_t checked = 0, wrong_sign = 0, inexact = 0;
    for (std::size_t entry = 0; entry < b.table.size(); ++entry) {
      if (b.table[entry] < 0) continue;
      const int e = static_cast<int>(entry);
      const Vec3d corner =
          b.origin + 8 * b.voxel *
                         Vec3d{double(e % b.blocks.x), double(e / b.blocks.x % b.blocks.y),
                               double(e / b.blocks.x / b.blocks.y)};
      for (int i = 0; i < DistanceBlocks::block_values; ++i) {
        const float v =
            b.values[static_cast<std::size_t>(b.table[entry]) * DistanceBlocks::block_values +
                     static_cast<std::size_t>(i)];
        const Vec3d p = corner + b.voxel * Vec3d{double(i % 9), double(i / 9 % 9), double(i / 81)};
        const double d = tree.nearest(p).distance;
        ++checked;
        if (std::abs(d) > 1e-6 && (d < 0) != (v < 0)) ++wrong_sign;
        if (std::abs(std::abs(d) - std::abs(v)) > 1e-5) ++inexact;
      }
    }
    EXPECT_GT(checked, 5000u) << body.name;
    EXPECT_EQ(wrong_sign, 0u) << body.name << " of " << checked;
    EXPECT_EQ(inexact, 0u) << body.name << " of " << checked;
  }
}

TEST(MeshField, InterpolatesSmoothBodiesClosely) {
  const auto field = field_of(icosphere(0.5, 5), 0.02, 0.1);
  double worst = 0, worst_turn = 0;
  for (std::uint64_t i = 0; i < 20000; ++i) {
    const Vec3d p = random_in(field->bounds(), 0.05, i);
    const double d = norm(p) - 0.5;
    if (std::abs(d) > 0.07) continue;
    const DistanceSample s = field->sample(Vec3f(p));
    worst = std::max(worst, std::abs(s.distance - d));
    worst_turn = std::max(worst_turn, norm(Vec3d(s.gradient) - normalized(p)));
  }
  EXPECT_LT(worst, 0.02 * 0.05);  // a twentieth of a voxel
  EXPECT_LT(worst_turn, 0.05);
}

TEST(MeshField, BatchesOfAnyLengthAnswerLikeSinglePoints) {
  const auto field = field_of(trefoil(1.0, 0.2, 200, 20), 0.02, 0.06);
  std::vector<Vec3f> points;  // in the band, beyond it, outside of everything
  for (std::uint64_t i = 0; i < 500; ++i)
    points.push_back(Vec3f(random_in({{-2.5, -2.5, -1}, {2.5, 2.5, 1}}, 3, i)));
  for (std::size_t i = 0; i < 500; ++i)
    points.push_back(field->mesh().vertices[i * 7] + 0.02f * points[i]);
  for (const std::size_t length : {2u, 3u, 7u, 8u, 9u, 1000u}) {
    std::vector<DistanceSample> out(length);
    field->sample({points.data() + 500 - length / 2, length}, out);
    for (std::size_t i = 0; i < length; ++i) {
      const DistanceSample one = field->sample(points[500 - length / 2 + i]);
      EXPECT_NEAR(out[i].distance, one.distance, 1e-6f) << i << " of " << length;
      EXPECT_LT(norm(out[i].gradient - one.gradient), 1e-4f) << i << " of " << length;
    }
  }
}

TEST(MeshField, GradientIsUnitAndSignRightFarFromTheBand) {
  const auto field = field_of(spiky_star(0.4, 1.0, 1), 0.02, 0.06);
  for (std::uint64_t i = 0; i < 3000; ++i) {
    const Vec3d p = random_in(field->bounds(), 0.5, i);
    const DistanceSample s = field->sample(Vec3f(p));
    const double d = field->tree().nearest(p).distance;
    ASSERT_NEAR(norm(s.gradient), 1, 1e-4);
    ASSERT_TRUE(std::abs(d) < 0.01 || (s.distance < 0) == (d < 0)) << d << " " << s.distance;
    ASSERT_TRUE(std::abs(d) < 0.06 || std::abs(s.distance) >= 0.039f) << d << " " << s.distance;
  }
}

TEST(MeshField, ProjectionReachesTheExactSurfaceAtEdges) {
  const auto field = field_of(box_mesh({1, 1, 1}), 0.05, 0.2);
  std::vector<Vec3f> points;
  for (std::uint64_t i = 0; i < 500; ++i)
    points.push_back(Vec3f(random_in(field->bounds(), 0.3, i)));
  field->project(points);
  for (const Vec3f& p : points)
    ASSERT_NEAR(std::max({std::abs(p.x), std::abs(p.y), std::abs(p.z)}), 0.5f, 1e-6f);
}

TEST(MeshField, CacheGivesTheSameFieldAndIgnoresDamage) {
  const std::string folder = testing::TempDir() + "talus_cache_test";
  std::filesystem::remove_all(folder);
  const Mesh mesh = torus(0.7, 0.2, 30, 15);
  const auto made = field_of(mesh, 0.03, 0.1, folder);
  EXPECT_FALSE(made->came_from_cache());
  const auto read = field_of(mesh, 0.03, 0.1, folder);
  EXPECT_TRUE(read->came_from_cache());
  EXPECT_EQ(read->blocks().values, made->blocks().values);
  EXPECT_EQ(read->blocks().table, made->blocks().table);
  EXPECT_EQ(read->blocks().coarse, made->blocks().coarse);
  EXPECT_FALSE(field_of(mesh, 0.031, 0.1, folder)->came_from_cache());

  const std::string path = FieldCache(folder, mesh, 0.03, 0.1).path();
  {
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(5000);
    file.put('\x55');
    file.put('\x2a');
  }
  EXPECT_FALSE(field_of(mesh, 0.03, 0.1, folder)->came_from_cache());
  EXPECT_TRUE(field_of(mesh, 0.03, 0.1, folder)->came_from_cache());
  std::filesystem::resize_file(path, 3000);
  const auto again = field_of(mesh, 0.03, 0.1, folder);
  EXPECT_FALSE(again->came_from_cache());
  EXPECT_EQ(again->blocks().values, made->blocks().values);
  std::filesystem::remove_all(folder);
}

TEST(MeshField, WorksWithoutAWritableCache) {
  EXPECT_FALSE(field_of(box_mesh({1, 1, 1}), 0.1, 0.3, "/proc/nowhere")->came_from_cache());
}

TEST(MeshField, RefusesAFieldThatDoesNotFit) {
  const auto options = choose_voxels(box_mesh({1000, 1000, 1000}), 0.001);
  ASSERT_FALSE(options.ok());
  EXPECT_NE(options.error().message.find("spacing of at least"), std::string::npos);
  EXPECT_FALSE(choose_voxels(box_mesh({1, 1, 1}), 0).ok());
  EXPECT_TRUE(choose_voxels(box_mesh({1, 1, 1}), 0.01).ok());
}

TEST(MeshField, HundredThousandFacesAt256InFiveSecondsAndFastQueries) {
  Mesh mesh = trefoil(1.0, 0.2, 1000, 50);
  ASSERT_EQ(mesh.triangles.size(), 100000u);
  const Box3d box = mesh.bounds();
  const double voxel = (box.upper.x - box.lower.x) / 256;
  // Processor time of all threads, since other programs may be running: 5 s of two cores.
  const double start = processor_seconds();
  const auto field = field_of(std::move(mesh), voxel, 6 * voxel);
  const double seconds = processor_seconds() - start;
  EXPECT_LT(seconds, 10) << "100 K faces at 256^3";

  constexpr std::size_t count = 200000;
  std::vector<Vec3f> points;
  for (std::uint64_t i = 0; points.size() < count; ++i) {
    const Mesh& m = field->mesh();
    const Vec3f jitter = Vec3f(
        random_in({{-4 * voxel, -4 * voxel, -4 * voxel}, {4 * voxel, 4 * voxel, 4 * voxel}}, 0, i));
    points.push_back(m.vertices[i % m.vertices.size()] + jitter);
  }
  std::vector<DistanceSample> out(count);
  field->sample(points, out);
  const double before = processor_seconds();
  for (int i = 0; i < 5; ++i) field->sample(points, out);
  const double nanoseconds = (processor_seconds() - before) * 1e9 / (5.0 * count);
  std::printf("field %.2f s of processor time, %zu blocks, %.1f MB, %.1f ns per query\n", seconds,
              field->blocks().block_count(),
              static_cast<double>(field->blocks().memory_bytes()) * 1e-6, nanoseconds);
  EXPECT_LT(nanoseconds, 200);
}

}  // namespace
}  // namespace talus
