// A run folder made by hand: a small cone of particles that slides, and a ball that rolls.
#pragma once

#include "core/random.h"
#include "frames/frame.h"
#include "scene/defaults.h"
#include "scene/write_scene.h"

#include <cmath>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <vector>

namespace talus::test {

struct SyntheticRun {
  std::filesystem::path folder;
  Scene scene;

  explicit SyntheticRun(std::filesystem::path where, int frames = 4, std::size_t particles = 300)
      : folder(std::move(where)) {
    scene = default_scene();
    scene.name = "synthetic";
    scene.frame_rate = 25;
    scene.render.width = 64;
    scene.render.height = 36;
    scene.render.samples = 2;
    scene.materials = {default_material()};
    scene.materials[0].name = "sand";
    Fill fill = default_fill();
    fill.name = "heap";
    scene.fills = {fill};
    SceneBody floor = default_body();
    floor.name = "floor";
    floor.shape.kind = ShapeKind::plane;
    SceneBody ball = default_body();
    ball.name = "ball";
    ball.shape.kind = ShapeKind::sphere;
    ball.shape.radius = 0.1;
    ball.shape.pose.position = {0, -0.5, 0.1};
    ball.motion = SceneMotion::dynamic;
    ball.density = 1000;
    scene.bodies = {floor, ball};
    std::filesystem::create_directories(folder / "frames");
    std::ofstream(folder / "scene.toml") << to_toml(scene);
    for (int i = 0; i < frames; ++i) write(i, particles);
  }

  void write(int index, std::size_t particles) const {
    const Executor executor(1);
    const float t = static_cast<float>(index) / 25;
    ParticleStore store;
    const auto frame = FieldUse::frame;
    const auto id = store.add_field<std::uint64_t>("id", "1", frame, "identity");
    const auto x = store.add_field<Vec3f>("position", "m", frame, "centre");
    const auto v = store.add_field<Vec3f>("velocity", "m/s", frame, "velocity");
    const auto r = store.add_field<float>("radius", "m", frame, "radius");
    const auto m = store.add_field<std::uint32_t>("material", "1", frame, "index");
    const auto p = store.add_field<float>("pressure", "Pa", frame, "pressure");
    const auto s = store.add_field<Sym3f>("stress", "Pa", frame, "stress");
    store.resize(particles);
    for (std::size_t i = 0; i < particles; ++i) {
      const auto u = random_floats(8, i, Purpose::test);
      const float height = 0.3f * u[0] * u[0];
      const float reach = 0.5f * (1 - height / 0.3f) * std::sqrt(u[1]);
      store[id][i] = i;
      store[x][i] = {reach * std::cos(6.28f * u[2]) + 0.5f * t, reach * std::sin(6.28f * u[2]),
                     0.02f + height};
      store[v][i] = {0.5f + u[3], 0, 0};
      store[r][i] = 0.02f;
      store[m][i] = 0;
      store[p][i] = 1000 * (0.3f - height);
      store[s][i] = {1, 2, 3, 0, 0, 0};
    }
    FrameInfo info;
    info.scene = scene.name;
    info.index = static_cast<std::uint64_t>(index);
    info.time = t;
    info.interval = 0.04;
    FrameBody ball;
    ball.name = "ball";
    ball.state.pose.position = {0.2 * t, -0.5, 0.1};
    info.bodies = {ball};
    info.materials = {{"sand", scene.materials[0].colour, scene.materials[0].colour_variation}};
    const Status status = write_frame(frame_path(folder, info.index), info, store, {}, 0, executor);
    ASSERT_TRUE(status.ok()) << status.error().message;
  }
};

}  // namespace talus::test
