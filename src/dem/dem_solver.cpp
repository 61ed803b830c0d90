// Rigid multi-sphere grains, after
//   Alduán, Tena & Otaduy 2009, "Simulation of high-resolution granular media", section 3
//   Longmore 2009, "Towards realistic and interactive sand simulation", chapters 3 and 4
// A step is one parallel loop over chunks of grains (contact_list.h): who touches, forces between
// grains, forces of bodies, motion. Units SI.
#include "dem/dem_solver_impl.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace talus::dem {

namespace {

// Steps that lists should last.
constexpr double wanted_steps = 120;
// Lists are kept when less than this part of the skin is used up.
constexpr double worth_keeping = 0.7;
// Positions are resolved to this part of the largest sphere's radius.
constexpr double resolution = 0x1.0p-28;
constexpr double drag_coefficient = 0.5;
// A forced step may be so much longer than the automatic one, which changes from step to step.
constexpr double forced_tolerance = 1.1;
// rad; single spheres' turns are added up to about this much before their orientation follows.
constexpr double most_turn = 0.2;
// Gaps are listed from rounded positions; this much of a grain's size makes up for it.
constexpr double gap_rounding = 1e-4;

}  // namespace

double DemSolver::body_speed() const {
  double fastest = 0;
  for (std::size_t b = 0; b < bodies_.size(); ++b) fastest = std::max(fastest, walls_.fastest(b));
  return fastest;
}

void DemSolver::choose_time_step(double max_dt) {
  const double rim = table_.greatest_arm * double{largest_size_} * spin_;
  StepLimit limit = time_step_.limit(speed_ + body_speed(), stiffest_, rim);
  if (scene_.dem.time_step > 0) {
    if (scene_.dem.time_step > forced_tolerance * limit.dt) note_forced_step(limit);
    limit = {scene_.dem.time_step, "forced"};
  }
  const double steps = std::ceil(max_dt / limit.dt * (1 - 1e-9));
  dt_ = max_dt / std::max(1.0, steps);
  report_.dt = dt_;
  report_.dt_reason = steps <= 1 && max_dt < 0.999 * limit.dt ? "frame" : limit.reason;
}

