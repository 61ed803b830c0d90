// Particles on their way into a solver.
#pragma once

#include "solver/solver.h"

#include <vector>

namespace talus {

struct ParticleBatch {
  std::vector<Vec3f> position, velocity;
  std::vector<std::uint64_t> id;
  std::vector<std::uint32_t> material;
  std::vector<float> size_scale;

  std::size_t size() const { return id.size(); }
  void add(const Vec3f& p, const Vec3f& v, std::uint64_t new_id, std::uint32_t m, float scale) {
    position.push_back(p);
    velocity.push_back(v);
    id.push_back(new_id);
    material.push_back(m);
    size_scale.push_back(scale);
  }
  NewParticles view() const { return {position, velocity, id, material, size_scale}; }
};

}  // namespace talus
