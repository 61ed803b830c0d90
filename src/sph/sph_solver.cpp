// Continuum sand by smoothed particle hydrodynamics.
//   Alduán & Otaduy 2011, "SPH granular flow with friction and cohesion", section 6
//   Ihmsen, Wahl & Teschner 2013, "A Lagrangian framework for simulating granular material with
//   high detail", Algorithm 1
// Symbols: a spacing, h kernel support, V0 = a^3 rest volume, J = density/rest density, p pressure
// (Pa), s deviatoric stress (Pa, positive in tension), L velocity gradient (1/s), q = (s - p
// I)/J^2.
//
// The model `talus` leaves the papers in four points, each measured in docs/numerics.md:
//   - p and s live on from step to step (elastoplastic instead of viscous friction: no creep);
//   - pressure is corrected first, friction after it (staggered);
//   - the empty half space above a free surface counts as if it were full, so that surface layers
//     keep their spacing instead of collapsing by half a kernel;
//   - bodies act as half spaces through their signed distance.
#include "sph/sph_solver.h"

#include "bodies/body_world.h"
#include "geometry/cluster_pairs.h"
#include "sph/body_loads.h"
#include "sph/kernel.h"
#include "sph/light_bodies.h"
#include "sph/neighbourhood.h"
#include "sph/stress_solve.h"
#include "sph/time_step.h"
#include "sph/walls.h"

#include <algorithm>
#include <cmath>

namespace talus::sph {

namespace {

constexpr std::size_t width = ClusterPairs::width;
constexpr float sound_speed = 10;              // m/s, c_s of the artificial viscosity
constexpr float separation_stiffness = 0.05f;  // of the discrete particle forces, times 1/dt^2
constexpr float bond_time = 0.1f;              // s, cohesive bonds form in this time at rest
constexpr float bond_strain_rate = 2;          // 1/s, above it they break

template <class Kernel>
class SphSolver final : public Solver {
 public:
  SphSolver(const Scene& scene, const ModelConstants& model, std::vector<Body>& bodies,
            const Executor& executor);
  Status sample_bodies(std::size_t first = 0);

  ParticleStore& particles() override { return store_; }
  void add(const NewParticles& fresh) override;
  void remove(std::span<const std::uint8_t> keep) override;
  Result<StepReport> step(double max_dt) override;
  void set_gravity(const Vec3d& gravity) override { scene_.gravity = gravity; }
  Status change_velocities(std::span<const Vec3f> change) override;
  Status adopt(const Scene& scene) override;
  double time() const override { return time_; }
  std::uint64_t steps() const override { return steps_; }
  void save(State& state) const override;
  Status load(const State& state) override;
  PhaseTimers& timers() override { return timers_; }
  std::size_t memory_bytes() const override;

 private:
  // The phases of a step, in their order.
  void update_neighbours();
  void pack();
  void update_walls();
  void apply_external_forces();
  void solve_stress();
  void load_bodies();
  void integrate();
  Status check_finite() const;

  void register_fields();
  bool needs_pair_forces() const;
  bool more_iterations(int done, int least, double tolerance, double error) const;
  void load_boundary_particles();
  void meet_light_bodies();
  Sym3f rotated_stress(std::size_t i) const;
  void keep_outside_bodies();
  void wrap(Vec3f& x) const;

  Scene scene_;
  ModelConstants model_;
  std::vector<Body>& bodies_;
  const Executor& executor_;
  float spacing_, rest_volume_;
  KernelScale kernel_;
  HalfSpaceTable half_space_;
  Neighbourhood near_;
  WallContacts walls_;

  ParticleStore store_;
  Field<std::uint64_t> id_;
  Field<Vec3f> x_, v_, x_listed_;
  Field<float> radius_, density_, pressure_, strain_rate_, wetness_, bond_;
  Field<std::uint32_t> material_;
  Field<Sym3f> stress_;
  Field<std::uint8_t> asleep_;

  WorkingArrays w_;
  StressSolve<Kernel> solve_;
  BodyLoads loads_;
  std::vector<LightBody> light_;

