// Continuum sand by smoothed particle hydrodynamics.
//   Alduán & Otaduy 2011, "SPH granular flow with friction and cohesion", section 6
//   Ihmsen, Wahl & Teschner 2013, "A Lagrangian framework for simulating granular material with
//   high detail", Algorithm 1
// Symbols: a spacing, h kernel support, V0 = a^3 rest volume, J = density/rest density, p pressure
// (Pa), s deviatoric stress (Pa, positive in tension), L velocity gradient (1/s), q = (s - p
// I)/J^2.
//
// The model `talus` leaves the papers in three points, each measured in docs/numerics.md:
//   - p and s live on from step to step: an elastoplastic material, advanced in short passes
//     (sph/elastoplastic.h), instead of viscous friction: no creep;
//   - the empty half space above a free surface counts as if it were full, so that surface layers
//     keep their spacing instead of collapsing by half a kernel;
//   - bodies act as half spaces through their signed distance.
#include "core/largest.h"
#include "sph/sph_solver_impl.h"

#include <algorithm>
#include <cmath>

namespace talus::sph {

namespace {

constexpr float separation_stiffness = 0.05f;  // of the discrete particle forces, times 1/dt^2
constexpr float reference_fades = 0.1f;        // s, in which a reference pressure is forgotten
constexpr std::size_t struck_count = 16;       // particles below what strikes, at least
constexpr float struck_share = 0.6f;           // of their pressure, that passes bear
constexpr float bond_time = 0.1f;              // s, cohesive bonds form in this time at rest
constexpr float bond_strain_rate = 2;          // 1/s, above it they break

/// Speed of the fastest point of any body.
double fastest_body(std::span<const Body> bodies) {
  double fastest = 0;
  for (const Body& body : bodies) {
    const Box3d box = body.field->bounds();
    const double spin = norm(body.state.angular_velocity);
    const double radius = spin > 0 ? norm(max(box.upper, box.lower * -1.0)) : 0;
    fastest = std::max(fastest, norm(body.state.velocity) + spin * radius);
  }
  return fastest;
}

PeriodicBox periodic_box(const Scene& scene) {
  return {scene.periodic, Vec3f(scene.domain_lower), Vec3f(scene.domain_upper)};
}

}  // namespace

template <class Kernel>
SphSolver<Kernel>::SphSolver(const Scene& scene, const ModelConstants& model,
                             std::vector<Body>& bodies, const Executor& executor)
    : scene_(scene),
      model_(model),
      bodies_(bodies),
      executor_(executor),
      spacing_(static_cast<float>(scene.sph.spacing)),
      rest_volume_(spacing_ * spacing_ * spacing_),
      kernel_(make_kernel_scale<Kernel>(spacing_, model.support * spacing_)),
      half_space_(HalfSpaceTable::make<Kernel>(kernel_, spacing_)),
      near_(kernel_.h, model.skin, rest_volume_, periodic_box(scene)),
      solve_(model_, scene_.sph, kernel_, half_space_, near_, walls_, rest_, w_, executor),
      elastic_(solve_, scene_.sph, kernel_, near_, w_) {
  if (scene.sph.boundary != SphBoundary::automatic) model_.boundary = scene.sph.boundary;
  model_.resting = model_.elastoplastic && scene.sph.sleeping;
  model_.sleeping = model_.sleeping || (scene.sph.sleeping && !model_.elastoplastic);
  work_out_laws();
  register_fields();
}

template <class Kernel>
void SphSolver<Kernel>::work_out_laws() {
  laws_.clear();
  for (const Material& material : scene_.materials) laws_.push_back(law_of(material));
}

template <class Kernel>
MaterialLaw SphSolver<Kernel>::law_of(const Material& m) const {
  const double mu = m.friction;
  const double counted = model_.elastoplastic ? counted_cohesion(mu) : 1;
  return {
      .rest_density = static_cast<float>(m.density),
      .friction = static_cast<float>(model_.friction_is_sine ? mu / std::sqrt(1 + mu * mu) : mu),
      .inertia_length = static_cast<float>(model_.rate_dependent ? m.grain_diameter : 0),
      .attraction = static_cast<float>(m.cohesion_intensity),
      .bond_maximum = static_cast<float>(m.cohesion_maximum),
      .cohesion = counted * m.cohesion,
      .wet_cohesion = counted * m.wet_cohesion,
      .viscosity = m.viscosity,
      .wet_viscosity = m.wet_viscosity};
}

template <class Kernel>
void SphSolver<Kernel>::register_fields() {
  using enum FieldUse;
  id_ = store_.add_field<std::uint64_t>("id", "1", frame, "constant and unique");
  x_ = store_.add_field<Vec3f>("position", "m", frame, "centre");
  v_ = store_.add_field<Vec3f>("velocity", "m/s", frame, "of the material at the particle");
  radius_ = store_.add_field<float>("radius", "m", frame, "half the rest spacing");
  material_ = store_.add_field<std::uint32_t>("material", "1", frame, "index into the materials");
  density_ = store_.add_field<float>("density", "kg/m^3", frame, "at the particle");
  pressure_ =
      store_.add_field<float>("pressure", "Pa", frame, "mean stress, positive in compression");
  stress_ = store_.add_field<Sym3f>("stress", "Pa", state, "deviatoric, positive in tension");
  strain_rate_ = store_.add_field<float>("strain_rate", "1/s", state, "norm of the shear rate");
  wetness_ = store_.add_field<float>("wetness", "1", frame, "0 dry, 1 soaked");
  asleep_ = store_.add_field<std::uint8_t>("asleep", "1", state, "1 when put to rest");
  if (model_.cohesive_bonds)
    bond_ = store_.add_field<float>("bond", "1", state, "cohesion intensity beta of Alduán 2011");
  if (model_.resting) {
    calm_ = store_.add_field<std::uint8_t>("calm", "1", state, "steps in a row that it was calm");
    told_ = store_.add_field<Sym3f>("told_stress", "Pa", state, "stress that neighbours know of");
  }
  x_listed_ = store_.add_field<Vec3f>("listed_position", "m", state,
                                      "where the particle was when neighbours were listed");
}

template <class Kernel>
void SphSolver<Kernel>::add(const NewParticles& fresh) {
  const std::size_t old = store_.size();
  store_.resize(old + fresh.position.size());
  for (std::size_t k = 0; k < fresh.position.size(); ++k) {
    const std::size_t i = old + k;
    const Material& material = scene_.materials[fresh.material[k]];
    store_[id_][i] = fresh.id[k];
    store_[x_][i] = store_[x_listed_][i] = fresh.position[k];
    store_[v_][i] = fresh.velocity[k];
    store_[radius_][i] = spacing_ / 2;
    store_[material_][i] = fresh.material[k];
    store_[density_][i] = static_cast<float>(material.density);
    store_[wetness_][i] = static_cast<float>(material.wetness);
    if (model_.cohesive_bonds) store_[bond_][i] = 1;
    max_speed_ = max(max_speed_, norm(fresh.velocity[k]));
  }
  if (old == 0 && model_.elastoplastic) take_load();
}

/// Sand that is there from the beginning bears its load.
template <class Kernel>
void SphSolver<Kernel>::take_load() {
  const Filled sand{store_[x_], store_[v_], scene_.gravity, spacing_};
  reference_pressure_ = expected_load(sand);
  for (int axis = 0; axis < 3; ++axis)  // columns along gravity would leave the box
    if (near_.box().axis[axis] && scene_.gravity[axis] != 0) return;
  const std::vector<float> heads = heads_of(sand, bodies_);
  for (std::size_t i = 0; i < heads.size(); ++i)
    store_[pressure_][i] = heads[i] * laws_[store_[material_][i]].rest_density;
}

template <class Kernel>
void SphSolver<Kernel>::remove(std::span<const std::uint8_t> keep) {
  if (model_.resting) {  // those around moving sand are awake; those around resting sand are not
    bool support_lost = false;
    for (std::size_t i = 0; i < keep.size(); ++i)
      support_lost = support_lost || (keep[i] == 0 && store_[calm_][i] >= Rest::calm_steps);
    if (support_lost) wake_all();
  }
  store_.compact(keep);
  near_.invalidate();
}

template <class Kernel>
Status SphSolver<Kernel>::change_velocities(std::span<const Vec3f> change) {
  const auto v = store_[v_];
  TALUS_CHECK(change.size() == v.size(), "changes {} particles {}", change.size(), v.size());
  for (std::size_t i = 0; i < v.size(); ++i) {
    v[i] += change[i];
    if (model_.resting && change[i] != Vec3f{}) store_[calm_][i] = 0;
    max_speed_ = max(max_speed_, norm(v[i]));
  }
  return {};
}

template <class Kernel>
Status SphSolver<Kernel>::adopt(const Scene& scene) {
  const std::size_t known = scene_.bodies.size();
  scene_.materials = scene.materials;
  scene_.bodies = scene.bodies;
  work_out_laws();
  wake_all();
  if (bodies_.size() == known) return {};
  near_.invalidate();
  return sample_bodies(known);
}

template <class Kernel>
void SphSolver<Kernel>::set_gravity(const Vec3d& gravity) {
  if (!(gravity == scene_.gravity)) wake_all();
  scene_.gravity = gravity;
}

template <class Kernel>
void SphSolver<Kernel>::wake_all() {
  if (!model_.resting) return;
  for (std::uint8_t& calm : store_[calm_]) calm = 0;
}

template <class Kernel>
StepChoice SphSolver<Kernel>::choose_step(double max_dt, double body_speed) const {
  StepLimits limits{scene_.sph.time_step, max_dt, scene_.sph.spacing, max_speed_,
                    body_speed,           1e30,   scene_.sph.adaptive};
  if (model_.elastoplastic) limits.depth = elastic_.longest_step(double{reference_pressure_});
  return choose_time_step(limits);
}

template <class Kernel>
Result<StepReport> SphSolver<Kernel>::step(double max_dt) {
  report_ = {};
  const double body_speed = fastest_body(bodies_);
  const StepChoice choice = choose_step(max_dt, body_speed);
  dt_ = static_cast<float>(choice.dt);
  passes_ = elastic_.passes(choice.dt, double{max(reference_pressure_, struck_pressure_)});
  report_.dt = choice.dt;
  report_.dt_reason = choice.reason;
  if (!store_.empty()) {
    const float highest = highest_pressure(body_speed);
    timers_.time("neighbours", [&] { update_neighbours(); });
    timers_.time("pack", [&] { pack(); });
    timers_.time("walls", [&] { update_walls(); });
    if (model_.resting) timers_.time("rest", [&] { find_rest(); });
    solve_.begin(store_.size(), dt_, highest);
    const bool damps_noise = model_.elastoplastic && elastic_.damps_noise(steps_);
    timers_.time("density", [&] { solve_.compute_density(damps_noise); });
    near_.note_lengths(executor_);
    timers_.time("external", [&] { apply_external_forces(); });
    if (model_.elastoplastic) {
      elastic_.begin(dt_, passes_, reference_pressure_, highest, damps_noise);
      advance_stress(damps_noise);
    } else {
      iterate_stress();
    }
    timers_.time("loads", [&] { load_bodies(); });
    timers_.time("integrate", [&] { integrate(); });
    if (model_.resting) timers_.time("rest", [&] { wake_neighbours(); });
  }
  time_ += choice.dt;
  ++steps_;
  if (const Status s = check_finite(); !s) return s.error();
  return report_;
}

/// Short passes through the step: strain makes stress, stress moves (sph/elastoplastic.h).
template <class Kernel>
void SphSolver<Kernel>::advance_stress(bool damps_noise) {
  const Vec3f g = Vec3f(scene_.gravity) * (dt_ / static_cast<float>(passes_));
  const WideVec3 gravity{WideFloat(g.x), WideFloat(g.y), WideFloat(g.z)};
  for (int k = 0; k < passes_; ++k) {
    const bool first = k == 0, last = k + 1 == passes_;
    timers_.time("strain", [&] { elastic_.strain(first, last); });
    if (first && damps_noise) timers_.time("noise", [&] { elastic_.find_noise(); });
    timers_.time("stress force", [&] {
      if (pair_forces_)
        elastic_.move(first, last, [&](std::size_t i) { return load_lanes(&w_.advected[i]); });
      else
        elastic_.move(first, last, [&](std::size_t) { return gravity; });
    });
  }
  report_.pressure_iterations = report_.friction_iterations = passes_;
}

/// The papers' predictive-corrective loop: a fixed number of passes, or with tolerances at least
/// that number and until they are met.
template <class Kernel>
void SphSolver<Kernel>::iterate_stress() {
  const SphSettings& sph = scene_.sph;
  const int least = std::max(sph.pressure_iterations, model_.least_iterations);
  const auto more = [&](int done) {
    if (done < least) return true;
    if (done >= sph.max_iterations) return false;
    report_.stress_change = solve_.stress_change();
    return (sph.density_tolerance > 0 &&
            solve_.mean_predicted_compression() > sph.density_tolerance) ||
           (sph.stress_tolerance > 0 && report_.stress_change > sph.stress_tolerance);
  };
  timers_.time("stress force", [&] { solve_.apply_stress(); });
  int done = 0;
  for (; more(done); ++done) {
    timers_.time("strain", [&] { solve_.correct_stress(); });
    timers_.time("stress force", [&] { solve_.apply_stress(); });
  }
  report_.pressure_iterations = report_.friction_iterations = done;
}

template <class Kernel>
void SphSolver<Kernel>::update_neighbours() {
  near_.update(store_, x_, x_listed_, bodies_, {w_.position, w_.velocity}, executor_);
  walls_.find_candidates(w_.position, store_.size(), bodies_, near_.slack(), half_space_,
                         executor_);
}

template <class Kernel>
void SphSolver<Kernel>::find_rest() {
  rest_.begin(store_[calm_], executor_, [&](std::size_t c) { return may_rest(c); });
}

/// Not beside a body that moves, not on boundary particles (their loads come from the sweeps), and
/// not where stress is beyond what the material bears by now: it may have dried.
template <class Kernel>
bool SphSolver<Kernel>::may_rest(std::size_t cluster) const {
  for (const std::uint32_t j : near_.pairs().extras(cluster))
    if (near_.body_of(j) >= 0 && near_.reaches(w_.position, cluster, j)) return false;
  bool still = true;
  walls_.for_bodies_near(cluster, [&](std::size_t b) {
    const BodyState& state = bodies_[b].state;
    still = still && state.velocity == Vec3d{} && state.angular_velocity == Vec3d{} &&
            (bodies_[b].motion != BodyMotion::dynamic || bodies_[b].asleep);
  });
  const std::size_t end = std::min(store_.size(), (cluster + 1) * width);
  for (std::size_t i = cluster * width; still && i < end; ++i) {
    const MaterialLaw& law = laws_[store_[material_][i]];
    const auto cohesion =
        static_cast<float>(law.cohesion + double{store_[wetness_][i]} * law.wet_cohesion);
    const float most = 1.01f * yield_limit(store_[pressure_][i], law.friction, cohesion);
    still = squared_norm(store_[stress_][i]) <= most * most;
  }
  return still;
}

template <class Kernel>
void SphSolver<Kernel>::wake_neighbours() {
  const auto limits =
      RestLimits::make(static_cast<float>(norm(scene_.gravity)), spacing_, laws_[0].rest_density);
  rest_.end({store_[v_], store_[pressure_], store_[stress_], store_[told_], store_[calm_]}, limits,
            near_, w_.position, executor_);
}

/// Working copies, laid out for the sweeps. Padding lanes repeat the last particle.
template <class Kernel>
void SphSolver<Kernel>::pack() {
  const std::size_t n = store_.size(), padded = near_.padded(), total = near_.total();
  pair_forces_ = needs_pair_forces();
  w_.resize(padded, total, !model_.elastoplastic, pair_forces_);
  const auto v = store_[v_];
  const auto p = store_[pressure_], wetness = store_[wetness_], density = store_[density_];
  const auto stress = store_[stress_];
  const auto material = store_[material_];
  const float keep = model_.elastoplastic ? 1.0f : 0.0f;
  executor_.for_range(padded, 2048, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const std::size_t k = std::min(i, n - 1);
      w_.velocity[i] = {v[k].x, v[k].y, v[k].z, 0};
      const MaterialLaw& law = laws_[material[k]];
      const double wet = wetness[k];
      w_.rest_density[i] = law.rest_density;
      w_.friction[i] = law.friction;
      w_.cohesion[i] = static_cast<float>(law.cohesion + wet * law.wet_cohesion);
      w_.inertia_length[i] = law.inertia_length;
      if (pair_forces_) {
        w_.viscosity[i] = static_cast<float>(law.viscosity + wet * law.wet_viscosity);
        w_.attraction[i] = law.attraction;
      }
      if (model_.cohesive_bonds) {
        const float bond = store_[bond_][k];
        w_.bond_limit[i] = bond * bond * law.bond_maximum;
        w_.tension[i] = 0;
      }
      w_.p[i] = keep * p[k];
      if (model_.resting) w_.compression[i] = density[k] / law.rest_density;
      const Sym3f& s = stress[k];
      const float parts[6] = {s.xx, s.yy, s.zz, s.xy, s.xz, s.yz};
      for (int c = 0; c < 6; ++c) w_.s[c][i] = keep * parts[c];
    }
  });
  near_.mirror(w_.velocity);
  if (pair_forces_) {
    near_.mirror(w_.viscosity);
    near_.mirror(w_.attraction);
  }
  for (std::size_t e = padded; e < total; ++e) {
    w_.packed[e] = {};
  }
}

