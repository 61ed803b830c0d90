#include "run/simulation.h"

#include "run/fills.h"
#include "run/grain_scale.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace talus {

namespace {

// A frame counts as reached when less than this part of its interval is left: rounding must not
// cause a last step of 1e-18 s.
constexpr double frame_tolerance = 1e-6;

}  // namespace

Simulation::Simulation(Scene scene, const Executor& executor, BodyWorld world)
    : scene_(std::move(scene)),
      executor_(executor),
      world_(std::move(world)),
      summary_(scene_.bodies.size()) {}

Result<std::unique_ptr<Simulation>> Simulation::create(Scene scene, const Executor& executor,
                                                       const SolverFactory& factory) {
  auto world = make_body_world(scene, executor, finest_spacing(scene));
  if (!world) return world.error();
  std::unique_ptr<Simulation> simulation(
      new Simulation(std::move(scene), executor, std::move(*world)));
  simulation->notes_ = simulation->world_.warnings();
  auto solver = factory(simulation->scene_, simulation->world_.bodies(), executor);
  if (!solver) return solver.error();
  simulation->solver_ = std::move(*solver);
  if (Status status = check_output_fields(simulation->scene_, simulation->solver()); !status.ok())
    return status.error();
  if (Status status = simulation->create_regions(); !status.ok()) return status.error();
  if (Status status = simulation->fill(); !status.ok()) return status.error();
  simulation->take_notes();
  return simulation;
}

void Simulation::take_notes() {
  const std::vector<std::string> all = solver_->notes();
  for (; taken_notes_ < all.size(); ++taken_notes_) notes_.push_back(all[taken_notes_]);
}

Status check_output_fields(const Scene& scene, const Solver& solver) {
  const ParticleStore& particles = solver.particles();
  for (const std::string& name : scene.output.fields) {
    if (particles.find(name) >= 0 || (name == "contacts" && solver.contacts() != nullptr)) continue;
    std::string known;
    for (std::size_t f = 0; f < particles.field_count(); ++f)
      known += (f == 0 ? "" : ", ") + particles.info(f).name;
    return request_error("output.fields: the solver {} has no '{}'; remove it. It has {}{}",
                         scene.solver == SolverKind::dem ? "dem" : "sph", name, known,
                         scene.solver == SolverKind::dem
                             ? "; and on request coordination, packing_fraction, stress, contacts"
                             : "");
  }
  return {};
}

Status Simulation::create_regions() {
  for (std::size_t p = 0; p < scene_.pours.size(); ++p) {
    auto nozzle = Nozzle::create(scene_, p, solver_->particle_mass(scene_.pours[p].material));
    if (!nozzle) return nozzle.error();
    nozzles_.push_back(std::move(*nozzle));
  }
  for (const Sink& sink : scene_.sinks) {
    auto region = Region::create(scene_, sink);
    if (!region) return region.error();
    sinks_.push_back(std::move(*region));
  }
  if (!scene_.wettings.empty() && particles().find("wetness") < 0)
    return request_error(
        "wetting '{}': this solver knows no wetness; remove the wetting or choose "
        "the solver sph",
        scene_.wettings.front().name);
  for (const Wetting& wetting : scene_.wettings) {
    auto region = Region::create(scene_, wetting);
    if (!region) return region.error();
    wettings_.push_back({std::move(*region), wetting.rate});
  }
  return {};
}

void Simulation::prepare_frame() {
  let_go();
  solver_->prepare_frame();
}

Status Simulation::fill() {
  auto filled = sample_fills(scene_, world_.bodies(), executor_);
  if (!filled) return filled.error();
  next_id_ = filled->particles.size();
  solver_->add(filled->particles.view());
  notes_.insert(notes_.end(), filled->notes.begin(), filled->notes.end());
  return {};
}

std::uint64_t Simulation::frame_count() const {
  return static_cast<std::uint64_t>(std::llround(scene_.duration * scene_.frame_rate));
}

std::uint64_t Simulation::expected_particles(std::uint64_t frame) const {
  const double end = static_cast<double>(frame) / scene_.frame_rate;
  std::uint64_t total = particles().size();
  for (const Nozzle& nozzle : nozzles_)
    total +=
        nozzle.count_until(end) - std::min(nozzle.count_until(end), nozzle.count_until(time()));
  return total;
}

