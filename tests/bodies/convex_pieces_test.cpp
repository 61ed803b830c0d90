#include "bodies/convex_pieces.h"

#include "geometry/mass_properties.h"
#include "geometry/mesh_shapes.h"

#include <gtest/gtest.h>

namespace talus::test {
namespace {

Surface surface_of(const Mesh& mesh) {
  Surface surface;
  for (const Vec3f& v : mesh.vertices) surface.points.push_back(Vec3d(v));
  surface.triangles = mesh.triangles;
  return surface;
}

double total_volume(const std::vector<ConvexPiece>& pieces) {
  double volume = 0;
  for (const ConvexPiece& piece : pieces) volume += piece.volume;
  return volume;
}

TEST(ConvexPieces, ConvexSolidStaysWhole) {
  const auto box = make_convex_pieces(surface_of(box_mesh({1, 2, 3}, 4)), 0.01, 32);
  ASSERT_EQ(box.size(), 1u);
  EXPECT_NEAR(box[0].volume, 6, 1e-4);
  EXPECT_EQ(make_convex_pieces(surface_of(icosphere(1, 4)), 0.01, 32).size(), 1u);
}

TEST(ConvexPieces, RingKeepsItsHole) {
  const Mesh ring = torus(0.5, 0.12, 48, 24);
  const auto pieces = make_convex_pieces(surface_of(ring), 0.01, 32);
  EXPECT_LE(pieces.size(), 32u);
  const double exact = mass_properties(ring, 1).volume;
  EXPECT_GT(total_volume(pieces), 0.98 * exact);
  EXPECT_LT(total_volume(pieces), 1.10 * exact);
  for (const ConvexPiece& piece : pieces)
    for (const Vec3d& p : piece.points) EXPECT_GT(std::hypot(p.x, p.y), 0.3);
}

TEST(ConvexPieces, LShapeIsTwoBoxes) {
  // Two unit cubes side by side and one on top of the first, as one closed surface.
  const std::vector<Vec3d> outline = {{0, 0, 0}, {2, 0, 0}, {2, 0, 1},
                                      {1, 0, 1}, {1, 0, 2}, {0, 0, 2}};
  Surface s;
  for (const double y : {0.0, 1.0})
    for (const Vec3d& p : outline) s.points.push_back({p.x, y, p.z});
  const auto face = [&](std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    s.triangles.push_back({a, b, c});
    s.triangles.push_back({c + 6, b + 6, a + 6});
  };
  face(0, 1, 2), face(0, 2, 3), face(0, 3, 4), face(0, 4, 5);
  for (std::uint32_t i = 0; i < 6; ++i) {
    const std::uint32_t j = (i + 1) % 6;
    s.triangles.push_back({i, i + 6, j});
    s.triangles.push_back({j, i + 6, j + 6});
  }
  const auto pieces = make_convex_pieces(s, 0.01, 32);
  EXPECT_EQ(pieces.size(), 2u);
  EXPECT_NEAR(total_volume(pieces), 3, 1e-3);
}

}  // namespace
}  // namespace talus::test
