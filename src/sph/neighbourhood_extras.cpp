// The part of Neighbourhood that knows extras: images across periodic faces and boundary particles
// of bodies, which can be neighbours only.
#include "sph/neighbourhood.h"

namespace talus::sph {

/// In an order along a curve, as particles are. It is that of the places they have when all are
/// sorted, and does not change until then.
void Neighbourhood::collect_extras(std::span<const Vec3f> x, const Executor& executor) {
  unsorted_.clear();
  extra_position_.clear();
  collect_images(x);
  collect_boundary();
  extra_grid_.build(extra_position_, reach_, executor);
  const auto order = extra_grid_.order();
  extras_.resize(order.size());
  for (std::size_t k = 0; k < order.size(); ++k) extras_[k] = unsorted_[order[k]];
}

/// Copies of particles near a periodic face, shifted to the other side; axis after axis, so that
/// edges and corners get theirs.
void Neighbourhood::collect_images(std::span<const Vec3f> x) {
  for (int axis = 0; axis < 3; ++axis) {
    if (!box_.axis[axis]) continue;
    const float lower = box_.lower[axis], upper = box_.upper[axis];
    const std::size_t before = unsorted_.size();
    const auto consider = [&](const Vec3f& p, std::uint32_t source, const Vec3f& shifted) {
      for (const float side : {-1.0f, 1.0f}) {
        if (side > 0 ? p[axis] >= lower + reach_ : p[axis] <= upper - reach_) continue;
        Vec3f shift = shifted;
        shift[axis] += side * (upper - lower);
        unsorted_.push_back({-1, source, shift, rest_volume_});
        extra_position_.push_back(x[source] + shift);
      }
    };
    for (std::size_t i = 0; i < x.size(); ++i) consider(x[i], static_cast<std::uint32_t>(i), {});
    for (std::size_t e = 0; e < before; ++e) {
      const Vec3f at = extra_position_[e];
      consider(at, unsorted_[e].source, unsorted_[e].shift);
    }
  }
}

void Neighbourhood::collect_boundary() {
  for (const BoundaryParticles& b : boundary_) {
    for (std::size_t k = 0; k < b.local.size(); ++k) {
      unsorted_.push_back({static_cast<std::int32_t>(b.body), static_cast<std::uint32_t>(k),
                           b.local[k], b.volume[k]});
      extra_position_.push_back(Vec3f(sorted_poses_[b.body].to_world(Vec3d(b.local[k]))));
    }
  }
}

/// Notes where extras are while the bodies have counted_poses_.
void Neighbourhood::count_extras(std::span<const Vec3f> x) {
  counted_extra_.resize(extras_.size());
  for (std::size_t e = 0; e < extras_.size(); ++e) {
    const Extra& extra = extras_[e];
    counted_extra_[e] = extra.body < 0
                            ? x[extra.source] + extra.shift
                            : Vec3f(counted_poses_[static_cast<std::size_t>(extra.body)].to_world(
                                  Vec3d(extra.shift)));
  }
}

void Neighbourhood::place(std::span<const Vec3f> x, std::span<const Body> bodies, Placed placed,
                          const Executor& executor) const {
  auto& [position, velocity] = placed;
  position.resize(total());
  velocity.resize(total());
  const float share = rest_volume_ / largest_volume_;
  executor.for_range(padded_, 2048, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const Vec3f& p = x[std::min(i, x.size() - 1)];
      position[i] = {p.x, p.y, p.z, share};
    }
  });
  for (std::size_t e = 0; e < extras_.size(); ++e) {
    const Extra& extra = extras_[e];
    Float4 &at = position[padded_ + e], &moves = velocity[padded_ + e];
    if (extra.body < 0) {
      const Vec3f p = x[extra.source] + extra.shift;
      at = {p.x, p.y, p.z, share};
      continue;
    }
    const auto b = static_cast<std::size_t>(extra.body);
    const BodyState& state = bodies[b].state;
    Vec3f p = counted_extra_[e], v{};
    const bool at_rest = state.pose == counted_poses_[b] && state.velocity == Vec3d{} &&
                         state.angular_velocity == Vec3d{};
    if (!at_rest) {
      const Vec3d now = state.pose.to_world(Vec3d(extra.shift));
      p = Vec3f(now);
      v = Vec3f(velocity_at(state, now));
    }
    at = {p.x, p.y, p.z, extra.volume / largest_volume_};
    moves = {v.x, v.y, v.z, 0};
  }
}

}  // namespace talus::sph
