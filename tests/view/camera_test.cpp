#include "view/orbit_camera.h"

#include <gtest/gtest.h>
#include <numbers>

namespace talus::view {
namespace {

using std::numbers::pi;

OrbitCamera camera_at(const Vec3d& position, const Vec3d& up = {0, 0, 1}) {
  PictureCamera start;
  start.position = position;
  start.target = {1, 2, 3};
  start.up = up;
  return OrbitCamera(start);
}

void expect_near(const Vec3d& a, const Vec3d& b, double tolerance = 1e-9) {
  EXPECT_LT(norm(a - b), tolerance)
      << a.x << " " << a.y << " " << a.z << " instead of " << b.x << " " << b.y << " " << b.z;
}

TEST(OrbitCamera, StartsWhereItWasPut) {
  for (const Vec3d up : {Vec3d{0, 0, 1}, Vec3d{0, 1, 0}, Vec3d{1, 0, 0}}) {
    const OrbitCamera camera = camera_at({4, -2, 5}, up);
    expect_near(camera.position(), {4, -2, 5}, 1e-6);
    expect_near(camera.target(), {1, 2, 3});
    EXPECT_NEAR(dot(camera.right(), up), 0, 1e-9) << "the horizon is level";
    EXPECT_GT(dot(camera.up(), up), 0);
  }
}

TEST(OrbitCamera, OrbitKeepsTheDistanceAndStopsAtThePole) {
  OrbitCamera camera = camera_at({4, 2, 3});
  const double distance = camera.distance();
  camera.orbit(pi / 2, 0);
  expect_near(camera.position(), {1, 5, 3}, 1e-6);
  camera.orbit(0, 100);
  EXPECT_NEAR(norm(camera.position() - camera.target()), distance, 1e-9);
  EXPECT_GT(camera.position().z, 5.99);
  EXPECT_GT(norm(cross(camera.forward(), Vec3d{0, 0, 1})), 1e-3) << "a level axis is left";
  camera.orbit(0, -200);
  EXPECT_LT(camera.position().z, 0.01);
}

TEST(OrbitCamera, PanMovesTheTargetByPartsOfThePicture) {
  OrbitCamera camera = camera_at({1, -8, 3});
  const Vec3d before = camera.target();
  camera.pan(0.5, 0, 2);
  const double height = 2 * camera.distance() * camera.half_height(2);
  expect_near(camera.target(), before + Vec3d{0.5 * height, 0, 0}, 1e-6);
}

TEST(OrbitCamera, ZoomHasLimits) {
  OrbitCamera camera = camera_at({1, -8, 3});
  camera.zoom(2);
  EXPECT_NEAR(camera.distance(), 5, 1e-9);
  camera.zoom(0);  // ignored
  camera.zoom(-1);
  EXPECT_NEAR(camera.distance(), 5, 1e-9);
  for (int i = 0; i < 200; ++i) camera.zoom(2);
  EXPECT_GT(camera.distance(), 0);
}

TEST(OrbitCamera, RaysAndMatricesAgree) {
  OrbitCamera camera = camera_at({5, -7, 6});
  constexpr double aspect = 1.6;
  const Mat4 projection = perspective(static_cast<float>(camera.half_width()),
                                      static_cast<float>(camera.half_height(aspect)), 0.1f, 100);
  for (const double x : {0.1, 0.5, 0.8})
    for (const double y : {0.2, 0.5, 0.9}) {
      const ViewRay ray = camera.ray(x, y, aspect);
      const Vec3f eye = transform(camera.view(), Vec3f(ray.origin + ray.direction * 7));
      EXPECT_LT(eye.z, 0);
      EXPECT_NEAR(eye.x * projection.at(0, 0) / -eye.z, 2 * x - 1, 1e-4);
      EXPECT_NEAR(eye.y * projection.at(1, 1) / -eye.z, 1 - 2 * y, 1e-4);
    }
}

TEST(Matrices, PerspectiveMapsNearAndFarToTheEnds) {
  const Mat4 p = perspective(1, 1, 0.5f, 20);
  const auto depth = [&](float z) { return (p.at(2, 2) * z + p.at(2, 3)) / -z; };
  EXPECT_NEAR(depth(-0.5f), -1, 1e-5);
  EXPECT_NEAR(depth(-20), 1, 1e-5);
  const Mat4 o = orthographic(3, 1, 9);
  EXPECT_NEAR(transform(o, {3, -3, -1}).x, 1, 1e-6);
  EXPECT_NEAR(transform(o, {3, -3, -1}).z, -1, 1e-6);
  EXPECT_NEAR(transform(o, {0, 0, -9}).z, 1, 1e-6);
}

}  // namespace
}  // namespace talus::view
