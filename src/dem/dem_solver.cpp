// Rigid multi-sphere grains, after
//   Alduán, Tena & Otaduy 2009, "Simulation of high-resolution granular media", section 3
//   Longmore 2009, "Towards realistic and interactive sand simulation", chapters 3 and 4
// A step is one parallel loop over chunks of grains (contact_list.h): who touches, forces between
// grains, forces of bodies, motion. Units SI.
#include "dem/dem_solver.h"

#include "core/random.h"
#include "dem/contact_list.h"
#include "dem/motion.h"
#include "dem/overlaps.h"
#include "dem/pair_forces.h"
#include "dem/saved_state.h"
#include "dem/time_step.h"
#include "dem/wall_forces.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace talus::dem {

namespace {

// Skin of the lists over the smallest sphere's radius, and the steps one should last.
constexpr double least_skin = 0.12, most_skin = 0.6, wanted_steps = 50;
// Positions are resolved to this part of the largest sphere's radius.
constexpr double resolution = 0x1.0p-28;
constexpr double drag_coefficient = 0.5;

class DemSolver final : public Solver {
 public:
  DemSolver(const Scene& scene, std::vector<Body>& bodies, const Executor& executor)
      : scene_(scene), bodies_(bodies), executor_(executor) {}
  Status create();

  ParticleStore& particles() override {
    publish();
    return store_;
  }
  void add(const NewParticles& fresh) override;
  void remove(std::span<const std::uint8_t> keep) override;
  Result<StepReport> step(double max_dt) override;
  void set_gravity(const Vec3d& gravity) override { scene_.gravity = gravity; }
  double time() const override { return time_; }
  std::uint64_t steps() const override { return steps_; }
  void save(State& state) const override;
  Status load(const State& state) override;
  std::vector<std::string> notes() const override { return notes_; }
  PhaseTimers& timers() override { return timers_; }
  std::size_t memory_bytes() const override;

 private:
  // The phases of a step, in their order.
  void choose_time_step(double max_dt);
  bool lists_worn() const;
  void update_lists();
  void place_bodies();
  void move();
  void load_bodies();
  Status check_finite() const;

  void register_fields();
  void write_notes();
  void set_up_grain(std::size_t i, std::uint32_t material, float scale);
  void make_room(std::size_t first);
  void publish();
  void take_velocities();
  ContactLists::Limits limits() const;
  void make_records();
  void wrap();
  struct Scalars {
    double time, last_dt, quantum, skin, travel, body_travel, list_age, speed, spin, stiffest,
        largest_size;
  };
  Scalars scalars() const;
  StepInput step_input() const;
  MotionInput motion_input() const;
  double body_speed() const;

  Scene scene_;
  std::vector<Body>& bodies_;
  const Executor& executor_;
  std::vector<GrainShape> shapes_;
  ShapeTable table_;
  PairLaws laws_;
  WallFaces walls_;
  TimeStep time_step_;
  Images images_;
  PairForces pair_forces_ = nullptr;
  WallForces wall_forces_ = nullptr;
  bool stored_ = false;

  Grains grains_;
  Records records_[2];
  std::size_t now_ = 0;  ///< which of them belongs to the present instant
  ContactLists lists_;
  bool listed_ = false;
  std::vector<ChunkForces> forces_;  ///< per worker
  struct ChunkTally {
    ContactTally contacts;
    MotionTally motion;
  };
  std::vector<ChunkTally> tallies_;
  std::vector<BodyLoad> chunk_loads_;  ///< chunk x body
  std::vector<std::array<std::int32_t, 3>> image_shift_;

  ParticleStore store_;
  Field<std::uint64_t> id_;
  Field<Vec3f> x_, v_, w_;
  Field<float> radius_;
  Field<std::uint32_t> material_;
  Field<Quatf> rotation_;
  bool published_ = false;

