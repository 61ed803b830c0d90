// The loops over neighbours. Eight particles i fill the lanes, each neighbour j is loaded into all
// of them; see geometry/cluster_pairs.h. With J the compression (density over rest density), V0 the
// rest volume and q = (s - p I)/J^2:
//
//   density    J_i      = sum_j V0_j W_ij + walls                             (2013 Eq. 1, 16)
//   gradient   L_i      = 1/J_i sum_j V0_j (v_j - v_i) gradW_ij^T + walls     (2013 Eq. 14)
//   force      rho0 a_i = sum_j V0_j (q_i + q_j) gradW_ij + walls             (2011 Eq. 4, 5)
//
// gradient and force are adjoint to each other, so stress work and kinetic energy balance exactly.
//
// A step sweeps eight times or more over the same pairs. The first sweep keeps who is near, and
// V0_j gradW_ij = weight_ij (x_i - x_j) as weights of 16 bits; the later ones read them instead of
// taking roots. Both sides of a pair round alike, so momentum is conserved as before. The own part
// of a force, q_i sum_j V0_j gradW_ij, needs only the sum G_i of the gradients.
#pragma once

#include "core/parallel.h"
#include "geometry/cluster_pairs.h"
#include "math/wide_records.h"
#include "sph/kernel.h"
#include "sph/rest.h"
#include "sph/walls.h"

namespace talus::sph {

using WideMat3 = Mat3<WideFloat>;

/// What turns sums over pairs into physical units.
struct PairScale {
  float value;     ///< of sum (w/w_max) W: V0_max value_factor, dimensionless
  float gradient;  ///< of sum weight (x_i - x_j): 1/m^2

  template <class Kernel>
  static PairScale make(const KernelScale& kernel, float largest_volume) {
    return {largest_volume * kernel.value_factor,
            -largest_volume * kernel.slope_factor * Kernel::steepest / wide_unit_steps};
  }
};

/// What a sweep reads. Arrays cover particles, padding to a whole cluster, then extras.
struct SweepInput {
  ClusterPairs& pairs;
  WallContacts& walls;
  const Float4* position;  ///< w = rest volume V0 over the largest of anybody
  const Float4* velocity;  ///< w unused
  const PackedStress* stress;
  const float* compression;  ///< J
  const float* gradient[3];  ///< G_i, in units of PairScale::gradient
  const Rest& rest;          ///< clusters that are left out
  KernelScale kernel;
  PairScale scale;
  const Executor& executor;
};

inline WideVec3 load_lanes(const Float4* p) {
  WideVec3 v;
  for (int k = 0; k < wide_width; ++k) {
    v.x.set(k, p[k].x);
    v.y.set(k, p[k].y);
    v.z.set(k, p[k].z);
  }
  return v;
}
inline WideSym3 load_lanes(const PackedStress* s) {
  WideSym3 q;
  for (int k = 0; k < wide_width; ++k) {
    q.xx.set(k, s[k].xx);
    q.yy.set(k, s[k].yy);
    q.zz.set(k, s[k].zz);
    q.xy.set(k, s[k].xy);
    q.xz.set(k, s[k].xz);
    q.yz.set(k, s[k].yz);
  }
  return q;
}
inline void store_lanes(Float4* p, const WideVec3& v) {
  for (int k = 0; k < wide_width; ++k) {
    p[k].x = v.x[k];
    p[k].y = v.y[k];
    p[k].z = v.z[k];
  }
}

/// body(c) for every cluster c, or resting(c) if it rests.
template <class Body, class Resting>
void for_clusters(const SweepInput& in, Body&& body, Resting&& resting) {
  in.executor.for_range(in.pairs.clusters(), ClusterPairs::block,
                        [&](std::size_t begin, std::size_t end) {
                          for (std::size_t c = begin; c < end; ++c) {
                            if (in.rest.rests(c))
                              resting(c);
                            else
                              body(c);
                          }
                        });
}
template <class Body>
void for_clusters(const SweepInput& in, Body&& body) {
  for_clusters(in, body, [](std::size_t) {});
}

/// d = x_i - x_j.
inline WideVec3 difference(const WideVec3& x, const Float4& p) {
  return {x.x - WideFloat(p.x), x.y - WideFloat(p.y), x.z - WideFloat(p.z)};
}

/// pair(j, weight, x_i - x_j) for everybody near cluster c, whose points are at x; `read` is what
/// else it reads of j. Who comes about a cluster later is asked for now: particles are sorted, but
/// of a million those around a cluster are in the cache too seldom. Inlined always: otherwise what
/// `pair` sums goes through memory.
template <class T, class Pair>
[[gnu::always_inline]] inline void for_near(const SweepInput& in, std::size_t c, const WideVec3& x,
                                            const T* read, Pair&& pair) {
  const WideUnit* weight = in.pairs.weights(c);
  for (const std::uint32_t& j : in.pairs.near(c)) {
    const std::uint32_t later = *(&j + ClusterPairs::ahead);
    fetch_ahead(in.position + later);
    fetch_ahead(read + later);
    fetch_ahead(weight + ClusterPairs::ahead);
    pair(j, unpack_unit(*weight++), difference(x, in.position[j]));
  }
}

/// What the sweep of densities may gather besides: nothing, or the moments sum_j V0_j |gradW_ij|/r
/// d d^T of the neighbours around a particle (walls not counted; the unit matrix in a full
/// lattice).
struct NoMoments {
  void add(const WideVec3&, const WideVec3&) {}
  void scale(WideFloat) {}
};
struct Moments {
  WideSym3 sum{WideFloat(0.0f), WideFloat(0.0f), WideFloat(0.0f),
               WideFloat(0.0f), WideFloat(0.0f), WideFloat(0.0f)};