template <class Kernel>
void SphSolver<Kernel>::update_walls() {
  walls_.update(w_.position, store_.size(), bodies_, half_space_, w_.friction.data(), executor_);
  walls_.leave_gaps(w_.velocity, bodies_, spacing_ / 2, slow_approach(), dt_, executor_);
}

/// Dry sand of the model `talus` has none of them, and saves a sweep.
template <class Kernel>
bool SphSolver<Kernel>::needs_pair_forces() const {
  if (model_.separation > 0) return true;
  const auto material = store_[material_];
  const auto wetness = store_[wetness_];
  return executor_.reduce(
      store_.size(), false,
      [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
          const MaterialLaw& law = laws_[material[i]];
          if (law.attraction > 0 || law.viscosity + double{wetness[i]} * law.wet_viscosity > 0)
            return true;
        }
        return false;
      },
      [](bool x, bool y) { return x || y; });
}

/// What neither stress nor bodies do to the velocities: of a pass, or for the papers of the step.
/// Where only gravity does, advance_stress() needs no array of it.
template <class Kernel>
void SphSolver<Kernel>::apply_external_forces() {
  if (model_.elastoplastic && !pair_forces_) return;
  const float share = model_.elastoplastic ? dt_ / static_cast<float>(passes_) : dt_;
  const float keep = model_.elastoplastic ? 0.0f : 1.0f;
  const Vec3f kick = Vec3f(scene_.gravity) * share;
  executor_.for_range(near_.padded(), 4096, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const Float4& v = w_.velocity[i];
      w_.advected[i] = {keep * v.x + kick.x, keep * v.y + kick.y, keep * v.z + kick.z, 0};
    }
  });
  if (!pair_forces_) return;
  const PairForces pair{model_.separation * spacing_, separation_stiffness / (dt_ * dt_),
                        kernel_.h * sound_speed, w_.viscosity.data(), w_.attraction.data()};
  const std::size_t images_end = near_.boundary().empty() ? near_.total() : near_.padded();
  sweep_pair_forces<Kernel>(solve_.input(), pair, images_end,
                            [&](std::size_t c, const WideVec3& a) {
                              Float4* start = &w_.advected[c * width];
                              store_lanes(start, load_lanes(start) + a * WideFloat(share));
                            });
}