  double time_ = 0, dt_ = 0, last_dt_ = 0;
  std::uint64_t steps_ = 0;
  double quantum_ = 1, skin_ = 0, travel_ = 0, body_travel_ = 0, list_age_ = 0;
  double speed_ = 0, spin_ = 0, stiffest_ = 0;
  float largest_size_ = 0;
  StepReport report_;
  std::vector<std::string> notes_;
  PhaseTimers timers_;
};

Status DemSolver::create() {
  auto shapes = grain_shapes(scene_);
  if (!shapes) return shapes.error();
  shapes_ = std::move(*shapes);
  if (scene_.dem.inertia == "scalar") {
    for (GrainShape& s : shapes_) {  // of a solid tetrahedron of edge `edge`: m edge^2 / 20
      if (s.balls.size() == 1) continue;
      const double i = s.edge * s.edge / 20;
      s.inertia = {i, i, i};
      s.isotropic = true;
    }
  }
  table_ = make_shape_table(shapes_);
  auto laws = PairLaws::create(scene_, shapes_, bodies_);
  if (!laws) return laws.error();
  laws_ = std::move(*laws);
  double least = 1e300;
  for (std::size_t m = 0; m < shapes_.size(); ++m)
    least = std::min(least, shapes_[m].least * scene_.materials[m].grain_diameter);
  auto walls = WallFaces::create(scene_, bodies_, least, executor_);
  if (!walls) return walls.error();
  walls_ = std::move(*walls);
  time_step_ = TimeStep(scene_, shapes_, laws_);
  images_ = Images::of(scene_);
  stored_ = tangential_law_of(scene_) == TangentialLaw::mindlin;
  const bool records_of_arms = table_.clumps || !walls_.rough().empty();
  pair_forces_ = pair_forces(normal_law_of(scene_), tangential_law_of(scene_), records_of_arms);
  wall_forces_ = wall_forces(normal_law_of(scene_), tangential_law_of(scene_));
  forces_.resize(static_cast<std::size_t>(executor_.threads()));
  skin_ = least_skin * least;
  register_fields();
  write_notes();
  return {};
}

void DemSolver::write_notes() {
  for (std::size_t m = 0; m < shapes_.size(); ++m)
    if (shapes_[m].pieces > 1)
      notes_.push_back(fmt::format(
          "material '{}': the grain shape falls into {} pieces that do not touch; they move as one",
          scene_.materials[m].name, shapes_[m].pieces));
  const StepLimit limit = time_step_.limit(1.0, 0);
  if (scene_.dem.time_step > limit.dt)
    notes_.push_back(fmt::format(
        "dem.time_step = {:.3g} s is above the automatic step of {:.3g} s (limit: {}, at impacts "
        "of 1 m/s): collisions are not resolved, and grains may explode or pass through each other",
        scene_.dem.time_step, limit.dt, limit.reason));
}

void DemSolver::register_fields() {
  using enum FieldUse;
  id_ = store_.add_field<std::uint64_t>("id", "1", frame, "constant and unique");
  x_ = store_.add_field<Vec3f>("position", "m", frame, "centre of mass");
  v_ = store_.add_field<Vec3f>("velocity", "m/s", frame, "of the centre of mass");
  radius_ = store_.add_field<float>("radius", "m", frame, "of the sphere around the grain");
  material_ = store_.add_field<std::uint32_t>("material", "1", frame,
                                              "index into the materials, which tell the shape");
  rotation_ =
      store_.add_field<Quatf>("rotation", "1", frame, "principal axes to world: w, x, y, z");
  w_ = store_.add_field<Vec3f>("angular_velocity", "rad/s", frame, "in the world's axes");
}

void DemSolver::set_up_grain(std::size_t i, std::uint32_t material, float scale) {
  const Material& m = scene_.materials[material];
  const GrainShape& shape = shapes_[material];
  const double d = m.grain_diameter * double{scale};
  const double mass = m.grain_density * shape.volume * d * d * d;
  grains_.size[i] = static_cast<float>(d);
  grains_.inverse_mass[i] = static_cast<float>(1 / mass);
  for (int c = 0; c < 3; ++c)
    grains_.inverse_inertia[static_cast<std::size_t>(c)][i] =
        static_cast<float>(1 / (mass * d * d * shape.inertia[c]));
  grains_.shape[i] = material;
  grains_.listed_index[i] = Grains::none;
  largest_size_ = std::max(largest_size_, grains_.size[i]);
}

/// A uniformly distributed orientation, by the grain's id (Shoemake 1992).
Quatd random_orientation(std::uint64_t seed, std::uint64_t id) {
  const auto u = random_floats(seed, id, Purpose::orientation);
  const double a = std::sqrt(1.0 - double{u[0]}), b = std::sqrt(double{u[0]});
  const double s = 2 * std::numbers::pi * double{u[1]}, t = 2 * std::numbers::pi * double{u[2]};
  return normalized(Quatd{b * std::cos(t), a * std::sin(s), a * std::cos(s), b * std::sin(t)});
}

void DemSolver::add(const NewParticles& fresh) {
  if (fresh.position.empty()) return;
  take_velocities();
  const std::size_t old = grains_.count;
  grains_.resize(old + fresh.position.size());
  for (std::size_t k = 0; k < fresh.position.size(); ++k) {
    const std::size_t i = old + k;
    const float scale = fresh.size_scale.empty() ? 1.0f : fresh.size_scale[k];
    TALUS_CHECK(scale > 0, "size_scale {}", scale);
    grains_.id[i] = fresh.id[k];
    set_up_grain(i, fresh.material[k], scale);
    Quatd q = table_.clumps ? random_orientation(scene_.seed, fresh.id[k]) : Quatd{};
    if (!fresh.rotation.empty()) {
      const Quatf r = fresh.rotation[k];
      q = normalized(Quatd{double{r.w}, double{r.x}, double{r.y}, double{r.z}});
    }
    const double parts[4] = {q.w, q.x, q.y, q.z};
    for (std::size_t c = 0; c < 4; ++c) grains_.q[c][i] = parts[c];
    const Vec3f v = fresh.velocity[k];
    for (int c = 0; c < 3; ++c) {
      const auto axis = static_cast<std::size_t>(c);
      grains_.x[axis][i] = double{fresh.position[k][c]};
      grains_.v[axis][i] = double{v[c]};
      grains_.l[axis][i] = 0;
    }
    for (auto& a : grains_.listed) a[i] = 0;
    grains_.velocity[i] = make_row(v.x, v.y, v.z, grains_.inverse_mass[i]);
    grains_.spin[i] = make_row(0, 0, 0, bits_as_float(fresh.material[k]));
    speed_ = std::max(speed_, double{norm(v)});
  }
  make_room(old);
  published_ = false;
}

/// New grains that overlap something are moved; those without room are left out, and said.
void DemSolver::make_room(std::size_t first) {
  walls_.place();
  const Relaxation r = relax_overlaps(grains_, table_, images_, walls_, first, executor_);
  if (r.moved > 0 && steps_ == 0)
    notes_.push_back(fmt::format("{} grains overlapped others or a body and were moved", r.moved));
  if (r.hopeless == 0) return;
  if (steps_ == 0)
    notes_.push_back(fmt::format(
        "{} grains were left out: there is no room where they should start", r.hopeless));
  grains_.compact(r.keep);
}

void DemSolver::remove(std::span<const std::uint8_t> keep) {
  TALUS_CHECK(keep.size() == grains_.count, "keep {} grains {}", keep.size(), grains_.count);
  take_velocities();
  grains_.compact(keep);
  published_ = false;
}

/// Lists end their life here: what records know moves back into the grains' own arrays.
void DemSolver::take_velocities() {
  if (!listed_) return;
  const Records& r = records_[now_];
  std::copy_n(r.velocity.data(), grains_.count, grains_.velocity.data());
  std::copy_n(r.spin.data(), grains_.count, grains_.spin.data());
  listed_ = false;
}

double DemSolver::body_speed() const {
  double fastest = 0;
  for (std::size_t b = 0; b < bodies_.size(); ++b) fastest = std::max(fastest, walls_.fastest(b));
  return fastest;
}

void DemSolver::choose_time_step(double max_dt) {
  StepLimit limit = time_step_.limit(speed_ + body_speed(), stiffest_);
  if (scene_.dem.time_step > 0) limit = {scene_.dem.time_step, "forced"};
  const double steps = std::ceil(max_dt / limit.dt * (1 - 1e-9));
  dt_ = max_dt / std::max(1.0, steps);
  report_.dt = dt_;
  report_.dt_reason = steps <= 1 && max_dt < 0.999 * limit.dt ? "frame" : limit.reason;
}

ContactLists::Limits DemSolver::limits() const {
  ContactLists::Limits l;
  l.skin = static_cast<float>(skin_);
  l.reach = laws_.moist() ? laws_.reach(0.5f * largest_size_) : 0;
  l.largest_size = largest_size_;
  l.farthest = static_cast<float>(0x1.0p50 * quantum_);
  l.stored = stored_;
  l.remembers = stored_ || laws_.moist();
  return l;
}

void DemSolver::wrap() {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (!images_.axis[axis]) continue;
    const int c = static_cast<int>(axis);
    for (double& x : grains_.x[axis])
      x -= images_.length[c] * std::floor((x - images_.lower[c]) / images_.length[c]);
  }
}

