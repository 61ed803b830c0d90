// Sums what many contacts do to the bodies, in parallel and in a fixed order: each chunk of
// contacts has loads of its own, which are added up chunk after chunk.
#pragma once

#include "bodies/body.h"
#include "core/array.h"
#include "core/parallel.h"

#include <algorithm>
#include <span>

namespace talus::sph {

class BodyLoads {
 public:
  /// The loads of one chunk.
  class Sink {
   public:
    Sink(std::span<const Body> bodies, BodyLoad* loads) : bodies_(bodies), loads_(loads) {}
    /// A force on a body, acting at world position p.
    void add(std::size_t body, const Vec3d& p, const Vec3d& force) {
      add_force(loads_[body], bodies_[body].state, p, force);
    }

   private:
    std::span<const Body> bodies_;
    BodyLoad* loads_;
  };

  /// Adds to the bodies' loads what each(k, sink) reports for k = 0 .. count-1.
  template <class Each>
  void sum(std::size_t count, std::span<Body> bodies, const Executor& executor, Each&& each) {
    const std::size_t chunks = (count + chunk - 1) / chunk;
    partial_.resize(chunks * bodies.size());
    std::fill(partial_.begin(), partial_.end(), BodyLoad{});
    executor.for_range(count, chunk, [&](std::size_t begin, std::size_t end) {
      Sink sink(bodies, &partial_[begin / chunk * bodies.size()]);
      for (std::size_t k = begin; k < end; ++k) each(k, sink);
    });
    for (std::size_t c = 0; c < chunks; ++c) {
      for (std::size_t b = 0; b < bodies.size(); ++b) {
        bodies[b].load.force += partial_[c * bodies.size() + b].force;
        bodies[b].load.torque += partial_[c * bodies.size() + b].torque;
      }
    }
  }
  std::size_t memory_bytes() const { return partial_.memory_bytes(); }

 private:
  static constexpr std::size_t chunk = 256;
  ScratchArray<BodyLoad> partial_;
};

}  // namespace talus::sph