  double time_ = 0;
  std::uint64_t steps_ = 0;
  float dt_ = 0;
  float max_speed_ = 0, max_pressure_ = 0;
  StepReport report_;
  PhaseTimers timers_;
};

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
      solve_(model_, scene_.sph, kernel_, half_space_, near_, walls_, w_, executor) {
  if (scene.sph.boundary != SphBoundary::automatic) model_.boundary = scene.sph.boundary;
  model_.sleeping = model_.sleeping || scene.sph.sleeping;
  register_fields();
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
  bond_ = store_.add_field<float>("bond", "1", state, "cohesion intensity beta of Alduán 2011");
  x_listed_ = store_.add_field<Vec3f>("listed_position", "m", state,
                                      "where the particle was when neighbours were listed");
}

/// Boundary particles of a body: its surface samples, moved into the solid by half a spacing, so
/// that a first layer of sand half a spacing off the surface is a whole one away from them, as on a
/// lattice. On the surface itself (2013) they press twice as hard, and sand that starts against a
/// wall bursts. Plates thinner than a spacing keep them nearer to the surface.
BoundaryParticles boundary_particles(const Body& body, std::uint32_t index, float spacing) {
  BoundaryParticles out{index, body.surface, {}};
  const Vec3f offset(body.field_offset);
  for (Vec3f& p : out.local) {
    const Vec3f start = p;
    const Vec3f normal = body.field->sample(start - offset).gradient;
    for (const float depth : {0.5f * spacing, 0.25f * spacing, 0.0f}) {
      p = start - depth * normal;
      if (body.field->sample(p - offset).distance < -0.7f * depth) break;
    }
  }
  return out;
}

/// Surface particles for the bodies from `first` on that act through them; planes always act as
/// half spaces.
template <class Kernel>
Status SphSolver<Kernel>::sample_bodies(std::size_t first) {
  std::vector<std::uint8_t> acts(bodies_.size(),
                                 model_.boundary == SphBoundary::direct_forcing ? 0 : 1);
  if (model_.boundary == SphBoundary::particles) {
    if (Status s = sample_body_surfaces(bodies_, spacing_, scene_.seed, executor_); !s) return s;
  }
  for (std::size_t b = 0; b < bodies_.size(); ++b) {
    const Body& body = bodies_[b];
    if (model_.boundary != SphBoundary::particles || body.surface.empty()) continue;
    acts[b] = 0;
    if (b < first) continue;
    BoundaryParticles particles = boundary_particles(body, static_cast<std::uint32_t>(b), spacing_);
    // 2013 Eq. 16: delta_b = sum_k W_bk over the boundary particles of this body.
    CellGrid grid;
    grid.build(particles.local, kernel_.h, executor_);
    for (const Vec3f& p : particles.local) {
      const Vec3f reach{kernel_.h, kernel_.h, kernel_.h};
      float delta = 0;
      grid.for_cells_in(p - reach, p + reach, [&](CellGrid::Range range) {
        for (std::uint32_t k = range.begin; k < range.end; ++k)
          delta += kernel_.value_factor *
                   Kernel::value(norm(p - particles.local[grid.order()[k]]) * kernel_.inverse_h);
      });
      particles.volume.push_back(1 / delta);
    }
    near_.add_boundary(std::move(particles));
  }
  walls_.set_bodies(std::move(acts));
  return {};
}

template <class Kernel>
void SphSolver<Kernel>::add(const NewParticles& fresh) {
  const std::size_t old = store_.size();
  store_.resize(old + fresh.position.size());
  for (std::size_t k = 0; k < fresh.position.size(); ++k) {
    const std::size_t i = old + k;
    const Material& material = scene_.materials[fresh.material[k]];
    store_[id_][i] = fresh.id[k];
    store_[x_][i] = fresh.position[k];
    store_[v_][i] = fresh.velocity[k];
    store_[radius_][i] = spacing_ / 2;
    store_[material_][i] = fresh.material[k];
    store_[density_][i] = static_cast<float>(material.density);
    store_[wetness_][i] = static_cast<float>(material.wetness);
    store_[bond_][i] = 1;
    max_speed_ = max(max_speed_, norm(fresh.velocity[k]));
  }
  near_.invalidate();
}

template <class Kernel>
void SphSolver<Kernel>::remove(std::span<const std::uint8_t> keep) {
  store_.compact(keep);
  near_.invalidate();
}

template <class Kernel>
Status SphSolver<Kernel>::change_velocities(std::span<const Vec3f> change) {
  const auto v = store_[v_];
  TALUS_CHECK(change.size() == v.size(), "changes {} particles {}", change.size(), v.size());
  for (std::size_t i = 0; i < v.size(); ++i) {
    v[i] += change[i];
    max_speed_ = max(max_speed_, norm(v[i]));
  }
  return {};
}

template <class Kernel>
Status SphSolver<Kernel>::adopt(const Scene& scene) {
  const std::size_t known = scene_.bodies.size();
  scene_.materials = scene.materials;
  scene_.bodies = scene.bodies;
  if (bodies_.size() == known) return {};
  near_.invalidate();
  return sample_bodies(known);
}

template <class Kernel>
Result<StepReport> SphSolver<Kernel>::step(double max_dt) {
  report_ = {};
  const StepChoice choice =
      choose_time_step({scene_.sph.time_step, max_dt, scene_.sph.spacing, max_speed_,
                        fastest_body(bodies_), max_pressure_, scene_.sph.adaptive});
  dt_ = static_cast<float>(choice.dt);
  report_.dt = choice.dt;
  report_.dt_reason = choice.reason;
  if (!store_.empty()) {
    timers_.time("neighbours", [&] { update_neighbours(); });
    timers_.time("pack", [&] { pack(); });
    timers_.time("walls", [&] { update_walls(); });
    solve_.begin(store_.size(), dt_);
    timers_.time("density", [&] { solve_.compute_density(); });
    timers_.time("external", [&] { apply_external_forces(); });
    solve_stress();
    timers_.time("loads", [&] { load_bodies(); });
    timers_.time("integrate", [&] { integrate(); });
  }
  time_ += choice.dt;
  ++steps_;
  if (const Status s = check_finite(); !s) return s.error();
  return report_;
}

/// The predictive-corrective loop: pressure first, then friction (or both at once, as printed).
template <class Kernel>
void SphSolver<Kernel>::solve_stress() {
  const SphSettings& sph = scene_.sph;
  const auto correct_pressure = [&] {
    timers_.time("pressure", [&] { solve_.correct_pressure(); });
    timers_.time("pressure force", [&] { solve_.apply_pressure_change(); });
    return solve_.mean_predicted_compression();
  };
  const auto correct_friction = [&] {
    timers_.time("friction", [&] { solve_.template correct_stress<false>(); });
    timers_.time("stress force", [&] { solve_.apply_stress(); });
    return solve_.stress_change(max_pressure_);
  };
  const auto correct_both = [&] {
    timers_.time("friction", [&] { solve_.template correct_stress<true>(); });
    timers_.time("stress force", [&] { solve_.apply_stress(); });
    return solve_.mean_predicted_compression();
  };
  const auto iterate = [&](int least, double tolerance, auto&& pass) {
    int done = 0;
    for (double error = 1; more_iterations(done, least, tolerance, error); ++done) error = pass();
    return done;
  };
  timers_.time("stress force", [&] { solve_.apply_stress(); });
  if (model_.staggered) {
    report_.pressure_iterations =
        iterate(sph.pressure_iterations, sph.density_tolerance, correct_pressure);
    report_.friction_iterations =
        iterate(sph.friction_iterations, sph.stress_tolerance, correct_friction);
  } else {
    report_.pressure_iterations = report_.friction_iterations =
        iterate(sph.pressure_iterations, sph.density_tolerance, correct_both);
  }
}

/// A fixed number without a tolerance; with one, at least that number and until it is reached.
template <class Kernel>
bool SphSolver<Kernel>::more_iterations(int done, int least, double tolerance, double error) const {
  if (done < std::max(least, model_.least_iterations)) return true;
  return tolerance > 0 && error > tolerance && done < scene_.sph.max_iterations;
}

template <class Kernel>
void SphSolver<Kernel>::update_neighbours() {
  const bool fresh = near_.update(store_, x_, x_listed_, bodies_, executor_);
  near_.place(store_[x_], bodies_, w_.position, w_.velocity, executor_);
  if (fresh || walls_.stale(bodies_))
    walls_.find_candidates(w_.position, store_.size(), bodies_, near_.slack(), half_space_,
                           executor_);
}

/// Working copies, laid out for the sweeps. Padding lanes repeat the last particle.
template <class Kernel>
void SphSolver<Kernel>::pack() {
  const std::size_t n = store_.size(), padded = near_.padded(), total = near_.total();
  w_.resize(padded, total);
  const auto v = store_[v_];
  const auto p = store_[pressure_], wetness = store_[wetness_], bond = store_[bond_];
  const auto rate = store_[strain_rate_];
  const auto stress = store_[stress_];
  const auto material = store_[material_];
  const float memory =
      1 - (1 - model_.pressure_memory) * dt_ / static_cast<float>(scene_.sph.time_step);
  executor_.for_range(padded, 2048, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const std::size_t k = std::min(i, n - 1);
      w_.velocity[i] = {v[k].x, v[k].y, v[k].z, 0};
      const Material& m = scene_.materials[material[k]];
      const double wet = wetness[k];
      const double mu = m.friction;
      w_.rest_density[i] = static_cast<float>(m.density);
      w_.friction[i] =
          static_cast<float>(model_.friction_is_sine ? mu / std::sqrt(1 + mu * mu) : mu);
      const double share = model_.match_cut ? cohesion_share(mu) : 1;
      w_.cohesion[i] = static_cast<float>(share * (m.cohesion + wet * m.wet_cohesion));
      w_.viscosity[i] = static_cast<float>(m.viscosity + wet * m.wet_viscosity);
      w_.attraction[i] = static_cast<float>(m.cohesion_intensity);
      w_.inertia_length[i] = static_cast<float>(model_.rate_dependent ? m.grain_diameter : 0);
      w_.bond_limit[i] = bond[k] * bond[k] * static_cast<float>(m.cohesion_maximum);
      w_.tension[i] = 0;
      const float keep = model_.keep_stress ? 1.0f : 0.0f;
      w_.p[i] = keep * memory * p[k];
      w_.slack[i] = model_.density_slack / (1 + rate[k] * rate[k]);  // only what hardly shears
      const Sym3f& s = stress[k];
      const float parts[6] = {s.xx, s.yy, s.zz, s.xy, s.xz, s.yz};
      for (int c = 0; c < 6; ++c) w_.s[c][i] = keep * parts[c];
    }
  });
  near_.mirror(w_.velocity);
  near_.mirror(w_.viscosity);
  near_.mirror(w_.attraction);
  for (std::size_t e = padded; e < total; ++e) {
    w_.packed[e] = {};
    w_.pressure_change[e] = 0;
  }
}

