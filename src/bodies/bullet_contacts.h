// Touching pairs of bodies: broad phase, narrow phase, and the memory of contacts from step to
// step. Private to src/bodies. The order of everything is that of body and part indices, and the
// memory can be saved and loaded whole, so that a resumed run continues with the same bits.
#pragma once

#include "bodies/bullet_narrow.h"
#include "core/error.h"
#include "math/quat.h"
#include "particles/state.h"

#include <array>
#include <btBulletDynamicsCommon.h>
#include <compare>
#include <map>
#include <memory>
#include <set>
#include <vector>

namespace talus {

/// Which parts of which bodies; body_a < body_b.
struct PairKey {
  std::uint32_t body_a, part_a, body_b, part_b;
  friend auto operator<=>(const PairKey&, const PairKey&) = default;
};

struct ContactSetting {
  double dt = 0, previous_dt = 0;  ///< s
  Vec3d gravity{};                 ///< m/s^2, for the direction in which friction is going to act
  double slop = 0;                 ///< m, overlap that the solver leaves alone
};

class Contacts {
 public:
  /// Finds the contacts of every awake or pushed body, from the transforms and velocities of the
  /// objects. `joined` pairs (a < b) are left alone.
  void update(std::vector<Rigid>& bodies, const std::set<std::array<std::uint32_t, 2>>& joined,
              const ContactSetting& setting);

  /// Pairs with contact points, in order.
  struct Touching {
    PairKey key;
    btPersistentManifold* manifold;
  };
  std::vector<Touching> touching() const;

  /// Deepest overlap (m, positive) between two bodies after update(); 0 when they are apart.
  double depth(std::uint32_t a, std::uint32_t b) const;

  void save(State& state) const;
  Status load(const State& state, const std::vector<Rigid>& bodies);

 private:
  std::unique_ptr<NarrowPhase> narrow_ = std::make_unique<NarrowPhase>();
  std::map<PairKey, std::unique_ptr<btPersistentManifold>> manifolds_;
};

}  // namespace talus
