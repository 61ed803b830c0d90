// The stress of the model `talus`: sand as an elastic, ideally plastic material whose stress lives
// on from step to step, advanced in a few short explicit passes while positions and kernels stay as
// they are.
//   Bui, Fukagawa, Sako & Ohno 2008 (elastoplastic SPH); Macklin et al. 2019 (many short steps
//   instead of many iterations); Fourtakas et al. 2019 (diffusion against noise of pressure);
//   Ganzenmüller 2015 (velocities that the gradient does not see)
// Symbols: h length of a pass, e = -h div v the compression of a pass, D deviatoric strain rate, K
// and G moduli over rest density (m^2/s^2), P the reference pressure over rest density.
//
//   1. p += K rho e, as long as there is no gap (J >= 1); p >= 0
//   2. s += 2 G rho h D, then back to |s| <= sqrt(2) (tan(theta) p + c)
//   3. v += h (g + (div s - grad p)/rho), and x moves with the v of each pass
//
// At rest this is a damped elastic body: it comes to rest exactly, and stays. What else it takes,
// each measured in docs/numerics.md:
//   - Moduli as soft as the load allows. p and s take part in every fluctuation of the strain, and
//     in flowing sand each particle's strain fluctuates: with stiff K the pressure of a particle
//     varies by half of its mean, together with the direction of its strain, and the sand rubs less
//     than it should (asked for 40 degrees it flowed at 32). K is therefore a hundred times the
//     reference pressure, or the particle's own where that is higher.
//   - The same pattern of p and s that no force sees is smoothed away in proportion to strain: at
//     rest nothing changes, after a strain of a thousandth it is gone.
//   - The part of v that no gradient sees, neighbours moving against each other, is damped in every
//     fourth step: what is left of v_j - v_i after the affine motion around them. Impacts excite
//     it.
//   - Viscosity against compression, as much as is stable; and where sand expands fast its pressure
//     is let go: elastic sand would bounce like a spring.
//   - A compression that is left over is worked off while the sand shears.
#pragma once

#include "sph/stress_solve.h"

#include <algorithm>
#include <cmath>

namespace talus::sph {

/// A pass is stable while courant (1 + 2 (bulk_viscosity + 4/3 shear_viscosity)) stays below 4, the
/// limit of an explicit pass whose damping uses the old velocity; here it is 3.3.
struct ElastoplasticConstants {
  float courant = 1.8f;         ///< largest squared frequency times h^2, of K and G together
  float stiffness = 100;        ///< K over the pressure
  float shear_ratio = 5;        ///< G over K
  float bulk_viscosity = 0.3f;  ///< of the stable modulus times h, against compression
  float shear_viscosity = 0.08f;
  float gap = 0.01f;           ///< pressure begins to grow at this much below the rest density
  float slack = 0.015f;        ///< compression that is left alone: disorder alone makes a hundredth
  float feedback_time = 0.1f;  ///< s, in which the rest is worked off, where sand shears
  float feedback_rate = 1;     ///< 1/s: that is, faster than this
  float letting_go = 1;  ///< 1/s of expansion from which pressure is lost; all of it at twice that
  int noise_steps = 4;   ///< noise of velocities is damped in one of so many steps,
  float noise_share = 0.5f;        ///< by this share of the velocity that is not affine
  float smoothing_strain = 1e-3f;  ///< in which stress becomes that of its surroundings
  float most_smoothing = 0.8f;     ///< in a step
  int most_passes = 8;             ///< more would be needed: the step is shortened
};

template <class Kernel>
class Elastoplastic {
 public:
  Elastoplastic(StressSolve<Kernel>& solve, const SphSettings& settings, const KernelScale& kernel,
                Neighbourhood& near, WorkingArrays& arrays)
      : solve_(solve), settings_(settings), kernel_(kernel), near_(near), w_(arrays) {}

  /// Passes that a step takes so that the moduli which sand under the reference pressure P
  /// (m^2/s^2) needs are stable.
  int passes(double dt, double reference) const {
    const int least = std::max(settings_.pressure_iterations, settings_.friction_iterations);
    const int needed = static_cast<int>(std::ceil(dt / longest_pass(reference) - 1e-6));
    return std::clamp(needed, least, std::max(least, most_passes()));
  }
  /// The longest step, s, that so many passes reach.
  double longest_step(double reference) const { return longest_pass(reference) * most_passes(); }

  /// Whether the noise of velocities is damped in a step; it needs the moments of neighbourhoods.
  bool damps_noise(std::uint64_t step) const {
    return step % static_cast<std::uint64_t>(constants_.noise_steps) == 0;
  }