/// Two spheres may have come nearer to each other by the skin.
bool DemSolver::lists_worn() const {
  return 2 * travel_ > skin_ || travel_ + body_travel_ > double{moving_skin} * skin_;
}

void DemSolver::update_lists() {
  take_velocities();
  if (grains_.count == 0) return;
  double least = 1e300, largest_ball = 0;
  for (std::size_t m = 0; m < shapes_.size(); ++m) {
    const Material& material = scene_.materials[m];
    least = std::min(least,
                     shapes_[m].least * material.grain_diameter * (1 - material.grain_size_spread));
    for (const Ball& b : shapes_[m].balls) largest_ball = std::max(largest_ball, b.radius);
  }
  largest_ball *= double{largest_size_};
  for (const RoughSphere& r : walls_.rough())
    largest_ball = std::max(largest_ball, double{r.radius});
  quantum_ = resolution * largest_ball;
  const double rate = list_age_ > 0 ? travel_ / list_age_ : speed_;
  const double step = dt_ > 0 ? dt_ : 0;
  skin_ = std::clamp(2 * rate * step * wanted_steps, least_skin * least, most_skin * least);
  wrap();
  lists_.build(grains_, table_, images_, walls_, limits(), executor_);
  make_records();
  travel_ = body_travel_ = list_age_ = 0;
  published_ = false;
}

