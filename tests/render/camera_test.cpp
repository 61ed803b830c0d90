#include "core/random.h"
#include "render/auto_camera.h"
#include "render/camera_rays.h"
#include "scene/defaults.h"

#include <gtest/gtest.h>

namespace talus {
namespace {

std::vector<Vec3f> box_of_points(const Vec3f& size, int up) {
  std::vector<Vec3f> points;
  for (std::uint64_t i = 0; i < 3000; ++i) {
    const auto u = random_floats(4, i, Purpose::test);
    Vec3f p{(u[0] - 0.5f) * size.x, (u[1] - 0.5f) * size.y, u[2] * size.z};
    if (up == 1) p = {p.x, p.z, p.y};
    points.push_back(p);
  }
  return points;
}

FramingInput input_for(const std::vector<Vec3f>& points, int up) {
  FramingInput input;
  input.points = points;
  input.up = up == 1 ? Vec3f{0, 1, 0} : Vec3f{0, 0, 1};
  input.to_sun = normalized(Vec3f{0.45f, -0.55f, 0.7f});
  return input;
}

TEST(AutoCamera, SeesNearlyAllPointsAndFillsThePicture) {
  for (const int up : {1, 2}) {
    for (const Vec3f& size : {Vec3f{1, 1, 0.5f}, Vec3f{4, 0.5f, 0.5f}, Vec3f{0.1f, 0.1f, 1},
                              Vec3f{300, 200, 5}, Vec3f{1e-3f, 1e-3f, 1e-3f}}) {
      const auto points = box_of_points(size, up);
      const Framing framing = frame_action(input_for(points, up));
      const CameraRays rays(framing.camera, 1920, 1080);
      int inside = 0;
      float left = 1920, right = 0, top = 1080, bottom = 0;
      for (const Vec3f& p : points) {
        const auto q = rays.project(p);
        inside += q[0] > 0 && q[0] < 1920 && q[1] > 0 && q[1] < 1080 ? 1 : 0;
        left = std::min(left, q[0]);
        right = std::max(right, q[0]);
        top = std::min(top, q[1]);
        bottom = std::max(bottom, q[1]);
      }
      EXPECT_GT(inside, 2960) << size.x << ' ' << up;
      EXPECT_TRUE(right - left > 0.6f * 1920 || bottom - top > 0.5f * 1080) << size.x << ' ' << up;
      const Vec3d view = framing.camera.position - framing.camera.target;
      EXPECT_GT(view[up], 0) << "looks from above";
    }
  }
}

TEST(AutoCamera, LooksAcrossALongPile) {
  const auto points = box_of_points({6, 0.5f, 0.3f}, 2);
  const Framing framing = frame_action(input_for(points, 2));
  const Vec3d view = normalized(framing.camera.position - framing.camera.target);
  EXPECT_GT(std::abs(view.y), 0.7);
}

TEST(AutoCamera, IsNotLedAstrayByLostGrainsOrFarBodies) {
  auto points = box_of_points({1, 1, 0.5f}, 2);
  const Framing before = frame_action(input_for(points, 2));
  for (int i = 0; i < 10; ++i) points.push_back({1000, 0, -500});
  points.push_back({std::numeric_limits<float>::quiet_NaN(), 0, 0});
  const std::vector<Vec3f> anchors{{500, 0, 0}};
  FramingInput input = input_for(points, 2);
  input.anchors = anchors;
  const Framing after = frame_action(input);
  EXPECT_LT(norm(after.camera.position - before.camera.position), 0.3);
}

TEST(AutoCamera, IncludesABodyNearby) {
  const auto points = box_of_points({1, 1, 0.2f}, 2);
  const std::vector<Vec3f> anchors{{0, 0, 1.2f}};
  FramingInput input = input_for(points, 2);
  input.anchors = anchors;
  const Framing framing = frame_action(input);
  const auto q = CameraRays(framing.camera, 1920, 1080).project(anchors[0]);
  EXPECT_GT(q[1], 0);
  EXPECT_LT(q[1], 1080);
}

TEST(AutoCamera, HasAnAnswerForNothing) {
  const Framing framing = frame_action({});
  EXPECT_GT(norm(framing.camera.position - framing.camera.target), 0.1);
}

Camera key(const char* name, double time, const Vec3d& position) {
  Camera c = default_camera();
  c.name = name;
  c.time = time;
  c.position = position;
  return c;
}

TEST(SceneCamera, MovesSmoothlyThroughItsKeyframes) {
  Scene scene = default_scene();
  scene.cameras = {key("main", 0, {0, -4, 1}), key("main", 1, {1, -4, 1}),
                   key("main", 3, {3, -4, 1}), key("other", 0, {9, 9, 9})};
  const auto at = [&](double t) { return scene_camera(scene, "", t)->position.x; };
  EXPECT_EQ(at(-1), 0);
  EXPECT_EQ(at(0), 0);
  EXPECT_NEAR(at(1), 1, 1e-12);
  EXPECT_NEAR(at(2), 2, 1e-12);
  EXPECT_EQ(at(3), 3);
  EXPECT_EQ(at(99), 3);
  EXPECT_NEAR(at(1 + 1e-6) - at(1 - 1e-6), 2e-6, 1e-9);
  EXPECT_EQ(scene_camera(scene, "other", 5)->position.x, 9);
}

TEST(SceneCamera, NamesTheCamerasThereAre) {
  Scene scene = default_scene();
  scene.cameras = {key("main", 0, {0, -4, 1})};
  const auto camera = scene_camera(scene, "mian", 0);
  ASSERT_FALSE(camera.ok());
  EXPECT_EQ(camera.error().kind, ErrorKind::request);
  EXPECT_NE(camera.error().message.find("main"), std::string::npos);
}

}  // namespace
}  // namespace talus
