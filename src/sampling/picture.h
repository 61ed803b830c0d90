// Ray-cast pictures of a distance field and of particles on it, for `talus sample`.
#pragma once

#include "core/parallel.h"
#include "geometry/distance.h"

#include <cstdint>
#include <span>
#include <vector>

namespace talus {

struct Picture {
  int width = 0, height = 0;
  std::vector<std::uint8_t> rgb;
};

/// The body is drawn once; particles can then be laid over it again and again, for a film.
class FieldPicture {
 public:
  FieldPicture(const DistanceField& field, int width, int height, const Executor& executor);

  /// Particles as balls of this radius.
  Picture with_particles(std::span<const Vec3f> points, float radius) const;

 private:
  struct Pixel {
    Vec3f colour;
    float depth;
  };
  struct Hit {
    float depth;
    DistanceSample at;
  };

  void place_camera();
  Vec3f ray(float x, float y) const;
  Hit march(const Vec3f& from, const Vec3f& along, float start, float end) const;
  float openness(const Vec3f& p, const Vec3f& n) const;
  float sunlight(const Vec3f& p) const;
  Vec3f shade(const Vec3f& p, const Vec3f& n, const Vec3f& along, const Vec3f& albedo) const;
  Pixel trace(float x, float y) const;
  void draw_ball(const Vec3f& centre, float radius, std::vector<Pixel>& pixels) const;

  const DistanceField& field_;
  const Executor& executor_;
  int width_, height_;  ///< of the samples: twice the picture's
  Vec3f eye_{}, forward_{}, right_{}, up_{}, middle_{};
  float size_ = 0;   ///< half diagonal of the body
  float scale_ = 0;  ///< tan of half the view angle, per sample row
  std::vector<Pixel> body_;
};

/// The field on the middle plane across x: blue inside, amber outside, a line every `interval`.
Picture field_slice(const DistanceField& field, double interval, int width, int height,
                    const Executor& executor);

}  // namespace talus
