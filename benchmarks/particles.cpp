// Memory speed of the particle arrays: what a solver step cannot beat, and what sorting costs.

#include "cases.h"
#include "core/random.h"
#include "particles/store.h"
#include "stream.h"

#include <algorithm>
#include <memory>
#include <numeric>

namespace talus {

namespace {

/// The fields that every solver has.
struct Particles {
  ParticleStore store;
  Field<std::uint64_t> id;
  Field<Vec3f> position, velocity;
  Field<float> radius;
  Field<std::uint32_t> material;

  explicit Particles(std::size_t count) {
    id = store.add_field<std::uint64_t>("id", "1", FieldUse::frame, "identity");
    position = store.add_field<Vec3f>("position", "m", FieldUse::frame, "centre");
    velocity = store.add_field<Vec3f>("velocity", "m/s", FieldUse::frame, "velocity");
    radius = store.add_field<float>("radius", "m", FieldUse::frame, "half the spacing");
    material = store.add_field<std::uint32_t>("material", "1", FieldUse::frame, "index");
    store.resize(count);
    for (std::size_t i = 0; i < count; ++i) {
      const auto r = random_floats(1, i, Purpose::test);
      store[id][i] = i;
      store[position][i] = {r[0], r[1], r[2]};
      store[velocity][i] = {r[1] - 0.5f, r[2] - 0.5f, r[3] - 0.5f};
    }
  }

  std::size_t bytes_per_particle() const {
    std::size_t total = 0;
    for (std::size_t f = 0; f < store.field_count(); ++f)
      total += bytes_per_item(store.info(f).type);
    return total;
  }
};

void read_all(const ParticleStore& store, const Executor& executor) {
  volatile std::uint64_t sink = 0;
  for (std::size_t f = 0; f < store.field_count(); ++f) sink = sum_words(store.bytes(f), executor);
  static_cast<void>(sink);
}

void move_all(Particles& p, float dt, const Executor& executor) {
  const auto position = p.store[p.position];
  const auto velocity = p.store[p.velocity];
  executor.for_each(p.store.size(), [&](std::size_t i) { position[i] += velocity[i] * dt; });
}

Result<BenchRun> prepare_stream(const BenchContext& context) {
  const std::size_t count = context.quick ? 100'000 : 4'000'000;
  auto particles = std::make_shared<Particles>(count);
  return BenchRun([particles, count, &context] {
    constexpr int steps = 5;
    PhaseTimers timers;
    const double start = seconds_now();
    for (int step = 0; step < steps; ++step) {
      timers.time("read", [&] { read_all(particles->store, context.executor); });
      timers.time("move", [&] { move_all(*particles, 1e-4f, context.executor); });
    }
    BenchSample sample;
    sample.seconds = seconds_now() - start;
    sample.particles = count;
    sample.steps = steps;
    sample.bytes_per_particle = static_cast<double>(particles->bytes_per_particle());
    sample.phases = timers.phases();
    const double items = static_cast<double>(count) * steps;
    const double move_bytes = 3.0 * sizeof(Vec3f);  // two vectors read, one written
    sample.figures = {
        {"read_rate", "GB/s", items * sample.bytes_per_particle / sample.phases[0].seconds * 1e-9},
        {"move_rate", "GB/s", items * move_bytes / sample.phases[1].seconds * 1e-9}};
    return sample;
  });
}

/// A random permutation: new positions have nothing to do with old ones, as after pouring.
std::vector<std::uint32_t> random_order(std::size_t count) {
  std::vector<std::uint32_t> order(count);
  std::iota(order.begin(), order.end(), 0u);
  for (std::size_t i = count; i > 1; --i) {
    const auto words = random_words(2, i, Purpose::test);
    const std::uint64_t wide = words[0] | static_cast<std::uint64_t>(words[1]) << 32;
    std::swap(order[i - 1], order[wide % i]);
  }
  return order;
}

/// Neighbouring places swapped: what a sort by cell finds one step after the last.
std::vector<std::uint32_t> nearly_sorted_order(std::size_t count) {
  std::vector<std::uint32_t> order(count);
  std::iota(order.begin(), order.end(), 0u);
  for (std::size_t i = 0; i + 8 < count; i += 8)
    std::swap(order[i], order[i + 1 + random_words(3, i, Purpose::test)[0] % 8]);
  return order;
}

Result<BenchRun> prepare_reorder(const BenchContext& context) {
  const std::size_t count = context.quick ? 50'000 : 1'000'000;
  auto particles = std::make_shared<Particles>(count);
  return BenchRun([particles, count, &context, scattered = random_order(count),
                   settled = nearly_sorted_order(count)] {
    constexpr int steps = 3;
    PhaseTimers timers;
    const double start = seconds_now();
    for (int step = 0; step < steps; ++step) {
      timers.time("scattered", [&] { particles->store.reorder(scattered, context.executor); });
      timers.time("settled", [&] { particles->store.reorder(settled, context.executor); });
    }
    BenchSample sample;
    sample.seconds = seconds_now() - start;
    sample.particles = count;
    sample.steps = steps;
    sample.bytes_per_particle =
        static_cast<double>(particles->store.memory_bytes()) / static_cast<double>(count);
    sample.phases = timers.phases();
    const double items = static_cast<double>(count) * steps;
    sample.figures = {{"scattered", "ns/particle", sample.phases[0].seconds / items * 1e9},
                      {"settled", "ns/particle", sample.phases[1].seconds / items * 1e9}};
    return sample;
  });
}

}  // namespace

void register_particle_cases(BenchRegistry& registry) {
  registry.add(
      {"particles/stream", "read and update the arrays of a solver: memory speed", prepare_stream});
  registry.add(
      {"particles/reorder", "bring all fields of the particles into a new order", prepare_reorder});
}

}  // namespace talus
