// Sphere tracing (Hart 1996): a ray may always advance by the distance at its tip. Light: a sun
// with soft shadows and a sky whose reach is read from the distance along the normal. Colours are
// linear until the end; two by two samples for each pixel.

#include "sampling/picture.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace talus {
namespace {

constexpr int oversampling = 2;
constexpr float nothing = std::numeric_limits<float>::infinity();
const Vec3f to_sun = normalized(Vec3f{-0.45f, -0.55f, 0.9f});
const Vec3f sun_colour{2.6f, 2.35f, 2.0f};
const Vec3f sky_colour{0.42f, 0.52f, 0.68f};
const Vec3f ground_colour{0.20f, 0.17f, 0.14f};
const Vec3f body_albedo{0.13f, 0.22f, 0.32f};
const Vec3f ball_albedo{0.75f, 0.48f, 0.20f};

Vec3f product(const Vec3f& a, const Vec3f& b) { return {a.x * b.x, a.y * b.y, a.z * b.z}; }

std::uint8_t to_byte(float linear) {
  const float mapped = linear / (1 + 0.25f * linear);  // rolls highlights off
  const float x = std::clamp(mapped, 0.f, 1.f);
  const float s = x <= 0.0031308f ? 12.92f * x : 1.055f * std::pow(x, 1 / 2.4f) - 0.055f;
  return static_cast<std::uint8_t>(std::lround(255 * s));
}

}  // namespace

FieldPicture::FieldPicture(const DistanceField& field, int width, int height,
                           const Executor& executor)
    : field_(field),
      executor_(executor),
      width_(width * oversampling),
      height_(height * oversampling) {
  place_camera();
  body_.resize(static_cast<std::size_t>(width_) * static_cast<std::size_t>(height_));
  executor_.run_chunks(static_cast<std::size_t>(height_), [&](std::size_t row) {
    for (int x = 0; x < width_; ++x)
      body_[row * static_cast<std::size_t>(width_) + static_cast<std::size_t>(x)] =
          trace(static_cast<float>(x) + 0.5f, static_cast<float>(row) + 0.5f);
  });
}

void FieldPicture::place_camera() {
  const Box3d b = field_.bounds();
  middle_ = Vec3f((b.lower + b.upper) * 0.5);
  size_ = static_cast<float>(norm(b.upper - b.lower) / 2);
  const Vec3f direction = normalized(Vec3f{0.62f, -1.0f, 0.58f});
  eye_ = middle_ + direction * (size_ * 2.9f);
  forward_ = -direction;
  right_ = normalized(cross(forward_, Vec3f{0, 0, 1}));
  up_ = cross(right_, forward_);
  // All corners of its box, and some room for the particles on them.
  constexpr float margin = 1.06f;
  scale_ = 0;
  for (int k = 0; k < 8; ++k) {
    const Vec3d corner{(k & 1) != 0 ? b.upper.x : b.lower.x, (k & 2) != 0 ? b.upper.y : b.lower.y,
                       (k & 4) != 0 ? b.upper.z : b.lower.z};
    const Vec3f seen = Vec3f(corner) - eye_;
    const float depth = dot(seen, forward_);
    const float x = std::abs(dot(seen, right_)) / (0.5f * static_cast<float>(width_) * depth);
    const float y = std::abs(dot(seen, up_)) / (0.5f * static_cast<float>(height_) * depth);
    scale_ = std::max({scale_, margin * x, margin * y});
  }
}

Vec3f FieldPicture::ray(float x, float y) const {
  const float sx = (x - 0.5f * static_cast<float>(width_)) * scale_;
  const float sy = (0.5f * static_cast<float>(height_) - y) * scale_;
  return normalized(forward_ + sx * right_ + sy * up_);
}

FieldPicture::Hit FieldPicture::march(const Vec3f& from, const Vec3f& along, float start,
                                      float end) const {
  const float close = 2e-4f * size_;  // beyond the band distances are rough: smaller steps there
  float t = start;
  for (int i = 0; i < 400 && t < end; ++i) {
    const DistanceSample s = field_.sample(from + t * along);
    const float d = std::abs(s.distance);
    if (d < close) return {t, s};
    t += d <= field_.band() ? 0.9f * d : std::max(0.9f * field_.band(), 0.6f * d);
  }
  return {nothing, {}};
}

