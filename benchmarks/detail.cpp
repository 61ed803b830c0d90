// Fine grains: the splash and the bulldozer of Ihmsen 2013 Table 1 in numbers of particles and
// grains, with a base whose motion is a formula. A sample is one frame of 20 ms: two steps, base
// interpolation included, reading and writing not.

#include "cases.h"
#include "core/random.h"
#include "detail/grain_cloud.h"
#include "scene/defaults.h"
#include "stream.h"

#include <cmath>
#include <memory>

namespace talus {

namespace {

using namespace talus::detail;

constexpr double base_spacing = 0.02, frame_seconds = 0.02;

enum class Flow { splash, bulldozer };

struct Load {
  Flow flow;
  std::vector<Vec3d> start, velocity;
  std::vector<std::uint8_t> flying;
  DetailBodies bodies;
  std::unique_ptr<GrainCloud> cloud;
  BaseFrame now;
  int frame = 0;

  BaseFrame frame_at(int index) const {
    BaseFrame f;
    const double t = index * frame_seconds;
    f.info.index = static_cast<std::uint64_t>(index);
    f.info.time = t;
    f.info.interval = frame_seconds;
    for (std::size_t i = 0; i < start.size(); ++i) {
      const Vec3d g{0, 0, flying[i] != 0 ? -9.81 : 0};
      f.id.push_back(i);
      f.position.push_back(Vec3f(start[i] + velocity[i] * t + g * (0.5 * t * t)));
      f.velocity.push_back(Vec3f(velocity[i] + g * t));
      f.radius.push_back(0.5f * static_cast<float>(base_spacing));
      f.material.push_back(0);
    }
    return f;
  }
};

void add_bed(Load& load, int nx, int ny, int nz) {
  for (int k = 0; k < nx * ny * nz; ++k) {
    const auto r = random_floats(1, static_cast<std::uint64_t>(k), Purpose::test);
    const auto at = [](int n, float noise) {
      return (n + 0.5 + 0.3 * (noise - 0.5)) * base_spacing;
    };
    const Vec3d p{at(k % nx, r[0]), at(k / nx % ny, r[1]), at(k / nx / ny, r[2])};
    load.start.push_back(p);
    load.velocity.push_back({0.5 * p.z / (nz * base_spacing), 0.02 * (r[3] - 0.5), 0});
    load.flying.push_back(0);
  }
}

/// A crown of sand above the bed, thrown up and outwards.
void add_crown(Load& load, int count, const Vec3d& middle) {
  for (int k = 0; k < count; ++k) {
    const auto r = random_floats(2, static_cast<std::uint64_t>(k), Purpose::test);
    const double angle = 6.2831853 * r[0], height = 0.4 * r[1];
    const double radius = 0.15 + 0.5 * height + 0.06 * r[2];
    const Vec3d out{std::cos(angle), std::sin(angle), 0};
    load.start.push_back(middle + out * radius + Vec3d{0, 0, height});
    load.velocity.push_back(out * (0.5 + r[3]) + Vec3d{0, 0, 1 + 4 * height});
    load.flying.push_back(1);
  }
}

Scene bench_scene(Flow flow) {
  Scene scene = default_scene();
  scene.sph.spacing = base_spacing;
  SceneBody floor = default_body();
  floor.name = "floor";
  floor.shape.kind = ShapeKind::plane;
  floor.friction = 0.6;
  scene.bodies.push_back(floor);
  if (flow == Flow::bulldozer) {
    SceneBody blade = default_body();
    blade.name = "blade";
    blade.shape.kind = ShapeKind::box;
    blade.shape.size = {0.04, 0.8, 0.3};
    blade.shape.pose.position = {0.3, 0.6, 0.16};
    blade.motion = SceneMotion::scripted;
    blade.velocity = {0.5, 0, 0};
    blade.friction = 0.4;
    scene.bodies.push_back(blade);
  }
  return scene;
}

Result<std::shared_ptr<Load>> make_load(Flow flow, double share, double factor,
                                        const Executor& executor) {
  auto load = std::make_shared<Load>();
  load->flow = flow;
  // The bed keeps its depth; a smaller share is a smaller area.
  const double edge = std::sqrt(share);
  const auto scaled = [&](int n) { return std::max(4, static_cast<int>(std::lround(n * edge))); };
  if (flow == Flow::splash) {
    add_bed(*load, scaled(61), scaled(61), 20);
    add_crown(*load, static_cast<int>(8600 * share),
              {0.5 * scaled(61) * base_spacing, 0.5 * scaled(61) * base_spacing, 0.4});
  } else {
    add_bed(*load, scaled(80), scaled(60), 8);
  }
  const Scene scene = bench_scene(flow);
  auto bodies = make_detail_bodies(scene, 0.5 * base_spacing, executor);
  if (!bodies) return bodies.error();
  load->bodies = std::move(*bodies);
  CloudSettings settings;
  settings.detail = scene.detail;
  settings.detail.factor = factor;
  settings.base_radius = 0.5 * base_spacing;
  settings.gravity = {0, 0, -9.81};
  load->cloud = std::make_unique<GrainCloud>(settings, Share{});
  load->now = load->frame_at(0);
  load->cloud->enter_frame(load->now, load->bodies, 0.5 * frame_seconds, executor);
  return load;
}

BenchSample run_frame(Load& load, const Executor& executor) {
  BaseFrame next = load.frame_at(++load.frame);
  BenchSample sample;
  sample.steps = 2;
  PhaseTimers timers;
  const double start = seconds_now();
  std::unique_ptr<BaseInterval> interval;
  timers.time("base", [&] {
    interval = std::make_unique<BaseInterval>(load.now, next, load.bodies, 0.5 * base_spacing, 2,
                                              executor);
  });
  for (int k = 0; k < 2; ++k) {
    timers.time("base", [&] { interval->enter_step(k, executor); });
    timers.time("grains", [&] { load.cloud->step(load.now, *interval, executor); });
  }
  timers.time("base",
              [&] { load.cloud->enter_frame(next, load.bodies, 0.5 * frame_seconds, executor); });
  sample.seconds = seconds_now() - start;
  interval.reset();
  load.now = std::move(next);
  sample.particles = load.cloud->store().size();
  const double grains = static_cast<double>(sample.particles);
  sample.bytes_per_particle = static_cast<double>(load.cloud->memory_bytes()) / grains;
  sample.phases = timers.phases();
  const double stream = stream_seconds(sample.particles * 28, executor);
  sample.figures = {
      {"time of a step / streaming the state once", "1", 0.5 * sample.seconds / stream}};
  return sample;
}

void add_case(BenchRegistry& registry, const char* name, const char* meaning, Flow flow,
              double share, double factor) {
  registry.add(
      {name, meaning, [=](const BenchContext& context) -> Result<BenchRun> {
         auto load = make_load(flow, context.quick ? 0.002 : share, factor, context.executor);
         if (!load) return load.error();
         return BenchRun([load = *load, &context] { return run_frame(*load, context.executor); });
       }});
}

}  // namespace

void register_detail_cases(BenchRegistry& registry) {
  add_case(registry, "detail/splash-1m", "splash, 1 M grains, factor 250", Flow::splash, 0.048,
           250);
  add_case(registry, "detail/splash-5m", "splash, 5 M grains, factor 250", Flow::splash, 0.24, 250);
  add_case(registry, "detail/splash-20m", "splash, 20.8 M grains, factor 250", Flow::splash, 1,
           250);
  add_case(registry, "detail/bulldozer-20m", "bulldozer, 19.2 M grains, factor 500",
           Flow::bulldozer, 1, 500);
}

}  // namespace talus
