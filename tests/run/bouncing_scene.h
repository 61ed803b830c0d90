// A scene with one of everything that a run keeps track of.
#pragma once

#include "scene/defaults.h"

#include <string>

namespace talus {

inline Shape box_shape(const Vec3d& size, const Vec3d& centre) {
  Shape shape = default_shape();
  shape.kind = ShapeKind::box;
  shape.size = size;
  shape.pose.position = centre;
  return shape;
}

inline Fill box_fill(const std::string& name, const Vec3d& size, const Vec3d& centre) {
  Fill fill = default_fill();
  fill.name = name;
  fill.shape = box_shape(size, centre);
  fill.arrangement = "lattice";
  return fill;
}

inline Scene bouncing_scene() {
  Scene scene = default_scene();
  scene.name = "bouncing";
  scene.seed = 5;
  scene.gravity = {0, 0, -9.81};
  scene.duration = 0.5;
  scene.frame_rate = 20;
  scene.sph.spacing = 0.05;
  scene.output.checkpoint_every = 0;
  Material sand = default_material();
  sand.name = "sand";
  sand.density = 1500;
  sand.colour = {0.8f, 0.6f, 0.4f};
  sand.colour_variation = 0.2f;
  scene.materials = {sand};
  scene.fills = {box_fill("block", {0.5, 0.5, 0.5}, {0, 0, 0.6})};
  scene.fills[0].angular_velocity = {0, 0, 3};
  Pour pour = default_pour();
  pour.name = "tap";
  pour.position = {1, 0, 1};
  pour.direction = {0, 0, -1};
  pour.radius = 0.15;
  pour.rate = 60;
  pour.speed = 1.5;
  pour.start = 0.06;
  pour.stop = 0.4;
  scene.pours = {pour};
  Sink sink = default_sink();
  sink.name = "drain";
  sink.shape = box_shape({0.3, 0.3, 0.2}, {0.3, 0, 0});
  sink.start = 0;
  sink.stop = 1e9;
  scene.sinks = {sink};
  SceneBody paddle = default_body();
  paddle.name = "paddle, \"left\"";
  paddle.shape = box_shape({0.2, 0.2, 0.2}, {-3, 0, 1});
  paddle.motion = SceneMotion::scripted;
  paddle.velocity = {0.1, 0, 0};
  scene.bodies = {paddle};
  return scene;
}

}  // namespace talus