/// Share of the sky that the point sees: distance grows like the way along the normal in the open.
float FieldPicture::openness(const Vec3f& p, const Vec3f& n) const {
  float blocked = 0, weight = 1;
  for (int i = 1; i <= 4; ++i) {
    const float h = 0.05f * size_ * static_cast<float>(i);
    blocked += weight * std::max(0.f, h - std::abs(field_.sample(p + h * n).distance)) / h;
    weight *= 0.6f;
  }
  return std::clamp(1 - 0.55f * blocked, 0.f, 1.f);
}

/// 1 in full sun; the narrowest passage beside the ray gives the half shadow.
float FieldPicture::sunlight(const Vec3f& p) const {
  float light = 1;
  for (float t = 0.01f * size_; t < 2 * size_;) {
    const float d = field_.sample(p + t * to_sun).distance;
    light = std::min(light, 0.5f + 8 * d / t);
    if (light <= 0) return 0;
    t += std::clamp(d, 0.02f * size_, 0.2f * size_);
  }
  return std::clamp(light, 0.f, 1.f);
}

Vec3f FieldPicture::shade(const Vec3f& p, const Vec3f& n, const Vec3f& along,
                          const Vec3f& albedo) const {
  const float facing = std::max(0.f, dot(n, to_sun));
  const float sun = facing > 0 ? facing * sunlight(p + n * (0.012f * size_)) : 0.f;
  const float up = 0.5f + 0.5f * n.z;
  const Vec3f sky = (sky_colour * up + ground_colour * (1 - up)) * openness(p, n);
  const Vec3f half = normalized(to_sun - along);
  const float gloss = 0.12f * sun * std::pow(std::max(0.f, dot(n, half)), 40.f);
  return product(albedo, sun_colour * sun + sky) + gloss * sun_colour;
}

FieldPicture::Pixel FieldPicture::trace(float x, float y) const {
  const Vec3f along = ray(x, y);
  const float near = size_ * 1.8f, far = size_ * 4.0f;
  // Rays that miss the ball around the body see the background.
  const Vec3f to_middle = middle_ - eye_;
  const float passing = squared_norm(to_middle) - dot(to_middle, along) * dot(to_middle, along);
  const Hit hit =
      passing < 1.02f * size_ * size_ ? march(eye_, along, near, far) : Hit{nothing, {}};
  if (hit.depth < nothing) {
    const Vec3f p = eye_ + hit.depth * along;
    // From the free side the gradient points to the eye; a container is seen from within.
    const Vec3f n = dot(hit.at.gradient, along) < 0 ? hit.at.gradient : -hit.at.gradient;
    return {shade(p, n, along, body_albedo), hit.depth};
  }
  const float v = y / static_cast<float>(height_);
  return {Vec3f{0.86f, 0.87f, 0.88f} * (0.95f - 0.45f * v), nothing};
}

void FieldPicture::draw_ball(const Vec3f& centre, float radius, std::vector<Pixel>& pixels) const {
  const Vec3f to = centre - eye_;
  const float depth = dot(to, forward_);
  const float sx = dot(to, right_) / (depth * scale_) + 0.5f * static_cast<float>(width_);
  const float sy = 0.5f * static_cast<float>(height_) - dot(to, up_) / (depth * scale_);
  const float extent = 1.3f * radius / (depth * scale_) + 1;
  const int x0 = std::max(0, static_cast<int>(sx - extent));
  const int x1 = std::min(width_ - 1, static_cast<int>(sx + extent));
  const int y0 = std::max(0, static_cast<int>(sy - extent));
  const int y1 = std::min(height_ - 1, static_cast<int>(sy + extent));
  for (int y = y0; y <= y1; ++y)
    for (int x = x0; x <= x1; ++x) {
      const Vec3f along = ray(static_cast<float>(x) + 0.5f, static_cast<float>(y) + 0.5f);
      const float b = dot(to, along);
      const float root = radius * radius - (squared_norm(to) - b * b);
      if (root < 0) continue;
      const float t = b - std::sqrt(root);
      Pixel& pixel = pixels[static_cast<std::size_t>(y) * static_cast<std::size_t>(width_) +
                            static_cast<std::size_t>(x)];
      if (t >= pixel.depth) continue;
      const Vec3f p = eye_ + t * along;
      const Vec3f n = (p - centre) / radius;
      const float facing = std::max(0.f, dot(n, to_sun));
      // The rim of a ball lies on the body and is dark there.
      const float lifted = std::clamp(field_.sample(p).distance / radius, 0.f, 1.f);
      const float up = 0.5f + 0.5f * n.z;
      const Vec3f sky = (sky_colour * up + ground_colour * (1 - up)) * (0.4f + 0.6f * lifted);
      pixel = {product(ball_albedo, sun_colour * (facing * (0.35f + 0.65f * lifted)) + sky), t};
    }
}

