// Sand and bodies: boundary particles, reactions on the bodies, light bodies, and the guard against
// passing through (Ihmsen, Wahl & Teschner 2013, section 3.3; Alduán & Otaduy 2011, section 6).
#include "sph/rebound.h"
#include "sph/sph_solver_impl.h"

#include <algorithm>
#include <cmath>

namespace talus::sph {

namespace {

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

/// By forces, and awake.
bool moves(const Body& b) { return b.motion == BodyMotion::dynamic && !b.asleep; }

void add_to(Float4& to, const Vec3f& change) {
  to.x += change.x;
  to.y += change.y;
  to.z += change.z;
}

}  // namespace

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
      const bool swept = model_.elastoplastic && !rest_.rests(c);
      const Vec3f force =
          swept ? w.load * (1 / static_cast<float>(passes_)) : wall_force(w, w_.packed[i]);
      sink.add(w.body, Vec3d(xyz(w_.position[i])), -Vec3d(force) * double{rest_volume_});
    }
  });
  if (!near_.boundary().empty()) {
    touch_light_bodies();
    load_boundary_particles();
  }
  meet_light_bodies();
  if (model_.elastoplastic) bound_spin();
}

/// Within a step sand takes a body for immovable, and what stops the sand may spin a light one (a
/// thin plate reached 5000 rad/s). A push changes the speed of its rim by no more than a third of
/// what the two differ by, and what its weight does in a few steps.
template <class Kernel>
void SphSolver<Kernel>::bound_spin() {
  if (std::none_of(bodies_.begin(), bodies_.end(), moves)) return;
  const auto v = store_[v_];
  difference_.assign(bodies_.size(), 8 * norm(scene_.gravity) * double{dt_});
  for (std::size_t c = 0; c < ClusterPairs::cluster_count(store_.size()); ++c)
    for (const WallContact& w : walls_.of_cluster(c))
      if (moves(bodies_[w.body]))
        difference_[w.body] =
            std::max(difference_[w.body], 0.3 * double{norm(v[c * width + w.lane] - w.velocity)});
  for (std::size_t b = 0; b < bodies_.size(); ++b) {
    Body& body = bodies_[b];
    if (!moves(body)) continue;
    const Vec3d size = body.field->bounds().upper - body.field->bounds().lower;
    const double least = std::min({body.inertia.xx, body.inertia.yy, body.inertia.zz});
    const double change = norm(body.load.torque) / least * norm(size) / 2 * double{dt_};
    if (!(change > difference_[b])) continue;
    body.load.torque = body.load.torque * (difference_[b] / change);
  }
}

/// m/s: of what falls for an eighth of a spacing. Faster is an impact.
template <class Kernel>
float SphSolver<Kernel>::slow_approach() const {
  return 0.5f * std::sqrt(static_cast<float>(norm(scene_.gravity)) * spacing_);
}

/// Notes which particles touch bodies that move freely: are nearer than a spacing.
template <class Kernel>
void SphSolver<Kernel>::touch_light_bodies() {
  light_.resize(bodies_.size());
  for (std::size_t b = 0; b < bodies_.size(); ++b)
    light_[b].begin(bodies_[b], scene_.gravity, double{dt_});
  if (std::none_of(bodies_.begin(), bodies_.end(), moves)) return;
  const auto touch = [&](std::size_t b, std::size_t i, const Vec3f& normal, float free = 0) {
    light_[b].touch(i, Vec3d(xyz(w_.position[i])), Vec3d(normal),
                    double{w_.rest_density[i]} * rest_volume_,
                    double{dot(xyz(w_.velocity[i]), normal) + free});
  };
  const auto free_of = [&](const WallContact& w, std::size_t i) {
    const Vec3f wall(velocity_at(bodies_[w.body].state, Vec3d(xyz(w_.position[i]))));
    return free_approach(dot(wall - xyz(w_.velocity[i]), w.normal), w.distance - spacing_ / 2,
                         slow_approach(), dt_);
  };
  const float touching = half_space_.value(spacing_);
  for (std::size_t c = 0; c < ClusterPairs::cluster_count(store_.size()); ++c) {
    for (const WallContact& w : walls_.of_cluster(c))
      if (w.value >= touching && moves(bodies_[w.body]))
        touch(w.body, c * width + w.lane, w.normal, free_of(w, c * width + w.lane));
    walls_.for_bodies_near(c, [&](std::size_t b) {
      if (walls_.acts(b) || !moves(bodies_[b])) return;  // those that act have contacts
      const BodyFrame& frame = walls_.frames()[b];
      for (std::size_t i = c * width; i < std::min(store_.size(), (c + 1) * width); ++i) {
        if (!frame.near(xyz(w_.position[i]), spacing_)) continue;
        const DistanceSample at = bodies_[b].field->sample(frame.to_local(xyz(w_.position[i])));
        if (at.distance < spacing_) touch(b, i, frame.to_world_direction(at.gradient));
      }
    });
  }
}

/// What a body does to a particle at the end of the step moves it in this step, too.
template <class Kernel>
void SphSolver<Kernel>::push(std::size_t i, const Vec3f& change) {
  add_to(w_.velocity[i], change);
  if (model_.elastoplastic) add_to(w_.moved[i], change * dt_);
}

