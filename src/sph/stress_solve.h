// Density, the stress that sweeps read, and the predictive-corrective passes of the papers' models.
//   Ihmsen, Wahl & Teschner 2013, Eq. 1-15; Alduán & Otaduy 2011, Eq. 4-13
// Where we leave the print (docs/numerics.md): signs of 2011 Eq. 5; pressure clamped as a sum, not
// by increments; under-relaxed so that pressure and friction together damp the shortest wave;
// Frobenius radial return. The model `talus` shares density and stress and goes its own way from
// there: sph/elastoplastic.h.
#pragma once

#include "sph/model.h"
#include "sph/neighbourhood.h"
#include "sph/rest.h"
#include "sph/rheology.h"
#include "sph/sweeps.h"
#include "sph/walls.h"
#include "sph/working_arrays.h"

namespace talus::sph {

template <class Kernel>
class StressSolve {
 public:
  StressSolve(const ModelConstants& model, const SphSettings& settings, const KernelScale& kernel,
              const HalfSpaceTable& half_space, Neighbourhood& near, WallContacts& walls,
              const Rest& rest, WorkingArrays& arrays, const Executor& executor)
      : model_(model),
        settings_(settings),
        kernel_(kernel),
        half_space_(half_space),
        near_(near),
        walls_(walls),
        rest_(rest),
        w_(arrays),
        executor_(executor) {}

  /// `highest` bounds pressure over rest density, m^2/s^2.
  void begin(std::size_t count, float dt, float highest) {
    count_ = count;
    dt_ = dt;
    highest_ = highest;
  }

  /// `moments` of the neighbourhoods are left where stress will be packed, for sph/elastoplastic.h.
  void compute_density(bool moments);
  void apply_stress();
  /// Pressure and friction at the same time.
  void correct_stress();

  /// Mean compression that the step would end with, of the last pass; 0 when nobody asks for it.
  double mean_predicted_compression() const;
  /// Largest change of stress in the last pass, relative to the largest pressure; 0 likewise.
  double stress_change() const;

  SweepInput input() {
    return {near_.pairs(),
            walls_,
            w_.position.data(),
            w_.velocity.data(),
            w_.packed.data(),
            w_.compression.data(),
            {w_.gradient[0].data(), w_.gradient[1].data(), w_.gradient[2].data()},
            rest_,
            kernel_,
            PairScale::make<Kernel>(kernel_, near_.largest_volume()),
            executor_};
  }

  WideSym3 load_stress(std::size_t first) const {
    return {load_wide(&w_.s[0][first]), load_wide(&w_.s[1][first]), load_wide(&w_.s[2][first]),
            load_wide(&w_.s[3][first]), load_wide(&w_.s[4][first]), load_wide(&w_.s[5][first])};
  }
  void keep_stress(std::size_t first, const WideSym3& s) {
    const WideFloat* parts[6] = {&s.xx, &s.yy, &s.zz, &s.xy, &s.xz, &s.yz};
    for (int k = 0; k < 6; ++k) store_wide(&w_.s[k][first], *parts[k]);
  }
  /// What neighbours read: q = (s - p I)/J^2.
  void pack_stress(std::size_t first, const WideSym3& s, WideFloat p, WideFloat J);

 private:
  static constexpr std::size_t width = ClusterPairs::width;

  void accelerate(std::size_t first, const WideVec3& force) {
    const WideFloat scale = WideFloat(dt_) / load_wide(&w_.rest_density[first]);
    store_lanes(&w_.velocity[first], load_lanes(&w_.advected[first]) + force * scale);
  }

  const ModelConstants& model_;
  const SphSettings& settings_;
  const KernelScale& kernel_;
  const HalfSpaceTable& half_space_;
  Neighbourhood& near_;
  WallContacts& walls_;
  const Rest& rest_;
  WorkingArrays& w_;
  const Executor& executor_;
  std::size_t count_ = 0;
  float dt_ = 0;
  float highest_ = 0;  ///< m^2/s^2, bound of pressure over rest density
};

/// Shear rate and deviator of the strain rate of the velocity gradient L.
struct ShearRate {
  WideSym3 tensor;
  WideFloat size;  ///< sqrt(2) its norm: dv/dx in simple shear, 1/s

