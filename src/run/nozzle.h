// Pouring. Particle k of a nozzle leaves it at the time start + k * (particle mass / rate), at a
// point of the disc that depends on (seed, nozzle, k) and on the particles shortly before it. Both
// are independent of the solver's steps; a step only decides when a particle is handed over,
// already advanced on its ballistic path to the present.
//
// The point is the first of a few random ones that keeps one spacing from those that left shortly
// before (they have moved on by speed * age), else the best of them: an even stream, no layers.
#pragma once

#include "core/error.h"
#include "particles/state.h"
#include "scene/scene.h"

#include <cstdint>
#include <string>
#include <vector>

namespace talus {

/// kg/s: what passes through a nozzle when the particles leave it one spacing apart.
double greatest_rate(const Scene& scene, const Pour& pour, double particle_mass);

class Nozzle {
 public:
  /// An error when the rate cannot pass through the nozzle at its speed.
  /// @param particle_mass kg, of the pour's material
  static Result<Nozzle> create(const Scene& scene, std::size_t pour, double particle_mass);

  struct Emission {
    double time = 0;               ///< s, when it left the nozzle
    Vec3d position{}, velocity{};  ///< at the nozzle
  };

  /// Time at which the next particle leaves; infinite after the last.
  double next_time() const;
  Emission emit();

  /// Nothing leaves it from `time` on.
  void stop(double time) { pour_.stop = time < pour_.stop ? time : pour_.stop; }

  std::uint32_t material() const { return pour_.material; }
  double spacing() const { return spacing_; }
  /// s that a particle may be handed over late: it has then moved on by half a spacing at most.
  double patience() const { return patience_; }
  /// Particles that leave before `time`, whatever has left already.
  std::uint64_t count_until(double time) const;

  void save(State& state, const std::string& prefix) const;
  Status load(const State& state, const std::string& prefix);

 private:
  struct Spot {
    std::uint64_t k = 0;
    double x = 0, y = 0;  ///< on the disc, m
  };

  Nozzle(const Scene& scene, std::size_t pour, double particle_mass);
  Spot choose_spot();
  double clearance(const Spot& spot) const;
  std::vector<Spot>& bin_of(double x, double y);
  std::size_t bin_coordinate(double x) const;
  void remember(const Spot& spot);

  Pour pour_;
  std::uint64_t seed_, stream_;
  double spacing_ = 0, interval_ = 0, patience_ = 0;
  double reach_ = 0;  ///< m, radius of the disc of spots
  Vec3d axis_x_{}, axis_y_{};
  std::uint64_t emitted_ = 0;
  std::size_t bins_across_ = 1;
  std::vector<std::vector<Spot>> bins_;  ///< spots young enough to be near the next ones
};

}  // namespace talus
