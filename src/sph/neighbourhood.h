// Who is near whom: keeps the particles sorted, makes the j-only extras (images across periodic
// faces, boundary particles of bodies), and lists pairs. Lists reach a skin further than the kernel
// and are kept until it is used up (sph/wear.h), group by group; where images are, all of them.
//
// Lists are a mere cache: who is within the kernel is found in any of them in the same order, so
// they leave no trace in the results. What does is the order of the particles. When they are sorted
// depends on what a checkpoint holds, so that a resumed run sorts in the same steps.
#pragma once

#include "bodies/body.h"
#include "core/array.h"
#include "core/parallel.h"
#include "geometry/cell_grid.h"
#include "geometry/cluster_pairs.h"
#include "particles/state.h"
#include "particles/store.h"
#include "scene/scene.h"
#include "sph/wear.h"

#include <algorithm>
#include <array>
#include <tuple>
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

/// What an update made anew.
enum class Listing { none, some, all };

class Neighbourhood {
 public:
  /// Where everybody is, and how fast extras are: working arrays that others read.
  struct Placed {
    ScratchArray<Float4>& position;  ///< w = V0/largest_volume()
    ScratchArray<Float4>& velocity;
  };

  Neighbourhood(float support, float skin, float rest_volume, PeriodicBox box)
      : support_(support),
        reach_(support * (1 + skin)),
        slack_(0.5f * support * skin),
        rest_volume_(rest_volume),
        largest_volume_(rest_volume),
        box_(box),
        wear_(support * skin, reach_) {}

  void add_boundary(BoundaryParticles particles) {
    for (const float v : particles.volume) largest_volume_ = max(largest_volume_, v);
    for (const Vec3f& p : particles.local) particles.arm = std::max(particles.arm, norm(Vec3d(p)));
    boundary_.push_back(std::move(particles));
  }
  const std::vector<BoundaryParticles>& boundary() const { return boundary_; }

  /// Somebody was removed or loaded, or bodies have come. Who is added behind the others is seen.
  void invalidate() { valid_ = false; }

  /// Places everybody at the present instant and makes lists that no longer cover the kernel;
  /// sorts when it is worth it. `listed` holds the places that moves are counted from.
  Listing update(ParticleStore& store, Field<Vec3f> x, Field<Vec3f> listed,
                 std::span<const Body> bodies, Placed placed, const Executor& executor);

  /// After the first sweep of a step: as particles mix, more are near a cluster, and each sweep
  /// takes longer.
  void note_lengths(const Executor& executor);

  void save(State& state) const;
  /// After the store was loaded: makes the lists that a run goes on with.
  Status load(const State& state, const ParticleStore& store, Field<Vec3f> listed,
              std::span<const Body> bodies, Placed placed, const Executor& executor);

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
  /// Is j within the kernel of a particle of cluster c? Lists have others too.
  bool reaches(std::span<const Float4> position, std::size_t c, std::uint32_t j) const;
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

  float farthest_move(std::span<const Vec3f> now, std::span<const Vec3f> then,
                      std::span<const Body> bodies, const Executor& executor) const;
  void list_all(ParticleStore& store, Field<Vec3f> x, Field<Vec3f> listed,
                std::span<const Body> bodies, Placed placed, const Executor& executor);
  void sort_newcomers(ParticleStore& store, Field<Vec3f> x, const Executor& executor);
  bool worth_sorting(std::size_t count) const;
  void begin_counting(std::span<const Vec3f> x, std::span<Vec3f> listed,
                      std::span<const Body> bodies, const Executor& executor);
  void relist(std::span<const Vec3f> listed, Placed placed, const Executor& executor);
  void place(std::span<const Vec3f> x, std::span<const Body> bodies, Placed placed,
             const Executor& executor) const;
  void enclose(std::size_t count, const ScratchArray<Float4>& position, const Executor& executor);
  void enclose_moves(std::span<const Vec3f> now, std::span<const Vec3f> then,
                     const ScratchArray<Float4>& position, const Executor& executor);
  ClusterPairs::Points points(std::size_t count, const ScratchArray<Float4>& position) const {
    return {{position.data(), total()}, count, padded_, motion_.places, motion_.extra_places};
  }
  void collect_extras(std::span<const Vec3f> x, const Executor& executor);
  void collect_images(std::span<const Vec3f> x);
  void collect_boundary();
  void count_extras(std::span<const Vec3f> x);

  float support_, reach_, slack_, rest_volume_, largest_volume_;
  PeriodicBox box_;
  bool valid_ = false;
  std::size_t padded_ = 0;
  CellGrid grid_, extra_grid_;
  ClusterPairs pairs_;
  Wear wear_;
  Wear::Motion motion_;
  std::vector<Extra> extras_, unsorted_;
  std::vector<Vec3f> extra_position_;
  std::vector<BoundaryParticles> boundary_;

  std::size_t sorted_ = 0;            ///< particles that were sorted together; newcomers follow
  std::size_t ordered_ = 0;           ///< as far as newcomers were sorted among themselves
  std::size_t known_ = 0;             ///< particles that lists know under their present number
  double length_ = 0;                 ///< how many were near a cluster in the last step, mean
  double fresh_length_ = 0;           ///< the same, of the first step after all were sorted
  double waste_ = 0;                  ///< by what share it was more, summed over the steps since
  std::vector<Posed> sorted_poses_;   ///< of the bodies, when all were sorted
  std::vector<Posed> counted_poses_;  ///< the same, when moves began to count
  std::vector<Vec3f> counted_extra_;  ///< and where extras were
};

}  // namespace talus::sph