template <class Kernel>
void SphSolver<Kernel>::update_walls() {
  walls_.update(w_.position, store_.size(), bodies_, half_space_, w_.friction.data(), executor_);
}

/// Dry sand of the model `talus` has none of them, and saves a sweep.
template <class Kernel>
bool SphSolver<Kernel>::needs_pair_forces() const {
  if (model_.separation > 0) return true;
  return executor_.reduce(
      store_.size(), false,
      [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i)
          if (w_.viscosity[i] > 0 || w_.attraction[i] > 0) return true;
        return false;
      },
      [](bool x, bool y) { return x || y; });
}

template <class Kernel>
void SphSolver<Kernel>::apply_external_forces() {
  const Vec3f kick = Vec3f(scene_.gravity) * dt_;
  executor_.for_range(near_.padded(), 4096, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const Float4& v = w_.velocity[i];
      w_.advected[i] = {v.x + kick.x, v.y + kick.y, v.z + kick.z, 0};
    }
  });
  if (!needs_pair_forces()) return;
  const PairForces pair{model_.separation * spacing_, separation_stiffness / (dt_ * dt_),
                        kernel_.h * sound_speed, w_.viscosity.data(), w_.attraction.data()};
  const std::size_t images_end = near_.boundary().empty() ? near_.total() : near_.padded();
  sweep_pair_forces<Kernel>(solve_.input(), pair, images_end,
                            [&](std::size_t c, const WideVec3& a) {
                              Float4* start = &w_.advected[c * width];
                              store_lanes(start, load_lanes(start) + a * WideFloat(dt_));
                            });
}

