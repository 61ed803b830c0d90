// Rods and translucent spheres, where their light is known.
#include "render/picture.h"
#include "render/simple_scenes.h"

#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <numbers>

namespace talus {
namespace {

constexpr float pi = std::numbers::pi_v<float>;

Image must_render(const PictureScene& scene, const RenderOptions& options) {
  const Executor executor(2);
  auto image = render(scene, test::front_camera(), options, executor);
  EXPECT_TRUE(image.ok()) << image.error().message;
  return std::move(image).value();
}

/// From -0.6 to 0.6 along x, radius 0.3, painted white.
struct OneRod {
  std::vector<PictureRod> rods{{{{-0.6f, 0, 0}, 0.3f}, {{0.6f, 0, 0}, 0.3f}}};
  std::vector<PaintedGrain> paint{{255, 255, 255, 0}};
  PictureScene scene;
  OneRod() { scene.rods = {rods, paint}; }
};

float at(const Image& image, float x, float z) {
  return image.at(static_cast<int>(32 + x / 2.5f * 64), static_cast<int>(32 - z / 2.5f * 64)).x;
}

TEST(Rods, HaveTheirWidthRoundEndsAndRoundShade) {
  const OneRod one;
  PictureScene scene = one.scene;
  scene.light.sun_direction = {0, -1, 0};
  scene.light.sun_irradiance = {pi, pi, pi};
  scene.light.sun_radius = 0;
  RenderOptions options = test::small_picture(64);
  options.bounces = 0;
  const Image image = must_render(scene, options);
  EXPECT_EQ(at(image, 0, 0.36f), 0.0f);
  EXPECT_EQ(at(image, 0, -0.36f), 0.0f);
  EXPECT_GT(at(image, 0, 0.24f), 0.1f);
  EXPECT_GT(at(image, 0.84f, 0.02f), 0.1f);  // the cap
  EXPECT_EQ(at(image, 0.96f, 0.02f), 0.0f);
  EXPECT_EQ(at(image, 0.86f, 0.26f), 0.0f);  // its corner is cut off
  // Towards the sun and the camera, with a coat that reflects 4 % and takes as much on both ways.
  const float middle = at(image, 0, 0.01f);
  EXPECT_NEAR(middle, 1.0f, 0.2f);
  // Along the axis nothing changes, across it the cosine falls: 0.53 at z = 0.25.
  EXPECT_NEAR(at(image, 0.4f, 0.01f), middle, 0.01f);
  EXPECT_NEAR(at(image, 0.2f, 0.2f) / middle, std::sqrt(1 - 0.41f), 0.12f);
}

TEST(Rods, NeitherGainNorLoseLight) {
  const OneRod one;
  PictureScene scene = one.scene;
  scene.light.uniform = {1, 1, 1};
  const Image image = must_render(scene, test::small_picture(64));
  double sum = 0;
  for (const Vec3f& p : image.pixels) sum += double{p.x};
  const double mean = sum / static_cast<double>(image.pixels.size());
  EXPECT_LT(mean, 1.003);
  EXPECT_GT(mean, 0.98);
}

TEST(Rods, ThrowShadows) {
  // A rod above the floor, the sun at the zenith: dark below, light beside.
  std::vector<PictureRod> rods{{{{-2, 0, 1}, 0.3f}, {{2, 0, 1}, 0.3f}}};
  PictureScene scene;
  scene.rods = {rods, {}};
  PicturePlane floor;
  floor.point = {0, 0, -0.5f};
  floor.texture = 0;
  scene.planes = {floor};
  scene.size = 100;
  scene.light.sun_direction = {0, 0, 1};
  scene.light.sun_irradiance = {pi, pi, pi};
  scene.light.sun_radius = 0;
  PictureCamera camera;
  camera.position = {0, -20, 10};
  camera.target = {0, 0, -0.5};
  camera.focal_length_mm = 36 * 20 / 2.5;
  RenderOptions options = test::small_picture(16);
  options.bounces = 0;
  const Executor executor(1);
  const auto image = render(scene, camera, options, executor);
  ASSERT_TRUE(image.ok());
  EXPECT_EQ(image->at(32, 32).x, 0.0f);  // (0, 0) on the floor
  EXPECT_GT(image->at(32, 60).x, 0.2f);  // nearer by a metre and more
}

TEST(Veil, LetsTheCameraThroughAndThrowsNoShadow) {
  test::OneSphere one;
  one.scene.spheres[0].look.opacity = 0.1f;
  one.paint[0] = paint({0, 0, 0});
  one.scene.light.uniform = {1, 1, 1};
  const Image image = must_render(one.scene, test::small_picture(64));
  // Black mist: the middle keeps 90 % of what is behind, the rim less.
  EXPECT_NEAR(at(image, 0, 0), 0.9f, 0.03f);
  EXPECT_LT(at(image, 0.93f, 0), 0.86f);
  EXPECT_GT(at(image, 0.93f, 0), 0.4f);
  EXPECT_EQ(at(image, 1.1f, 0), 1.0f);

  // A rod inside is lit by the sun as if nothing were around it.
  const OneRod rod;
  PictureScene alone = rod.scene;
  alone.light.sun_direction = {0, -1, 0};
  alone.light.sun_irradiance = {pi, pi, pi};
  PictureScene both = alone;
  both.spheres = one.scene.spheres;
  RenderOptions options = test::small_picture(64);
  const float free = at(must_render(alone, options), 0, 0);
  EXPECT_NEAR(at(must_render(both, options), 0, 0), 0.9f * free, 0.03f * free);
}

TEST(Veil, WhiteInWhiteLightIsInvisible) {
  test::OneSphere one;
  one.scene.spheres[0].look.opacity = 0.3f;
  one.scene.light.uniform = {1, 1, 1};
  const Image image = must_render(one.scene, test::small_picture(16));
  for (const Vec3f& p : image.pixels) ASSERT_NEAR(p.x, 1.0f, 1e-4f);
}

TEST(Veil, AndRodsGiveTheSamePictureForAnyNumberOfThreads) {
  std::vector<PictureRod> rods;
  std::vector<PictureSphere> spheres;
  for (int i = 0; i < 400; ++i) {
    const float a = 0.1f * static_cast<float>(i), r = 0.002f * static_cast<float>(i);
    const Vec3f from{r * std::cos(a), 0.3f * std::sin(3 * a), r * std::sin(a)};
    const Vec3f to = from + Vec3f{0.1f * std::sin(a), 0.1f, 0};
    rods.push_back({{from, 0.02f}, {to, 0.02f}});
    spheres.push_back({from, 0.12f});
  }
  PictureScene scene;
  scene.rods = {rods, {}};
  scene.spheres = {{spheres, {}, {}, {}, GrainLook{}}};
  scene.spheres[0].look.opacity = 0.1f;
  scene.light = sun_and_sky({1, -1, 0.8f}, {0, 0, 1}, 1, 1);
  const RenderOptions options = test::small_picture(4);
  const Executor one(1);
  const auto reference = render(scene, test::front_camera(), options, one);
  ASSERT_TRUE(reference.ok());
  for (const int threads : {2, 5}) {
    const Executor executor(threads);
    const auto image = render(scene, test::front_camera(), options, executor);
    ASSERT_TRUE(image.ok());
    EXPECT_EQ(std::memcmp(image->pixels.data(), reference->pixels.data(),
                          image->pixels.size() * sizeof(Vec3f)),
              0)
        << threads;
  }
}

}  // namespace
}  // namespace talus
