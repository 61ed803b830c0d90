// A store like a solver's, in an order that is not that of the ids, and its frame.
#pragma once

#include "core/random.h"
#include "frames/frame.h"

#include <algorithm>
#include <numeric>

namespace talus {

struct SampleStore {
  ParticleStore store;
  Field<std::uint64_t> id;
  Field<Vec3f> position, velocity;
  Field<float> radius;
  Field<std::uint32_t> material;
  Field<Sym3f> stress;
  Field<double> memory;
};

inline Vec3f sample_vector(std::uint64_t id, std::uint32_t index) {
  const auto r = random_floats(7, id, Purpose::test, index);
  return {r[0], r[1] - 0.5f, 3 * r[2]};
}

/// `stride` > 1 leaves gaps between the ids, as sinks do.
inline SampleStore sample_store(std::size_t n, std::uint64_t stride = 1) {
  SampleStore s;
  s.id = s.store.add_field<std::uint64_t>("id", "1", FieldUse::frame, "constant and unique");
  s.position = s.store.add_field<Vec3f>("position", "m", FieldUse::frame, "centre");
  s.velocity = s.store.add_field<Vec3f>("velocity", "m/s", FieldUse::frame, "of the centre");
  s.radius = s.store.add_field<float>("radius", "m", FieldUse::frame, "half the spacing");
  s.material = s.store.add_field<std::uint32_t>("material", "1", FieldUse::frame, "index");
  s.stress = s.store.add_field<Sym3f>("stress", "Pa", FieldUse::state, "of the last step");
  s.memory = s.store.add_field<double>("memory", "1", FieldUse::state, "for checkpoints only");
  s.store.resize(n);
  std::vector<std::uint64_t> order(n);
  std::iota(order.begin(), order.end(), 0u);
  std::sort(order.begin(), order.end(), [](std::uint64_t a, std::uint64_t b) {
    return random_words(1, a, Purpose::test) < random_words(1, b, Purpose::test);
  });
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint64_t id = order[i] * stride;
    s.store[s.id][i] = id;
    s.store[s.position][i] = sample_vector(id, 1);
    s.store[s.velocity][i] = sample_vector(id, 2);
    s.store[s.radius][i] = 0.01f;
    s.store[s.material][i] = static_cast<std::uint32_t>(id % 2);
    s.store[s.stress][i] = {1, 2, 3, 4, 5, static_cast<float>(id)};
    s.store[s.memory][i] = static_cast<double>(id) * 0.1;
  }
  return s;
}

inline FrameInfo sample_info() {
  FrameInfo info;
  info.scene = "sample";
  info.index = 12;
  info.time = 0.1 + 0.2;
  info.interval = 1.0 / 24;
  info.step = 345;
  FrameBody body;
  body.name = "paddle \"é\"";
  body.state.pose = {{1.0 / 3, 2e-17, -5}, {0.5, 0.5, 0.5, 0.5}};
  body.state.velocity = {0.1, 0.2, 0.3};
  body.state.angular_velocity = {-1, 0, 1e9};
  body.load = {{9.81, 0, 0}, {0, 1e-300, 0}};
  info.bodies = {body};
  info.materials = {{"dry sand", {0.8f, 0.6f, 0.4f}, 0.2f}, {"rice", {0.9f, 0.9f, 0.8f}, 0.0f}};
  return info;
}

}  // namespace talus
