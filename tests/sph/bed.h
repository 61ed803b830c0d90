// Small set-ups for tests of the continuum solver.
#pragma once

#include "core/random.h"
#include "scene/defaults.h"
#include "sph/sph_solver.h"

#include <cmath>
#include <gtest/gtest.h>
#include <numbers>

namespace talus::sph {

inline float tangent(double degrees) {
  return static_cast<float>(std::tan(degrees * std::numbers::pi / 180));
}

/// A scene without bodies or material: the test adds them to the solver itself.
inline Scene empty_scene(double spacing, double angle_deg = 30) {
  Scene scene = default_scene();
  scene.gravity = {0, 0, -9.81};
  scene.sph.spacing = spacing;
  scene.sph.time_step = 1e-3;
  Material sand = default_material();
  sand.name = "sand";
  sand.density = 1600;
  sand.friction = tangent(angle_deg);
  sand.cohesion = 0;
  sand.grain_diameter = 1e-3;
  scene.materials = {sand};
  return scene;
}

inline Body ground(double friction = 10) {
  Body body;
  body.name = "ground";
  body.shape = default_shape();
  body.shape.kind = ShapeKind::plane;
  body.friction = friction;
  body.field = *make_distance_field(body.shape, 0.01);
  return body;
}

/// A closed box around `size`, standing on z = 0, centred in x and y.
inline Body container(const Vec3d& size, double friction = 10) {
  Body body;
  body.name = "container";
  body.shape = default_shape();
  body.shape.kind = ShapeKind::box;
  body.shape.size = size;
  body.shape.inside_out = true;
  body.friction = friction;
  body.field = *make_distance_field(body.shape, 0.01);
  body.state.pose.position = {0, 0, size.z / 2};
  return body;
}

struct Block {
  std::vector<Vec3f> position, velocity;
  std::vector<std::uint64_t> id;
  std::vector<std::uint32_t> material;

  void add(const Vec3f& x, const Vec3f& v = {}) {
    id.push_back(position.size());
    position.push_back(x);
    velocity.push_back(v);
    material.push_back(0);
  }
  NewParticles view() const { return {position, velocity, id, material, {}}; }
};

/// nx x ny x nz particles with the lower corner of their box at `corner`.
inline Block lattice(int nx, int ny, int nz, float a, const Vec3f& corner, float jitter = 0) {
  Block block;
  for (int z = 0; z < nz; ++z)
    for (int y = 0; y < ny; ++y)
      for (int x = 0; x < nx; ++x) {
        const auto r = random_floats(11, block.position.size(), Purpose::test);
        const Vec3f noise{r[0] - 0.5f, r[1] - 0.5f, r[2] - 0.5f};
        const Vec3f cell{static_cast<float>(x) + 0.5f, static_cast<float>(y) + 0.5f,
                         static_cast<float>(z) + 0.5f};
        block.add(corner + (cell + jitter * noise) * a);
      }
  return block;
}

inline std::unique_ptr<Solver> make(const Scene& scene, std::vector<Body>& bodies,
                                    const Executor& executor, const ModelConstants& model = {}) {
  auto solver = make_solver(scene, model, bodies, executor);
  EXPECT_TRUE(solver.ok());
  return std::move(*solver);
}

template <class T>
std::span<const T> field(const Solver& solver, std::string_view name) {
  return solver.particles().values<T>(name);
}

/// Steps for `seconds`; returns the last report.
inline StepReport advance(Solver& solver, double seconds) {
  StepReport last;
  for (const double end = solver.time() + seconds; solver.time() < end - 1e-9;) {
    Result<StepReport> report = solver.step(end - solver.time());
    if (!report) {
      ADD_FAILURE() << report.error().message;
      return last;
    }
    last = *report;
  }
  return last;
}

}  // namespace talus::sph
