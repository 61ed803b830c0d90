// Takes the noise out of pictures with few samples, without smearing grains or shadows. Non-local
// means with known variance (Rousselle, Knaus & Zwicker 2012): a neighbour counts when the patch
// around it differs from ours by no more than the noise of both explains, and when it shows the
// same kind of surface (albedo, normal, distance). What is averaged is light divided by albedo, so
// the texture stays as sharp as it was. Deviation: patches are compared in luminance only.
#pragma once

#include "core/parallel.h"
#include "render/image.h"

#include <span>

namespace talus {

/// What the camera sees directly in a pixel, averaged over its samples.
struct PixelFeatures {
  Vec3f albedo{};
  Vec3f normal{};
  float depth = 0;
  float variance = 0;  ///< of the mean luminance of light / albedo
};

/// Light without the colour of the surface; remodulate() is its inverse.
inline Vec3f demodulate(const Vec3f& light, const Vec3f& albedo) {
  return {light.x / (albedo.x + 0.02f), light.y / (albedo.y + 0.02f), light.z / (albedo.z + 0.02f)};
}
inline Vec3f remodulate(const Vec3f& light, const Vec3f& albedo) {
  return {light.x * (albedo.x + 0.02f), light.y * (albedo.y + 0.02f), light.z * (albedo.z + 0.02f)};
}

Image denoise(const Image& image, std::span<const PixelFeatures> features,
              const Executor& executor);

}  // namespace talus
