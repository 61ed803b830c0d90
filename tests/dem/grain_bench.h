// Small set-ups for tests of the grains' solver.
#pragma once

#include "dem/dem_solver.h"
#include "scene/defaults.h"

#include <cmath>
#include <gtest/gtest.h>
#include <memory>
#include <numbers>

namespace talus {

/// Spheres of 10 mm in empty space, without gravity or friction.
inline Scene grain_scene(const char* shape = "sphere", double diameter = 0.01) {
  Scene scene = default_scene();
  scene.solver = SolverKind::dem;
  scene.gravity = {};
  Material m = default_material();
  m.name = "grains";
  m.grain_shape = shape;
  m.grain_diameter = diameter;
  m.grain_size_spread = 0;
  m.grain_density = 2500;
  m.young_modulus = 1e8;
  m.poisson_ratio = 0.25;
  m.restitution = 0.7;
  m.friction = 0;
  m.rolling_friction = 0;
  scene.materials = {m};
  return scene;
}

inline Body plane_body(double friction = 0, double tilt_deg = 0) {
  Body body;
  body.name = "ground";
  body.shape = default_shape();
  body.shape.kind = ShapeKind::plane;
  body.friction = friction;
  body.field = *make_distance_field(body.shape, 0.01);
  body.state.pose.rotation = Quatd::from_axis_angle({0, 1, 0}, tilt_deg * std::numbers::pi / 180);
  return body;
}

inline Body container_body(const Vec3d& size, double friction = 0.5) {
  Body body = plane_body(friction);
  body.name = "container";
  body.shape.kind = ShapeKind::box;
  body.shape.size = size;
  body.shape.inside_out = true;
  body.field = *make_distance_field(body.shape, 0.01);
  body.state.pose.position = {0, 0, size.z / 2};
  return body;
}

struct Batch {
  std::vector<Vec3f> position, velocity, spin;
  std::vector<std::uint64_t> id;
  std::vector<std::uint32_t> material;
  std::vector<float> scale;

  void add(const Vec3f& x, const Vec3f& v = {}, std::uint32_t m = 0, float s = 1,
           const Vec3f& w = {}) {
    id.push_back(position.size());
    position.push_back(x);
    velocity.push_back(v);
    material.push_back(m);
    scale.push_back(s);
    spin.push_back(w);
  }
  NewParticles view() const { return {position, velocity, id, material, scale, {}, spin}; }
};

inline std::unique_ptr<Solver> make_grains(const Scene& scene, std::vector<Body>& bodies,
                                           const Executor& executor) {
  auto solver = make_dem_solver(scene, bodies, executor);
  EXPECT_TRUE(solver.ok()) << (solver.ok() ? "" : solver.error().message);
  return std::move(*solver);
}

template <class T>
std::span<const T> grain_field(const Solver& solver, std::string_view name) {
  return solver.particles().values<T>(name);
}

/// Steps for `seconds`; returns the last report.
inline StepReport advance(Solver& solver, double seconds) {
  StepReport last;
  for (const double end = solver.time() + seconds; solver.time() < end - 1e-12;) {
    const Result<StepReport> report = solver.step(end - solver.time());
    if (!report) {
      ADD_FAILURE() << report.error().message;
      return last;
    }
    last = *report;
  }
  return last;
}

/// A value of the grain with this id.
template <class T>
T of_grain(const Solver& solver, std::uint64_t id, std::string_view name) {
  const auto ids = grain_field<std::uint64_t>(solver, "id");
  for (std::size_t i = 0; i < ids.size(); ++i)
    if (ids[i] == id) return grain_field<T>(solver, name)[i];
  ADD_FAILURE() << "no grain " << id;
  return {};
}

}  // namespace talus