/// Reaction on the bodies, summed in a fixed order.
template <class Kernel>
void SphSolver<Kernel>::load_bodies() {
  for (Body& b : bodies_) b.load = {};
  // By clusters, not by those that touch something: a resumed run may have noted others as near,
  // and must add up in the same order.
  const std::size_t clusters = ClusterPairs::cluster_count(store_.size());
  loads_.sum(clusters, bodies_, executor_, [&](std::size_t c, BodyLoads::Sink& sink) {
    for (const WallContact& w : walls_.of_cluster(c)) {
      const std::size_t i = c * width + w.lane;
      sink.add(w.body, Vec3d(xyz(w_.position[i])),
               -Vec3d(wall_force(w, w_.packed[i])) * double{rest_volume_});
    }
  });
  load_boundary_particles();
  meet_light_bodies();
}

/// Bodies that weigh less than the sand they are about to run into.
template <class Kernel>
void SphSolver<Kernel>::meet_light_bodies() {
  light_.clear();
  bool any = false;
  for (const Body& b : bodies_) {
    const bool moves = b.motion == BodyMotion::dynamic && b.mass > 0 && !b.asleep;
    any = any || moves;
    light_.push_back(moves ? LightBody(b, scene_.gravity, double{dt_}) : LightBody());
  }
  if (!any) return;
  const float touching = half_space_.value(spacing_);
  // What weight alone does in a few steps is left to pressure, or light bodies would hover.
  const double slow = 4 * norm(scene_.gravity) * double{dt_};
  const auto for_contacts = [&](auto&& visit) {
    for (std::size_t c = 0; c < ClusterPairs::cluster_count(store_.size()); ++c) {
      for (const WallContact& w : walls_.of_cluster(c)) {
        const Body& b = bodies_[w.body];
        if (b.motion != BodyMotion::dynamic || b.asleep || w.value < touching) continue;
        const std::size_t i = c * width + w.lane;
        visit(w, i, double{w_.rest_density[i]} * rest_volume_,
              double{dot(xyz(w_.velocity[i]), w.normal)});
      }
    }
  };
  for_contacts([&](const WallContact& w, std::size_t i, double mass, double v) {
    light_[w.body].meet(Vec3d(xyz(w_.position[i])), Vec3d(w.normal), mass, v, slow);
  });
  for (std::size_t b = 0; b < bodies_.size(); ++b)
    if (light_[b].touching() > bodies_[b].mass) light_[b].solve();
  for_contacts([&](const WallContact& w, std::size_t i, double mass, double v) {
    Body& b = bodies_[w.body];
    if (!(light_[w.body].touching() > b.mass)) return;
    const Vec3d x(xyz(w_.position[i]));
    const auto gain = static_cast<float>(light_[w.body].speed(x, Vec3d(w.normal)) - v);
    if (!(gain > 0)) return;
    const Vec3f kick = w.normal * gain;
    w_.velocity[i].x += kick.x;
    w_.velocity[i].y += kick.y;
    w_.velocity[i].z += kick.z;
    add_force(b.load, b.state, x, -Vec3d(kick) * (mass / double{dt_}));
  });
}