  /// `highest` bounds pressure over rest density, m^2/s^2.
  void begin(float dt, int passes, float reference, float highest, bool damps_noise);
  /// Stress from the strain of a pass; the first one also notes the affine motion if noise is
  /// damped, the last one turns the stress with the material.
  void strain(bool first, bool last);
  /// What of the velocities is not affine, ready to be taken away.
  void find_noise();
  /// Velocities and ways from the stress of a pass and `push`, m/s, what else changes them in a
  /// pass: the same for all, or of each particle. The last pass smooths the stress.
  template <class Push>
  void move(bool first, bool last, Push&& push);

 private:
  static constexpr std::size_t width = ClusterPairs::width;

  int most_passes() const { return std::min(constants_.most_passes, settings_.max_iterations); }
  double stiffness() const {
    const double tolerance = settings_.density_tolerance;
    return std::max(double{constants_.stiffness}, tolerance > 0 ? 1 / tolerance : 0);
  }
  /// s: K + 4/3 G of the reference pressure is stable up to here.
  double longest_pass(double reference) const {
    const double modulus = stiffness() * reference * (1 + 4.0 / 3 * constants_.shear_ratio);
    return std::sqrt(double{constants_.courant} /
                     (double{kernel_.worst_wave} * kernel_.gradient_sum * modulus));
  }
  void note_affine_motion(std::size_t first, const WideMat3& plain);
  void smooth_stress(std::size_t first, const StressAround& around);
  void average_stress(std::size_t first, bool first_pass);