Picture FieldPicture::with_particles(std::span<const Vec3f> points, float radius) const {
  std::vector<Pixel> pixels = body_;
  for (const Vec3f& p : points) draw_ball(p, radius, pixels);
  Picture picture{width_ / oversampling, height_ / oversampling, {}};
  picture.rgb.resize(static_cast<std::size_t>(picture.width) *
                     static_cast<std::size_t>(picture.height) * 3);
  executor_.run_chunks(static_cast<std::size_t>(picture.height), [&](std::size_t row) {
    for (std::size_t x = 0; x < static_cast<std::size_t>(picture.width); ++x) {
      Vec3f sum{};
      for (std::size_t k = 0; k < oversampling * oversampling; ++k)
        sum += pixels[(row * oversampling + k / oversampling) * static_cast<std::size_t>(width_) +
                      x * oversampling + k % oversampling]
                   .colour;
      const Vec3f mean = sum / static_cast<float>(oversampling * oversampling);
      std::uint8_t* out =
          picture.rgb.data() + (row * static_cast<std::size_t>(picture.width) + x) * 3;
      for (int c = 0; c < 3; ++c) out[c] = to_byte(mean[c]);
    }
  });
  return picture;
}

Picture field_slice(const DistanceField& field, double interval, int width, int height,
                    const Executor& executor) {
  const Box3d b = field.bounds();
  const Vec3d middle = (b.lower + b.upper) * 0.5, extent = b.upper - b.lower;
  const double pixel = 1.25 * std::max(extent.y / width, extent.z / height);
  Picture picture{width, height, {}};
  picture.rgb.resize(static_cast<std::size_t>(width) * static_cast<std::size_t>(height) * 3);
  executor.run_chunks(static_cast<std::size_t>(height), [&](std::size_t row) {
    for (std::size_t x = 0; x < static_cast<std::size_t>(width); ++x) {
      const double across = (static_cast<double>(x) + 0.5 - 0.5 * width) * pixel;
      const double above = (0.5 * height - static_cast<double>(row) - 0.5) * pixel;
      const float d = field.sample(Vec3f(middle + Vec3d{0, across, above})).distance;
      const float level = std::abs(d) / static_cast<float>(interval);
      const float strength = std::exp(-0.12f * level);
      Vec3f colour = d < 0 ? Vec3f{0.10f, 0.22f, 0.45f} : Vec3f{0.80f, 0.52f, 0.22f};
      colour = colour * strength + Vec3f{0.88f, 0.88f, 0.86f} * (1 - strength);
      // Lines a pixel and a half wide; the surface itself twice that, in white.
      const float per_pixel = static_cast<float>(pixel / interval);
      const float to_line = std::abs(level - std::round(level)) / per_pixel;
      const float line = std::clamp(1.25f - to_line, 0.f, 1.f);
      const float surface = std::clamp(2.5f - level / per_pixel, 0.f, 1.f);
      colour = colour * (1 - 0.4f * line * strength);
      colour = colour * (1 - surface) + Vec3f{1.3f, 1.3f, 1.3f} * surface;
      std::uint8_t* out = picture.rgb.data() + (row * static_cast<std::size_t>(width) + x) * 3;
      for (int c = 0; c < 3; ++c) out[c] = to_byte(colour[c]);
    }
  });
  return picture;
}

}  // namespace talus