  explicit ShearRate(const WideMat3& L) {
    const WideFloat half(0.5f);
    tensor = deviator(WideSym3{L.row[0].x, L.row[1].y, L.row[2].z, half * (L.row[0].y + L.row[1].x),
                               half * (L.row[0].z + L.row[2].x), half * (L.row[1].z + L.row[2].y)});
    size = sqrt(WideFloat(2.0f) * squared_norm(tensor));
  }
};

template <class Kernel>
void StressSolve<Kernel>::pack_stress(std::size_t first, const WideSym3& s, WideFloat p,
                                      WideFloat J) {
  const WideFloat inverse = WideFloat(1.0f) / (J * J), sign(model_.friction_sign);
  const WideSym3 q{(sign * s.xx - p) * inverse, (sign * s.yy - p) * inverse,
                   (sign * s.zz - p) * inverse, sign * s.xy * inverse,
                   sign * s.xz * inverse,       sign * s.yz * inverse};
  for (int k = 0; k < wide_width; ++k)
    w_.packed[first + k] = {q.xx[k], q.yy[k], q.zz[k], q.xy[k], q.xz[k], q.yz[k], {}};
}

/// J, with the share that an empty half space above a free surface would add: its distance follows
/// from grad J, which it alone keeps from vanishing.
template <class Kernel>
void StressSolve<Kernel>::compute_density(bool moments) {
  const WideFloat worst(kernel_.worst_wave * kernel_.gradient_sum);
  const WideFloat to_gradient(input().scale.gradient), mirror(wall_mirror * wall_mirror);
  const auto keep = [&](std::size_t first, WideFloat J, const WideVec3& own,
                        const WideVec3& gradient) {
    store_wide(&w_.gradient[0][first], own.x);
    store_wide(&w_.gradient[1][first], own.y);
    store_wide(&w_.gradient[2][first], own.z);
    if (model_.fill_surface) {
      const WideFloat missing = sqrt(squared_norm(gradient));
      for (int k = 0; k < wide_width; ++k) J.v[k] += half_space_.value_of_slope(missing[k]);
    }
    // Next to a wall a particle reacts to its own image too, and more strongly than the worst wave
    // inside.
    const WideVec3 walls = gradient - own * to_gradient;
    store_wide(&w_.relaxation[first], worst / (worst + mirror * squared_norm(walls)));
    store_wide(&w_.compression[first], J);
    return J;
  };
  // What rests keeps its stress, and strains no more; neighbours read it as before.
  const auto hold = [&](std::size_t c) {
    const std::size_t first = c * width;
    pack_stress(first, load_stress(first), load_wide(&w_.p[first]),
                load_wide(&w_.compression[first]));
    store_wide(&w_.shear_rate[first], WideFloat(0.0f));
  };
  if (moments) {
    const auto finish = [&](std::size_t c, WideFloat J, const WideVec3& own,
                            const WideVec3& gradient, const Moments& around) {
      keep(c * width, J, own, gradient);
      const WideSym3& m = around.sum;
      for (int k = 0; k < wide_width; ++k)
        w_.packed[c * width + k] = {m.xx[k], m.yy[k], m.zz[k], m.xy[k], m.xz[k], m.yz[k], {}};
    };
    sweep_density<Kernel, Moments>(input(), finish, hold);
    return;
  }
  const auto finish = [&](std::size_t c, WideFloat J, const WideVec3& own, const WideVec3& gradient,
                          const NoMoments&) {
    const std::size_t first = c * width;
    J = keep(first, J, own, gradient);
    if (model_.elastoplastic) return;  // packs the stress of its first pass
    pack_stress(first, load_stress(first), load_wide(&w_.p[first]), J);
  };
  sweep_density<Kernel, NoMoments>(input(), finish, hold);
  if (!model_.elastoplastic) near_.mirror(w_.packed);
}

/// v = v_advected + dt * (force of the present stress), 2013 Eq. 15.
template <class Kernel>
void StressSolve<Kernel>::apply_stress() {
  sweep_force<NothingElse>(input(), [&](std::size_t c, const WideVec3& force, NothingElse) {
    accelerate(c * width, force);
  });
  near_.mirror(w_.velocity);
}

/// J at the end of the step if nothing more happens, relative to what is allowed: an existing gap
/// may close. `closing`: share of a gap that may close; 0 when stretching is resisted as well as
/// compression, for there a gap that surfaces always have must neither grow nor be pulled shut.
inline WideFloat predicted_excess(WideFloat J, WideFloat divergence, WideFloat dt,
                                  WideFloat closing) {
  const WideFloat excess = J - WideFloat(1.0f);
  return select(excess > WideFloat(0.0f), excess, closing * excess) - dt * J * divergence;
}

/// Tension of bilateral material over the highest pressure: about the weight above and the impact.
/// Without a bound a hard impact throws particles, and steps become too short to go on.
constexpr float most_tension = 0.01f;

/// 1 in the midst of material, 0 at a free surface: there nothing holds against stretching.
inline WideFloat inside(WideFloat J) {
  const WideFloat share = (J - WideFloat(0.8f)) * WideFloat(1 / 0.15f);
  return min(max(share, WideFloat(0.0f)), WideFloat(1.0f));
}

/// One predictive-corrective pass of pressure (2013 Eq. 6-8) and friction (2013 Eq. 11-14; D^-1 = 3
/// rho0 delta/dt of 2011 Eq. 12).
template <class Kernel>
void StressSolve<Kernel>::correct_stress() {
  const float share = model_.pressure_share;
  const float delta = 1 / (2 * dt_ * dt_ * kernel_.gradient_sum);
  const float w_p = share * model_.stability / (kernel_.worst_wave / 2);
  const float w_s = (1 - share) * model_.stability / kernel_.worst_wave;
  const WideFloat pressure_gain(w_p * delta), stress_gain(w_s * 3 * delta * dt_);
  const WideFloat dt(dt_), zero(0.0f), highest(highest_);
  const WideFloat most(settings_.bilateral ? most_tension * highest_ : 0.0f);
  const WideFloat closing(settings_.bilateral ? 0.0f : 1.0f);
  sweep_gradient(input(), [&](std::size_t c, const WideMat3& L, const WideMat3&) {
    const std::size_t first = c * width;
    const WideFloat J = load_wide(&w_.compression[first]);
    const WideFloat rho = load_wide(&w_.rest_density[first]);
    const WideFloat relaxation = load_wide(&w_.relaxation[first]);
    const WideFloat divergence = L.row[0].x + L.row[1].y + L.row[2].z;
    const WideFloat excess = predicted_excess(J, divergence, dt, closing);
    const WideFloat p = min(max(load_wide(&w_.p[first]) + pressure_gain * relaxation * rho * excess,
                                -most * inside(J) * rho),
                            highest * rho);
    store_wide(&w_.predicted[first], excess);
    store_wide(&w_.p[first], p);
    const ShearRate rate(L);
    const WideFloat mu = rate_dependent_friction(load_wide(&w_.friction[first]), rate.size, p, rho,
                                                 load_wide(&w_.inertia_length[first]));
    WideFloat limit = yield_limit(p, mu, load_wide(&w_.cohesion[first]));
    WideFloat tension = zero;
    if (model_.cohesive_bonds) {  // 2011 Eq. 13: the less restrictive of friction and cohesion
      const WideFloat bond = load_wide(&w_.bond_limit[first]);
      limit = max(limit, WideFloat(1.41421356f) * bond);
      tension =
          load_wide(&w_.tension[first]) + stress_gain * rho * divergence * WideFloat(1.0f / 3);
      tension = min(max(tension, -bond), bond);
      store_wide(&w_.tension[first], tension);
    }
    const WideSym3 old = load_stress(first);
    WideSym3 s = old + rate.tensor * (stress_gain * relaxation * rho);
    s = s * radial_return(s, limit);
    store_wide(&w_.stress_step[first], squared_norm(s - old));
    keep_stress(first, s);
    store_wide(&w_.shear_rate[first], rate.size);
    pack_stress(first, s, p - tension, J);
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

template <class Kernel>
double StressSolve<Kernel>::stress_change() const {
  if (settings_.stress_tolerance <= 0) return 0;
  struct Largest {
    float change2 = 0, pressure = 0;  ///< over rest density
  };
  const Largest largest = executor_.reduce(
      count_, Largest{},
      [&](std::size_t begin, std::size_t end) {
        Largest part;
        for (std::size_t i = begin; i < end; ++i) {
          const float rho = w_.rest_density[i];
          part.change2 = max(part.change2, w_.stress_step[i] / (rho * rho));
          part.pressure = max(part.pressure, w_.p[i] / rho);
        }
        return part;
      },
      [](const Largest& a, const Largest& b) {
        return Largest{max(a.change2, b.change2), max(a.pressure, b.pressure)};
      });
  return std::sqrt(double{largest.change2}) / std::max(double{largest.pressure}, 1e-6);
}

}  // namespace talus::sph
