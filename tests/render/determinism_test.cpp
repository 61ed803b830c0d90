#include "core/random.h"
#include "render/picture.h"
#include "render/simple_scenes.h"

#include <cstring>
#include <gtest/gtest.h>

namespace talus {
namespace {

/// A heap of overlapping grains: many hits at nearly equal distances.
struct Heap {
  std::vector<PictureSphere> spheres;
  std::vector<PaintedGrain> paint;
  std::vector<Vec3f> velocity;
  PictureScene scene;

  Heap() {
    for (std::uint64_t i = 0; i < 20'000; ++i) {
      const auto u = random_floats(3, i, Purpose::test);
      spheres.push_back({{2 * u[0] - 1, 2 * u[1] - 1, 0.3f * u[2]}, 0.03f});
      paint.push_back(talus::paint({u[0], u[1], u[2]}, u[3]));
      velocity.push_back({u[3], 0, 0});
    }
    scene.spheres = {{spheres, paint, {}, velocity, GrainLook{}}};
    scene.planes = {PicturePlane{}};
    scene.light = sun_and_sky({1, -1, 0.8f}, {0, 0, 1}, 1, 1);
  }
};

TEST(Determinism, SamePictureForAnyNumberOfThreads) {
  const Heap heap;
  RenderOptions options;
  options.width = 96;
  options.height = 54;
  options.samples = 4;
  options.shutter = 0.02;
  for (const bool denoise : {false, true}) {
    options.denoise = denoise;
    const Executor one(1);
    const auto reference = render(heap.scene, PictureCamera{}, options, one);
    ASSERT_TRUE(reference.ok());
    for (const int threads : {2, 3, 8}) {
      const Executor executor(threads);
      const auto image = render(heap.scene, PictureCamera{}, options, executor);
      ASSERT_TRUE(image.ok());
      EXPECT_EQ(std::memcmp(image->pixels.data(), reference->pixels.data(),
                            image->pixels.size() * sizeof(Vec3f)),
                0)
          << threads;
    }
  }
}

TEST(Determinism, AnotherSeedIsAnotherNoiseOfTheSamePicture) {
  const Heap heap;
  RenderOptions options;
  options.width = 80;
  options.height = 45;
  options.samples = 16;
  const Executor executor(2);
  const auto a = render(heap.scene, PictureCamera{}, options, executor);
  options.seed = 1;
  const auto b = render(heap.scene, PictureCamera{}, options, executor);
  ASSERT_TRUE(a.ok() && b.ok());
  EXPECT_NE(std::memcmp(a->pixels.data(), b->pixels.data(), a->pixels.size() * sizeof(Vec3f)), 0);
  double mean_a = 0, mean_b = 0;
  for (std::size_t i = 0; i < a->pixels.size(); ++i) {
    mean_a += a->pixels[i].x;
    mean_b += b->pixels[i].x;
  }
  EXPECT_NEAR(mean_a / mean_b, 1, 0.02);
}

TEST(Denoise, BringsAFewSamplesNearerToManyWithoutBlurringEdges) {
  const Heap heap;
  RenderOptions options;
  options.width = 96;
  options.height = 54;
  options.samples = 8;
  const Executor executor(2);
  const auto noisy = render(heap.scene, PictureCamera{}, options, executor);
  options.denoise = true;
  const auto smooth = render(heap.scene, PictureCamera{}, options, executor);
  options.denoise = false;
  options.samples = 256;
  options.seed = 9;
  const auto truth = render(heap.scene, PictureCamera{}, options, executor);
  ASSERT_TRUE(noisy.ok() && smooth.ok() && truth.ok());
  double before = 0, after = 0;
  for (std::size_t i = 0; i < truth->pixels.size(); ++i) {
    before += squared_norm(noisy->pixels[i] - truth->pixels[i]);
    after += squared_norm(smooth->pixels[i] - truth->pixels[i]);
  }
  // Grains of two pixels leave little to average: it must gain, and must never harm.
  EXPECT_LT(after, 0.9 * before);
}

TEST(BadInput, IsExplained) {
  const PictureScene empty;
  const Executor executor(1);
  RenderOptions options;
  options.width = 0;
  auto image = render(empty, PictureCamera{}, options, executor);
  ASSERT_FALSE(image.ok());
  EXPECT_EQ(image.error().kind, ErrorKind::request);
  EXPECT_NE(image.error().message.find("0 x 1080"), std::string::npos) << image.error().message;

  options = {};
  options.samples = 0;
  EXPECT_FALSE(render(empty, PictureCamera{}, options, executor).ok());

  PictureCamera camera;
  camera.position = camera.target = {1, 2, 3};
  image = render(empty, camera, RenderOptions{}, executor);
  ASSERT_FALSE(image.ok());
  EXPECT_NE(image.error().message.find("target"), std::string::npos);
}

TEST(BadInput, GrainsThatAreNowhereAreNotSeen) {
  Heap heap;
  for (std::size_t i = 0; i < heap.spheres.size(); i += 3)
    heap.spheres[i].centre.x = std::numeric_limits<float>::quiet_NaN();
  RenderOptions options;
  options.width = 32;
  options.height = 18;
  options.samples = 4;
  const Executor executor(2);
  const auto image = render(heap.scene, PictureCamera{}, options, executor);
  ASSERT_TRUE(image.ok());
  for (const Vec3f& p : image->pixels) EXPECT_TRUE(is_finite(p));
}

}  // namespace
}  // namespace talus
