// The stress solve of a step: density, then predictive-corrective passes of pressure and friction.
//   Ihmsen, Wahl & Teschner 2013, Eq. 1-15; Alduán & Otaduy 2011, Eq. 4-13
// Where we leave the print (docs/numerics.md): signs of 2011 Eq. 5; pressure clamped as a sum, not
// by increments; under-relaxed so that pressure and friction together damp the shortest wave;
// Frobenius radial return; existing compression worked off a little each step.
#pragma once

#include "sph/model.h"
#include "sph/neighbourhood.h"
#include "sph/rheology.h"
#include "sph/sweeps.h"
#include "sph/walls.h"
#include "sph/working_arrays.h"

namespace talus::sph {

template <class Kernel>
class StressSolve {
 public:
  StressSolve(const ModelConstants& model, const SphSettings& settings, const KernelScale& kernel,
              const HalfSpaceTable& half_space, Neighbourhood& near, const WallContacts& walls,
              WorkingArrays& arrays, const Executor& executor)
      : model_(model),
        settings_(settings),
        kernel_(kernel),
        half_space_(half_space),
        near_(near),
        walls_(walls),
        w_(arrays),
        executor_(executor) {}

  /// `highest` bounds pressure over rest density, m^2/s^2.
  void begin(std::size_t count, float dt, float highest) {
    count_ = count;
    dt_ = dt;
    highest_ = highest;
    // A share for each step that was asked for. Shorter ones must not push harder: pressure would
    // shorten the step, and the shorter step raise the pressure, without end.
    feedback_ = model_.density_feedback * min(1.0f, dt / static_cast<float>(settings_.time_step));
  }

  void compute_density();
  void apply_last_stress();
  void apply_stress();
  void correct_pressure();
  void apply_pressure_change();
  /// Friction; and pressure at the same time if asked for.
  template <bool UpdatePressure>
  void correct_stress();

  /// Mean compression that the step would end with, of the last pass; 0 when nobody asks for it.
  double mean_predicted_compression() const;
  /// Largest change of stress in the last pass, relative to the largest pressure over density.
  double stress_change(float max_pressure) const;

  SweepInput input() {
    return {near_.pairs(),
            walls_,
            w_.position.data(),
            w_.velocity.data(),
            w_.packed.data(),
            w_.compression.data(),
            {w_.gradient[0].data(), w_.gradient[1].data(), w_.gradient[2].data()},
            kernel_,
            PairScale::make<Kernel>(kernel_, near_.largest_volume()),
            executor_};
  }

 private:
  static constexpr std::size_t width = ClusterPairs::width;

  WideSym3 load_stress(std::size_t first) const {
    return {load_wide(&w_.s[0][first]), load_wide(&w_.s[1][first]), load_wide(&w_.s[2][first]),
            load_wide(&w_.s[3][first]), load_wide(&w_.s[4][first]), load_wide(&w_.s[5][first])};
  }
  void store_stress(std::size_t first, const WideSym3& s, WideFloat p, WideFloat J);
  WideFloat confinement(std::size_t first, WideFloat p) const;
  void accelerate(std::size_t first, const WideVec3& force) {
    const WideFloat scale = WideFloat(dt_) / load_wide(&w_.rest_density[first]);
    store_lanes(&w_.velocity[first], load_lanes(&w_.advected[first]) + force * scale);
  }