/// Bodies that weigh less than the sand around them.
template <class Kernel>
void SphSolver<Kernel>::meet_light_bodies() {
  touch_light_bodies();
  executor_.for_range(light_.size(), 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t b = begin; b < end; ++b)
      if (light_[b].light()) light_[b].meet();
  });
  for (std::size_t b = 0; b < bodies_.size(); ++b) {
    if (!light_[b].light()) continue;
    for (const LightBody::Contact& c : light_[b].contacts()) {
      if (!(c.gain > 0)) continue;
      push(c.particle, Vec3f(c.normal * c.gain));
      add_force(bodies_[b].load, bodies_[b].state, c.position,
                c.normal * (-c.gain * c.mass / double{dt_}));
    }
  }
  for (std::size_t b = 0; b < bodies_.size(); ++b)
    if (moves(bodies_[b])) rebound(bodies_[b], light_[b].contacts());
}

/// What a body gets back of the speed that sand took from it, and sand of the momentum.
template <class Kernel>
void SphSolver<Kernel>::rebound(Body& body, std::span<const LightBody::Contact> contacts) {
  const auto velocity_of = [&](std::size_t i) { return Vec3d(xyz(w_.velocity[i])); };
  const Rebound::Kick kick =
      Rebound::update(body, contacts, scene_.gravity, double{dt_}, velocity_of);
  if (kick.body == 0) return;
  for (const LightBody::Contact& c : contacts) {
    if (!Rebound::pushed_back(c, kick.direction)) continue;
    push(c.particle, Vec3f(kick.direction * -kick.sand));
    add_force(body.load, body.state, c.position,
              kick.direction * (kick.sand * c.mass / double{dt_}));
  }
}

/// Reaction on bodies with boundary particles. Here, once in a step, the artificial viscosity of
/// Ihmsen 2013 Eq. 20 takes the place of the frictional stress where it is stronger (Eq. 21); it
/// may stop the motion along the boundary but not turn it round, however long the step.
template <class Kernel>
void SphSolver<Kernel>::load_boundary_particles() {
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
      Vec3f more{}, slide{}, back{};
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
        const auto taken = static_cast<float>(light_[b].turning_share());
        const Vec3f force = q * g + share * (f.stronger - f.stress);
        sink.add(b, Vec3d(xyz(w_.position[j])), -Vec3d(force) * double{rest_volume_ * taken});
        back += force * (taken - 1);  // what would throw a body of less mass stays with the sand
      });
      const Vec3f gain = (more * share + back) * (dt_ / w_.rest_density[i]);
      push(i, gain);
    }
  };
  loads_.sum(near_.pairs().clusters(), bodies_, executor_, of_cluster);
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
        Vec3f impulse = direct_forcing(bodies_[b], walls_.frames()[b], keep, dt_, x[i], v[i]);
        if (impulse == Vec3f{}) continue;
        const LightBody& light = light_[b];
        const auto share =
            static_cast<float>(walls_.acts(b) ? light.share() : light.turning_share());
        if (share < 1) {
          v[i] -= impulse * (1 - share);  // the whole would throw a body of less mass
          impulse = impulse * share;
        }
        const double mass = double{w_.rest_density[i]} * rest_volume_;
        sink.add(b, Vec3d(x[i]), -Vec3d(impulse) * (mass / double{dt_}));
      }
    });
  });
}

/// Over rest density, m^2/s^2: far above what the weight of sand and bodies and the speed of either
/// can cause. Only a particle that is wedged where there is no room for it, as between a blade and
/// the ground, gets there: its compression stays whatever its pressure, which would grow with every
/// step, and the step shrink with it without end.
template <class Kernel>
float SphSolver<Kernel>::highest_pressure(double body_speed) const {
  const auto x = store_[x_];
  const Vec3f gravity(scene_.gravity);
  const auto [lowest, top] = executor_.reduce(
      x.size(), std::pair(1e30f, -1e30f),
      [&](std::size_t begin, std::size_t end) {
        std::pair sum(1e30f, -1e30f);
        for (std::size_t i = begin; i < end; ++i) {
          const float head = dot(x[i], gravity);
          sum = {min(sum.first, head), max(sum.second, head)};
        }
        return sum;
      },
      [](const auto& a, const auto& b) {
        return std::pair(min(a.first, b.first), max(a.second, b.second));
      });
  double head = double{top - lowest} + norm(scene_.gravity) * scene_.sph.spacing;
  for (const Body& body : bodies_) {
    if (!(body.mass > 0)) continue;
    const Vec3d size = body.field->bounds().upper - body.field->bounds().lower;
    const double thinnest = std::min({size.x * size.y, size.y * size.z, size.z * size.x});
    head += norm(scene_.gravity) * body.mass / (thinnest * scene_.materials[0].density);
  }
  const double speed = std::max(double{max_speed_}, body_speed);
  return static_cast<float>(40 * head + 2 * speed * speed);
}

template class SphSolver<WendlandC2>;
template class SphSolver<CubicSpline>;
template class SphSolver<Spiky>;

}  // namespace talus::sph