template <class Kernel>
void SphSolver<Kernel>::wrap(Vec3f& x) const {
  const PeriodicBox& box = near_.box();
  for (int axis = 0; axis < 3; ++axis) {
    if (!box.axis[axis]) continue;
    const float length = box.upper[axis] - box.lower[axis];
    if (x[axis] < box.lower[axis]) x[axis] += length;
    if (x[axis] >= box.upper[axis]) x[axis] -= length;
  }
}

template <class Kernel>
void SphSolver<Kernel>::integrate() {
  const auto x = store_[x_], v = store_[v_];
  const auto p = store_[pressure_], rho = store_[density_], rate = store_[strain_rate_];
  const auto stress = store_[stress_];
  const auto asleep = store_[asleep_];
  struct Summary {
    float speed2 = 0, excess = 0;
    double excess_sum = 0, pressure = 0;
    Largest<struck_count> struck;
    std::uint64_t asleep = 0, loaded = 0;
  };
  const float g = static_cast<float>(norm(scene_.gravity));
  const float sleep_speed2 = 4 * g * g * dt_ * dt_;
  const Summary all = executor_.reduce(
      store_.size(), Summary{},
      [&](std::size_t begin, std::size_t end) {
        Summary sum;
        for (std::size_t i = begin; i < end; ++i) {
          const Vec3f fresh = xyz(w_.velocity[i]);
          const bool rests =
              rest_.particle_rests(i) || (model_.sleeping && squared_norm(fresh) < sleep_speed2 &&
                                          squared_norm(fresh - v[i]) < g * g * dt_ * dt_);
          asleep[i] = rests ? 1 : 0;
          v[i] = rests ? Vec3f{} : fresh;
          if (!rests) x[i] += model_.elastoplastic ? xyz(w_.moved[i]) : v[i] * dt_;
          p[i] = w_.p[i];
          if (!rest_.particle_rests(i)) rho[i] = w_.compression[i] * w_.rest_density[i];
          rate[i] = w_.shear_rate[i];
          stress[i] = {w_.s[0][i], w_.s[1][i], w_.s[2][i], w_.s[3][i], w_.s[4][i], w_.s[5][i]};
          if (model_.cohesive_bonds) {
            float& bond = store_[bond_][i];
            bond = min(max(bond + dt_ / bond_time * (1 - rate[i] / bond_strain_rate), 0.0f), 1.0f);
          }
          sum.speed2 = max(sum.speed2, squared_norm(v[i]));
          const float load = p[i] / w_.rest_density[i];
          sum.pressure += double{load};
          sum.struck.add(load);
          sum.loaded += p[i] > 0;
          const float excess = max(w_.compression[i] - 1, 0.0f);
          sum.excess = max(sum.excess, excess);
          sum.excess_sum += excess;
          sum.asleep += rests;
        }
        return sum;
      },
      [](Summary a, const Summary& b) {
        a.speed2 = max(a.speed2, b.speed2);
        a.excess = max(a.excess, b.excess);
        a.excess_sum += b.excess_sum;
        a.pressure += b.pressure;
        a.struck.add(b.struck);
        a.asleep += b.asleep;
        a.loaded += b.loaded;
        return a;
      });
  keep_outside_bodies();
  if (near_.box().any()) executor_.for_each(store_.size(), [&](std::size_t i) { wrap(x[i]); });
  max_speed_ = std::sqrt(all.speed2);
  // In a bed twice the mean is what acts at its bottom. Never less than two layers weigh; what was
  // more fades slowly, since waves of pressure pass.
  const double mean = all.pressure / static_cast<double>(std::max<std::uint64_t>(all.loaded, 1));
  const float kept = 1 - min(dt_ / reference_fades, 1.0f);
  reference_pressure_ =
      max(max(static_cast<float>(2 * mean), 2 * g * spacing_), reference_pressure_ * kept);
  // Where something strikes, sand must be stiffer: more passes, but never a shorter step. Single
  // grains that land do not count.
  struck_pressure_ = max(struck_share * all.struck.least(), struck_pressure_ * kept);
  report_.max_speed = max_speed_;
  report_.max_density_error = all.excess;
  report_.mean_density_error = all.excess_sum / static_cast<double>(store_.size());
  report_.asleep = all.asleep;
}

