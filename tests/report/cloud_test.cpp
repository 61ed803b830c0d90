// Thinning, rounding and packing of the particles of a report.
#include "report/cloud.h"

#include "core/random.h"
#include "report/decode.h"

#include <cmath>
#include <gtest/gtest.h>

namespace talus::report {
namespace {

std::vector<std::uint8_t> bytes_of(const std::vector<std::byte>& bytes) {
  const auto* data = reinterpret_cast<const std::uint8_t*>(bytes.data());
  return {data, data + bytes.size()};
}

TEST(ReportCloud, SpreadsEvenlyFromTheFirstToTheLast) {
  EXPECT_EQ(spread_evenly(3, 10), (std::vector<std::size_t>{0, 1, 2}));
  EXPECT_EQ(spread_evenly(11, 3), (std::vector<std::size_t>{0, 5, 10}));
  EXPECT_EQ(spread_evenly(9, 1), (std::vector<std::size_t>{8}));
  EXPECT_TRUE(spread_evenly(0, 5).empty());
  const auto many = spread_evenly(1'000'003, 100);
  ASSERT_EQ(many.size(), 100u);
  for (std::size_t i = 1; i < many.size(); ++i)
    EXPECT_NEAR(double(many[i] - many[i - 1]), 10101, 1);
}

TEST(ReportCloud, TakesAShareOfTheIdsAndAllOfFew) {
  const IdFilter all(500, 500, 1000);
  for (std::uint64_t id = 0; id < 500; ++id) EXPECT_TRUE(all.takes(id));
  const IdFilter some(1'000'000, 1'000'000, 40'000);
  std::size_t taken = 0, of_first = 0;
  for (std::uint64_t id = 0; id < 1'000'000; ++id) {
    taken += some.takes(id);
    of_first += id < 1000 && some.takes(id);
  }
  EXPECT_NEAR(static_cast<double>(taken), 40'000, 1000);
  EXPECT_NEAR(static_cast<double>(of_first), 40, 25) << "ids near each other are alike";
  // Few at a time, but many over the run: what the player must remember stays bounded.
  EXPECT_DOUBLE_EQ(IdFilter(10'000, 8'000'000, 40'000).share(), 0.01);
}

TEST(ReportCloud, PlacesAreKeptToHalfAStep) {
  std::vector<Vec3f> points;
  for (std::uint64_t i = 0; i < 5000; ++i) {
    const auto u = random_floats(1, i, Purpose::test);
    points.push_back({4 * u[0] - 2, u[1], 0.3f * u[2] + 7});
  }
  points.push_back({1000, 0, 0});  // one that flew off must not spoil the others
  const PlaceGrid grid = grid_around(points, 0.01);
  EXPECT_LE(grid.step, 0.0002 + 1e-12);
  for (std::size_t i = 0; i + 1 < points.size(); ++i) {
    const auto code = grid.code(points[i]);
    ASSERT_TRUE(code) << i;
    const Vec3d back = grid.place(*code);
    for (int axis = 0; axis < 3; ++axis)
      EXPECT_LE(std::abs(back[axis] - double{points[i][axis]}), 0.501 * grid.step);
  }
  EXPECT_FALSE(grid.code(points.back()));
  EXPECT_FALSE(grid.code({NAN, 0, 0}));
}

TEST(ReportCloud, AGridHasASizeForAnyPoints) {
  for (const std::vector<Vec3f>& points :
       {std::vector<Vec3f>{}, std::vector<Vec3f>{{1, 1, 1}}, std::vector<Vec3f>{{NAN, 0, 0}}}) {
    const PlaceGrid grid = grid_around(points, 0);
    EXPECT_GT(grid.step, 0);
    EXPECT_TRUE(std::isfinite(grid.lower.x));
  }
}

TEST(ReportCloud, SpeedsAreKeptToThreePercent) {
  EXPECT_EQ(speed_code(0), 0);
  EXPECT_EQ(speed_code(NAN), 0);
  EXPECT_EQ(speed_code(INFINITY), 254);
  for (float speed = 2e-4f; speed < 200; speed *= 1.07f)
    EXPECT_NEAR(speed_of(speed_code(speed)) / speed, 1, 0.03) << speed;
  EXPECT_LT(speed_code(1e9f), absent_speed);
}

CloudSphere sphere(std::uint64_t id, Vec3f at, float speed = 1) {
  return {id, at, 0.5f, speed, PaintedGrain{1, 2, 3, 0}};
}

TEST(ReportCloud, FramesAreReadBack) {
  const PlaceGrid grid{{-1, -1, -1}, 1e-4};
  CloudEncoder encoder(grid);
  test::DecodedCloud decoded;
  decoded.add(bytes_of(encoder.encode(std::vector{sphere(7, {0, 0, 0}), sphere(9, {1, 2, 3}, 0)})));
  ASSERT_EQ(decoded.places.size(), 2u);
  EXPECT_NEAR(grid.place(decoded.places[1]).z, 3, 1e-4);
  EXPECT_EQ(decoded.speeds[1], 0);
  // 7 has gone, 9 moved down, 8 is new and stands behind them.
  decoded.add(
      bytes_of(encoder.encode(std::vector{sphere(8, {-0.5f, 0, 5.5f}), sphere(9, {1, 2, -0.5f})})));
  ASSERT_EQ(decoded.places.size(), 3u);
  EXPECT_FALSE(decoded.there(0));
  EXPECT_TRUE(decoded.there(1) && decoded.there(2));
  EXPECT_NEAR(grid.place(decoded.places[1]).z, -0.5, 1e-4);
  EXPECT_NEAR(grid.place(decoded.places[2]).z, 5.5, 1e-4);
  // Outside of the grid: not there. And 7 is back in its place.
  decoded.add(bytes_of(encoder.encode(std::vector{sphere(7, {2, 2, 2}), sphere(8, {99, 0, 0})})));
  ASSERT_EQ(decoded.places.size(), 3u);
  EXPECT_TRUE(decoded.there(0) && !decoded.there(1) && !decoded.there(2));
  EXPECT_NEAR(grid.place(decoded.places[0]).x, 2, 1e-4);
  EXPECT_EQ(encoder.radii(), (std::vector<float>{0.5f, 0.5f, 0.5f}));
  EXPECT_EQ(encoder.paint().size(), 9u);
}

TEST(ReportCloud, SpheresOfOneGrainKeepTheirOrder) {
  const PlaceGrid grid{{}, 1e-3};
  CloudEncoder encoder(grid);
  test::DecodedCloud decoded;
  for (const float x : {1.0f, 2.0f}) {
    const std::vector<CloudSphere> grains{sphere(3, {x, 1, 0}), sphere(3, {x, 2, 0}),
                                          sphere(4, {x, 3, 0}), sphere(4, {x, 4, 0})};
    decoded.add(bytes_of(encoder.encode(grains)));
    ASSERT_EQ(decoded.places.size(), 4u);
    for (std::size_t i = 0; i < 4; ++i)
      EXPECT_NEAR(grid.place(decoded.places[i]).y, static_cast<double>(i + 1), 1e-3);
  }
  // A third sphere of a grain that had two finds no room; nothing else is harmed.
  decoded.add(bytes_of(encoder.encode(
      std::vector{sphere(3, {0, 1, 0}), sphere(3, {0, 2, 0}), sphere(3, {0, 9, 0})})));
  EXPECT_EQ(decoded.places.size(), 4u);
}

TEST(ReportCloud, RestingSandCostsNothing) {
  std::vector<CloudSphere> spheres;
  for (std::uint64_t i = 0; i < 20'000; ++i) {
    const auto u = random_floats(2, i, Purpose::test);
    spheres.push_back(sphere(i, {u[0], u[1], u[2]}, 0));
  }
  CloudEncoder encoder({{}, 1e-4});
  const auto first = packed_text(encoder.encode(spheres));
  const auto second = packed_text(encoder.encode(spheres));
  ASSERT_TRUE(first && second);
  EXPECT_GT(first->size(), 60'000u);
  EXPECT_LT(second->size(), 1000u);
  EXPECT_EQ(test::unpacked(*second), std::vector<std::uint8_t>(140'000, 0));
}

TEST(ReportCloud, Base64IsTheUsualOne) {
  const auto text = [](std::string_view s) { return base64(std::as_bytes(std::span(s))); };
  EXPECT_EQ(text(""), "");
  EXPECT_EQ(text("f"), "Zg==");
  EXPECT_EQ(text("fo"), "Zm8=");
  EXPECT_EQ(text("foo"), "Zm9v");
  EXPECT_EQ(text("foobar"), "Zm9vYmFy");
  EXPECT_EQ(text("\xff\xfe\xfd"), "//79");
}

}  // namespace
}  // namespace talus::report