/// Reaction on bodies with boundary particles. Here, once in a step, the artificial viscosity of
/// Ihmsen 2013 Eq. 20 takes the place of the frictional stress where it is stronger (Eq. 21); it
/// may stop the motion along the boundary but not turn it round, however long the step.
template <class Kernel>
void SphSolver<Kernel>::load_boundary_particles() {
  if (near_.boundary().empty()) return;
  const float scale = solve_.input().scale.gradient;
  const auto of_cluster = [&](std::size_t c, BodyLoads::Sink& sink) {
    const auto near = near_.pairs().near(c);
    const auto is_boundary = [&](std::uint32_t j) {
      return j >= near_.padded() && near_.body_of(j) >= 0;
    };
    const auto first = static_cast<std::size_t>(
        std::find_if(near.begin(), near.end(), is_boundary) - near.begin());
    if (first == near.size()) return;
    for (std::size_t i = c * width; i < std::min(store_.size(), (c + 1) * width); ++i) {
      const int lane = static_cast<int>(i - c * width);
      const Sym3f q = w_.packed[i].tensor();
      const auto for_boundary = [&](auto&& visit) {
        for (std::size_t k = first; k < near.size(); ++k) {
          const std::uint32_t j = near[k];
          if (!is_boundary(j)) continue;
          const float weight = unpack_unit(near_.pairs().weights(c)[k])[lane];
          if (weight == 0) continue;
          const Vec3f d = xyz(w_.position[i]) - xyz(w_.position[j]);
          const auto b = static_cast<std::size_t>(near_.body_of(j));
          const Vec3f g = d * (weight * scale);
          const Vec3f dv = xyz(w_.velocity[i]) - xyz(w_.velocity[j]);
          visit(b, j, g, dv,
                boundary_friction(q, g, d, dv, static_cast<float>(bodies_[b].friction),
                                  w_.rest_density[i], w_.compression[i], kernel_.h, sound_speed));
        }
      };
      Vec3f more{}, slide{};
      float weights = 0;
      for_boundary([&](std::size_t, std::uint32_t, const Vec3f& g, const Vec3f& dv,
                       const BoundaryFriction& f) {
        more += f.stronger - f.stress;
        slide += dv * norm(g);
        weights += norm(g);
      });
      const float kick = norm(more) * dt_ / w_.rest_density[i];
      const float most = weights > 0 ? norm(slide) / weights : 0;
      const float share = kick > most ? most / kick : 1;
      for_boundary([&](std::size_t b, std::uint32_t j, const Vec3f& g, const Vec3f&,
                       const BoundaryFriction& f) {
        const Vec3f force = q * g + share * (f.stronger - f.stress);
        sink.add(b, Vec3d(xyz(w_.position[j])), -Vec3d(force) * double{rest_volume_});
      });
      const Vec3f gain = more * (share * dt_ / w_.rest_density[i]);
      w_.velocity[i].x += gain.x;
      w_.velocity[i].y += gain.y;
      w_.velocity[i].z += gain.z;
    }
  };
  loads_.sum(near_.pairs().clusters(), bodies_, executor_, of_cluster);
}

