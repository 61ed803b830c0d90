#include "detail/grain_cloud.h"

#include "detail/grain_samples.h"

#include <algorithm>

namespace talus::detail {

namespace {

/// Moves a new grain out of the bodies; `nearest` tells which of them can matter.
Vec3d outside(const Vec3d& x, std::span<const StepBody> bodies, float radius) {
  Vec3d p = x;
  for (int pass = 0; pass < 3; ++pass) {
    bool moved = false;
    for (const StepBody& body : bodies) {
      const DistanceSample s = body.field->sample(Vec3f(body.from.to_body(p)));
      if (s.distance >= radius) continue;
      p += rotate(body.from.rotation, Vec3d(s.gradient)) * static_cast<double>(radius - s.distance);
      moved = true;
    }
    if (!moved) break;
  }
  return p;
}

/// Mean displacement of the guides about eight places, Eq. 24. The owner is always among them.
WideVec3 flow_at(const WideVec3& x, std::span<const Guide> guides) {
  const WideFloat zero(0.0f), one(1.0f);
  WideVec3 sum{zero, zero, zero};
  WideFloat total = zero;
  for (const Guide& g : guides) {
    const float h = reach * g.radius;
    const WideVec3 d{x.x - WideFloat(g.position.x), x.y - WideFloat(g.position.y),
                     x.z - WideFloat(g.position.z)};
    const WideFloat w = weight(max(one - squared_norm(d) * WideFloat(1 / (h * h)), zero));
    sum.x += w * WideFloat(g.displacement.x);
    sum.y += w * WideFloat(g.displacement.y);
    sum.z += w * WideFloat(g.displacement.z);
    total += w;
  }
  return sum * select(total > zero, one / total, zero);
}

std::vector<StepBody> bodies_at(const DetailBodies& bodies, const FrameInfo& info) {
  std::vector<StepBody> out;
  for (std::size_t b = 0; b < bodies.size(); ++b) {
    const Posed pose = bodies.state_at(b, info, info, info.time).pose;
    const Posed shape{pose.to_world(bodies.bodies[b].field_offset), pose.rotation};
    out.push_back({bodies.bodies[b].field.get(), shape, shape, 0});
  }
  return out;
}

}  // namespace

GrainCloud::GrainCloud(const CloudSettings& settings, const Share& share)
    : settings_(settings),
      share_(share),
      factor_(settings.factor()),
      store_(tile_radii * static_cast<float>(settings.base_radius)) {}

std::size_t GrainCloud::memory_bytes() const {
  std::size_t bytes = store_.memory_bytes() + owners_.capacity() * sizeof(Owner) +
                      owner_ids_.capacity() * sizeof(std::uint64_t) +
                      living_.capacity() * sizeof(std::uint32_t) +
                      moves_.capacity() * sizeof(Vec3f);
  for (const Parcel& parcel : scratch_.parcels) bytes += parcel.grains.memory_bytes();
  return bytes;
}

void GrainCloud::enter_frame(const BaseFrame& frame, const DetailBodies& bodies,
                             double step_seconds, const Executor& executor) {
  std::vector<std::uint32_t> still, fresh;
  std::vector<std::uint8_t> dead;
  std::size_t k = 0;
  const auto first_owner = static_cast<std::uint32_t>(owners_.size());
  for (std::size_t i = 0; i < frame.id.size(); ++i) {
    if (!share_.owns(frame.id[i])) continue;
    while (k < living_.size() && owners_[living_[k]].id < frame.id[i]) ++k;
    if (k < living_.size() && owners_[living_[k]].id == frame.id[i]) {
      still.push_back(living_[k]);
      continue;
    }
    fresh.push_back(static_cast<std::uint32_t>(i));
    still.push_back(static_cast<std::uint32_t>(owners_.size()));
    owners_.push_back({frame.id[i], frame.radius[i], frame.material[i]});
    owner_ids_.push_back(frame.id[i]);
  }
  if (still.size() - fresh.size() < living_.size()) {
    dead.assign(owners_.size(), 1);
    for (const std::uint32_t o : still) dead[o] = 0;
    store_.filter([&](std::uint32_t id) { return dead[id / factor_] == 0; });
  }
  living_ = std::move(still);
  TALUS_CHECK(owners_.size() * std::uint64_t{factor_} < 0xFFFFFFFFull, "{} owners x {}",
              owners_.size(), factor_);
  if (!fresh.empty()) add_grains(frame, fresh, first_owner, bodies, step_seconds, executor);
}

/// Grains of particle i of the frame. `around` are the guides near it, relative to it.
void GrainCloud::sow(const BaseFrame& frame, std::size_t i, std::uint32_t owner,
                     std::span<const StepBody> bodies, std::span<const Guide> around,
                     const Vec3d& half_fall, std::vector<FarGrain>& out) const {
  const Vec3d centre(frame.position[i]);
  const auto radius = static_cast<float>(settings_.radius());
  for (std::uint32_t first = 0; first < factor_; first += wide_width) {
    const std::uint32_t count = std::min<std::uint32_t>(wide_width, factor_ - first);
    Vec3f offset[wide_width] = {};
    WideVec3 at;
    for (std::uint32_t k = 0; k < wide_width; ++k) {
      if (k < count)
        offset[k] =
            grain_sample(settings_.detail.sampling, settings_.seed, frame.id[i], first + k) *
            frame.radius[i];
      for (int f = 0; f < 3; ++f) at[f].set(static_cast<int>(k), offset[k][f]);
    }
    const WideVec3 flow = flow_at(at, around);
    for (std::uint32_t k = 0; k < count; ++k) {
      const Vec3d x = outside(centre + Vec3d(offset[k]), bodies, radius);
      // The displacement of the half step before the first: see upsampling_laws.h.
      const int lane = static_cast<int>(k);
      const Vec3f u(Vec3d{flow.x[lane], flow.y[lane], flow.z[lane]} - half_fall);
      FarGrain grain{store_.tile_of(x), {}, owner * factor_ + first + k};
      const Vec3f place(x - store_.centre(grain.tile));
      for (int f = 0; f < 3; ++f) {
        grain.field[f] = place[f];
        grain.field[3 + f] = u[f];
      }
      out.push_back(grain);
    }
  }
}

void GrainCloud::add_grains(const BaseFrame& frame, std::span<const std::uint32_t> fresh,
                            std::uint32_t first_owner, const DetailBodies& bodies,
                            double step_seconds, const Executor& executor) {
  const std::vector<StepBody> solids = bodies_at(bodies, frame.info);
  const auto radius = static_cast<float>(settings_.radius());
  const bool free_of_bodies = settings_.detail.method != DetailMethod::fixed;
  constexpr std::size_t particles_per_parcel = 64, parcels_at_once = 64;
  const Vec3d half_fall = settings_.gravity * (0.5 * step_seconds * step_seconds);
  std::vector<Guide> all(frame.id.size());
  executor.for_each(all.size(), [&](std::size_t i) {
    all[i] = {
        frame.position[i], frame.radius[i], Vec3f(Vec3d(frame.velocity[i]) * step_seconds), {}, 0};
  });
  GuideSet guides;
  guides.build(all, executor);
  for (std::size_t first = 0; first < fresh.size();
       first += particles_per_parcel * parcels_at_once) {
    const std::size_t count =
        std::min(fresh.size() - first, particles_per_parcel * parcels_at_once);
    std::vector<Parcel> parcels((count + particles_per_parcel - 1) / particles_per_parcel);
    executor.run_chunks(parcels.size(), [&](std::size_t c) {
      std::vector<StepBody> near;
      std::vector<Guide> around;
      for (std::size_t k = first + c * particles_per_parcel;
           k < std::min(first + count, first + (c + 1) * particles_per_parcel); ++k) {
        const std::size_t i = fresh[k];
        const Vec3d centre(frame.position[i]);
        const float r = frame.radius[i];
        near.clear();
        for (const StepBody& body : solids)
          if (free_of_bodies &&
              body.field->sample(Vec3f(body.from.to_body(centre))).distance < 3 * r + radius)
            near.push_back(body);
        around.clear();
        const float far = 2.5f * r + reach * guides.largest_radius();
        guides.for_each_near(frame.position[i] - Vec3f{far, far, far},
                             frame.position[i] + Vec3f{far, far, far}, [&](const Guide& g) {
                               if (norm(g.position - frame.position[i]) >= far) return;
                               around.push_back(g);
                               around.back().position -= frame.position[i];
                             });
        sow(frame, i, first_owner + static_cast<std::uint32_t>(k), near, around, half_fall,
            parcels[c].far);
      }
    });
    store_.deliver(parcels, executor);
  }
  store_.end_step(executor);
}

void GrainCloud::step(const BaseFrame& frame, const BaseInterval& interval,
                      const Executor& executor) {
  const DetailSettings& d = settings_.detail;
  const double dt = interval.step_seconds();
  if (d.method == DetailMethod::fixed) {
    moves_.assign(owners_.size(), {});
    std::size_t k = 0;
    for (std::size_t i = 0; i < frame.id.size() && k < living_.size(); ++i)
      if (owners_[living_[k]].id == frame.id[i]) moves_[living_[k++]] = interval.displacement(i);
  }
  StepInput in;
  in.base = &interval.base();
  in.walls = &interval.walls();
  in.bodies = interval.step_bodies();
  in.method = d.method;
  in.rule = d.sparse_rule;
  in.interpolate = steps_done_ % static_cast<std::uint64_t>(d.interpolate_every) == 0;
  in.separation = d.separation;
  in.fall = Vec3f(settings_.gravity * (dt * dt));
  in.base_radius = static_cast<float>(settings_.base_radius);
  in.grain_radius = static_cast<float>(settings_.radius());
  in.factor = factor_;
  in.seed = settings_.seed;
  in.base_ids = owner_ids_;
  in.base_moves = moves_;
  step_grains(in, store_, scratch_, executor);
  ++steps_done_;
}

void GrainCloud::restore(std::vector<Owner> owners, std::vector<std::uint32_t> living,
                         std::uint64_t steps) {
  owners_ = std::move(owners);
  living_ = std::move(living);
  owner_ids_.clear();
  for (const Owner& owner : owners_) owner_ids_.push_back(owner.id);
  steps_done_ = steps;
}

}  // namespace talus::detail