  void add(const WideVec3& d, const WideVec3& g) {
    sum.xx += d.x * g.x;
    sum.yy += d.y * g.y;
    sum.zz += d.z * g.z;
    sum.xy += d.x * g.y;
    sum.xz += d.x * g.z;
    sum.yz += d.y * g.z;
  }
  void scale(WideFloat by) { sum = sum * by; }
};

/// finish(c, J, G, grad J, besides) for every cluster c, or resting(c). Notes who is within the
/// support, and the weights, which all later sweeps of the step use.
template <class Kernel, class Besides, class Finish, class Resting>
void sweep_density(const SweepInput& in, Finish&& finish, Resting&& resting) {
  const auto sum_up = [&](std::size_t c) {
    const WideVec3 x = load_lanes(in.position + c * ClusterPairs::width);
    const WideFloat inverse_h(in.kernel.inverse_h), h2(in.kernel.h * in.kernel.h);
    std::uint32_t* near = in.pairs.begin_near(c);
    WideUnit* weights = in.pairs.weights(c);
    std::size_t near_count = 0;
    WideFloat sum(0.0f);
    WideVec3 gradient(0.0f, 0.0f, 0.0f);
    Besides besides;
    for (const std::uint32_t j : in.pairs.neighbours(c)) {
      const Float4& p = in.position[j];
      const WideVec3 d = difference(x, p);
      const WideFloat r2 = squared_norm(d);
      const WideFloat q = sqrt(r2) * inverse_h;
      const WideFloat share(p.w);
      const WideFloat unit = Kernel::slope(q) * WideFloat(-1 / Kernel::steepest);
      const WideUnit packed = pack_unit(min(unit, WideFloat(1.0f)) * share);
      near[near_count] = j;
      weights[near_count] = packed;
      near_count += any(r2 < h2);
      sum += share * Kernel::value(q);
      const WideVec3 g = d * unpack_unit(packed);
      gradient += g;
      besides.add(d, g);
    }
    in.pairs.end_near(c, near_count);
    sum *= WideFloat(in.scale.value);
    WideVec3 total = gradient * WideFloat(in.scale.gradient);
    for (const WallContact& w : in.walls.of_cluster(c)) {
      sum.v[w.lane] += w.value;
      total.x.v[w.lane] += w.gradient.x;
      total.y.v[w.lane] += w.gradient.y;
      total.z.v[w.lane] += w.gradient.z;
    }
    besides.scale(WideFloat(-in.scale.gradient));
    finish(c, sum, gradient, total, besides);
  };
  for_clusters(in, sum_up, [&](std::size_t c) {
    in.pairs.leave_out(c);
    resting(c);
  });
}

/// G of the particles of a cluster.
inline WideVec3 load_gradient(const SweepInput& in, std::size_t first) {
  return {load_wide(in.gradient[0] + first), load_wide(in.gradient[1] + first),
          load_wide(in.gradient[2] + first)};
}

/// finish(c, L, S) for every cluster c, L_ab = dv_a/dx_b; S = sum_j V0_j (v_j - v_i) gradW_ij^T is
/// what L consists of without walls.
template <class Finish>
void sweep_gradient(const SweepInput& in, Finish&& finish) {
  for_clusters(in, [&](std::size_t c) {
    const std::size_t first = c * ClusterPairs::width;
    const WideVec3 x = load_lanes(in.position + first);
    const WideVec3 v = load_lanes(in.velocity + first);
    WideMat3 L;
    for (auto& row : L.row) row = WideVec3(0.0f, 0.0f, 0.0f);
    for_near(in, c, x, in.velocity, [&](std::uint32_t j, WideFloat weight, const WideVec3& d) {
      const Float4& u = in.velocity[j];
      const WideVec3 g = d * weight;
      L.row[0] += g * (WideFloat(u.x) - v.x);
      L.row[1] += g * (WideFloat(u.y) - v.y);
      L.row[2] += g * (WideFloat(u.z) - v.z);
    });
    const WideFloat scale(in.scale.gradient);
    for (auto& row : L.row) row *= scale;
    const WideMat3 plain = L;
    for (const WallContact& w : in.walls.of_cluster(c)) {
      const int k = static_cast<int>(w.lane);
      const Vec3f own{v.x[k], v.y[k], v.z[k]};
      const Vec3f dv = wall_velocity_difference(w, own);
      for (int a = 0; a < 3; ++a) {
        L.row[a].x.v[k] += dv[a] * w.gradient.x;
        L.row[a].y.v[k] += dv[a] * w.gradient.y;
        L.row[a].z.v[k] += dv[a] * w.gradient.z;
      }
    }
    const WideFloat inverse_J = WideFloat(1.0f) / load_wide(in.compression + first);
    for (auto& row : L.row) row *= inverse_J;
    finish(c, L, plain);
  });
}

/// Numbers of the forces between pairs that do not depend on pressure.
struct PairForces {
  float separation = 0;              ///< m: particles closer than this repel
  float stiffness = 0;               ///< 1/s^2
  float viscosity_scale = 0;         ///< h c_s of 2013 Eq. 20, m^2/s
  const float* viscosity = nullptr;  ///< of each particle, dimensionless
  const float* cohesion = nullptr;   ///< kappa of 2013 Eq. 22 for each particle, m^3/s^2
};

/// finish(c, a) for every cluster c, a the acceleration by cohesion (2013 Eq. 22), artificial
/// viscosity (Monaghan 2005; 2013 Eq. 20 between particles) and discrete particle forces (2011
/// section 3.3). Boundary particles take no part.
template <class Kernel, class Finish>
void sweep_pair_forces(const SweepInput& in, const PairForces& pair, std::size_t images_end,
                       Finish&& finish) {
  for_clusters(in, [&](std::size_t c) {
    const std::size_t first = c * ClusterPairs::width;
    const WideVec3 x = load_lanes(in.position + first);
    const WideVec3 v = load_lanes(in.velocity + first);
    const WideFloat viscosity = load_wide(pair.viscosity + first);
    const WideFloat cohesion = load_wide(pair.cohesion + first);
    const WideFloat inverse_h(in.kernel.inverse_h), zero(0.0f);
    const WideFloat softening(0.01f * in.kernel.h * in.kernel.h);
    const float slope_factor = -in.scale.gradient * wide_unit_steps / Kernel::steepest;
    WideVec3 a(0.0f, 0.0f, 0.0f);
    for (const std::uint32_t j : in.pairs.near(c)) {
      if (j >= images_end) continue;
      const Float4& p = in.position[j];
      const Float4& u = in.velocity[j];
      const WideVec3 d = difference(x, p);
      const WideFloat r2 = squared_norm(d);
      const WideFloat r = sqrt(r2);
      const WideFloat q = r * inverse_h;
      const WideVec3 dv{v.x - WideFloat(u.x), v.y - WideFloat(u.y), v.z - WideFloat(u.z)};
      const WideFloat approach = min(dot(dv, d), zero);
      const WideFloat alpha = WideFloat(0.5f) * (viscosity + WideFloat(pair.viscosity[j]));
      const WideFloat slope = Kernel::slope(q) * WideFloat(slope_factor * p.w);
      const WideFloat kappa = WideFloat(0.5f) * (cohesion + WideFloat(pair.cohesion[j]));
      const WideFloat weight = Kernel::value(q) * WideFloat(in.kernel.value_factor);
      const WideFloat overlap = max(WideFloat(pair.separation) - r, zero);
      a += d * (alpha * WideFloat(pair.viscosity_scale) * approach / (r2 + softening) * slope -
                kappa * weight +
                WideFloat(pair.stiffness) * overlap / max(r, WideFloat(1e-6f * in.kernel.h)));
    }
    finish(c, a);
  });
}

/// What a sweep of forces may gather besides: nothing, or the mean stress around a particle.
struct NothingElse {
  void begin(const SweepInput&, std::size_t) {}
  void add(WideFloat, const PackedStress&) {}
};
struct StressAround {
  WideSym3 sum;       ///< of q, weighted
  WideFloat weights;  ///< the particle itself counts once

