#include "render/colour_map.h"
#include "render/field_values.h"
#include "render/legend.h"
#include "render/stroke_font.h"

#include <cmath>
#include <gtest/gtest.h>

namespace talus {
namespace {

TEST(ColourMap, LightnessRisesInEqualSteps) {
  for (const char* name : {"dune", "ember"}) {
    const ColourMap map(name);
    const float first = oklab_lightness(map(0)), last = oklab_lightness(map(1));
    EXPECT_GT(last - first, 0.6f) << name;
    for (int i = 0; i <= 50; ++i) {
      const float t = static_cast<float>(i) / 50;
      EXPECT_NEAR(oklab_lightness(map(t)), first + (last - first) * t, 0.012f) << name << ' ' << t;
    }
  }
}

TEST(ColourMap, BalanceIsSymmetricInLightness) {
  const ColourMap map("balance");
  for (const float t : {0.0f, 0.2f, 0.4f})
    EXPECT_NEAR(oklab_lightness(map(t)), oklab_lightness(map(1 - t)), 0.01f);
  EXPECT_GT(map(0).z, map(0).x);
  EXPECT_GT(map(1).x, map(1).z);
}

TEST(ColourMap, StaysOnScreenAndTakesAnyNumber) {
  for (const std::string& name : ColourMap::names()) {
    const ColourMap map(name);
    for (const float t : {-5.0f, 0.0f, 0.3f, 0.77f, 1.0f, 9.0f, std::nanf(""), INFINITY}) {
      const Vec3f c = map(t);
      for (int k = 0; k < 3; ++k) {
        EXPECT_GE(c[k], 0.0f);
        EXPECT_LE(c[k], 1.0f);
      }
    }
    EXPECT_EQ(map(-5), map(0));
    EXPECT_EQ(map(9), map(1));
  }
  EXPECT_FALSE(ColourMap::exists("jet"));
}

TEST(Legend, TicksAreRoundAndInside) {
  const auto ticks = tick_values(0.13, 2.6, 4);
  ASSERT_GE(ticks.size(), 3u);
  for (const double t : ticks) {
    EXPECT_GE(t, 0.13);
    EXPECT_LE(t, 2.6);
    EXPECT_NEAR(t * 2, std::round(t * 2), 1e-9);
  }
  EXPECT_EQ(tick_values(1, 1, 4).size(), 1u);
  EXPECT_EQ(tick_text(0.5, 0.5), "0.5");
  EXPECT_EQ(tick_text(20000, 20000), "20000");
  EXPECT_EQ(tick_text(2e6, 1e6), "2e+06");
  EXPECT_EQ(tick_text(0, 0.1), "0");
}

int ink(const ScreenImage& image) {
  int n = 0;
  for (const Rgb8& p : image.pixels) n += p.r > 128 ? 1 : 0;
  return n;
}

TEST(Font, EveryPrintedCharacterLeavesInk) {
  const std::string all =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789.,-+/()%^=:_*'<>[]|!?~";
  for (const char letter : all) {
    ScreenImage image(40, 50);
    draw_text(image, std::string(1, letter), 8, 35, 24, {255, 255, 255});
    EXPECT_GT(ink(image), 5) << letter;
  }
  ScreenImage image(40, 50);
  draw_text(image, " ", 8, 35, 24, {255, 255, 255});
  EXPECT_EQ(ink(image), 0);
}

TEST(Font, TextIsAsWideAsAnnouncedAndClipped) {
  ScreenImage image(200, 40);
  draw_text(image, "HHH", 10, 30, 18, {255, 255, 255});
  const float width = text_width("HHH", 18);
  for (int x = 0; x < image.width; ++x)
    for (int y = 0; y < image.height; ++y)
      if (image.at(x, y).r > 128) {
        EXPECT_GE(x, 8);
        EXPECT_LE(static_cast<float>(x), 10 + width + 2);
      }
  draw_text(image, "clipped", -20, -5, 30, {255, 255, 255});
  draw_text(image, "clipped", 190, 45, 30, {255, 255, 255});
}

TEST(Legend, ShowsTheEndsOfTheMap) {
  ScreenImage image(320, 180);
  draw_legend(image, {"speed  m/s", 0, 2}, ColourMap("dune"));
  EXPECT_GT(ink(image), 60);
  ScreenImage tiny(3, 3);
  draw_legend(tiny, {"speed  m/s", 0, 2}, ColourMap("dune"));
}

TEST(Range, IgnoresStrayValuesAndStartsAtZeroWhenNear) {
  std::vector<float> values;
  for (int i = 0; i < 1000; ++i) values.push_back(0.1f + 0.001f * static_cast<float>(i));
  values.push_back(1e9f);
  values.push_back(std::nanf(""));
  const ValueRange range = robust_range(values);
  EXPECT_EQ(range.lower, 0);
  EXPECT_NEAR(range.upper, 1.09, 0.02);
  const ValueRange constant = robust_range({5, 5, 5});
  EXPECT_LT(constant.lower, 5);
  EXPECT_GT(constant.upper, 5);
  EXPECT_GT(robust_range({}).upper, robust_range({}).lower);
}

}  // namespace
}  // namespace talus
