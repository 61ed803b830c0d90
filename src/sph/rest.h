// Who rests, and so need not be swept (`sph.sleeping` of the model `talus`).
//
// A particle is calm while it is slower than 2e-4 sqrt(g a), what a fall of a fifty-millionth of a
// spacing gives. A cluster whose particles all have been calm for `calm_steps` steps rests: it
// keeps its place, pressure and stress, its neighbours feel it as before, and no sweep visits it.
// Sand that moves, or whose stress has changed by a hundredth since it last said so, wakes the
// clusters around it: flow is met by awake sand, and a growing load passes down into a resting heap
// as a wave. Ihmsen, Wahl & Teschner 2013 put slow particles to rest without looking at stress, so
// that a load that changes slowly is not noticed.
#pragma once

#include "core/array.h"
#include "core/parallel.h"
#include "math/vec.h"
#include "sph/neighbourhood.h"

namespace talus::sph {

struct RestLimits {
  float calm_speed = 0;      ///< m/s
  float wake_speed = 0;      ///< m/s, of a particle that wakes its neighbours
  float stress_share = 0;    ///< a change by this share of the pressure wakes them too
  float least_pressure = 0;  ///< Pa, added to the pressure there

  static RestLimits make(float gravity, float spacing, float rest_density);
};

/// What rest depends on and decides, by particle.
struct RestFields {
  std::span<const Vec3f> velocity;
  std::span<const float> pressure;
  std::span<const Sym3f> stress;
  std::span<Sym3f> told;         ///< stress that neighbours know of, pressure included
  std::span<std::uint8_t> calm;  ///< steps in a row
};

class Rest {
 public:
  static constexpr std::uint8_t calm_steps = 20;

  /// Finds the clusters that rest in this step; may_rest(c) is asked about the calm ones.
  template <class MayRest>
  void begin(std::span<const std::uint8_t> calm, const Executor& executor, MayRest&& may_rest) {
    const std::size_t clusters = ClusterPairs::cluster_count(calm.size());
    rests_.resize(clusters);
    executor.for_range(clusters, ClusterPairs::block, [&](std::size_t begin, std::size_t end) {
      for (std::size_t c = begin; c < end; ++c) rests_[c] = all_calm(c, calm) && may_rest(c);
    });
  }
  /// After a step: counts who was calm, and wakes whoever is near sand that moves or has changed.
  void end(const RestFields& fields, const RestLimits& limits, const Neighbourhood& near,
           std::span<const Float4> position, const Executor& executor);

  bool rests(std::size_t cluster) const { return cluster < rests_.size() && rests_[cluster] != 0; }
  bool particle_rests(std::size_t i) const { return rests(i / ClusterPairs::width); }
  std::size_t memory_bytes() const { return rests_.memory_bytes() + wakes_.memory_bytes(); }

 private:
  static bool all_calm(std::size_t cluster, std::span<const std::uint8_t> calm);
  static bool look_at(std::size_t cluster, const RestFields& fields, const RestLimits& limits);

  ScratchArray<std::uint8_t> rests_;  ///< of each cluster
  ScratchArray<std::uint8_t> wakes_;  ///< of each cluster: it wakes those around it
};

}  // namespace talus::sph
