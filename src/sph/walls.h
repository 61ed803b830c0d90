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

#include <bit>
#include <span>
#include <vector>

namespace talus::sph {

/// Behind the wall lies the mirror image of the material: its stress is the particle's own, q_i +
/// q_j = 2 q_i, and relative to the wall it moves the other way, v_j - v_i = 2 (v_wall - v_i). With
/// a factor of 1 gradient and force would still be adjoint, but an even pressure would push the
/// first layer into the wall until its own pressure is a multiple of its neighbours', and a narrow
/// container would lock in many times the weight of its load. The full 2 makes the image follow
/// every fluctuation of a single particle, and slopes creep two degrees early; 1.7 does neither
/// (docs/numerics.md).
constexpr float wall_mirror = 1.7f;

/// q = (s - p I)/J^2 of one particle, loaded as a whole.
struct alignas(32) PackedStress {
  float xx, yy, zz, xy, xz, yz;
  float unused[2];
  Sym3f tensor() const { return {xx, yy, zz, xy, xz, yz}; }
};

struct WallContact {
  std::uint32_t lane;  ///< of the particle in its cluster
  std::uint32_t body;
  float distance;  ///< of the particle from the wall, m
  float value;     ///< contribution to J
  float friction;  ///< Coulomb coefficient of the wall
  float grip;      ///< 0..1, share of the sliding that strains the material
  Vec3f gradient;  ///< contribution to grad J
  Vec3f normal;    ///< out of the solid
  Vec3f velocity;  ///< of the wall, m/s
  Vec3f load{};    ///< sum of the forces of the passes of this step on the particle, N/m^3
};

/// What the wall adds to v_j - v_i.
inline Vec3f wall_velocity_difference(const WallContact& w, const Vec3f& own) {
  const Vec3f dv = wall_mirror * (w.velocity - own);
  const Vec3f normal_part = w.normal * dot(dv, w.normal);
  return normal_part + w.grip * (dv - normal_part);
}

/// Force per rest volume on the particle, N/m^3.
inline Vec3f wall_force(const WallContact& w, const PackedStress& q) {
  const Vec3f f = wall_mirror * (q.tensor() * w.gradient);
  const float push = dot(f, w.normal);
  const Vec3f slide = f - push * w.normal;
  const float limit = w.friction * max(push, 0.0f);
  const float size2 = squared_norm(slide);
  const float scale = size2 > limit * limit ? limit / std::sqrt(size2) : 1.0f;
  return push * w.normal + scale * slide;
}

/// Friction of a boundary particle b, N/m^3 on the particle i (Ihmsen 2013 Eq. 19-21; sign of Eq.
/// 19 as in docs/numerics.md): of the frictional stress of the sand and the artificial viscosity
/// whose strength is the body's friction coefficient, the larger one. `g` is V_b gradW_ib, d = x_i
/// - x_b, dv = v_i - v_b; `reach` and `speed` are h and c_s of Eq. 20.
struct BoundaryFriction {
  Vec3f stress;    ///< Eq. 19
  Vec3f stronger;  ///< Eq. 21
};
inline BoundaryFriction boundary_friction(const Sym3f& q, const Vec3f& g, const Vec3f& d,
                                          const Vec3f& dv, float coefficient, float rest_density,
                                          float compression, float reach, float speed) {
  const float mean = (q.xx + q.yy + q.zz) / 3;
  const Vec3f stress = q * g - mean * g;
  const float approach = min(dot(dv, d), 0.0f) / (squared_norm(d) + 0.01f * reach * reach);
  const Vec3f viscous =
      g * (0.5f * rest_density * coefficient * reach * speed * approach / compression);
  return {stress, squared_norm(viscous) > squared_norm(stress) ? viscous : stress};
}

/// What of the speed of approach (m/s) to a loose body sand does not feel in a step. The kernel
/// reaches a spacing further than the surfaces of the two, which touch when a particle is half a
/// spacing from the body; a ball that falls would be stopped that much above the sand (one of 50
/// kg/m^3 with 2 m/s: 6 mm, at a spacing of 4 cm). `gap` is what is left until they touch, m.
/// Slower than `slow` is no impact: what lies in sand would begin to rattle.
inline float free_approach(float approach, float gap, float slow, float dt) {
  return gap > 0 ? min(max(approach - slow, 0.0f), gap / dt) : 0.0f;
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
  /// Of what a half space at distance d adds to J: the share that lies in a second, perpendicular
  /// one at distance e too; and the same of its slope.
  float covered(float d, float e) const { return interpolate(covered_, d, e); }
  float covered_slope(float d, float e) const { return interpolate(covered_slope_, d, e); }
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
  float interpolate(const std::vector<float>& table, float d, float e) const {
    const float top = static_cast<float>(corner_side - 1), scale = top / (2 * reach_);
    const float s = min(max((d + reach_) * scale, 0.0f), top);
    const float t = min(max((e + reach_) * scale, 0.0f), top);
    const int k = min_int(static_cast<int>(s), corner_side - 2);
    const int l = min_int(static_cast<int>(t), corner_side - 2);
    const float f = s - static_cast<float>(k), g = t - static_cast<float>(l);
    const float* at = &table[k * corner_side + l];
    return (1 - f) * (at[0] + g * (at[1] - at[0])) +
           f * (at[corner_side] + g * (at[corner_side + 1] - at[corner_side]));
  }
  static int min_int(int a, int b) { return a < b ? a : b; }
  template <class Kernel>
  void make_corners(const KernelScale& kernel, double spacing);

  static constexpr int corner_side = 64;
  std::vector<float> value_, slope_, fill_;
  std::vector<float> covered_, covered_slope_;  ///< corner_side x corner_side, d by rows
  float per_slope_ = 0;
  float reach_ = 0;  ///< no effect beyond this distance
  float per_metre_ = 0;
  int last_ = 0;
};

/// Where a body is, ready for many points: from the world to the frame of its distance field.
struct BodyFrame {
  Vec3d position{};  ///< of the body's frame, m
  Mat3f rotation;    ///< body to world
  Vec3f offset{};    ///< Body::field_offset
  Vec3f centre{};    ///< of a ball around the surface, world; planes and containers have no end
  float radius = 0;

