#include "view/live_session.h"

#include "core/timer.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace talus::view {

namespace {

/// Fields of grains that a solver finds only on request can be shown too.
Scene with_all_fields(Scene scene) {
  if (scene.solver != SolverKind::dem) return scene;
  for (const char* name : {"coordination", "stress"})
    if (std::find(scene.output.fields.begin(), scene.output.fields.end(), name) ==
        scene.output.fields.end())
      scene.output.fields.emplace_back(name);
  return scene;
}

bool needs_preparation(const std::string& field) {
  constexpr std::array names{"coordination", "stress", "packing_fraction"};
  return std::find(names.begin(), names.end(), field) != names.end();
}

}  // namespace

LiveSession::LiveSession(Scene scene, Options options)
    : scene_(with_all_fields(std::move(scene))),
      options_(std::move(options)),
      executor_(options_.threads),
      paused_(options_.paused) {
  thread_.start([this] { work(); });
}

LiveSession::~LiveSession() {
  orders_.post(Quit{});
  thread_.wait();
}

void LiveSession::work() {
  create();
  while (obey_all()) {
    const bool due =
        status_.phase != LivePhase::running || seconds_now() - last_shown_ > options_.shown_every;
    const bool between = lockstep_ && simulation_ && !simulation_->at_frame();
    if (dirty_ && due && !between && !frames_.pending()) publish();
    if (wait_for_turn()) step();
  }
}

/// False to quit. Of several pushes only the last counts: they tell where the hand is now.
bool LiveSession::obey_all() {
  std::vector<LiveOrder> orders = orders_.take_all();
  std::size_t last_push = orders.size();
  for (std::size_t i = 0; i < orders.size(); ++i)
    if (std::holds_alternative<PushMaterial>(orders[i])) last_push = i;
  for (std::size_t i = 0; i < orders.size() && !quit_; ++i) {
    if (std::holds_alternative<PushMaterial>(orders[i]) && i != last_push) continue;
    std::visit([this](const auto& order) { obey(order); }, orders[i]);
  }
  if (!orders.empty()) {
    status_.obeyed += orders.size();
    tell(0);
  }
  return !quit_;
}

/// Until the next step may begin; false when there is something else to do first.
bool LiveSession::wait_for_turn() {
  constexpr double idle = 0.05;
  if (!simulation_ || status_.phase == LivePhase::failed) {
    orders_.wait(idle);
    return false;
  }
  if (lockstep_ && simulation_->at_frame() && frames_.pending()) {
    frames_.wait_taken(idle);
    return false;
  }
  if (paused_ && steps_left_ == 0 && frames_left_ == 0) {
    orders_.wait(dirty_ ? 0.005 : idle);
    return false;
  }
  if (paused_ || lockstep_ || !(options_.speed > 0)) return true;
  const double due = clock_time_ + (seconds_now() - clock_wall_) * options_.speed;
  if (simulation_->time() <= due) {
    // A solver that cannot keep up must not race when it gets easier.
    if (due - simulation_->time() > 0.25 * options_.speed) restart_clock();
    return true;
  }
  orders_.wait(std::min((simulation_->time() - due) / options_.speed, idle));
  return false;
}

void LiveSession::step() {
  const double start = seconds_now();
  tell(start);
  const auto report = simulation_->step();
  if (!report) return fail(report.error().message);
  status_.dt = report->dt;
  status_.dt_reason = report->dt_reason;
  status_.max_speed = report->max_speed;
  status_.step_seconds = seconds_now() - start;
  if (steps_left_ > 0) --steps_left_;
  if (frames_left_ > 0 && simulation_->at_frame()) --frames_left_;
  dirty_ = true;
  if (lockstep_ && simulation_->at_frame()) publish();
  tell(0);
}

void LiveSession::create() {
  status_ = {};
  tell(seconds_now());
  pours_.clear();
  steps_left_ = frames_left_ = 0;
  simulation_.reset();
  auto world = make_scene_source(scene_);
  auto simulation = world ? Simulation::create(scene_, executor_, options_.factory)
                          : Result<std::unique_ptr<Simulation>>(world.error());
  if (!simulation) {
    fail(simulation.error().message);
    return;
  }
  world_ = std::make_shared<RunSource>(std::move(*world));
  simulation_ = std::move(*simulation);
  for (const std::string& note : simulation_->notes()) messages_.post(note);
  dirty_ = true;
  restart_clock();
  tell(0);
}

