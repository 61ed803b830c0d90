// Boxes around whatever is numbered along a curve: a box for each leaf, one around eight leaves
// that follow each other, one around eight of those, and so on. Leaves are visited in ascending
// order, so what is collected from them has an order that does not depend on how they were found.
// Eight boxes with a common one around them lie side by side, and are compared at once.
#pragma once

#include "core/array.h"
#include "core/parallel.h"
#include "math/vec.h"
#include "math/wide.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

namespace talus {

struct Box3f {
  Vec3f lower{INFINITY, INFINITY, INFINITY};
  Vec3f upper{-INFINITY, -INFINITY, -INFINITY};

  static Box3f everything() {
    return {{-INFINITY, -INFINITY, -INFINITY}, {INFINITY, INFINITY, INFINITY}};
  }
  void include(const Vec3f& p) {
    lower = min(lower, p);
    upper = max(upper, p);
  }
  void include(const Box3f& b) {
    lower = min(lower, b.lower);
    upper = max(upper, b.upper);
  }
  bool contains(const Vec3f& p) const {
    return ((p.x >= lower.x) & (p.x <= upper.x) & (p.y >= lower.y) & (p.y <= upper.y) &
            (p.z >= lower.z) & (p.z <= upper.z)) != 0;
  }
  Box3f grown(float by) const { return {lower - Vec3f{by, by, by}, upper + Vec3f{by, by, by}}; }
};

/// The farthest that a point of one box can be from a point of the other.
inline float farthest(const Box3f& a, const Box3f& b) {
  return norm(max(a.upper - b.lower, b.upper - a.lower));
}

/// Eight boxes; those that are not there meet nobody and are in every other one.
struct EightBoxes {
  float lower[3][wide_width], upper[3][wide_width];

  Box3f operator[](std::size_t k) const {
    return {{lower[0][k], lower[1][k], lower[2][k]}, {upper[0][k], upper[1][k], upper[2][k]}};
  }
  void set(std::size_t k, const Box3f& box) {
    for (int axis = 0; axis < 3; ++axis) {
      lower[axis][k] = box.lower[axis];
      upper[axis][k] = box.upper[axis];
    }
  }
  /// One bit for each that has a point in common with the box.
  unsigned meet(const Box3f& box) const {
    WideMask all = load_wide(lower[0]) <= WideFloat(box.upper[0]);
    for (int axis = 0; axis < 3; ++axis)
      all = all & (load_wide(lower[axis]) <= WideFloat(box.upper[axis])) &
            (load_wide(upper[axis]) >= WideFloat(box.lower[axis]));
    return bits(all);
  }
  /// One bit for each that is not inside the box.
  unsigned leave(const Box3f& box) const {
    WideMask any = load_wide(lower[0]) < WideFloat(box.lower[0]);
    for (int axis = 0; axis < 3; ++axis)
      any = any | (load_wide(lower[axis]) < WideFloat(box.lower[axis])) |
            (load_wide(upper[axis]) > WideFloat(box.upper[axis]));
    return bits(any);
  }
};

class BoxTree {
 public:
  static constexpr std::size_t fan = wide_width;

  /// leaf(k) is the box of leaf k. There are two levels at least, unless there are no leaves.
  template <class Leaf>
  void build(std::size_t leaves, const Executor& executor, Leaf&& leaf) {
    lay_out(leaves);
    fill(0, executor, leaf);
    for (int level = 1; level < levels_; ++level)
      fill(level, executor, [&](std::size_t k) {
        const EightBoxes& below = eight(level - 1, k);
        Box3f all;
        for (std::size_t child = 0; child < fan; ++child) all.include(below[child]);
        return all;
      });
  }

  /// Level 0 are the leaves.
  Box3f box(int level, std::size_t k) const { return eight(level, k / fan)[k % fan]; }
  /// The boxes of a level that are in box k of the level above.
  const EightBoxes& eight(int level, std::size_t k) const {
    return boxes_[begin_[static_cast<std::size_t>(level)] + k];
  }
  std::size_t leaves() const { return levels_ == 0 ? 0 : count_[0]; }
  std::size_t count(int level) const { return count_[static_cast<std::size_t>(level)]; }
  std::size_t memory_bytes() const { return boxes_.memory_bytes(); }

  /// enter(level, k) tells by bits which of eight(level, k) to go into; visit(leaf) for leaves.
  template <class Enter, class Visit>
  void descend(Enter&& enter, Visit&& visit) const {
    if (levels_ > 0) descend(levels_ - 1, 0, enter, visit);
  }

 private:
  template <class Enter, class Visit>
  void descend(int level, std::size_t k, Enter& enter, Visit& visit) const {
    for (unsigned left = enter(level, k); left != 0; left &= left - 1) {
      const std::size_t child = k * fan + static_cast<std::size_t>(std::countr_zero(left));
      if (level == 0)
        visit(child);
      else
        descend(level - 1, child, enter, visit);
    }
  }

  template <class BoxOf>
  void fill(int level, const Executor& executor, BoxOf&& box_of) {
    const std::size_t n = count(level);
    executor.for_range((n + fan - 1) / fan, 32, [&](std::size_t begin, std::size_t end) {
      for (std::size_t k = begin * fan; k < end * fan; ++k)
        boxes_[begin_[static_cast<std::size_t>(level)] + k / fan].set(k % fan,
                                                                      k < n ? box_of(k) : Box3f{});
    });
  }

  void lay_out(std::size_t leaves) {
    std::size_t level = 0, total = 0;
    for (std::size_t n = leaves; n > 0; ++level) {
      count_[level] = n;
      begin_[level] = total;
      const std::size_t above = (n + fan - 1) / fan;
      total += above;
      n = n > fan || level == 0 ? above : 0;
    }
    levels_ = static_cast<int>(level);
    boxes_.resize(total);
  }

  int levels_ = 0;
  std::array<std::size_t, 16> count_{}, begin_{};  ///< of each level, boxes and where in boxes_
  ScratchArray<EightBoxes> boxes_;
};

}  // namespace talus
