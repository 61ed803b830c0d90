// Contact of continuum sand with bodies through their signed distance: the solid behind the surface
// acts like more material at rest density, moving with the body. To a particle at distance d from a
// locally flat surface with outward normal n, the half space adds
//   density    value(d)      = sum over layers k = 1.. of a P(d + (k - 1/2) a),
//   gradient   value'(d) n,
// with P(z) the integral of W over a plane at distance z. A layer sum, not the continuous integral:
// then a first layer of particles at d = a/2 is exactly at rest density, as on a lattice.
// This is what boundary particles (Ihmsen 2013 Eq. 16-19) approximate; without them there are no
// bumps, no neighbours to search, and an unbounded ground costs nothing. Volume maps (Bender et al.
// 2019) do the same with the true shape of the solid; we keep the half space and treat the faces of
// a container one by one.
//
// Friction: the traction the wall exerts is limited to friction * normal force (Coulomb); of a
// smooth wall the particles feel only the fraction `grip` of the sliding.
#pragma once

#include "bodies/body.h"
#include "core/array.h"
#include "geometry/cluster_pairs.h"
#include "sph/kernel.h"

#include <span>
#include <vector>

namespace talus::sph {

/// q = (s - p I)/J^2 of one particle, loaded as a whole.
struct alignas(32) PackedStress {
  float xx, yy, zz, xy, xz, yz, unused[2];
  Sym3f tensor() const { return {xx, yy, zz, xy, xz, yz}; }
};

struct WallContact {
  std::uint32_t lane;  ///< of the particle in its cluster
  std::uint32_t body;
  float value;     ///< contribution to J
  float friction;  ///< Coulomb coefficient of the wall
  float grip;      ///< 0..1, share of the sliding that strains the material
  Vec3f gradient;  ///< contribution to grad J
  Vec3f normal;    ///< out of the solid
  Vec3f velocity;  ///< of the wall, m/s
};

/// What the wall adds to v_j - v_i.
inline Vec3f wall_velocity_difference(const WallContact& w, const Vec3f& own) {
  const Vec3f dv = w.velocity - own;
  const Vec3f normal_part = w.normal * dot(dv, w.normal);
  return normal_part + w.grip * (dv - normal_part);
}

/// Force per rest volume on the particle, N/m^3.
inline Vec3f wall_force(const WallContact& w, const PackedStress& q) {
  const Vec3f f = q.tensor() * w.gradient;
  const float push = dot(f, w.normal);
  const Vec3f slide = f - push * w.normal;
  const float limit = w.friction * max(push, 0.0f);
  const float size2 = squared_norm(slide);
  const float scale = size2 > limit * limit ? limit / std::sqrt(size2) : 1.0f;
  return push * w.normal + scale * slide;
}

/// value(d) and value'(d) of a half space, tabulated.
class HalfSpaceTable {
 public:
  HalfSpaceTable() = default;
  template <class Kernel>
  static HalfSpaceTable make(const KernelScale& kernel, float spacing);

  float value(float d) const { return interpolate(value_, d); }
  float slope(float d) const { return interpolate(slope_, d); }
  float reach() const { return reach_; }
  /// What an empty half space takes away from J, given the length of what it takes from grad J: the
  /// inverse of slope() put into value(). At most value(0).
  float value_of_slope(float slope) const {
    const float t = min(slope * per_slope_, static_cast<float>(fill_.size() - 2));
    const int k = static_cast<int>(t);
    const float f = min(t - static_cast<float>(k), 1.0f);
    return fill_[k] + f * (fill_[k + 1] - fill_[k]);
  }

 private:
  float interpolate(const std::vector<float>& table, float d) const {
    const float t = min(max((d + reach_) * per_metre_, 0.0f), static_cast<float>(last_));
    const int k = min_int(static_cast<int>(t), last_ - 1);
    const float f = t - static_cast<float>(k);
    return table[k] + f * (table[k + 1] - table[k]);
  }
  static int min_int(int a, int b) { return a < b ? a : b; }

  std::vector<float> value_, slope_, fill_;
  float per_slope_ = 0;
  float reach_ = 0;  ///< no effect beyond this distance
  float per_metre_ = 0;
  int last_ = 0;
};

/// All contacts of a step, grouped by cluster.
class WallContacts {
 public:
  /// `acts[b]` tells whether body b is felt through its distance (0: by boundary particles).
  void set_bodies(std::vector<std::uint8_t> acts) { acts_ = std::move(acts); }

  /// Notes which clusters can touch a body as long as particles move less than `margin` and bodies
  /// stay; to be called again when either no longer holds (see stale()).
  void find_candidates(std::span<const Float4> points, std::size_t count,
                       std::span<const Body> bodies, float margin, const HalfSpaceTable& table,
                       const Executor& executor);
  bool stale(std::span<const Body> bodies) const;
  /// Distances at the present positions; friction[i] is that of the material.
  void update(std::span<const Float4> points, std::size_t count, std::span<const Body> bodies,
              const HalfSpaceTable& table, const float* friction, const Executor& executor);

  std::span<const WallContact> of_cluster(std::size_t c) const {
    if (c >= slot_.size() || slot_[c] < 0) return {};
    const auto slot = static_cast<std::size_t>(slot_[c]);
    return {&contacts_[slot * capacity_], counts_[slot]};
  }
  std::span<const std::uint32_t> clusters() const { return near_; }
  std::size_t memory_bytes() const {
    return near_.memory_bytes() + slot_.memory_bytes() + counts_.memory_bytes() +
           contacts_.memory_bytes() + near_flag_.capacity();
  }

 private:
  std::vector<std::uint8_t> acts_;
  std::vector<Posed> poses_;            ///< when candidates were found
  std::size_t capacity_ = 0;            ///< contacts a cluster can have
  ScratchArray<std::uint32_t> near_;    ///< clusters that may touch something
  ScratchArray<std::int32_t> slot_;     ///< index into near_, or -1
  ScratchArray<std::uint32_t> counts_;  ///< for each of near_
  ScratchArray<WallContact> contacts_;  ///< capacity_ for each of near_
  std::vector<std::uint8_t> near_flag_;
};

/// Direct forcing (Becker, Tessendorf & Teschner 2009; Alduán & Otaduy 2011 section 6): a particle
/// that would end closer to a body than `keep` is put back to that distance and loses its approach
/// velocity, and as much sliding as Coulomb friction takes. Returns the impulse given to the
/// particle per unit of its mass, m/s. The last defence of the other models.
Vec3f direct_forcing(const Body& body, float keep, float dt, Vec3f& x, Vec3f& v);

}  // namespace talus::sph