void DemSolver::make_records() {
  const std::size_t n = grains_.count;
  for (Records& r : records_) {
    r.centre.resize(grains_.spheres() + walls_.rough().size());
    r.arm.resize(grains_.spheres() + walls_.rough().size());
    r.velocity.resize(n + bodies_.size());
    r.spin.resize(n + bodies_.size());
  }
  Records& r = records_[now_];
  std::copy_n(grains_.velocity.data(), n, r.velocity.data());
  std::copy_n(grains_.spin.data(), n, r.spin.data());
  executor_.for_range(n, 1024, [&](std::size_t begin, std::size_t end) {
    write_records(table_, grains_, begin, end, 1 / quantum_, r);
  });
  image_shift_.clear();
  for (const Vec3d& s : images_.shift)
    image_shift_.push_back({wrapped_integer(s.x / quantum_), wrapped_integer(s.y / quantum_),
                            wrapped_integer(s.z / quantum_)});
  listed_ = true;
}

void DemSolver::place_bodies() {
  walls_.place();
  walls_.write_records(grains_, 1 / quantum_, scene_.materials.size(), records_[now_]);
}

StepInput DemSolver::step_input() const {
  StepInput in;
  in.grains = &grains_;
  in.shapes = &table_;
  in.laws = &laws_;
  in.walls = &walls_;
  in.read = &records_[now_];
  in.image_shift = image_shift_;
  in.quantum = static_cast<float>(quantum_);
  in.last_dt = static_cast<float>(last_dt_);
  in.periodic = images_.any();
  return in;
}

MotionInput DemSolver::motion_input() const {
  MotionInput in;
  in.gravity = scene_.gravity;
  in.dt = dt_;
  in.last_dt = last_dt_;
  in.per_quantum = 1 / quantum_;
  in.low_speed_damping = scene_.dem.low_speed_damping;
  in.low_speed = 0.05 * std::sqrt(norm(scene_.gravity) * double{largest_size_});
  in.drag = drag_coefficient * scene_.dem.air_density * std::numbers::pi / 8;
  in.wind = scene_.dem.wind;
  in.forget_spin = scene_.dem.rotation == "longmore2009";
  return in;
}