Result<StepReport> Simulation::step() {
  let_go();
  // Sinks and nozzles may wait for a good moment, but not past a frame.
  const bool welcome = at_frame_ || solver_->welcomes_changes();
  if (at_frame_) {
    summary_.clear();
    at_frame_ = false;
  }
  const double interval = 1 / scene_.frame_rate;
  const double target = static_cast<double>(frame_ + 1) / scene_.frame_rate;
  if (welcome) drain();
  if (welcome || nozzle_hurries()) pour();
  const double before = time();
  auto report = solver_->step(target - before);
  if (!report) return report;
  wet(before, report->dt);
  summary_.add(*report, world_.bodies());
  world_.step(report->dt);
  if (target - time() < frame_tolerance * interval) {
    ++frame_;
    at_frame_ = true;
    take_notes();
  }
  return report;
}

void Simulation::set_gravity(const Vec3d& gravity) {
  scene_.gravity = gravity;
  solver_->set_gravity(gravity);
  world_.set_gravity(gravity);
}

void Simulation::drain() {
  const auto active = [&](const Region& sink) { return sink.active(time()); };
  // Looking at the particles makes some solvers work.
  if (std::none_of(sinks_.begin(), sinks_.end(), active)) return;
  const auto position = solver_->positions();
  marks_.assign(position.size(), 0);
  for (const Region& sink : sinks_)
    if (active(sink)) sink.mark_inside(position, marks_, executor_);
  const auto drained =
      static_cast<std::uint64_t>(std::count(marks_.begin(), marks_.end(), std::uint8_t{1}));
  if (drained == 0) return;
  for (std::uint8_t& mark : marks_) mark = mark == 0;
  solver_->remove(marks_);
  summary_.add_particles(0, drained, 0);
}

bool Simulation::nozzle_hurries() const {
  return std::any_of(nozzles_.begin(), nozzles_.end(), [&](const Nozzle& nozzle) {
    return nozzle.next_time() + nozzle.patience() < time();
  });
}

void Simulation::pour() {
  ParticleBatch batch = due_emissions(time());
  if (batch.size() == 0) return;
  const std::uint64_t due = batch.size();
  drop_blocked(batch);
  const std::size_t before = solver_->positions().size();
  solver_->add(batch.view());
  const std::uint64_t came = solver_->positions().size() - before;
  summary_.add_particles(came, 0, due - came);
}

/// In the order of their times, so that ids do not depend on where the steps fall.
ParticleBatch Simulation::due_emissions(double now) {
  ParticleBatch batch;
  for (;;) {
    Nozzle* next = nullptr;
    for (Nozzle& nozzle : nozzles_)
      if (next == nullptr || nozzle.next_time() < next->next_time()) next = &nozzle;
    if (next == nullptr || next->next_time() > now) return batch;
    const Nozzle::Emission e = next->emit();
    const double age = now - e.time;
    const std::uint64_t id = next_id_++;
    batch.add(Vec3f(e.position + e.velocity * age + scene_.gravity * (0.5 * age * age)),
              Vec3f(e.velocity + scene_.gravity * age), id, next->material(),
              grain_size_scale(scene_, next->material(), id));
  }
}

/// A nozzle buried in its own heap is blocked: pressing more in would make the heap explode.
void Simulation::drop_blocked(ParticleBatch& batch) const {
  Box3d box;
  for (const Vec3f& p : batch.position) box.include(Vec3d(p));
  const auto reach = static_cast<float>(0.5 * finest_spacing(scene_));
  const Vec3f margin{reach, reach, reach};
  const Vec3f lower = Vec3f(box.lower) - margin, upper = Vec3f(box.upper) + margin;
  std::vector<Vec3f> near_by;
  for (const Vec3f& p : solver_->positions())
    if (p.x > lower.x && p.y > lower.y && p.z > lower.z && p.x < upper.x && p.y < upper.y &&
        p.z < upper.z)
      near_by.push_back(p);
  ParticleBatch open;
  for (std::size_t i = 0; i < batch.size(); ++i) {
    const bool blocked = std::any_of(near_by.begin(), near_by.end(), [&](const Vec3f& p) {
      return squared_norm(p - batch.position[i]) < reach * reach;
    });
    if (!blocked)
      open.add(batch.position[i], batch.velocity[i], batch.id[i], batch.material[i],
               batch.size_scale[i]);
  }
  batch = std::move(open);
}

