// Small scenes made in code, for the tests of bodies.
#pragma once

#include "bodies/body_world.h"

#include <gtest/gtest.h>
#include <string>

namespace talus::test {

constexpr double g = 9.81;

inline Scene empty_scene() {
  Scene scene;
  scene.name = "test";
  scene.gravity = {0, 0, -g};
  return scene;
}

inline SceneBody ground(double friction = 0.5, double restitution = 0) {
  SceneBody body;
  body.name = "ground";
  body.shape.kind = ShapeKind::plane;
  body.friction = friction;
  body.restitution = restitution;
  return body;
}

inline SceneBody box(const std::string& name, const Vec3d& size, const Vec3d& position,
                     double density = 1000) {
  SceneBody body;
  body.name = name;
  body.shape.kind = ShapeKind::box;
  body.shape.size = size;
  body.shape.pose.position = position;
  body.motion = SceneMotion::dynamic;
  body.density = density;
  body.friction = 0.5;
  return body;
}

inline SceneBody ball(const std::string& name, double radius, const Vec3d& position,
                      double density = 1000) {
  SceneBody body = box(name, {}, position, density);
  body.shape.kind = ShapeKind::sphere;
  body.shape.radius = radius;
  return body;
}

inline Joint joint(const std::string& name, JointKind kind, const std::string& a,
                   const std::string& b, const Vec3d& anchor, const Vec3d& axis = {0, 0, 1}) {
  Joint j;
  j.name = name;
  j.kind = kind;
  j.body_a = a;
  j.body_b = b;
  j.anchor = anchor;
  j.axis = axis;
  j.lower = 1;
  j.upper = -1;
  return j;
}

inline BodyWorld make(const Scene& scene, double spacing = 0.01, int threads = 1) {
  const Executor executor(threads);
  Result<BodyWorld> world = make_body_world(scene, executor, spacing);
  if (!world) {
    ADD_FAILURE() << world.error().message;
    std::abort();
  }
  return std::move(world).value();
}

inline std::string error_of(const Scene& scene, double spacing = 0.01) {
  const Executor executor(1);
  const Result<BodyWorld> world = make_body_world(scene, executor, spacing);
  return world ? std::string() : world.error().message;
}

inline void run(BodyWorld& world, double seconds, double dt) {
  const int steps = static_cast<int>(std::lround(seconds / dt));
  for (int i = 0; i < steps; ++i) world.step(dt);
}

}  // namespace talus::test