void DemSolver::move() {
  const StepInput in = step_input();
  const MotionInput motion = motion_input();
  std::vector<ChunkList>& chunks = lists_.chunks();
  const std::size_t bodies = bodies_.size();
  tallies_.assign(chunks.size(), {});
  chunk_loads_.resize(chunks.size() * bodies);
  Records& write = records_[1 - now_];
  executor_.run_chunks_with_worker(chunks.size(), [&](std::size_t c, std::size_t worker) {
    ChunkList& list = chunks[c];
    ChunkForces& forces = forces_[worker];
    ChunkTally tally;
    forces.clear(list.end - list.begin, bodies);
    pair_forces_(in, list, forces, tally.contacts);
    wall_forces_(in, list, forces, tally.contacts);
    move_grains(motion, table_, grains_, list, forces, write, tally.motion);
    for (std::size_t b = 0; b < bodies; ++b) {
      const Row& f = forces.rows[2 * (forces.grains + 1 + b)];
      const Row& m = forces.rows[2 * (forces.grains + 1 + b) + 1];
      chunk_loads_[c * bodies + b] = {Vec3d(Vec3f{f.v[0], f.v[1], f.v[2]}),
                                      Vec3d(Vec3f{m.v[0], m.v[1], m.v[2]})};
    }
    tallies_[c] = tally;
  });
}

/// Adds up what the chunks found, in their order.
void DemSolver::load_bodies() {
  for (Body& b : bodies_) b.load = {};
  const std::size_t bodies = bodies_.size();
  ChunkTally all;
  for (std::size_t c = 0; c < tallies_.size(); ++c) {
    for (std::size_t b = 0; b < bodies; ++b) {
      bodies_[b].load.force += chunk_loads_[c * bodies + b].force;
      bodies_[b].load.torque += chunk_loads_[c * bodies + b].torque;
    }
    const ChunkTally& t = tallies_[c];
    all.contacts.contacts += t.contacts.contacts;
    all.contacts.stiffest = std::max(all.contacts.stiffest, t.contacts.stiffest);
    all.motion.speed2 = std::max(all.motion.speed2, t.motion.speed2);
    all.motion.spin2 = std::max(all.motion.spin2, t.motion.spin2);
    all.motion.finite += t.motion.finite;
  }
  speed_ = std::isfinite(all.motion.finite) ? std::sqrt(all.motion.speed2) : all.motion.finite;
  spin_ = std::sqrt(all.motion.spin2);
  stiffest_ = double{all.contacts.stiffest};
  report_.contacts = all.contacts.contacts;
  report_.max_speed = speed_;
  const double arm = table_.greatest_arm * double{largest_size_};
  travel_ += (speed_ + spin_ * arm) * dt_;
  body_travel_ += body_speed() * dt_;
  list_age_ += dt_;
}

Result<StepReport> DemSolver::step(double max_dt) {
  report_ = {};
  choose_time_step(max_dt);
  if (!listed_ || lists_worn()) timers_.time("new lists", [&] { update_lists(); });
  if (grains_.count > 0) {
    timers_.time("bodies", [&] { place_bodies(); });
    timers_.time("contacts and motion", [&] { move(); });
    timers_.time("loads", [&] { load_bodies(); });
    now_ = 1 - now_;
  } else {
    for (Body& b : bodies_) b.load = {};
    speed_ = spin_ = stiffest_ = 0;
  }
  last_dt_ = dt_;
  time_ += dt_;
  ++steps_;
  published_ = false;
  if (Status s = check_finite(); !s) return s.error();
  return report_;
}

Status DemSolver::check_finite() const {
  if (std::isfinite(speed_)) return {};
  for (std::size_t i = 0; i < grains_.count; ++i) {
    const Row& v = records_[now_].velocity[i];
    if (is_finite(Vec3f(grains_.position(i))) && is_finite(Vec3f{v.v[0], v.v[1], v.v[2]})) continue;
    return work_error(
        "grain {} is no longer finite after step {} (t = {:.6g} s, dt = {:.3g} s, set by: {}). "
        "Likely causes: dem.time_step forced above the automatic one, grains that start inside "
        "each other, or a body that moves faster than a grain's size per step",
        grains_.id[i], steps_, time_, dt_, report_.dt_reason);
  }
  return work_error("the grains' speed is no longer finite after step {} (t = {:.6g} s)", steps_,
                    time_);
}

