// Signed distance to a mesh, interpolated in a narrow band of voxels.
#pragma once

#include "geometry/distance.h"
#include "geometry/distance_blocks.h"

#include <memory>
#include <string>

namespace talus {

struct MeshFieldOptions {
  double voxel = 0;  ///< m
  double band = 0;   ///< m, distances are interpolated up to here
  std::string
      cache_folder;  ///< fields are kept here under a hash of their content; empty = nowhere
  bool inside_out = false;
};

class MeshField final : public DistanceField {
 public:
  /// The mesh must be a repaired solid (geometry/mesh.h).
  static Result<std::shared_ptr<const MeshField>> create(Mesh mesh,
                                                         const MeshFieldOptions& options);

  using DistanceField::sample;
  void sample(std::span<const Vec3f> points, std::span<DistanceSample> out) const override;
  void project(std::span<Vec3f> points) const override;
  Box3d bounds() const override { return bounds_; }
  float band() const override { return static_cast<float>(blocks_.band); }

  const Mesh& mesh() const { return tree_->mesh(); }
  const TriangleTree& tree() const { return *tree_; }
  const DistanceBlocks& blocks() const { return blocks_; }
  bool came_from_cache() const { return from_cache_; }

 private:
  DistanceSample in_band(const Vec3f& p) const;
  void sample_batch(const Vec3f* points, int count, DistanceSample* out) const;
  DistanceSample beyond_band(const Vec3f& p) const;

  std::shared_ptr<const TriangleTree> tree_;
  DistanceBlocks blocks_;
  Box3d bounds_;
  Vec3f origin_{}, cells_{};
  float per_voxel_ = 0;
  float sign_ = 1;
  bool from_cache_ = false;
};

/// $TALUS_CACHE, else $XDG_CACHE_HOME/talus, else ~/.cache/talus. An empty $TALUS_CACHE: no cache.
std::string default_cache_folder();

/// Voxel and band for a mesh in which `resolution` (the particle spacing) matters; refuses a band
/// that would not fit into memory.
Result<MeshFieldOptions> choose_voxels(const Mesh& mesh, double resolution);

}  // namespace talus
