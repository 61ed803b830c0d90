// The picture of a body with its particles shows all of it.
#include "sampling/picture.h"

#include "geometry/primitive_distance.h"

#include <gtest/gtest.h>

namespace talus {
namespace {

TEST(FieldPicture, NothingIsCutOffAndTheBodyFillsIt) {
  const Executor executor;
  for (const Vec3d& size : {Vec3d{1, 1, 1}, Vec3d{3, 1, 0.2}, Vec3d{0.2, 0.2, 2}}) {
    Shape box;
    box.size = size;
    const auto field = *make_primitive_field(box);
    std::vector<Vec3f> corners;
    for (int k = 0; k < 8; ++k)
      corners.push_back(
          Vec3f(Vec3d{(k & 1) != 0 ? size.x : -size.x, (k & 2) != 0 ? size.y : -size.y,
                      (k & 4) != 0 ? size.z : -size.z} *
                0.5));
    constexpr int w = 160, h = 120;
    const Picture picture = FieldPicture(*field, w, h, executor).with_particles(corners, 0.01f);
    const auto pixel = [&](int x, int y) {
      const auto at = static_cast<std::size_t>(3 * (y * w + x));
      return Vec3f{static_cast<float>(picture.rgb[at]), static_cast<float>(picture.rgb[at + 1]),
                   static_cast<float>(picture.rgb[at + 2])};
    };
    // The background only changes from row to row.
    int left = w, right = 0, top = h, bottom = 0;
    for (int y = 0; y < h; ++y) {
      for (int x = 0; x < w; ++x) {
        if (norm(pixel(x, y) - pixel(0, y)) < 3) continue;
        left = std::min(left, x), right = std::max(right, x);
        top = std::min(top, y), bottom = std::max(bottom, y);
      }
      EXPECT_EQ(pixel(0, y), pixel(w - 1, y)) << "row " << y;
    }
    EXPECT_GT(left, 0);
    EXPECT_LT(right, w - 1);
    EXPECT_GT(top, 0);
    EXPECT_LT(bottom, h - 1);
    EXPECT_TRUE(right - left > 0.75 * w || bottom - top > 0.75 * h) << size.x;
  }
}

}  // namespace
}  // namespace talus