/// Brings the store up to date; only when somebody looks.
void DemSolver::publish() {
  if (published_) return;
  published_ = true;
  store_.resize(grains_.count);
  const auto id = store_[id_];
  const auto x = store_[x_], v = store_[v_], w = store_[w_];
  const auto radius = store_[radius_];
  const auto material = store_[material_];
  const auto rotation = store_[rotation_];
  const Row* velocity = listed_ ? records_[now_].velocity.data() : grains_.velocity.data();
  const Row* spin = listed_ ? records_[now_].spin.data() : grains_.spin.data();
  executor_.for_range(grains_.count, 4096, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      id[i] = grains_.id[i];
      x[i] = Vec3f(grains_.position(i));
      v[i] = {velocity[i].v[0], velocity[i].v[1], velocity[i].v[2]};
      w[i] = {spin[i].v[0], spin[i].v[1], spin[i].v[2]};
      radius[i] = 0.5f * grains_.size[i];
      material[i] = grains_.shape[i];
      const Quatd q = grains_.orientation(i);
      rotation[i] = {static_cast<float>(q.w), static_cast<float>(q.x), static_cast<float>(q.y),
                     static_cast<float>(q.z)};
    }
  });
}

void DemSolver::save(State& state) const {
  // Lists that are due anyway are made now; the next step would make the same.
  auto& self = const_cast<DemSolver&>(*this);
  if (!listed_) self.update_lists();
  std::copy_n(records_[now_].velocity.data(), grains_.count, self.grains_.velocity.data());
  std::copy_n(records_[now_].spin.data(), grains_.count, self.grains_.spin.data());
  save_grains(state, self.grains_);
  save_contacts(state, lists_.chunks());
  state.put("dem/scalars", scalars());
  state.put("dem/steps", steps_);
  state.put("dem/gravity", scene_.gravity);
}

DemSolver::Scalars DemSolver::scalars() const {
  return {time_,
          last_dt_,
          quantum_,
          skin_,
          travel_,
          body_travel_,
          list_age_,
          speed_,
          spin_,
          stiffest_,
          double{largest_size_}};
}

Status DemSolver::load(const State& state) {
  Scalars s;
  if (Status status = state.get("dem/scalars", s); !status) return status;
  if (Status status = state.get("dem/steps", steps_); !status) return status;
  if (Status status = state.get("dem/gravity", scene_.gravity); !status) return status;
  if (Status status = load_grains(state, grains_); !status) return status;
  for (std::size_t i = 0; i < grains_.count; ++i)
    if (grains_.shape[i] >= scene_.materials.size())
      return work_error("checkpoint names material {}, the scene has {}", grains_.shape[i],
                        scene_.materials.size());
  time_ = s.time;
  last_dt_ = s.last_dt;
  quantum_ = s.quantum;
  skin_ = s.skin;
  travel_ = s.travel;
  body_travel_ = s.body_travel;
  list_age_ = s.list_age;
  speed_ = s.speed;
  spin_ = s.spin;
  stiffest_ = s.stiffest;
  largest_size_ = static_cast<float>(s.largest_size);
  published_ = false;
  now_ = 0;
  listed_ = false;
  if (grains_.count == 0) return {};
  const auto exchange = [&] {
    for (std::size_t c = 0; c < 3; ++c) std::swap(grains_.x[c], grains_.listed[c]);
    for (std::size_t c = 0; c < 4; ++c) std::swap(grains_.q[c], grains_.listed[3 + c]);
  };
  exchange();  // the lists as they were made, then back to the present
  lists_.rebuild_sorted(grains_, table_, images_, walls_, limits(), executor_);
  exchange();
  make_records();
  return load_contacts(state, lists_.chunks());
}

std::size_t DemSolver::memory_bytes() const {
  std::size_t bytes = store_.memory_bytes() + grains_.memory_bytes() + lists_.memory_bytes();
  for (const Records& r : records_)
    bytes += r.centre.memory_bytes() + r.arm.memory_bytes() + r.velocity.memory_bytes() +
             r.spin.memory_bytes();
  for (const ChunkForces& f : forces_) bytes += f.rows.memory_bytes() + f.touching.memory_bytes();
  return bytes;
}

}  // namespace

}  // namespace talus::dem

namespace talus {

Result<std::unique_ptr<Solver>> make_dem_solver(const Scene& scene, std::vector<Body>& bodies,
                                                const Executor& executor) {
  auto solver = std::make_unique<dem::DemSolver>(scene, bodies, executor);
  if (Status s = solver->create(); !s) return s.error();
  return std::unique_ptr<Solver>(std::move(solver));
}

}  // namespace talus
