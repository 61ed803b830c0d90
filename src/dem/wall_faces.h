// Surfaces of bodies as grains meet them. A hollow box or cylinder is cut into its faces, so that a
// grain in a corner touches each of them; all other smooth bodies are one face, by signed distance.
// Rough bodies (Longmore 2009, 4.4.4) are spheres on their surface, which enter the lists of pairs.
#pragma once

#include "bodies/body.h"
#include "core/parallel.h"
#include "dem/grains.h"
#include "scene/scene.h"

#include <cstdint>
#include <span>
#include <vector>

namespace talus::dem {

enum class FaceKind : std::uint8_t { plane, bore, field };

struct WallFace {
  std::uint32_t body = 0;
  FaceKind kind = FaceKind::field;
  Vec3d point{};      ///< body frame: on the plane, or on the bore's axis
  Vec3d normal{};     ///< body frame: of the plane, or along the bore's axis
  double radius = 0;  ///< m, of the bore
  // World frame, at the present step.
  Vec3d world_point{}, world_normal{};
};

struct RoughSphere {
  Vec3d at{};  ///< body frame
  float radius = 0;
  std::uint32_t body = 0;
};

struct WallDistance {
  double distance;  ///< m from a point to the surface; negative inside the solid
  Vec3f normal;     ///< out of the solid
};

class WallFaces {
 public:
  /// `smallest_radius`: of the spheres that will touch; sets the spacing on rough bodies.
  static Result<WallFaces> create(const Scene& scene, std::vector<Body>& bodies,
                                  double smallest_radius, const Executor& executor);

  const std::vector<WallFace>& faces() const { return faces_; }
  const std::vector<RoughSphere>& rough() const { return rough_; }
  /// Of rough bodies, whose spheres lie beneath: whoever keeps clear of these touches no sphere.
  const std::vector<WallFace>& smooth_of_rough() const { return smooth_of_rough_; }
  std::span<const Body> bodies() const { return bodies_; }
  bool moves(std::size_t body) const { return bodies_[body].motion != BodyMotion::fixed; }

  /// Takes the present poses of the bodies.
  void place();
  /// Distances of points (world) to a face. Residuals of the rounding to float are put back, so
  /// that overlaps of hard grains far from the origin are still resolved.
  void distances(const WallFace& face, std::span<const Vec3d> points,
                 std::span<WallDistance> out) const;
  /// True where a field only says "at least this far" although `needed` is farther.
  bool unsure(const WallFace& face, const WallDistance& d, const Vec3d& point, double needed) const;
  /// Records of rough spheres behind those of the grains: of bodies that move, at every step; of
  /// the others, which may have many more, when the records are made.
  void write_rough(const Grains& grains, double per_quantum, bool moving, Records& records) const;
  /// Of moving rough spheres and of bodies, behind those of the grains.
  void write_records(const Grains& grains, double per_quantum, std::size_t first_surface,
                     Records& records) const;
  /// Speed of the fastest point of a body near grains, m/s.
  double fastest(std::size_t body) const;

 private:
  void add_faces(std::uint32_t body, std::vector<WallFace>& faces) const;
  std::span<Body> bodies_;
  std::vector<WallFace> faces_, smooth_of_rough_;
  std::vector<RoughSphere> rough_;
};

}  // namespace talus::dem