  static BodyFrame of(const Body& body);
  bool near(const Vec3f& p, float reach) const {
    return squared_norm(p - centre) < (radius + reach) * (radius + reach);
  }
  Vec3f to_local(const Vec3f& p) const {
    const Vec3f d = Vec3f(Vec3d(p) - position);
    return d.x * rotation.row[0] + d.y * rotation.row[1] + d.z * rotation.row[2] - offset;
  }
  Vec3f to_world_direction(const Vec3f& n) const { return rotation * n; }
};

/// All contacts of a step, grouped by cluster. What is noted about bodies that do not move is kept
/// from step to step.
class WallContacts {
 public:
  /// `acts[b]` tells whether body b is felt through its distance (0: by boundary particles).
  void set_bodies(std::vector<std::uint8_t> acts) { acts_ = std::move(acts); }

  /// Notes which clusters can touch which bodies until a particle or a body has moved by `slack`;
  /// looks only at those of which one has since it did so last. Whom it was is no matter: after
  /// particles were sorted, another one may be where one was.
  void find_candidates(std::span<const Float4> points, std::size_t count,
                       std::span<const Body> bodies, float slack, const HalfSpaceTable& table,
                       const Executor& executor);
  /// Distances at the present positions; friction[i] is that of the material.
  void update(std::span<const Float4> points, std::size_t count, std::span<const Body> bodies,
              const HalfSpaceTable& table, const float* friction, const Executor& executor);

  /// Takes free_approach() from the velocities of bodies that move freely. `touching`: distance, m.
  void leave_gaps(std::span<const Float4> velocity, std::span<const Body> bodies, float touching,
                  float slow, float dt, const Executor& executor);

