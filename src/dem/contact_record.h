// Contacts as data: what a frame stores of each contact on request.
#pragma once

#include "math/vec.h"

#include <cstdint>

namespace talus::dem {

struct ContactRecord {
  std::uint32_t grain_a, grain_b;    ///< places of grains; from the number of grains on: bodies
  std::uint32_t sphere_a, sphere_b;  ///< numbers of spheres; b of a body: none
  Vec3f arm;                         ///< m, of the contact point about the centre of grain a
  Vec3f normal;                      ///< unit, from b to a
  float normal_force;                ///< N; negative when a bridge pulls
  Vec3f tangential_force;            ///< N on a
};

}  // namespace talus::dem
