// A small solver for tests of what drives one: particles fly, bounce off z = 0 and press on the
// first body. Steps adapt to the speed, the order of particles changes in every step, and the next
// step depends on fields that are in checkpoints only, as with a real solver.
#pragma once

#include "run/solver_factory.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <unistd.h>

namespace talus {

class BouncingSolver : public Solver {
 public:
  BouncingSolver(const Scene& scene, std::vector<Body>& bodies, const Executor& executor,
                 double sleep)
      : scene_(scene),
        bodies_(bodies),
        executor_(executor),
        sleep_(sleep),
        gravity_(Vec3f(scene.gravity)) {
    id_ = store_.add_field<std::uint64_t>("id", "1", FieldUse::frame, "constant and unique");
    position_ = store_.add_field<Vec3f>("position", "m", FieldUse::frame, "centre");
    velocity_ = store_.add_field<Vec3f>("velocity", "m/s", FieldUse::frame, "of the centre");
    radius_ = store_.add_field<float>("radius", "m", FieldUse::frame, "half the spacing");
    material_ = store_.add_field<std::uint32_t>("material", "1", FieldUse::frame, "index");
    wetness_ = store_.add_field<float>("wetness", "1", FieldUse::state, "0 dry, 1 soaked");
    bounces_ = store_.add_field<std::uint32_t>("bounces", "1", FieldUse::state, "so far");
  }

  ParticleStore& particles() override { return store_; }

  double particle_mass(std::uint32_t material) const override {
    const double a = scene_.sph.spacing;
    return scene_.materials[material].density * a * a * a;
  }
  void add(const NewParticles& added) override {
    const std::size_t first = store_.size();
    store_.resize(first + added.id.size());
    for (std::size_t i = 0; i < added.id.size(); ++i) {
      store_[id_][first + i] = added.id[i];
      store_[position_][first + i] = added.position[i];
      store_[velocity_][first + i] = added.velocity[i];
      store_[radius_][first + i] = static_cast<float>(scene_.sph.spacing / 2);
      store_[material_][first + i] = added.material[i];
    }
  }

  void remove(std::span<const std::uint8_t> keep) override { store_.compact(keep); }

  Result<StepReport> step(double max_dt) override {
    if (sleep_ > 0) ::usleep(static_cast<useconds_t>(sleep_ * 1e6));
    const auto v = store_[velocity_];
    const float fastest = executor_.reduce(
        store_.size(), 0.0f,
        [&](std::size_t begin, std::size_t end) {
          float most = 0;
          for (std::size_t i = begin; i < end; ++i) most = std::max(most, norm(v[i]));
          return most;
        },
        [](float a, float b) { return std::max(a, b); });
    StepReport report;
    const double limit = 0.004 / (1 + static_cast<double>(fastest) + memory_);
    report.dt = std::min(limit, max_dt);
    report.dt_reason = limit < max_dt ? "speed" : "frame";
    report.max_speed = static_cast<double>(fastest);
    report.pressure_iterations = 2;
    timers_.time("move", [&] { move(static_cast<float>(report.dt)); });
    press(report.dt);
    shuffle();
    memory_ = 0.5 * memory_ + 0.1 * static_cast<double>(fastest);
    time_ += report.dt;
    ++steps_;
    return report;
  }

  void set_gravity(const Vec3d& gravity) override { gravity_ = Vec3f(gravity); }
  double time() const override { return time_; }
  std::uint64_t steps() const override { return steps_; }

  void save(State& state) const override {
    state.put_store("particles", store_);
    state.put("time", time_);
    state.put("steps", steps_);
    state.put("memory", memory_);
  }
  Status load(const State& state) override {
    if (Status s = state.get("time", time_); !s.ok()) return s;
    if (Status s = state.get("steps", steps_); !s.ok()) return s;
    if (Status s = state.get("memory", memory_); !s.ok()) return s;
    return state.get_store("particles", store_);
  }

  PhaseTimers& timers() override { return timers_; }
  std::size_t memory_bytes() const override { return store_.memory_bytes(); }

 private:
  void move(float dt) {
    const auto p = store_[position_];
    const auto v = store_[velocity_];
    const auto bounces = store_[bounces_];
    const Vec3f g = gravity_;
    executor_.for_each(store_.size(), [&](std::size_t i) {
      v[i] += g * dt;
      p[i] += v[i] * dt;
      if (p[i].z < 0 && v[i].z < 0) {
        v[i].z *= -0.8f / (1.0f + 0.1f * static_cast<float>(bounces[i]++));
        v[i].x += 0.01f * std::sin(static_cast<float>(store_[id_][i]));
      }
    });
  }
  void press(double dt) {
    if (bodies_.empty()) return;
    bodies_[0].load.force += {0, 0, -static_cast<double>(store_.size()) * dt};
  }
  void shuffle() {
    std::vector<std::uint32_t> order(store_.size());
    std::iota(order.begin(), order.end(), 0u);
    const auto p = store_[position_];
    std::stable_sort(order.begin(), order.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return p[a].x < p[b].x; });
    store_.reorder(order, executor_);
  }

  const Scene& scene_;
  std::vector<Body>& bodies_;
  const Executor& executor_;
  double sleep_;
  Vec3f gravity_;
  ParticleStore store_;
  Field<std::uint64_t> id_;
  Field<Vec3f> position_, velocity_;
  Field<float> radius_, wetness_;
  Field<std::uint32_t> material_, bounces_;
  PhaseTimers timers_;
  double time_ = 0, memory_ = 0;
  std::uint64_t steps_ = 0;
};

/// `sleep`: wall-clock seconds for each step, so that a test can catch a run in the middle.
inline SolverFactory bouncing_factory(double sleep = 0) {
  return [sleep](const Scene& scene, std::vector<Body>& bodies,
                 const Executor& executor) -> Result<std::unique_ptr<Solver>> {
    return std::unique_ptr<Solver>(new BouncingSolver(scene, bodies, executor, sleep));
  };
}

}  // namespace talus