/// The stress of particle i at the end of the step, turned with the material.
template <class Kernel>
Sym3f SphSolver<Kernel>::rotated_stress(std::size_t i) const {
  const Sym3f s{w_.s[0][i], w_.s[1][i], w_.s[2][i], w_.s[3][i], w_.s[4][i], w_.s[5][i]};
  return jaumann_rotated(s, Vec3f{w_.spin[0][i], w_.spin[1][i], w_.spin[2][i]}, dt_);
}

/// Direct forcing: the boundary of `alduan2011`, and for all others a guard against passing
/// through.
template <class Kernel>
void SphSolver<Kernel>::keep_outside_bodies() {
  const bool all_forcing = model_.boundary == SphBoundary::direct_forcing;
  const float keep = all_forcing ? 0.5f * spacing_ : 0.1f * spacing_;
  const auto x = store_[x_], v = store_[v_];
  const std::size_t clusters = ClusterPairs::cluster_count(store_.size());
  loads_.sum(clusters, bodies_, executor_, [&](std::size_t c, BodyLoads::Sink& sink) {
    const std::size_t end = std::min(store_.size(), (c + 1) * width);
    walls_.for_bodies_near(c, [&](std::size_t b) {
      for (std::size_t i = c * width; i < end; ++i) {
        const Vec3f impulse = direct_forcing(bodies_[b], walls_.frames()[b], keep, dt_, x[i], v[i]);
        if (impulse == Vec3f{}) continue;
        const double mass = double{w_.rest_density[i]} * rest_volume_;
        sink.add(b, Vec3d(x[i]), -Vec3d(impulse) * (mass / double{dt_}));
      }
    });
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
  const auto bond = store_[bond_];
  const auto stress = store_[stress_];
  const auto asleep = store_[asleep_];
  struct Summary {
    float speed2 = 0, pressure = 0, excess = 0;
    double excess_sum = 0;
    std::uint64_t asleep = 0;
  };
  const float g = static_cast<float>(norm(scene_.gravity));
  const float sleep_speed2 = 4 * g * g * dt_ * dt_;
  const Summary all = executor_.reduce(
      store_.size(), Summary{},
      [&](std::size_t begin, std::size_t end) {
        Summary sum;
        for (std::size_t i = begin; i < end; ++i) {
          const Vec3f fresh = xyz(w_.velocity[i]);
          const bool rests = model_.sleeping && squared_norm(fresh) < sleep_speed2 &&
                             squared_norm(fresh - v[i]) < g * g * dt_ * dt_;
          asleep[i] = rests ? 1 : 0;
          v[i] = rests ? Vec3f{} : fresh;
          x[i] += v[i] * dt_;
          p[i] = w_.p[i];
          rho[i] = w_.compression[i] * w_.rest_density[i];
          rate[i] = w_.shear_rate[i];
          stress[i] = rotated_stress(i);
          if (model_.cohesive_bonds)
            bond[i] =
                min(max(bond[i] + dt_ / bond_time * (1 - rate[i] / bond_strain_rate), 0.0f), 1.0f);
          sum.speed2 = max(sum.speed2, squared_norm(v[i]));
          sum.pressure = max(sum.pressure, p[i] / w_.rest_density[i]);
          const float excess = max(w_.compression[i] - 1, 0.0f);
          sum.excess = max(sum.excess, excess);
          sum.excess_sum += excess;
          sum.asleep += rests;
        }
        return sum;
      },
      [](const Summary& a, const Summary& b) {
        return Summary{max(a.speed2, b.speed2), max(a.pressure, b.pressure),
                       max(a.excess, b.excess), a.excess_sum + b.excess_sum, a.asleep + b.asleep};
      });
  keep_outside_bodies();
  if (near_.box().any()) executor_.for_each(store_.size(), [&](std::size_t i) { wrap(x[i]); });
  max_speed_ = std::sqrt(all.speed2);
  max_pressure_ = all.pressure;
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
  state.put("sph/max_pressure", max_pressure_);
  const bool listed = near_.valid() && !near_.boundary_moved(bodies_);
  state.put("sph/listed", static_cast<std::uint8_t>(listed));
  state.put("sph/gravity", scene_.gravity);
}

template <class Kernel>
Status SphSolver<Kernel>::load(const State& state) {
  std::uint8_t listed = 0;
  if (Status s = state.get_store("sph", store_); !s) return s;
  if (Status s = state.get("sph/time", time_); !s) return s;
  if (Status s = state.get("sph/steps", steps_); !s) return s;
  if (Status s = state.get("sph/max_speed", max_speed_); !s) return s;
  if (Status s = state.get("sph/max_pressure", max_pressure_); !s) return s;
  if (Status s = state.get("sph/gravity", scene_.gravity); !s) return s;
  if (Status s = state.get("sph/listed", listed); !s) return s;
  for (const std::uint32_t m : store_[material_])
    if (m >= scene_.materials.size())
      return work_error("checkpoint names material {}, the scene has {}", m,
                        scene_.materials.size());
  near_.invalidate();
  if (listed != 0 && !store_.empty()) {
    near_.restore(store_, x_listed_, bodies_, executor_);
    near_.place(store_[x_listed_], bodies_, w_.position, w_.velocity, executor_);
    walls_.find_candidates(w_.position, store_.size(), bodies_, near_.slack(), half_space_,
                           executor_);
  }
  return {};
}

template <class Kernel>
std::size_t SphSolver<Kernel>::memory_bytes() const {
  return store_.memory_bytes() + near_.memory_bytes() + walls_.memory_bytes() + w_.memory_bytes() +
         loads_.memory_bytes();
}

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
