// Small scenes with continuum sand and rigid bodies, for the tests of what they do to each other.
#pragma once

#include "run/simulation.h"
#include "scene/defaults.h"

#include <cmath>
#include <gtest/gtest.h>
#include <numbers>
#include <string>

namespace talus::test {

constexpr double g = 9.81;
constexpr double sand_density = 1600;

inline double tangent(double degrees) { return std::tan(degrees * std::numbers::pi / 180); }

/// Sand without anything in it yet.
inline Scene sand_scene(double spacing, double angle_deg = 30) {
  Scene scene = default_scene();
  scene.name = "coupling";
  scene.gravity = {0, 0, -g};
  scene.frame_rate = 10;
  scene.duration = 1000;
  scene.sph.spacing = spacing;
  Material sand = default_material();
  sand.name = "sand";
  sand.density = sand_density;
  sand.friction = tangent(angle_deg);
  sand.cohesion = 0;
  scene.materials = {sand};
  return scene;
}

inline SceneBody body(const std::string& name, ShapeKind kind, const Vec3d& position) {
  SceneBody out = default_body();
  out.name = name;
  out.shape.kind = kind;
  out.shape.pose.position = position;
  return out;
}

/// A closed box, its inner floor at z = 0.
inline SceneBody container(double x, double y, double friction = 0.5, double height = 1.2) {
  SceneBody out = body("container", ShapeKind::box, {0, 0, height / 2});
  out.shape.size = {x, y, height};
  out.shape.inside_out = true;
  out.friction = friction;
  return out;
}

inline SceneBody loose_box(const std::string& name, const Vec3d& size, const Vec3d& position,
                           double density) {
  SceneBody out = body(name, ShapeKind::box, position);
  out.shape.size = size;
  out.motion = SceneMotion::dynamic;
  out.density = density;
  return out;
}

inline SceneBody loose_ball(const std::string& name, double radius, const Vec3d& position,
                            double density) {
  SceneBody out = loose_box(name, {1, 1, 1}, position, density);
  out.shape.kind = ShapeKind::sphere;
  out.shape.radius = radius;
  return out;
}

inline Fill bed(const Vec3d& size, const Vec3d& centre) {
  Fill fill = default_fill();
  fill.name = "bed";
  fill.shape.kind = ShapeKind::box;
  fill.shape.size = size;
  fill.shape.pose.position = centre;
  return fill;
}

/// Sand and bodies in motion; fails the test instead of returning errors.
class Sandbox {
 public:
  explicit Sandbox(const Scene& scene, int threads = 2) : executor_(threads) {
    auto made = Simulation::create(scene, executor_);
    if (!made) {
      ADD_FAILURE() << made.error().message;
      std::abort();
    }
    simulation_ = std::move(*made);
  }

  Simulation& operator*() { return *simulation_; }
  Simulation* operator->() { return simulation_.get(); }

  /// each() after every step.
  template <class Each>
  void run(double seconds, Each&& each) {
    for (const double end = simulation_->time() + seconds; simulation_->time() < end - 1e-9;) {
      const auto report = simulation_->step();
      if (!report) {
        ADD_FAILURE() << report.error().message;
        return;
      }
      each();
    }
  }
  void run(double seconds) {
    run(seconds, [] {});
  }

  const Body& body(const std::string& name) const {
    for (const Body& b : simulation_->bodies())
      if (b.name == name) return b;
    ADD_FAILURE() << "no body " << name;
    std::abort();
  }

  template <class T>
  std::span<const T> field(const char* name) const {
    return static_cast<const Simulation&>(*simulation_).particles().values<T>(name);
  }
  std::span<const Vec3f> positions() const { return field<Vec3f>("position"); }

  double particle_mass() const {
    return sand_density * std::pow(simulation_->scene().sph.spacing, 3);
  }
  Vec3d sand_momentum() const {
    Vec3d sum{};
    for (const Vec3f& v : field<Vec3f>("velocity")) sum += Vec3d(v) * particle_mass();
    return sum;
  }
  double sand_mass() const { return static_cast<double>(positions().size()) * particle_mass(); }

 private:
  Executor executor_;
  std::unique_ptr<Simulation> simulation_;
};

}  // namespace talus::test