ContactLists::Limits DemSolver::limits() const {
  ContactLists::Limits l;
  l.skin = static_cast<float>(skin_);
  l.dense_skin = static_cast<float>(dense_skin_);
  l.reach = laws_.moist() ? laws_.reach(0.5f * largest_size_) : 0;
  l.largest_size = largest_size_;
  l.farthest = static_cast<float>(0x1.0p50 * quantum_);
  l.stored = stored_;
  l.turns = stored_ && laws_.rolls();
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

/// Two spheres may have come nearer to each other by their skin.
bool DemSolver::lists_worn() const {
  return 2 * travel_ > 1 || body_travel_ > most_body_travel * skin_;
}

/// What travel_ adds up is a bound: each step's fastest grain may be another one. This replaces it
/// by the way of the grain that came farthest, centre and turn, which in a settled bed is much
/// less.
void DemSolver::measure_travel() {
  const double farthest = executor_.reduce(
      grains_.count, 0.0,
      [&](std::size_t begin, std::size_t end) {
        double most = 0;
        for (std::size_t i = begin; i < end; ++i) {
          double way2 = 0, cosine = 0;  // of half the angle
          for (std::size_t c = 0; c < 3; ++c) {
            const double d = grains_.x[c][i] - grains_.listed[c][i];
            way2 += d * d;
          }
          for (std::size_t c = 0; c < 4; ++c) cosine += grains_.q[c][i] * grains_.listed[3 + c][i];
          const double sine2 = std::max(0.0, 1 - cosine * cosine);
          const double arm = table_.greatest_arm * double{grains_.size[i]};
          const double way = std::sqrt(way2) + 2 * arm * std::sqrt(sine2);
          most = std::max(most, way / double{grains_.skin[i]});
        }
        return most;
      },
      [](double a, double b) { return std::max(a, b); });
  // Nearly worn is worn: else the next steps would measure again and again.
  if (farthest < worth_keeping * 0.5) travel_ = farthest;
}

bool DemSolver::welcomes_changes() {
  if (listed_ && lists_worn()) timers_.time("travel", [&] { measure_travel(); });
  return !listed_ || lists_worn();
}

/// Turns about changing axes may only be added up while they are small.
void DemSolver::apply_turns() {
  constexpr double left = 0.25 * most_turn;
  executor_.for_range(grains_.count, 4096, [&](std::size_t begin, std::size_t end) {
    grains_.apply_turns(begin, end, left);
  });
  turn_ = left;
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
  dense_skin_ = most_skin * least;
  ask_for_skins();
  skin_ = std::clamp(skin_, least_skin * least, dense_skin_);
  wrap();
  walls_.place();
  listed_poses_.clear();
  for (const Body& b : bodies_) listed_poses_.push_back(b.state.pose);
  lists_.build(grains_, table_, images_, walls_, limits(), executor_);
  make_records();
  travel_ = body_travel_ = 0;
  looked_classes_ = 0;
  published_ = Published::nothing;
}

/// Skins for which lists would last, by the speeds of now; the least of a grain is what does for
/// most of them.
void DemSolver::ask_for_skins() {
  const std::size_t n = grains_.count;
  // By the step before, so that the lists do not depend on who asks for them first.
  const auto way = static_cast<float>(2 * last_dt_ * wanted_steps);
  wanted_skins_.resize(n);
  for (std::size_t i = 0; i < n; ++i) {
    const auto& [v, w] = grains_.motion[i];
    const float arm = static_cast<float>(table_.greatest_arm) * grains_.size[i];
    grains_.skin[i] = wanted_skins_[i] =
        way * (norm(Vec3f{v.v[0], v.v[1], v.v[2]}) + arm * norm(Vec3f{w.v[0], w.v[1], w.v[2]}));
  }
  float* most = wanted_skins_.data() + (n - 1) * 19 / 20;
  std::nth_element(wanted_skins_.begin(), most, wanted_skins_.end());
  skin_ = double{*most};
}

/// A difference of two places is an arm when it is less than half of the circle on which they are
/// counted, and only the loop of the default law makes use of that.
bool DemSolver::stores_arms() const {
  const bool fits = table_.greatest_arm * double{largest_size_} < 0x1.0p30 * quantum_;
  return !table_.clumps || table_.grain_shift < 0 || !fits || !is_plain(laws_, walls_) ||
         normal_law_of(scene_) != NormalLaw::hertz;
}

void DemSolver::make_records() {
  const std::size_t n = grains_.count;
  const bool arms = stores_arms();
  for (Records& r : records_) {
    r.centre.resize(grains_.spheres() + walls_.rough().size());
    r.arm.resize(arms ? grains_.spheres() + walls_.rough().size() : 0);
    r.place.resize(arms ? 0 : n);
    r.motion.resize(n + bodies_.size());
    walls_.write_rough(grains_, 1 / quantum_, false, r);
  }
  Records& r = records_[now_];
  std::copy_n(grains_.motion.data(), n, r.motion.data());
  executor_.for_range(n, 1024, [&](std::size_t begin, std::size_t end) {
    write_records(table_, grains_, begin, end, 1 / quantum_, arms, r);
  });
  if (!table_.clumps)  // no step writes the arms of single spheres
    std::copy_n(r.arm.data(), grains_.spheres(), records_[1 - now_].arm.data());
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
  in.owner = lists_.owners();
  in.image_shift = image_shift_;
  in.quantum = static_cast<float>(quantum_);
  in.last_dt = static_cast<float>(last_dt_);
  in.periodic = images_.any();
  in.plain = is_plain(laws_, walls_);
  in.stored_arms = stores_arms();
  in.classes = std::max(looked_classes_, closing_classes());
  return in;
}

/// Classes of gaps that the travel so far can have closed, on both sides, and rounding.
std::size_t DemSolver::closing_classes() const {
  const double closed = 2 * travel_ + gap_rounding * double{largest_size_} / skin_;
  std::size_t n = 1;
  while (n < gap_classes.size() && double{gap_classes[n]} <= closed) ++n;
  return n;
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
  in.arms = stores_arms();
  in.forget_spin = scene_.dem.rotation == "longmore2009";
  return in;
}

void DemSolver::move() {
  const StepInput in = step_input();
  const MotionInput motion = motion_input();
  looked_classes_ = in.classes;
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
      const auto& [f, m] = forces.rows[forces.grains + 1 + b];
      chunk_loads_[c * bodies + b] = {
          {Vec3d(Vec3f{f.v[0], f.v[1], f.v[2]}), Vec3d(Vec3f{m.v[0], m.v[1], m.v[2]})},
          double{f.v[3]}};
    }
    tallies_[c] = tally;
  });
}