void LiveSession::restart_clock() {
  clock_wall_ = seconds_now();
  clock_time_ = simulation_ ? simulation_->time() : 0;
}

void LiveSession::fail(const std::string& message) {
  status_.phase = LivePhase::failed;
  status_.error = message;
  tell(0);
}

void LiveSession::tell(double busy_since) {
  if (status_.phase != LivePhase::failed)
    status_.phase = !simulation_ ? LivePhase::preparing
                    : paused_    ? LivePhase::paused
                                 : LivePhase::running;
  status_.busy_since = busy_since;
  if (simulation_ && status_.phase != LivePhase::failed) {
    status_.time = simulation_->time();
    status_.steps = simulation_->steps();
    status_.frame = simulation_->frame();
    status_.gravity = simulation_->scene().gravity;
    status_.bodies = simulation_->bodies().size();
    status_.materials = simulation_->scene().materials;
    status_.pours = pours_.size();
  }
  statuses_.put(std::make_shared<LiveStatus>(status_));
}

void LiveSession::publish() {
  if (!simulation_ || status_.phase == LivePhase::failed) return;
  if (needs_preparation(options_.request.field)) simulation_->prepare_frame();
  auto frame = make_view_frame(StoreFields(simulation_->particles()), simulation_->frame_info(),
                               world_, options_.request, executor_);
  if (!frame) return fail(frame.error().message);
  status_.particles = (*frame)->particles;
  frames_.put(std::move(*frame));
  last_shown_ = seconds_now();
  dirty_ = false;
}

void LiveSession::obey(const SetPaused& order) {
  paused_ = order.paused;
  steps_left_ = frames_left_ = 0;
  restart_clock();
}

void LiveSession::obey(const Advance& order) {
  paused_ = true;
  (order.frames ? frames_left_ : steps_left_) += std::max(order.count, 0);
}

void LiveSession::obey(const Reset&) {
  const std::uint64_t obeyed = status_.obeyed;
  create();
  status_.obeyed = obeyed;
}

void LiveSession::obey(const SetGravity& order) {
  if (simulation_) simulation_->set_gravity(order.gravity);
}

void LiveSession::obey(const DropBody& order) {
  if (!simulation_) return;
  SceneBody body = order.body;
  body.name = fmt::format("{} {}", body.name, ++dropped_);
  if (Status s = simulation_->add_body(body); !s) {
    messages_.post(s.error().message);
    return;
  }
  auto world = std::make_shared<RunSource>(*world_);
  if (Status s = add_body_meshes({&body, 1}, *world); !s) messages_.post(s.error().message);
  world_ = std::move(world);
  dirty_ = true;
}

void LiveSession::obey(const StartPour& order) {
  if (!simulation_) return;
  Pour pour = order.pour;
  pour.stop = std::numeric_limits<double>::infinity();
  if (order.share > 0 && pour.material < simulation_->scene().materials.size())
    pour.rate = order.share * greatest_rate(simulation_->scene(), pour,
                                            simulation_->solver().particle_mass(pour.material));
  const auto number = simulation_->add_pour(std::move(pour));
  if (number)
    pours_.push_back(*number);
  else
    messages_.post(number.error().message);
}

void LiveSession::obey(const StopPours&) {
  for (const std::size_t pour : pours_) simulation_->stop_pour(pour);
  pours_.clear();
}

void LiveSession::obey(const PushMaterial& order) {
  if (!simulation_) return;
  if (Status s = simulation_->push(order.point, order.radius, order.velocity); !s)
    messages_.post(s.error().message);
  dirty_ = true;
}

void LiveSession::obey(const ChangeMaterial& order) {
  if (!simulation_) return;
  if (Status s = simulation_->change_material(order.index, order.material); !s)
    messages_.post(s.error().message);
}

void LiveSession::obey(const Show& order) {
  options_.request = order.request;
  dirty_ = true;
}

void LiveSession::obey(const SetSpeed& order) {
  options_.speed = order.speed;
  restart_clock();
}

void LiveSession::obey(const SetLockstep& order) { lockstep_ = order.on; }

}  // namespace talus::view
