// Base runs whose motion is a formula, and fine grains driven along them.
#pragma once

#include "detail/grain_cloud.h"
#include "scene/defaults.h"

#include <cmath>
#include <functional>
#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <vector>

namespace talus::detail {

constexpr double base_radius = 0.01;  ///< m, of all synthetic base particles
constexpr double frame_time = 0.02;   ///< s

struct Moving {
  Vec3d position, velocity;
};
using Motion = std::function<Moving(std::size_t particle, double time)>;

inline BaseFrame make_frame(std::size_t particles, const Motion& motion, int index) {
  BaseFrame f;
  f.info.index = static_cast<std::uint64_t>(index);
  f.info.time = index * frame_time;
  f.info.interval = frame_time;
  for (std::size_t i = 0; i < particles; ++i) {
    const Moving m = motion(i, f.info.time);
    f.id.push_back(i);
    f.position.push_back(Vec3f(m.position));
    f.velocity.push_back(Vec3f(m.velocity));
    f.radius.push_back(static_cast<float>(base_radius));
    f.material.push_back(0);
  }
  return f;
}

/// A block of n^3 particles at the rest distance, its lowest layer at half of it.
inline std::vector<Vec3d> block(int n) {
  std::vector<Vec3d> out;
  for (int z = 0; z < n; ++z)
    for (int y = 0; y < n; ++y)
      for (int x = 0; x < n; ++x)
        out.push_back(Vec3d{x + 0.5, y + 0.5, z + 0.5} * (2 * base_radius));
  return out;
}

inline CloudSettings cloud_settings(double factor = 20) {
  CloudSettings s;
  s.detail = default_scene().detail;
  s.detail.factor = factor;
  s.seed = 7;
  s.base_radius = base_radius;
  s.gravity = {0, 0, -9.81};
  return s;
}

struct Grain {
  Vec3d position;
  Vec3d displacement;
  std::array<float, grain_fields> bits;  ///< as stored, for comparison bit by bit
  friend bool operator==(const Grain& a, const Grain& b) { return a.bits == b.bits; }
};
using Grains = std::map<std::uint64_t, Grain>;  ///< by id

inline Grains grains_of(const GrainCloud& cloud) {
  Grains out;
  const GrainStore& store = cloud.store();
  for (const auto& tile : store.tiles())
    for (std::uint32_t k = 0; k < tile.count; ++k) {
      const GrainPage& page = store.page(tile.pages[k / page_size]);
      const std::uint32_t i = k % page_size;
      Grain g;
      for (int f = 0; f < grain_fields; ++f) g.bits[f] = page.field[f][i];
      g.position = store.centre(tile.place) + Vec3d{g.bits[0], g.bits[1], g.bits[2]};
      g.displacement = {g.bits[3], g.bits[4], g.bits[5]};
      EXPECT_TRUE(out.emplace(cloud.grain_id(page.id[i]), g).second) << "an id twice";
    }
  return out;
}

inline std::vector<Vec3f> positions_of(const Grains& grains) {
  std::vector<Vec3f> out;
  for (const auto& [id, g] : grains) out.push_back(Vec3f(g.position));
  return out;
}

/// Grains of one share, frame by frame.
struct Drive {
  std::size_t particles;
  Motion motion;
  DetailBodies bodies;
  GrainCloud cloud;
  BaseFrame now;
  int index = 0;
  int steps = 2;

  Drive(std::size_t n, Motion m, const CloudSettings& settings, const Executor& executor,
        Share share = {}, DetailBodies solids = {})
      : particles(n), motion(std::move(m)), bodies(std::move(solids)), cloud(settings, share) {
    bodies.scene.gravity = settings.gravity;
    now = make_frame(particles, motion, 0);
    cloud.enter_frame(now, bodies, frame_time / steps, executor);
  }
  void frame(const Executor& executor) {
    BaseFrame next = make_frame(particles, motion, ++index);
    {
      BaseInterval interval(now, next, bodies, base_radius, steps, executor);
      for (int k = 0; k < steps; ++k) {
        interval.enter_step(k, executor);
        cloud.step(now, interval, executor);
      }
    }
    cloud.enter_frame(next, bodies, frame_time / steps, executor);
    now = std::move(next);
  }
  void run(int frames, const Executor& executor) {
    for (int k = 0; k < frames; ++k) frame(executor);
  }
};

inline SceneBody plane_floor(double friction = 0.6) {
  SceneBody floor = default_body();
  floor.name = "floor";
  floor.shape.kind = ShapeKind::plane;
  floor.friction = friction;
  return floor;
}

inline DetailBodies bodies_of(std::vector<SceneBody> list, const Executor& executor) {
  Scene scene = default_scene();
  scene.bodies = std::move(list);
  auto bodies = make_detail_bodies(scene, base_radius, executor);
  EXPECT_TRUE(bodies.ok()) << (bodies.ok() ? "" : bodies.error().message);
  return std::move(*bodies);
}

}  // namespace talus::detail