  void begin(const SweepInput& in, std::size_t first) {
    weights = WideFloat(wide_unit_steps);
    sum = load_lanes(in.stress + first) * weights;
  }
  void add(WideFloat weight, const PackedStress& s) {
    sum.xx += weight * WideFloat(s.xx);
    sum.yy += weight * WideFloat(s.yy);
    sum.zz += weight * WideFloat(s.zz);
    sum.xy += weight * WideFloat(s.xy);
    sum.xz += weight * WideFloat(s.xz);
    sum.yz += weight * WideFloat(s.yz);
    weights += weight;
  }
  WideSym3 mean() const { return sum * (WideFloat(1.0f) / weights); }
};

/// finish(c, f, besides) for every cluster c, f the force per rest volume, N/m^3.
template <class Besides, class Finish>
void sweep_force(const SweepInput& in, Finish&& finish) {
  for_clusters(in, [&](std::size_t c) {
    const std::size_t first = c * ClusterPairs::width;
    const WideVec3 x = load_lanes(in.position + first);
    WideVec3 sum(0.0f, 0.0f, 0.0f);
    Besides besides;
    besides.begin(in, first);
    for_near(in, c, x, in.stress, [&](std::uint32_t j, WideFloat weight, const WideVec3& d) {
      const PackedStress& s = in.stress[j];
      besides.add(weight, s);
      const WideVec3 g = d * weight;
      const WideFloat xy(s.xy), xz(s.xz), yz(s.yz);
      sum.x += WideFloat(s.xx) * g.x + xy * g.y + xz * g.z;
      sum.y += xy * g.x + WideFloat(s.yy) * g.y + yz * g.z;
      sum.z += xz * g.x + yz * g.y + WideFloat(s.zz) * g.z;
    });
    const WideSym3 own = load_lanes(in.stress + first);
    WideVec3 force = (sum + own * load_gradient(in, first)) * WideFloat(in.scale.gradient);
    for (WallContact& w : in.walls.of_cluster(c)) {
      const Vec3f f = wall_force(w, in.stress[first + w.lane]);
      w.load += f;
      force.x.v[w.lane] += f.x;
      force.y.v[w.lane] += f.y;
      force.z.v[w.lane] += f.z;
    }
    finish(c, force, besides);
  });
}

}  // namespace talus::sph
