#include "render/denoise.h"

#include "render/lighting.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace talus {

namespace {

constexpr int window = 4;          ///< neighbours up to so many pixels away
constexpr float strength = 0.55f;  ///< k of the paper: larger smooths more

/// Luminance with its variance, in rows like the picture.
struct Plane {
  int width, height;
  std::vector<float> value, variance;

  std::size_t at(int x, int y) const {
    return static_cast<std::size_t>(std::clamp(y, 0, height - 1)) * width +
           static_cast<std::size_t>(std::clamp(x, 0, width - 1));
  }
};

/// A few samples estimate their variance badly; their neighbourhood does better.
std::vector<float> smooth_variance(const Plane& p, const Executor& executor) {
  std::vector<float> out(p.variance.size());
  executor.for_range(static_cast<std::size_t>(p.height), 8, [&](std::size_t a, std::size_t b) {
    for (int y = static_cast<int>(a); y < static_cast<int>(b); ++y)
      for (int x = 0; x < p.width; ++x) {
        float sum = 0;
        for (int dy = -1; dy <= 1; ++dy)
          for (int dx = -1; dx <= 1; ++dx) sum += p.variance[p.at(x + dx, y + dy)];
        out[p.at(x, y)] = sum / 9;
      }
  });
  return out;
}

float patch_distance(const Plane& p, int x, int y, int u, int v) {
  float sum = 0;
  for (int dy = -1; dy <= 1; ++dy) {
    for (int dx = -1; dx <= 1; ++dx) {
      const std::size_t i = p.at(x + dx, y + dy), j = p.at(u + dx, v + dy);
      const float difference = p.value[i] - p.value[j];
      const float noise = p.variance[i] + std::min(p.variance[i], p.variance[j]);
      sum += (difference * difference - noise) /
             (1e-7f + strength * strength * (p.variance[i] + p.variance[j]));
    }
  }
  return std::max(0.0f, sum / 9);
}

float feature_distance(const PixelFeatures& a, const PixelFeatures& b) {
  const float depth = (a.depth - b.depth) / (0.01f * a.depth + 1e-6f);
  return depth * depth + squared_norm(a.normal - b.normal) / 0.06f +
         squared_norm(a.albedo - b.albedo) / 0.02f;
}

}  // namespace

Image denoise(const Image& image, std::span<const PixelFeatures> features,
              const Executor& executor) {
  const std::size_t n = image.pixels.size();
  Image light(image.width, image.height);
  Plane plane{image.width, image.height, std::vector<float>(n), std::vector<float>(n)};
  for (std::size_t i = 0; i < n; ++i) {
    light.pixels[i] = demodulate(image.pixels[i], features[i].albedo);
    plane.value[i] = luminance(light.pixels[i]);
    plane.variance[i] = features[i].variance;
  }
  plane.variance = smooth_variance(plane, executor);

  Image out(image.width, image.height);
  executor.for_range(static_cast<std::size_t>(image.height), 4, [&](std::size_t a, std::size_t b) {
    for (int y = static_cast<int>(a); y < static_cast<int>(b); ++y) {
      for (int x = 0; x < image.width; ++x) {
        const std::size_t here = plane.at(x, y);
        Vec3f sum = light.pixels[here];
        float total = 1;
        for (int v = std::max(0, y - window); v <= std::min(image.height - 1, y + window); ++v) {
          for (int u = std::max(0, x - window); u <= std::min(image.width - 1, x + window); ++u) {
            if (u == x && v == y) continue;
            const float surface = feature_distance(features[here], features[plane.at(u, v)]);
            if (surface > 5) continue;
            const float distance = std::max(surface, patch_distance(plane, x, y, u, v));
            const float weight = std::exp(-distance);
            sum += light.at(u, v) * weight;
            total += weight;
          }
        }
        out.pixels[here] = remodulate(sum / total, features[here].albedo);
      }
    }
  });
  return out;
}

}  // namespace talus