  ElastoplasticConstants constants_;
  StressSolve<Kernel>& solve_;
  const SphSettings& settings_;
  const KernelScale& kernel_;
  Neighbourhood& near_;
  WorkingArrays& w_;
  float dt_ = 0, pass_ = 0;            ///< s, of the step and of a pass
  float reference_ = 0, highest_ = 0;  ///< m^2/s^2
  float passes_ = 1;
  bool damps_noise_ = false;
};

template <class Kernel>
void Elastoplastic<Kernel>::begin(float dt, int passes, float reference, float highest,
                                  bool damps_noise) {
  dt_ = dt;
  damps_noise_ = damps_noise;
  passes_ = static_cast<float>(passes);
  pass_ = dt / passes_;
  reference_ = reference;
  highest_ = highest;
  w_.moved.resize(near_.padded());
  if (damps_noise) {
    w_.affine.resize(near_.total());
    for (std::size_t e = near_.padded(); e < near_.total(); ++e) w_.affine[e] = {};
    const SweepInput in = solve_.input();
    for_clusters(
        in, [](std::size_t) {},
        [&](std::size_t c) {  // what rests does not move, and neighbours ask
          std::fill_n(&w_.affine[c * width], width, AffineMotion{{}, 1});
        });
  }
  if (!near_.boundary().empty()) w_.mean_packed.resize(near_.padded());
}

template <class Kernel>
void Elastoplastic<Kernel>::strain(bool first_pass, bool last_pass) {
  const ElastoplasticConstants& k = constants_;
  // The largest modulus that a pass of this length bears.
  const float stable = k.courant / (kernel_.worst_wave * kernel_.gradient_sum * pass_ * pass_);
  const float least = static_cast<float>(stiffness()) * reference_;
  const WideFloat stiff(static_cast<float>(stiffness())), least_K(std::min(least, 0.3f * stable));
  const WideFloat most_K(0.3f * stable), ratio(k.shear_ratio), most_G(0.5f * stable);
  const WideFloat bulk(k.bulk_viscosity * stable), shear(2 * k.shear_viscosity * stable * pass_);
  const WideFloat h(pass_), zero(0.0f), one(1.0f), highest(highest_);
  const WideFloat open(1 - k.gap), per_gap(1 / k.gap), dense(1 + k.slack);
  const WideFloat feedback(pass_ / k.feedback_time), feedback_rate(k.feedback_rate);
  const WideFloat per_letting_go(1 / (k.letting_go * pass_));
  sweep_gradient(solve_.input(), [&](std::size_t c, const WideMat3& L, const WideMat3& plain) {
    const std::size_t first = c * width;
    if (first_pass && damps_noise_) note_affine_motion(first, plain);
    const WideFloat J = load_wide(&w_.compression[first]);
    const WideFloat rho = load_wide(&w_.rest_density[first]);
    const WideFloat relaxation = load_wide(&w_.relaxation[first]);
    const WideFloat e = -h * (L.row[0].x + L.row[1].y + L.row[2].z);
    const WideFloat density = (first_pass ? J : load_wide(&w_.predicted[first])) * (one + e);
    const WideFloat old = load_wide(&w_.p[first]);
    const ShearRate rate(L);

    // Next to a wall a particle bears less, see StressSolve::compute_density.
    const WideFloat K = min(max(stiff * old / rho, least_K), most_K * relaxation);
    const WideFloat G = min(ratio * K, most_G * relaxation);
    const WideFloat contact =
        select(e > zero, min(max((density - open) * per_gap, zero), one), one);
    const WideFloat lost = min(max(-e * per_letting_go - one, zero), one);
    const WideFloat worked_off =
        feedback * max(density - dense, zero) * rate.size / (rate.size + feedback_rate);
    const WideFloat p =
        min(max(old * (one - lost) + K * rho * (contact * e + worked_off), zero), highest * rho);
    const WideFloat acting =
        min(max(p + bulk * relaxation * rho * contact * e, zero), highest * rho);

    const WideFloat mu = rate_dependent_friction(load_wide(&w_.friction[first]), rate.size, p, rho,
                                                 load_wide(&w_.inertia_length[first]));
    const WideFloat limit = yield_limit(p, mu, load_wide(&w_.cohesion[first]));
    WideSym3 s = solve_.load_stress(first) + rate.tensor * (WideFloat(2.0f) * G * h * rho);
    s = s * radial_return(s, limit);
    WideSym3 total = s + rate.tensor * (shear * relaxation * rho);
    total = total * radial_return(total, limit);

    store_wide(&w_.predicted[first], density);
    store_wide(&w_.p[first], p);
    solve_.keep_stress(first, last_pass ? jaumann_rotated(s, spin_of(L), WideFloat(dt_)) : s);
    store_wide(&w_.shear_rate[first], rate.size);
    solve_.pack_stress(first, total, acting, J);
    if (!near_.boundary().empty()) average_stress(first, first_pass);
  });
  near_.mirror(w_.packed);
  if (first_pass && damps_noise_) near_.mirror(w_.affine);
}

/// A = S M^-1 with S the sum of differences and M the moments that the sweep of densities left
/// where stress will be packed: exact for affine motions, at surfaces too.
template <class Kernel>
void Elastoplastic<Kernel>::note_affine_motion(std::size_t first, const WideMat3& plain) {
  const WideSym3 m = load_lanes(&w_.packed[first]);
  const WideFloat xx = m.yy * m.zz - m.yz * m.yz, xy = m.xz * m.yz - m.xy * m.zz,
                  xz = m.xy * m.yz - m.xz * m.yy;
  const WideFloat determinant = m.xx * xx + m.xy * xy + m.xz * xz;
  const WideFloat one(1.0f), enough(0.25f), zero(0.0f);
  const WideFloat known = select(determinant > enough, one, zero);
  const WideFloat scale = known / max(determinant, enough);
  const WideSym3 inverse = WideSym3{xx, m.xx * m.zz - m.xz * m.xz, m.xx * m.yy - m.xy * m.xy, xy,
                                    xz, m.xy * m.xz - m.xx * m.yz} *
                           scale;
  WideVec3 rows[3];
  for (int r = 0; r < 3; ++r) rows[r] = inverse * plain.row[r];
  for (int k = 0; k < wide_width; ++k) {
    AffineMotion& out = w_.affine[first + k];
    for (int r = 0; r < 3; ++r) out.row[r] = {rows[r].x[k], rows[r].y[k], rows[r].z[k]};
    out.known = known[k];
  }
}

/// Where bodies have boundary particles: their load is that of the mean stress of the passes, which
/// stands in place of the last one at the end.
template <class Kernel>
void Elastoplastic<Kernel>::average_stress(std::size_t first, bool first_pass) {
  const float share = 1 / passes_;
  for (std::size_t i = first; i < first + width; ++i) {
    const PackedStress& q = w_.packed[i];
    PackedStress& mean = w_.mean_packed[i];
    if (first_pass) mean = {};
    mean = {mean.xx + share * q.xx,
            mean.yy + share * q.yy,
            mean.zz + share * q.zz,
            mean.xy + share * q.xy,
            mean.xz + share * q.xz,
            mean.yz + share * q.yz,
            {}};
  }
}

/// noise_i = -share/sum_w sum_j w_ij (v_i - v_j - (A_i + A_j)/2 (x_i - x_j)): what pulls neighbours
/// towards a common affine motion. The pairs' parts are opposite and equal.
template <class Kernel>
void Elastoplastic<Kernel>::find_noise() {
  const SweepInput in = solve_.input();
  const WideFloat scale(-in.scale.gradient * constants_.noise_share / kernel_.weight_sum);
  const WideFloat half(0.5f);
  for_clusters(in, [&](std::size_t c) {
    const std::size_t first = c * width;
    const WideVec3 x = load_lanes(in.position + first), v = load_lanes(in.velocity + first);
    WideMat3 own;
    WideFloat known(0.0f);
    for (int k = 0; k < wide_width; ++k) {
      const AffineMotion& a = w_.affine[first + k];
      for (int r = 0; r < 3; ++r) {
        own.row[r].x.set(k, a.row[r].x);
        own.row[r].y.set(k, a.row[r].y);
        own.row[r].z.set(k, a.row[r].z);
      }
      known.set(k, a.known);
    }
    WideVec3 sum(0.0f, 0.0f, 0.0f);
    for_near(in, c, x, w_.affine.data(), [&](std::uint32_t j, WideFloat weight, const WideVec3& d) {
      const Float4& u = in.velocity[j];
      const AffineMotion& a = w_.affine[j];
      const WideVec3 middle = d * half;
      const auto left = [&](WideFloat difference, const WideVec3& mine, const Vec3f& theirs) {
        return difference + (mine.x + WideFloat(theirs.x)) * middle.x +
               (mine.y + WideFloat(theirs.y)) * middle.y +
               (mine.z + WideFloat(theirs.z)) * middle.z;
      };
      const WideFloat w = weight * WideFloat(a.known);
      sum.x += w * left(WideFloat(u.x) - v.x, own.row[0], a.row[0]);
      sum.y += w * left(WideFloat(u.y) - v.y, own.row[1], a.row[1]);
      sum.z += w * left(WideFloat(u.z) - v.z, own.row[2], a.row[2]);
    });
    store_lanes(&w_.moved[first], sum * (scale * known));
  });
}

template <class Kernel>
template <class Push>
void Elastoplastic<Kernel>::move(bool first_pass, bool last_pass, Push&& push) {
  const WideFloat h(pass_);
  const auto advance = [&](std::size_t first, const WideVec3& force) {
    const WideVec3 kick = push(first) + force * (h / load_wide(&w_.rest_density[first]));
    // In the first pass `moved` holds what find_noise() left.
    const WideVec3 before = load_lanes(&w_.moved[first]);
    const WideVec3 old = load_lanes(&w_.velocity[first]);
    const WideVec3 v = first_pass && damps_noise_ ? old + before + kick : old + kick;
    store_lanes(&w_.velocity[first], v);
    store_lanes(&w_.moved[first], first_pass ? v * h : before + v * h);
  };
  if (last_pass) {
    sweep_force<StressAround>(solve_.input(),
                              [&](std::size_t c, const WideVec3& f, const StressAround& around) {
                                advance(c * width, f);
                                smooth_stress(c * width, around);
                              });
    if (!near_.boundary().empty())
      std::copy_n(w_.mean_packed.data(), near_.padded(), w_.packed.data());
  } else {
    sweep_force<NothingElse>(solve_.input(), [&](std::size_t c, const WideVec3& f, NothingElse) {
      advance(c * width, f);
    });
  }
  near_.mirror(w_.velocity);
}

/// Towards the mean around, in proportion to the strain of the step. Not at surfaces and walls,
/// where the mean of one side is not that of the place.
template <class Kernel>
void Elastoplastic<Kernel>::smooth_stress(std::size_t first, const StressAround& around) {
  const SweepInput in = solve_.input();
  const WideFloat one(1.0f), zero(0.0f);
  const WideVec3 one_sided =
      load_gradient(in, first) * WideFloat(1.5f * in.scale.gradient * kernel_.h);
  const WideFloat inside = max(one - sqrt(squared_norm(one_sided)), zero);
  const WideFloat share =
      inside * min(WideFloat(dt_ / constants_.smoothing_strain) * load_wide(&w_.shear_rate[first]),
                   WideFloat(constants_.most_smoothing));
  const WideFloat J = load_wide(&w_.compression[first]);
  const WideSym3 mean = around.mean() * (J * J);
  const WideFloat p = load_wide(&w_.p[first]);
  store_wide(&w_.p[first], p - share * (p + trace(mean) * WideFloat(1.0f / 3)));
  const WideSym3 s = solve_.load_stress(first);
  solve_.keep_stress(first, s + (deviator(mean) - s) * share);
}

}  // namespace talus::sph