  const ModelConstants& model_;
  const SphSettings& settings_;
  const KernelScale& kernel_;
  const HalfSpaceTable& half_space_;
  Neighbourhood& near_;
  const WallContacts& walls_;
  WorkingArrays& w_;
  const Executor& executor_;
  std::size_t count_ = 0;
  float dt_ = 0;
  float highest_ = 0;   ///< m^2/s^2, bound of pressure over rest density
  float feedback_ = 0;  ///< share of an existing compression worked off in this step
};

template <class Kernel>
void StressSolve<Kernel>::store_stress(std::size_t first, const WideSym3& s, WideFloat p,
                                       WideFloat J) {
  const WideFloat inverse = WideFloat(1.0f) / (J * J), sign(model_.friction_sign);
  const WideSym3 q{(sign * s.xx - p) * inverse, (sign * s.yy - p) * inverse,
                   (sign * s.zz - p) * inverse, sign * s.xy * inverse,
                   sign * s.xz * inverse,       sign * s.yz * inverse};
  const WideFloat shear = sqrt(squared_norm(s)) * inverse;
  for (int k = 0; k < wide_width; ++k)
    w_.packed[first + k] = {q.xx[k], q.yy[k], q.zz[k], q.xy[k], q.xz[k], q.yz[k], shear[k], 0};
}

/// J, with the share that an empty half space above a free surface would add: its distance follows
/// from grad J, which it alone keeps from vanishing.
template <class Kernel>
void StressSolve<Kernel>::compute_density() {
  const WideFloat worst(kernel_.worst_wave * kernel_.gradient_sum);
  const WideFloat to_gradient(input().scale.gradient), mirror(wall_mirror * wall_mirror);
  sweep_density<Kernel>(
      input(), [&](std::size_t c, WideFloat J, const WideVec3& own, const WideVec3& gradient) {
        const std::size_t first = c * width;
        store_wide(&w_.gradient[0][first], own.x);
        store_wide(&w_.gradient[1][first], own.y);
        store_wide(&w_.gradient[2][first], own.z);
        if (model_.fill_surface) {
          const WideFloat missing = sqrt(squared_norm(gradient));
          for (int k = 0; k < wide_width; ++k) J.v[k] += half_space_.value_of_slope(missing[k]);
        }
        // Next to a wall a particle reacts to its own image too, and more strongly than the worst
        // wave inside.
        const WideVec3 walls = gradient - own * to_gradient;
        store_wide(&w_.relaxation[first], worst / (worst + mirror * squared_norm(walls)));
        store_wide(&w_.compression[first], J);
        store_stress(first, load_stress(first), load_wide(&w_.p[first]), J);
      });
  near_.mirror(w_.packed);
}

/// v = v_advected + dt * (force of the present stress), 2013 Eq. 15.
template <class Kernel>
void StressSolve<Kernel>::apply_stress() {
  sweep_force<NothingElse>(input(), [&](std::size_t c, const WideVec3& force, NothingElse) {
    accelerate(c * width, force);
  });
  near_.mirror(w_.velocity);
}

/// The same with what the last step left, and how far the shear stresses around a particle agree.
/// The yield limit holds for their mean: particles of flowing sand shear each in its own direction,
/// ten degrees and more apart, and if each kept to the limit the mean would stay below it.
template <class Kernel>
void StressSolve<Kernel>::apply_last_stress() {
  if (model_.least_coherence >= 1) {
    std::fill_n(w_.coherence.data(), near_.padded(), 1.0f);
    return apply_stress();
  }
  const WideFloat least(model_.least_coherence);
  sweep_force<Agreement>(input(), [&](std::size_t c, const WideVec3& force, const Agreement& all) {
    accelerate(c * width, force);
    store_wide(&w_.coherence[c * width], max(all.share(), least));
  });
  near_.mirror(w_.velocity);
}

/// J at the end of the step if nothing more happens, relative to what is allowed: an existing
/// compression is worked off a little each step, an existing gap may close. A compression within
/// the slack is left alone: in a disordered packing J scatters that much, and to work it off
/// against the friction of walls would take many times the pressure of the load. `closing`: share
/// of a gap that may close; 0 when stretching is resisted as well as compression, for there a gap
/// that surfaces always have must neither grow nor be pulled shut.
inline WideFloat predicted_excess(WideFloat J, WideFloat divergence, WideFloat dt,
                                  WideFloat feedback, WideFloat slack,
                                  WideFloat closing = WideFloat(1.0f)) {
  const WideFloat excess = J - WideFloat(1.0f);
  return select(excess > WideFloat(0.0f), feedback * max(excess - slack, WideFloat(0.0f)),
                closing * excess) -
         dt * J * divergence;
}

/// One predictive-corrective pass of pressure alone (2013 Eq. 6-8, clamped as a sum, not by
/// increments).
template <class Kernel>
void StressSolve<Kernel>::correct_pressure() {
  // w_p delta / rho0 of 2013 Eq. 7, the largest relaxation that damps the shortest wave.
  const float w_p = model_.stability / (kernel_.worst_wave / 2);
  const WideFloat gain(w_p / (2 * dt_ * dt_ * kernel_.gradient_sum));
  const WideFloat dt(dt_), feedback(feedback_);
  sweep_divergence(input(), [&](std::size_t c, WideFloat divergence) {
    const std::size_t first = c * width;
    const WideFloat J = load_wide(&w_.compression[first]);
    const WideFloat old = load_wide(&w_.p[first]);
    const WideFloat excess =
        predicted_excess(J, divergence, dt, feedback, load_wide(&w_.slack[first]));
    const WideFloat rho = load_wide(&w_.rest_density[first]);
    const WideFloat fresh = old + gain * load_wide(&w_.relaxation[first]) * rho * excess;
    const WideFloat p = min(max(fresh, WideFloat(0.0f)), WideFloat(highest_) * rho);
    store_wide(&w_.predicted[first], excess);
    store_wide(&w_.p[first], p);
    store_wide(&w_.pressure_change[first], (p - old) / (J * J));
  });
  near_.mirror(w_.pressure_change);
}

/// v += dt * (force of the last change of pressure).
template <class Kernel>
void StressSolve<Kernel>::apply_pressure_change() {
  sweep_pressure_force(
      input(), w_.pressure_change.data(), [&](std::size_t c, const WideVec3& force) {
        const std::size_t first = c * width;
        const WideFloat scale = WideFloat(dt_) / load_wide(&w_.rest_density[first]);
        store_lanes(&w_.velocity[first], load_lanes(&w_.velocity[first]) + force * scale);
      });
  near_.mirror(w_.velocity);
}

/// Tension of bilateral material over the highest pressure: about the weight above and the impact.
/// Without a bound a hard impact throws particles, and steps become too short to go on.
constexpr float most_tension = 0.01f;

/// 1 in the midst of material, 0 at a free surface: there nothing holds against stretching.
inline WideFloat inside(WideFloat J) {
  const WideFloat share = (J - WideFloat(0.8f)) * WideFloat(1 / 0.15f);
  return min(max(share, WideFloat(0.0f)), WideFloat(1.0f));
}

/// The pressure that friction counts with: the mean of this step's and the last one's. With the
/// present pressure alone the two passes chase each other: more pressure lets s grow, along a
/// direction in which s compresses the next pressure need only be smaller by as much, then s is cut
/// again. Such a difference changes its sign from step to step and shrinks by 1.15 tan(theta) only,
/// 0.97 at 40 degrees; what is cut in one step takes strain to come back, and slopes creep.
template <class Kernel>
WideFloat StressSolve<Kernel>::confinement(std::size_t first, WideFloat p) const {
  const WideFloat share(model_.yield_memory);
  return p + share * (load_wide(&w_.last_p[first]) - p);
}

/// One predictive-corrective pass of friction (2013 Eq. 11-14; D^-1 = 3 rho0 delta/dt of 2011 Eq.
/// 12), and of pressure at the same time if asked for.
template <class Kernel>
template <bool UpdatePressure>
void StressSolve<Kernel>::correct_stress() {
  const float share = UpdatePressure ? model_.pressure_share : 0.0f;
  const float delta = 1 / (2 * dt_ * dt_ * kernel_.gradient_sum);
  const float w_p = share * model_.stability / (kernel_.worst_wave / 2);
  const float w_s = (1 - share) * model_.stability / kernel_.worst_wave;
  const WideFloat pressure_gain(w_p * delta), stress_gain(w_s * 3 * delta * dt_);
  const WideFloat dt(dt_), feedback(feedback_), half(0.5f), zero(0.0f);
  const WideFloat highest(highest_);
  const WideFloat tension(settings_.bilateral ? most_tension * highest_ : 0.0f);
  const WideFloat closing(settings_.bilateral ? 0.0f : 1.0f);
  sweep_gradient(input(), [&](std::size_t c, const WideMat3& L) {
    const std::size_t first = c * width;
    const WideFloat J = load_wide(&w_.compression[first]);
    const WideFloat rho = load_wide(&w_.rest_density[first]);
    const WideFloat divergence = L.row[0].x + L.row[1].y + L.row[2].z;
    WideFloat p = load_wide(&w_.p[first]);
    if constexpr (UpdatePressure) {
      const WideFloat excess =
          predicted_excess(J, divergence, dt, feedback, load_wide(&w_.slack[first]), closing);
      const WideFloat lowest = -tension * inside(J);
      p += pressure_gain * load_wide(&w_.relaxation[first]) * rho * excess;
      p = min(max(p, lowest * rho), highest * rho);
      store_wide(&w_.predicted[first], excess);
      store_wide(&w_.p[first], p);
    }
    const WideSym3 rate =
        deviator(WideSym3{L.row[0].x, L.row[1].y, L.row[2].z, half * (L.row[0].y + L.row[1].x),
                          half * (L.row[0].z + L.row[2].x), half * (L.row[1].z + L.row[2].y)});
    const WideSym3 old = load_stress(first);
    const WideFloat shear_rate = sqrt(WideFloat(2.0f) * squared_norm(rate));
    const WideFloat mu = rate_dependent_friction(load_wide(&w_.friction[first]), shear_rate, p, rho,
                                                 load_wide(&w_.inertia_length[first]));
    WideFloat limit = yield_limit(confinement(first, p), mu, load_wide(&w_.cohesion[first])) /
                      load_wide(&w_.coherence[first]);
    WideFloat tension = zero;
    if (model_.cohesive_bonds) {  // 2011 Eq. 13: the less restrictive of friction and cohesion
      const WideFloat bond = load_wide(&w_.bond_limit[first]);
      limit = max(limit, WideFloat(1.41421356f) * bond);
      tension =
          load_wide(&w_.tension[first]) + stress_gain * rho * divergence * WideFloat(1.0f / 3);
      tension = min(max(tension, -bond), bond);
      store_wide(&w_.tension[first], tension);
    }
    WideSym3 s = old + rate * (stress_gain * load_wide(&w_.relaxation[first]) * rho);
    s = s * radial_return(s, limit);
    store_wide(&w_.stress_step[first], squared_norm(s - old));
    const WideFloat* parts[6] = {&s.xx, &s.yy, &s.zz, &s.xy, &s.xz, &s.yz};
    for (int k = 0; k < 6; ++k) store_wide(&w_.s[k][first], *parts[k]);
    store_wide(&w_.shear_rate[first], shear_rate);
    store_wide(&w_.spin[0][first], half * (L.row[0].y - L.row[1].x));
    store_wide(&w_.spin[1][first], half * (L.row[0].z - L.row[2].x));
    store_wide(&w_.spin[2][first], half * (L.row[1].z - L.row[2].y));
    store_stress(first, s, p - tension, J);
  });
  near_.mirror(w_.packed);
}

template <class Kernel>
double StressSolve<Kernel>::mean_predicted_compression() const {
  if (settings_.density_tolerance <= 0) return 0;
  const double sum = executor_.reduce(
      count_, 0.0,
      [&](std::size_t begin, std::size_t end) {
        double part = 0;
        for (std::size_t i = begin; i < end; ++i) part += max(w_.predicted[i], 0.0f);
        return part;
      },
      [](double a, double b) { return a + b; });
  return sum / static_cast<double>(count_);
}

/// Largest change of stress in the last pass, relative to the largest pressure.
template <class Kernel>
double StressSolve<Kernel>::stress_change(float max_pressure) const {
  if (settings_.stress_tolerance <= 0) return 0;
  const float largest2 = executor_.reduce(
      count_, 0.0f,
      [&](std::size_t begin, std::size_t end) {
        float part = 0;
        for (std::size_t i = begin; i < end; ++i)
          part = max(part, w_.stress_step[i] / (w_.rest_density[i] * w_.rest_density[i]));
        return part;
      },
      [](float a, float b) { return max(a, b); });
  return std::sqrt(double{largest2}) / std::max(double{max_pressure}, 1e-6);
}

}  // namespace talus::sph
