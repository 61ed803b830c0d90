// A thin-lens camera: from a pixel and random numbers to a ray.
#pragma once

#include "render/picture.h"
#include "render/sampler.h"
#include "render/tracer.h"

#include <cmath>
#include <numbers>

namespace talus {

class CameraRays {
 public:
  CameraRays(const PictureCamera& camera, int width, int height)
      : width_(static_cast<float>(width)), height_(static_cast<float>(height)) {
    position_ = Vec3f(camera.position);
    const Vec3d forward = normalized(camera.target - camera.position);
    Vec3d side = cross(forward, normalized(camera.up));
    // Looking straight along `up`: any side will do.
    if (norm(side) < 1e-6) side = cross(forward, Vec3d{0.0, 1.0, 1e-3});
    side = normalized(side);
    forward_ = Vec3f(forward);
    right_ = Vec3f(side);
    up_ = Vec3f(cross(side, forward));
    half_width_ = static_cast<float>(18.0 / camera.focal_length_mm);
    focus_ = static_cast<float>(camera.focus_distance > 0 ? camera.focus_distance
                                                          : norm(camera.target - camera.position));
    if (camera.f_stop > 0)
      aperture_ = static_cast<float>(0.5e-3 * camera.focal_length_mm / camera.f_stop);
  }

  /// Always takes three pairs of random numbers, so that options do not change the noise.
  Ray ray(int x, int y, PixelSampler& sampler) const {
    const auto pixel = sampler.next2();
    const auto lens = sampler.next2();
    const float time = sampler.next1();
    const float px = (static_cast<float>(x) + 0.5f + tent(pixel[0])) / width_ * 2 - 1;
    const float py = 1 - (static_cast<float>(y) + 0.5f + tent(pixel[1])) / height_ * 2;
    const Vec3f through =
        forward_ + right_ * (px * half_width_) + up_ * (py * half_width_ * height_ / width_);
    const float r = aperture_ * std::sqrt(lens[0]);
    const float phi = 2 * std::numbers::pi_v<float> * lens[1];
    const Vec3f shift = right_ * (r * std::cos(phi)) + up_ * (r * std::sin(phi));
    return {position_ + shift, normalized(through * focus_ - shift), 0, 1e30f, time};
  }

  /// Where a world point falls on the picture, in pixels.
  std::array<float, 2> project(const Vec3f& p) const {
    const Vec3f d = p - position_;
    const float z = dot(d, forward_);
    return {(dot(d, right_) / (z * half_width_) + 1) * 0.5f * width_,
            (1 - dot(d, up_) / (z * half_width_) * width_ / height_) * 0.5f * height_};
  }

 private:
  /// Tent filter of 0.75 pixel: sharp, but free of stairs.
  static float tent(float u) {
    return 0.75f * (u < 0.5f ? std::sqrt(2 * u) - 1 : 1 - std::sqrt(2 * (1 - u)));
  }

  Vec3f position_, forward_, right_, up_;
  float width_, height_;
  float half_width_ = 0, focus_ = 1, aperture_ = 0;
};

}  // namespace talus
