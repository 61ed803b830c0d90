#include "geometry/height_field.h"

#include "geometry/mass_properties.h"
#include "geometry/png_image.h"

#include <fstream>
#include <gtest/gtest.h>

namespace talus {
namespace {

std::string temporary(const std::string& name) {
  return testing::TempDir() + "talus_height_" + name;
}

/// Grey ramp from black at the left to white at the right.
std::string ramp(int width, int height) {
  std::vector<std::uint8_t> rgb;
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x)
      for (int c = 0; c < 3; ++c) rgb.push_back(static_cast<std::uint8_t>(255 * x / (width - 1)));
  const std::string path = temporary("ramp.png");
  EXPECT_TRUE(write_png(path, width, height, rgb).ok());
  return path;
}

Shape terrain(const std::string& path) {
  Shape shape;
  shape.kind = ShapeKind::height_field;
  shape.file = path;
  shape.size = {4, 2, 1};
  return shape;
}

TEST(HeightField, IsAClosedBlockOfTheRightVolume) {
  const auto mesh = height_field_mesh(terrain(ramp(52, 20)));
  ASSERT_TRUE(mesh.ok()) << mesh.error().message;
  EXPECT_TRUE(check_mesh(*mesh).empty());
  // A wedge of half the height on a base of a tenth of the extent.
  EXPECT_NEAR(mass_properties(*mesh, 1).volume, 4 * 2 * (0.5 + 0.4), 1e-3);
}

TEST(HeightField, DistanceFollowsTheSlope) {
  const auto field = make_distance_field(terrain(ramp(52, 20)), 0.1);
  ASSERT_TRUE(field.ok()) << field.error().message;
  // The surface is z = (x + 2) / 4; its normal is (-1, 0, 4) / sqrt(17).
  const DistanceSample s = (*field)->sample({0.f, 0.f, 0.6f});
  EXPECT_NEAR(s.distance, 0.1 * 4 / std::sqrt(17.0), 2e-3);
  EXPECT_NEAR(s.gradient.x, -1 / std::sqrt(17.0), 0.02);
  EXPECT_LT((*field)->sample({0.f, 0.f, 0.4f}).distance, 0);
}

TEST(HeightField, BadPicturesAreNamed) {
  const std::string junk = temporary("junk.png");
  std::ofstream(junk) << "no picture";
  for (const std::string& path : {junk, temporary("missing.png")}) {
    const auto mesh = height_field_mesh(terrain(path));
    ASSERT_FALSE(mesh.ok());
    EXPECT_NE(mesh.error().message.find(path), std::string::npos) << mesh.error().message;
  }
  const std::string good = ramp(40, 40), cut = temporary("cut.png");
  std::string bytes;
  {
    std::ifstream file(good, std::ios::binary);
    bytes.assign(std::istreambuf_iterator<char>(file), {});
  }
  std::ofstream(cut, std::ios::binary) << bytes.substr(0, bytes.size() / 2);
  EXPECT_FALSE(height_field_mesh(terrain(cut)).ok());
}

TEST(PngImage, SixteenBitValuesAreKept) {
  // A 2 x 1 grey picture of 16 bits, written by the reader's own library would prove little: these
  // bytes come from the PNG specification's layout (stored deflate block).
  const unsigned char bytes[] = {
      0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0x00, 0x00, 0x00, 0x0d, 0x49, 0x48, 0x44,
      0x52, 0x00, 0x00, 0x00, 0x02, 0x00, 0x00, 0x00, 0x01, 0x10, 0x00, 0x00, 0x00, 0x00, 0x81,
      0xd9, 0xfc, 0x15, 0x00, 0x00, 0x00, 0x10, 0x49, 0x44, 0x41, 0x54, 0x78, 0x01, 0x01, 0x05,
      0x00, 0xfa, 0xff, 0x00, 0x12, 0x34, 0xfe, 0xdc, 0x03, 0xc1, 0x02, 0x21, 0xe8, 0x1c, 0x1b,
      0x26, 0x00, 0x00, 0x00, 0x00, 0x49, 0x45, 0x4e, 0x44, 0xae, 0x42, 0x60, 0x82};
  const std::string path = temporary("deep.png");
  std::ofstream(path, std::ios::binary).write(reinterpret_cast<const char*>(bytes), sizeof bytes);
  const auto image = read_grey_png(path);
  ASSERT_TRUE(image.ok()) << image.error().message;
  EXPECT_EQ(image->pixels, (std::vector<std::uint16_t>{0x1234, 0xfedc}));
}

}  // namespace
}  // namespace talus
