#include "render/image.h"

#include "core/random.h"

#include <cmath>
#include <filesystem>
#include <gtest/gtest.h>
#include <unistd.h>

namespace talus {
namespace {

namespace fs = std::filesystem;

class Images : public testing::Test {
 protected:
  void SetUp() override {
    folder_ =
        fs::temp_directory_path() / ("talus_image_" + std::to_string(::getpid()) + "_" +
                                     testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }
  std::string path(const char* name) const { return (folder_ / name).string(); }
  fs::path folder_;
};

Image random_image(int width, int height) {
  Image image(width, height);
  for (std::size_t i = 0; i < image.pixels.size(); ++i) {
    const auto u = random_floats(1, i, Purpose::test);
    image.pixels[i] = {4 * u[0] * u[0], u[1], 0.2f * u[2]};
  }
  return image;
}

TEST_F(Images, PngKeepsEveryPixel) {
  const ScreenImage image = to_screen(random_image(37, 21), {});
  ASSERT_TRUE(write_png(image, path("a.png")).ok());
  const auto back = read_png(path("a.png"));
  ASSERT_TRUE(back.ok()) << back.error().message;
  EXPECT_EQ(back->width, 37);
  EXPECT_EQ(back->height, 21);
  EXPECT_EQ(back->pixels, image.pixels);
  EXPECT_FALSE(fs::exists(path("a.png.part")));
}

TEST_F(Images, ExrAndPngAgreeAfterTheToneCurve) {
  const Image image = random_image(64, 40);
  const ToneSettings tone{0.7f, 0.12f};
  ASSERT_TRUE(write_exr(image, path("a.exr")).ok());
  ASSERT_TRUE(write_png(to_screen(image, tone), path("a.png")).ok());
  const auto light = read_exr(path("a.exr"));
  const auto screen = read_png(path("a.png"));
  ASSERT_TRUE(light.ok() && screen.ok());
  const ScreenImage again = to_screen(*light, tone);
  int differing = 0;
  for (std::size_t i = 0; i < again.pixels.size(); ++i) {
    const Rgb8 a = again.pixels[i], b = screen->pixels[i];
    ASSERT_LE(std::abs(a.r - b.r), 1);
    ASSERT_LE(std::abs(a.g - b.g), 1);
    ASSERT_LE(std::abs(a.b - b.b), 1);
    differing += a == b ? 0 : 1;
  }
  // Half floats round; only few pixels may fall on the other side of a step.
  EXPECT_LT(differing, 400);
}

TEST_F(Images, WhatCannotBeWrittenIsExplained) {
  const ScreenImage screen(4, 4);
  for (const std::string& bad : {path("missing/a.png"), std::string("/proc/a.png")}) {
    const Status status = write_png(screen, bad);
    ASSERT_FALSE(status.ok());
    EXPECT_NE(status.error().message.find(bad), std::string::npos);
    EXPECT_FALSE(write_exr(Image(4, 4), bad).ok());
  }
  EXPECT_FALSE(write_png(ScreenImage(), path("b.png")).ok());
  EXPECT_FALSE(read_png(path("nothing.png")).ok());
  EXPECT_FALSE(read_exr(path("nothing.exr")).ok());
}

TEST(Tone, CurveRisesAndKeepsMiddleGrey) {
  EXPECT_NEAR(tone_curve(0.18f), 0.18f, 1e-4f);
  float before = -1;
  for (float x = 0; x < 30; x = x * 1.1f + 1e-4f) {
    const float y = tone_curve(x);
    EXPECT_GE(y, before);
    EXPECT_LE(y, 1.0f);
    before = y;
  }
  EXPECT_EQ(tone_curve(-1), 0.0f);
  EXPECT_EQ(tone_curve(std::nanf("")), 0.0f);
  EXPECT_GT(tone_curve(20), 0.98f);
}

TEST(Tone, ExposureCountsInStops) {
  Image image(1, 1);
  image.pixels[0] = {0.1f, 0.1f, 0.1f};
  const Rgb8 brighter = to_screen(image, {1, 0}).pixels[0];
  image.pixels[0] = {0.2f, 0.2f, 0.2f};
  EXPECT_EQ(to_screen(image, {0, 0}).pixels[0], brighter);
}

TEST(Tone, EncodingAndDecodingAreInverse) {
  for (int i = 0; i <= 255; ++i) {
    const float x = static_cast<float>(i) / 255;
    EXPECT_NEAR(srgb_encode(srgb_decode(x)), x, 1e-5f);
  }
}

TEST(Beside, PutsTwoPicturesIntoOne) {
  ScreenImage a(3, 2), b(5, 2);
  for (Rgb8& p : a.pixels) p = {255, 0, 0};
  for (Rgb8& p : b.pixels) p = {0, 255, 0};
  const ScreenImage both = beside(a, b);
  EXPECT_EQ(both.height, 2);
  EXPECT_EQ(both.at(0, 0), (Rgb8{255, 0, 0}));
  EXPECT_EQ(both.at(2, 1), (Rgb8{255, 0, 0}));
  EXPECT_EQ(both.at(both.width - 5, 1), (Rgb8{0, 255, 0}));
  EXPECT_EQ(both.at(both.width - 1, 0), (Rgb8{0, 255, 0}));
}

}  // namespace
}  // namespace talus
