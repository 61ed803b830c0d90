// How much of their skin lists of neighbours have used up, group by group
// (geometry/cluster_pairs.h).
//
// A list holds everybody who was within the support and a skin when it was made. It is complete as
// long as no pair that is within the support now has come nearer by more than the skin. What counts
// is motion relative to each other: sand that falls as a whole keeps its lists, and sand that lands
// wears those of the groups around it alone.
//
// Moves are counted from one instant for everybody, when lists were last made. Then what a group
// has used up is noted, and all count anew. That adds up: who is within the support now was within
// the support and what is used up since at each of those instants, so it was among those looked at
// there, as long as they reach as far as the lists.
#pragma once

#include "core/array.h"
#include "core/parallel.h"
#include "geometry/box_tree.h"

#include <span>

namespace talus::sph {

class Wear {
 public:
  /// Of clusters of particles, and of those that can be neighbours only: where they are, and how
  /// they have moved.
  struct Motion {
    BoxTree places, moves, extra_places, extra_moves;
    std::span<const Vec3f> now{}, then{};  ///< of particles
    std::size_t known = 0;                 ///< the first so many; the others came from nowhere
    Box3f move(std::size_t i) const {
      Box3f box = Box3f::everything();
      if (i < known) box.lower = box.upper = now[i] - then[i];
      return box;
    }
  };

  /// `skin` is what a pair may come nearer, m; lists reach as far as `reach`. A little less counts:
  /// distances are rounded.
  Wear(float skin, float reach) : skin_(0.999f * skin), reach_(reach) {}

  /// All lists were made anew.
  void reset(std::size_t groups);
  /// Does every list hold while nobody has moved farther than this?
  bool holds(float move) const { return most_used_ + 2 * move <= skin_; }
  /// Finds the groups whose lists do not hold any more, or not for long; nobody has moved more than
  /// farthest_move.
  void find_worn(const Motion& motion, float farthest_move, const Executor& executor);
  std::span<const std::uint32_t> worn() const { return {worn_.data(), worn_.size()}; }
  double worn_share() const {
    return static_cast<double>(worn_.size()) / static_cast<double>(now_used_.size());
  }
  /// The lists of those that find_worn() found were made, and moves count from now on.
  void renew();

  std::span<const float> used() const { return {used_.data(), used_.size()}; }
  void restore(std::span<const float> used);
  std::size_t memory_bytes() const {
    return used_.memory_bytes() + now_used_.memory_bytes() + worn_.memory_bytes();
  }

 private:
  void collect_beyond(float limit);
  float used_up_around(const Motion& motion, std::size_t group, float enough) const;

  float skin_, reach_;
  float most_used_ = 0;
  ScratchArray<float> used_;      ///< of each group, m, when moves began to count
  ScratchArray<float> now_used_;  ///< what find_worn() found
  ScratchArray<std::uint32_t> worn_;
};

}  // namespace talus::sph
