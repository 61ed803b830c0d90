#include "view/orbit_camera.h"

#include "render/lighting.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace talus::view {

namespace {
constexpr double steepest = 0.497 * std::numbers::pi;
constexpr double nearest = 1e-4, farthest = 1e6;  // m
}  // namespace

OrbitCamera::OrbitCamera(const PictureCamera& start)
    : target_(start.target), focal_length_mm_(start.focal_length_mm) {
  up_ = normalized(start.up);
  Vec3f east, north;
  tangent_frame(Vec3f(up_), east, north);
  east_ = Vec3d(east);
  north_ = Vec3d(north);
  const Vec3d back = start.position - start.target;
  distance_ = std::clamp(norm(back), nearest, farthest);
  const Vec3d direction = normalized(back);
  elevation_ = std::clamp(std::asin(std::clamp(dot(direction, up_), -1.0, 1.0)), -steepest, steepest);
  azimuth_ = std::atan2(dot(direction, north_), dot(direction, east_));
}

Vec3d OrbitCamera::forward() const {
  const double level = std::cos(elevation_);
  return -(east_ * (level * std::cos(azimuth_)) + north_ * (level * std::sin(azimuth_)) +
           up_ * std::sin(elevation_));
}

Vec3d OrbitCamera::right() const {
  return north_ * std::cos(azimuth_) - east_ * std::sin(azimuth_);
}

void OrbitCamera::orbit(double azimuth, double elevation) {
  azimuth_ = std::remainder(azimuth_ + azimuth, 2 * std::numbers::pi);
  elevation_ = std::clamp(elevation_ + elevation, -steepest, steepest);
}

void OrbitCamera::pan(double right_part, double up_part, double aspect) {
  const double height = 2 * distance_ * half_height(aspect);
  target_ += right() * (right_part * height) + up() * (up_part * height);
}

void OrbitCamera::zoom(double factor) {
  if (factor > 0) distance_ = std::clamp(distance_ / factor, nearest, farthest);
}

ViewRay OrbitCamera::ray(double x, double y, double aspect) const {
  const Vec3d through = forward() + right() * ((2 * x - 1) * half_width()) +
                        up() * ((1 - 2 * y) * half_height(aspect));
  return {position(), normalized(through)};
}

}  // namespace talus::view