  std::span<WallContact> of_cluster(std::size_t c) {
    if (c >= slot_.size() || slot_[c] < 0) return {};
    const auto slot = static_cast<std::size_t>(slot_[c]);
    return {&contacts_[slot * capacity_], counts_[slot]};
  }
  /// visit(b) for the bodies that were within reach of cluster c at the last update, and maybe for
  /// some that were not, in an order of their own; the same whenever candidates were found.
  template <class Visit>
  void for_bodies_near(std::size_t c, Visit&& visit) const {
    if (c >= slot_.size() || slot_[c] < 0) return;
    for_bodies_in(within_[static_cast<std::size_t>(slot_[c])], visit);
  }
  /// How often candidates were looked for: not for bodies and sand at rest.
  std::uint64_t searches() const { return searches_; }
  bool acts(std::size_t body) const { return acts_[body] != 0; }
  std::span<const BodyFrame> frames() const { return frames_; }  ///< as of the last update
  std::size_t memory_bytes() const {
    return near_.memory_bytes() + slot_.memory_bytes() + counts_.memory_bytes() +
           contacts_.memory_bytes() + mask_.memory_bytes() + within_.memory_bytes() +
           found_at_.memory_bytes();
  }

 private:
  struct NearBody {
    std::size_t body;
    Vec3f local[ClusterPairs::width];
    DistanceSample samples[ClusterPairs::width];
  };

  template <class Visit>
  void for_bodies_in(std::uint64_t mask, Visit&& visit) const {
    for (; mask != 0; mask &= mask - 1)
      for (auto b = static_cast<std::size_t>(std::countr_zero(mask)); b < acts_.size(); b += 64)
        visit(b);
  }
  static std::uint64_t bit_of(std::size_t body) { return std::uint64_t{1} << (body % 64); }
  void place_frames(std::span<const Body> bodies);
  bool stale(std::span<const Body> bodies) const;
  bool left(std::span<const Float4> points, std::size_t count, std::size_t cluster) const;
  std::uint64_t bodies_near(std::span<const Vec3f> points, std::span<const Body> bodies,
                            float reach) const;
  void number_candidates(std::span<const Body> bodies);
  bool sample(std::span<const Float4> points, std::span<const Body> bodies, std::size_t b,
              float reach, NearBody& out) const;
  void update_cluster(std::size_t slot, std::span<const Float4> points, std::size_t count,
                      std::span<const Body> bodies, const HalfSpaceTable& table,
                      const float* friction);

  std::uint64_t searches_ = 0;
  std::vector<std::uint8_t> acts_;
  std::vector<BodyFrame> frames_;
  std::vector<Posed> poses_;            ///< when candidates were found
  ScratchArray<Vec3f> found_at_;        ///< where particles were when theirs were
  float slack_ = 0;                     ///< m, what either may move until they are again
  std::size_t capacity_ = 0;            ///< contacts a cluster can have
  ScratchArray<std::uint32_t> near_;    ///< clusters that may touch something
  ScratchArray<std::int32_t> slot_;     ///< of each cluster: index into near_, or -1
  ScratchArray<std::uint64_t> mask_;    ///< of each cluster: bit b % 64 for each body b near it
  ScratchArray<std::uint64_t> within_;  ///< of each of near_: the same of bodies within reach
  ScratchArray<std::uint32_t> counts_;  ///< for each of near_
  ScratchArray<WallContact> contacts_;  ///< capacity_ for each of near_
};

/// Direct forcing (Becker, Tessendorf & Teschner 2009; Alduán & Otaduy 2011 section 6): a particle
/// that would end closer to a body than `keep` is put back to that distance and loses its approach
/// velocity, and as much sliding as Coulomb friction takes. Returns the impulse given to the
/// particle per unit of its mass, m/s. The last defence of the other models.
Vec3f direct_forcing(const Body& body, const BodyFrame& frame, float keep, float dt, Vec3f& x,
                     Vec3f& v);

}  // namespace talus::sph