void Simulation::wet(double time, double dt) {
  for (const WettingRegion& wetting : wettings_) {
    if (!wetting.region.active(time)) continue;
    ParticleStore& store = solver_->particles();
    marks_.assign(store.size(), 0);
    wetting.region.mark_inside(store.values<Vec3f>("position"), marks_, executor_);
    const auto bytes = store.bytes(static_cast<std::size_t>(store.find("wetness")));
    const std::span wetness(reinterpret_cast<float*>(bytes.data()), store.size());
    const auto change = static_cast<float>(wetting.rate * dt);
    executor_.for_each(store.size(), [&](std::size_t i) {
      if (marks_[i] != 0) wetness[i] = std::clamp(wetness[i] + change, 0.0f, 1.0f);
    });
  }
}

Energy Simulation::energy() const {
  const auto position = particles().values<Vec3f>("position");
  const auto velocity = particles().values<Vec3f>("velocity");
  const auto material = particles().values<std::uint32_t>("material");
  const auto radius = particles().values<float>("radius");
  std::vector<double> density(scene_.materials.size());  // of the cube of a particle's diameter
  for (std::uint32_t m = 0; m < density.size(); ++m)
    density[m] = solver_->particle_mass(m) / std::pow(particle_size(scene_, m), 3);
  return executor_.reduce(
      position.size(), Energy{},
      [&](std::size_t begin, std::size_t end) {
        Energy sum;
        for (std::size_t i = begin; i < end; ++i) {
          const double d = 2 * double{radius[i]};
          const double m = density[material[i]] * d * d * d;
          sum.kinetic += 0.5 * m * squared_norm(Vec3d(velocity[i]));
          sum.potential -= m * dot(scene_.gravity, Vec3d(position[i]));
        }
        return sum;
      },
      [](const Energy& a, const Energy& b) {
        return Energy{a.kinetic + b.kinetic, a.potential + b.potential};
      });
}

FrameInfo Simulation::frame_info() const {
  FrameInfo info;
  info.scene = scene_.name;
  info.index = frame_;
  info.time = time();
  info.interval = 1 / scene_.frame_rate;
  info.step = steps();
  for (std::size_t b = 0; b < bodies().size(); ++b)
    info.bodies.push_back({bodies()[b].name, bodies()[b].state, summary_.mean_load(b)});
  for (const Material& m : scene_.materials)
    info.materials.push_back({m.name, m.colour, m.colour_variation});
  return info;
}

void Simulation::save(State& state) const {
  let_go();
  solver_->save(state);
  world_.save(state);
  summary_.save(state);
  for (std::size_t n = 0; n < nozzles_.size(); ++n)
    nozzles_[n].save(state, fmt::format("run/nozzle{}", n));
  state.put("run/sources",
            std::array{std::uint64_t{nozzles_.size()}, std::uint64_t{sinks_.size()}});
  state.put("run/gravity", scene_.gravity);
  state.put("run/next_id", next_id_);
  state.put("run/frame", frame_);
  state.put("run/at_frame", static_cast<std::uint8_t>(at_frame_));
}

Status Simulation::load(const State& state) {
  let_go();
  std::uint8_t at_frame = 0;
  Vec3d gravity;
  std::array<std::uint64_t, 2> sources;
  if (Status status = state.get("run/sources", sources); !status.ok()) return status;
  if (sources[0] != nozzles_.size() || sources[1] != sinks_.size())
    return work_error(
        "the checkpoint has {} pours and {} sinks, the scene {} and {}: some were added while the "
        "simulation ran. Load it into a simulation made from the scene that the other one had then",
        sources[0], sources[1], nozzles_.size(), sinks_.size());
  if (Status status = state.get("run/gravity", gravity); !status.ok()) return status;
  if (Status status = state.get("run/next_id", next_id_); !status.ok()) return status;
  if (Status status = state.get("run/frame", frame_); !status.ok()) return status;
  if (Status status = state.get("run/at_frame", at_frame); !status.ok()) return status;
  at_frame_ = at_frame != 0;
  for (std::size_t n = 0; n < nozzles_.size(); ++n)
    if (Status status = nozzles_[n].load(state, fmt::format("run/nozzle{}", n)); !status.ok())
      return status;
  if (Status status = summary_.load(state); !status.ok()) return status;
  if (Status status = world_.load(state); !status.ok()) return status;
  if (Status status = solver_->load(state); !status.ok()) return status;
  set_gravity(gravity);
  return {};
}

}  // namespace talus
