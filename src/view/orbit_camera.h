// A camera that turns about what it looks at, as in every modelling program: orbit, pan, zoom.
#pragma once

#include "math/vec.h"
#include "render/picture.h"
#include "view/matrix.h"

namespace talus::view {

struct ViewRay {
  Vec3d origin{}, direction{};  ///< direction of length 1
};

class OrbitCamera {
 public:
  OrbitCamera() : OrbitCamera(PictureCamera{}) {}
  explicit OrbitCamera(const PictureCamera& start);

  /// Angles in rad; the camera stops short of looking straight along `up`.
  void orbit(double azimuth, double elevation);
  /// Moves sideways by parts of the picture's height: 1 moves what is at the target's distance by
  /// the whole height.
  void pan(double right, double up, double aspect);
  /// Above 1 comes closer.
  void zoom(double factor);
  void look_at(const Vec3d& target) { target_ = target; }

  Vec3d position() const { return target_ - forward() * distance_; }
  Vec3d target() const { return target_; }
  Vec3d up_axis() const { return up_; }
  Vec3d forward() const;
  Vec3d right() const;
  Vec3d up() const { return cross(right(), forward()); }
  double distance() const { return distance_; }
  double focal_length_mm() const { return focal_length_mm_; }
  void set_focal_length_mm(double value) { focal_length_mm_ = value; }
  /// Tangent of half the angle of view; `aspect` = width / height.
  double half_width() const { return 18 / focal_length_mm_; }
  double half_height(double aspect) const { return half_width() / aspect; }

  Mat4 view() const { return look_along(position(), right(), up(), forward()); }
  /// Through a point of the picture: x and y from 0 (left, top) to 1.
  ViewRay ray(double x, double y, double aspect) const;

 private:
  Vec3d up_{0, 0, 1}, east_{1, 0, 0}, north_{0, 1, 0};
  Vec3d target_{};
  double azimuth_ = 0, elevation_ = 0;  ///< rad, of the way from the target to the camera
  double distance_ = 1;
  double focal_length_mm_ = 50;
};

}  // namespace talus::view
