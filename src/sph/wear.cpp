#include "sph/wear.h"

#include "geometry/cluster_pairs.h"

#include <algorithm>

namespace talus::sph {

void Wear::reset(std::size_t groups) {
  used_.resize(groups);
  std::fill(used_.begin(), used_.end(), 0.0f);
  most_used_ = 0;
}

void Wear::restore(std::span<const float> used) {
  used_.resize(used.size());
  std::copy(used.begin(), used.end(), used_.begin());
  most_used_ = 0;
  for (const float u : used_) most_used_ = std::max(most_used_, u);
}

/// The farthest that anybody of a group and anybody near it have moved against each other, or a
/// little more, or something above `enough`. Most of the tree is not looked at: who has moved
/// nearly like others that were seen adds little, and that is added at once. In the end particles
/// count, not clusters: one that has spread far is near many of which none is near it.
float Wear::used_up_around(const Motion& motion, std::size_t group, float enough) const {
  constexpr float nearly = 0.125f;  // of what was found so far
  const Box3f own = motion.moves.box(1, group);
  const Box3f near = motion.places.box(1, group).grown(reach_);
  Box3f around = own, counted;
  float most = 0;
  const auto count = [&] {
    most = farthest(own, around);
    counted = around.grown(nearly * most);
  };
  count();
  const auto look = [&](const BoxTree& places, const BoxTree& moves, auto&& include) {
    const auto enter = [&](int level, std::size_t k) {
      if (!(most <= enough)) return 0u;
      return moves.eight(level, k).leave(counted) & places.eight(level, k).meet(near);
    };
    places.descend(enter, [&](std::size_t c) {
      include(c);
      count();
    });
  };
  look(motion.places, motion.moves, [&](std::size_t c) {
    const std::size_t end = std::min(motion.now.size(), (c + 1) * ClusterPairs::width);
    for (std::size_t i = c * ClusterPairs::width; i < end; ++i)
      if (near.contains(motion.now[i])) around.include(motion.move(i));
  });
  look(motion.extra_places, motion.extra_moves,
       [&](std::size_t c) { around.include(motion.extra_moves.box(0, c)); });
  return farthest(own, counted);
}

void Wear::find_worn(const Motion& motion, float farthest_move, const Executor& executor) {
  const std::size_t groups = motion.places.count(1), known = used_.size();
  now_used_.resize(groups);
  executor.for_range(groups, 16, [&](std::size_t begin, std::size_t end) {
    for (std::size_t g = begin; g < end; ++g) {
      const float used = g < known ? used_[g] : 0.0f;
      now_used_[g] = used + used_up_around(motion, g, skin_ - used);
    }
  });
  collect_beyond(skin_);
  // In a slow flow groups wear one after the other. Those that would in a few steps are taken as
  // well, so that there is nothing to look for until then.
  const float soon = 4 * farthest_move;
  if (!worn_.empty() && soon <= 0.5f * skin_) collect_beyond(skin_ - soon);
}

void Wear::collect_beyond(float limit) {
  worn_.clear();
  for (std::size_t g = 0; g < now_used_.size(); ++g)
    if (!(now_used_[g] <= limit)) worn_.push_back(static_cast<std::uint32_t>(g));
}

void Wear::renew() {
  for (const std::uint32_t g : worn_) now_used_[g] = 0;
  restore({now_used_.data(), now_used_.size()});
}

}  // namespace talus::sph