/// Adds up what the chunks found, in their order.
void DemSolver::load_bodies() {
  const std::size_t bodies = bodies_.size();
  double stiffest_body = 0;  // a light plate on many grains swings faster than any of them
  for (std::size_t b = 0; b < bodies; ++b) {
    Body& body = bodies_[b];
    body.load = {};
    double stiffness = 0;
    for (std::size_t c = 0; c < tallies_.size(); ++c) {
      const ChunkLoad& part = chunk_loads_[c * bodies + b];
      body.load.force += part.load.force;
      body.load.torque += part.load.torque;
      stiffness += part.stiffness;
    }
    if (body.motion != BodyMotion::dynamic || !(body.mass > 0)) continue;
    stiffest_body = std::max(stiffest_body, stiffness / body.mass);
    // Forces kick grains from the middle of the last step to that of this one, and bodies for all
    // of this one; steps of different length must not make momentum.
    const double kick = 0.5 * (dt_ + last_dt_) / dt_;
    body.load = {body.load.force * kick, body.load.torque * kick};
  }
  ChunkTally all;
  for (std::size_t c = 0; c < tallies_.size(); ++c) {
    const ChunkTally& t = tallies_[c];
    all.contacts.contacts += t.contacts.contacts;
    all.contacts.stiffest = std::max(all.contacts.stiffest, t.contacts.stiffest);
    all.motion.speed2 = std::max(all.motion.speed2, t.motion.speed2);
    all.motion.spin2 = std::max(all.motion.spin2, t.motion.spin2);
    all.motion.speed_wear2 = std::max(all.motion.speed_wear2, t.motion.speed_wear2);
    all.motion.spin_wear2 = std::max(all.motion.spin_wear2, t.motion.spin_wear2);
    all.motion.finite += t.motion.finite;
  }
  speed_ = std::isfinite(all.motion.finite) ? std::sqrt(all.motion.speed2) : all.motion.finite;
  spin_ = std::sqrt(all.motion.spin2);
  stiffest_ = std::max(double{all.contacts.stiffest}, stiffest_body);
  report_.contacts = all.contacts.contacts;
  report_.max_speed = speed_;
  const double arm = table_.greatest_arm * double{largest_size_};
  travel_ += (std::sqrt(all.motion.speed_wear2) + arm * std::sqrt(all.motion.spin_wear2)) * dt_;
  turn_ += spin_ * dt_;
  body_travel_ += body_speed() * dt_;
}

Result<StepReport> DemSolver::step(double max_dt) {
  report_ = {};
  choose_time_step(max_dt);
  if (turn_ > most_turn && !table_.clumps) timers_.time("orientation", [&] { apply_turns(); });
  if (listed_ && lists_worn()) timers_.time("travel", [&] { measure_travel(); });
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
  published_ = Published::nothing;
  if (Status s = check_finite(); !s) return s.error();
  return report_;
}

Status DemSolver::check_finite() const {
  if (std::isfinite(speed_)) return {};
  for (std::size_t i = 0; i < grains_.count; ++i) {
    const Row& v = records_[now_].motion[i].first;
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

}  // namespace talus::dem
