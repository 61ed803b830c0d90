#include "sph/rest.h"

#include <algorithm>
#include <cmath>

namespace talus::sph {

namespace {

constexpr std::size_t width = ClusterPairs::width;

template <class Body>
void for_particles_of(std::size_t cluster, std::size_t count, Body&& body) {
  const std::size_t end = std::min(count, (cluster + 1) * width);
  for (std::size_t i = cluster * width; i < end; ++i) body(i);
}

Sym3f total_stress(const Sym3f& s, float p) {
  return {s.xx - p, s.yy - p, s.zz - p, s.xy, s.xz, s.yz};
}

}  // namespace

RestLimits RestLimits::make(float gravity, float spacing, float rest_density) {
  const float calm = 2e-4f * std::sqrt(gravity * spacing);
  return {calm, 2 * calm, 0.01f, rest_density * gravity * spacing};
}

bool Rest::all_calm(std::size_t cluster, std::span<const std::uint8_t> calm) {
  bool all = true;
  for_particles_of(cluster, calm.size(),
                   [&](std::size_t i) { all = all && calm[i] >= calm_steps; });
  return all;
}

void Rest::end(const RestFields& f, const RestLimits& limits, const Neighbourhood& near,
               std::span<const Float4> position, const Executor& executor) {
  const std::size_t count = f.calm.size(), clusters = ClusterPairs::cluster_count(count);
  wakes_.resize(clusters);
  executor.for_range(clusters, ClusterPairs::block, [&](std::size_t begin, std::size_t end) {
    for (std::size_t c = begin; c < end; ++c) wakes_[c] = !rests(c) && look_at(c, f, limits);
  });
  executor.for_range(clusters, ClusterPairs::block, [&](std::size_t begin, std::size_t end) {
    for (std::size_t c = begin; c < end; ++c) {
      if (!rests(c)) continue;
      const auto around = near.pairs().neighbours(c);
      if (std::none_of(around.begin(), around.end(), [&](std::uint32_t j) {
            const std::int64_t i = near.particle_of(j);
            return i >= 0 && wakes_[static_cast<std::size_t>(i) / width] != 0 &&
                   near.reaches(position, c, j);
          }))
        continue;
      for_particles_of(c, count, [&](std::size_t i) { f.calm[i] = 0; });
    }
  });
}

/// Counts how long the particles of a cluster have been calm; tells whether it wakes others.
bool Rest::look_at(std::size_t cluster, const RestFields& f, const RestLimits& limits) {
  bool wakes = false;
  for_particles_of(cluster, f.calm.size(), [&](std::size_t i) {
    const float speed = norm(f.velocity[i]);
    f.calm[i] =
        speed < limits.calm_speed ? static_cast<std::uint8_t>(std::min(f.calm[i] + 1, 255)) : 0;
    const Sym3f now = total_stress(f.stress[i], f.pressure[i]);
    const float noticed = limits.stress_share * (limits.least_pressure + f.pressure[i]);
    const bool changed = squared_norm(now - f.told[i]) > noticed * noticed;
    if (changed) f.told[i] = now;
    wakes = wakes || changed || speed > limits.wake_speed;
  });
  return wakes;
}

}  // namespace talus::sph