template <class Kernel>
Status SphSolver<Kernel>::check_finite() const {
  if (std::isfinite(max_speed_)) return {};
  const auto x = store_[x_], v = store_[v_];
  for (std::size_t i = 0; i < store_.size(); ++i) {
    if (is_finite(x[i]) && is_finite(v[i])) continue;
    return work_error(
        "particle {} is no longer finite after step {} (t = {:.6g} s, dt = {:.3g} s, set by: {}). "
        "Likely causes: a step forced above the stable one (set sph.adaptive = true or a smaller "
        "sph.time_step), or bodies moving faster than 0.4 spacings per step",
        store_[id_][i], steps_, time_, dt_, report_.dt_reason);
  }
  return {};
}

template <class Kernel>
void SphSolver<Kernel>::save(State& state) const {
  state.put_store("sph", store_);
  state.put("sph/time", time_);
  state.put("sph/steps", steps_);
  state.put("sph/max_speed", max_speed_);
  state.put("sph/reference_pressure", reference_pressure_);
  state.put("sph/struck_pressure", struck_pressure_);
  state.put("sph/gravity", scene_.gravity);
  near_.save(state);
}

template <class Kernel>
Status SphSolver<Kernel>::load(const State& state) {
  if (Status s = state.get_store("sph", store_); !s) return s;
  if (Status s = state.get("sph/time", time_); !s) return s;
  if (Status s = state.get("sph/steps", steps_); !s) return s;
  if (Status s = state.get("sph/max_speed", max_speed_); !s) return s;
  if (Status s = state.get("sph/reference_pressure", reference_pressure_); !s) return s;
  if (Status s = state.get("sph/struck_pressure", struck_pressure_); !s) return s;
  if (Status s = state.get("sph/gravity", scene_.gravity); !s) return s;
  for (const std::uint32_t m : store_[material_])
    if (m >= scene_.materials.size())
      return work_error("checkpoint names material {}, the scene has {}", m,
                        scene_.materials.size());
  return near_.load(state, store_, x_listed_, bodies_, {w_.position, w_.velocity}, executor_);
}

