// Who is near whom: keeps the particles sorted, makes the j-only extras (images across periodic
// faces, boundary particles of bodies), and lists pairs. Lists reach a skin further than the kernel
// and are kept until somebody has moved half of it. The positions they were made from are a field
// of the store, and the poses of the bodies go into checkpoints, so that a resumed run makes the
// same lists.
#pragma once

#include "bodies/body.h"
#include "core/array.h"
#include "core/parallel.h"
#include "geometry/cell_grid.h"
#include "geometry/cluster_pairs.h"
#include "particles/store.h"
#include "scene/scene.h"

#include <algorithm>
#include <array>
#include <vector>

namespace talus::sph {

/// Evenly spaced particles on the surface of a body, Ihmsen 2013 section 3.3.
struct BoundaryParticles {
  std::uint32_t body = 0;
  std::vector<Vec3f> local;   ///< body frame
  std::vector<float> volume;  ///< V_b = 1/sum_k W_bk, m^3 (NUMERICS: number density, not mass)
  double arm = 0;             ///< m, of the one that is farthest from the origin of the body
};

struct PeriodicBox {
  std::array<bool, 3> axis{};
  Vec3f lower{}, upper{};
  bool any() const { return axis[0] || axis[1] || axis[2]; }
};

class Neighbourhood {
 public:
  Neighbourhood(float support, float skin, float rest_volume, PeriodicBox box)
      : reach_(support * (1 + skin)),
        slack_(0.5f * support * skin),
        rest_volume_(rest_volume),
        largest_volume_(rest_volume),
        box_(box) {}

  void add_boundary(BoundaryParticles particles) {
    for (const float v : particles.volume) largest_volume_ = max(largest_volume_, v);
    for (const Vec3f& p : particles.local) particles.arm = std::max(particles.arm, norm(Vec3d(p)));
    boundary_.push_back(std::move(particles));
  }
  const std::vector<BoundaryParticles>& boundary() const { return boundary_; }

  /// Somebody was added, removed or loaded.
  void invalidate() { valid_ = false; }
  bool valid() const { return valid_; }
  /// Of the bodies, when lists were made.
  std::span<const Posed> listed_poses() const { return listed_poses_; }

  /// Sorts the store and lists pairs if the old lists no longer cover the kernel; tells whether.
  bool update(ParticleStore& store, Field<Vec3f> x, Field<Vec3f> listed,
              std::span<const Body> bodies, const Executor& executor);
  /// Makes the lists that a checkpoint was taken with, from their stored positions and poses.
  void restore(ParticleStore& store, Field<Vec3f> listed, std::vector<Posed> poses,
               const Executor& executor);

  /// Puts x and V0/largest_volume() of everybody, and the velocity of boundary particles, at the
  /// present instant.
  void place(std::span<const Vec3f> x, std::span<const Body> bodies, ScratchArray<Float4>& position,
             ScratchArray<Float4>& velocity, const Executor& executor) const;

  /// Copies a per-particle array to the periodic images.
  template <class T>
  void mirror(ScratchArray<T>& values) const {
    for (std::size_t e = 0; e < extras_.size(); ++e)
      if (extras_[e].body < 0) values[padded_ + e] = values[extras_[e].source];
  }

  std::size_t padded() const { return padded_; }  ///< particles, rounded up to whole clusters
  std::size_t total() const { return padded_ + extras_.size(); }
  ClusterPairs& pairs() { return pairs_; }
  const ClusterPairs& pairs() const { return pairs_; }
  const PeriodicBox& box() const { return box_; }
  float largest_volume() const { return largest_volume_; }  ///< m^3, of particles and boundary
  float slack() const { return slack_; }
  /// Body of the extra with index j >= padded(), or -1 for an image.
  std::int32_t body_of(std::uint32_t j) const { return extras_[j - padded_].body; }
  /// The particle that j is or is an image of; -1 for boundary particles.
  std::int64_t particle_of(std::uint32_t j) const {
    if (j < padded_) return j;
    const Extra& extra = extras_[j - padded_];
    return extra.body < 0 ? std::int64_t{extra.source} : -1;
  }
  std::size_t memory_bytes() const;

 private:
  struct Extra {
    std::int32_t body;     ///< -1: periodic image
    std::uint32_t source;  ///< particle, or index into the body's boundary particles
    Vec3f shift;           ///< of an image; local position of a boundary particle
    float volume;
  };

  bool expired(const ParticleStore& store, Field<Vec3f> x, Field<Vec3f> listed,
               std::span<const Body> bodies, const Executor& executor) const;
  bool boundary_moved(std::span<const Body> bodies) const;
  void list(std::span<const Vec3f> x, const Executor& executor);
  void collect_images(std::span<const Vec3f> x);
  void collect_boundary();

  float reach_, slack_, rest_volume_, largest_volume_;
  PeriodicBox box_;
  bool valid_ = false;
  std::size_t padded_ = 0;
  CellGrid grid_, extra_grid_;
  ClusterPairs pairs_;
  std::vector<Extra> extras_, unsorted_;
  std::vector<Vec3f> extra_position_;
  ScratchArray<Float4> listed_points_;
  std::vector<BoundaryParticles> boundary_;
  std::vector<Posed> listed_poses_;
};

}  // namespace talus::sph