template <class Kernel>
std::size_t SphSolver<Kernel>::memory_bytes() const {
  return store_.memory_bytes() + near_.memory_bytes() + walls_.memory_bytes() + w_.memory_bytes() +
         rest_.memory_bytes() + loads_.memory_bytes();
}

namespace {

template <class Kernel>
Result<std::unique_ptr<Solver>> make_with(const Scene& scene, const ModelConstants& constants,
                                          std::vector<Body>& bodies, const Executor& executor) {
  auto solver = std::make_unique<SphSolver<Kernel>>(scene, constants, bodies, executor);
  if (Status s = solver->sample_bodies(); !s) return s.error();
  return std::unique_ptr<Solver>(std::move(solver));
}

}  // namespace

Result<std::unique_ptr<Solver>> make_solver(const Scene& scene, const ModelConstants& constants,
                                            std::vector<Body>& bodies, const Executor& executor) {
  switch (constants.kernel) {
    case KernelShape::cubic_spline:
      return make_with<CubicSpline>(scene, constants, bodies, executor);
    case KernelShape::spiky: return make_with<Spiky>(scene, constants, bodies, executor);
    case KernelShape::wendland_c2: break;
  }
  return make_with<WendlandC2>(scene, constants, bodies, executor);
}

}  // namespace talus::sph

namespace talus {

Result<std::unique_ptr<Solver>> make_sph_solver(const Scene& scene, std::vector<Body>& bodies,
                                                const Executor& executor) {
  return sph::make_solver(scene, sph::constants_of(scene.sph.model), bodies, executor);
}

}  // namespace talus
