#include "sph/neighbourhood.h"

#include <algorithm>

namespace talus::sph {

bool Neighbourhood::expired(const ParticleStore& store, Field<Vec3f> x, Field<Vec3f> listed,
                            std::span<const Body> bodies, const Executor& executor) const {
  if (!valid_) return true;
  if (boundary_moved(bodies)) return true;
  const auto now = store[x], then = store[listed];
  const float moved2 = executor.reduce(
      store.size(), 0.0f,
      [&](std::size_t begin, std::size_t end) {
        float m = 0;
        for (std::size_t i = begin; i < end; ++i) m = max(m, squared_norm(now[i] - then[i]));
        return m;
      },
      [](float a, float b) { return max(a, b); });
  return moved2 > slack_ * slack_;
}

/// Has a body with boundary particles moved farther than they may before lists are worn?
bool Neighbourhood::boundary_moved(std::span<const Body> bodies) const {
  return std::any_of(boundary_.begin(), boundary_.end(), [&](const BoundaryParticles& b) {
    const Posed &then = listed_poses_[b.body], &now = bodies[b.body].state.pose;
    return !(now == then) && !(farthest_move(then, now, b.arm) < double{slack_});
  });
}

bool Neighbourhood::update(ParticleStore& store, Field<Vec3f> x, Field<Vec3f> listed,
                           std::span<const Body> bodies, const Executor& executor) {
  if (!expired(store, x, listed, bodies, executor)) return false;
  grid_.build(store[x], reach_, executor);
  store.reorder(grid_.order(), executor);
  const auto now = store[x];
  std::copy(now.begin(), now.end(), store[listed].begin());
  listed_poses_.clear();
  for (const Body& b : bodies) listed_poses_.push_back(b.state.pose);
  list(now, executor);
  return true;
}

void Neighbourhood::restore(ParticleStore& store, Field<Vec3f> listed, std::vector<Posed> poses,
                            const Executor& executor) {
  // The checkpoint kept the order of the last lists; sorting it again changes nothing.
  grid_.build(store[listed], reach_, executor);
  listed_poses_ = std::move(poses);
  list(store[listed], executor);
}

void Neighbourhood::list(std::span<const Vec3f> x, const Executor& executor) {
  const std::size_t n = x.size();
  padded_ = ClusterPairs::cluster_count(n) * ClusterPairs::width;
  unsorted_.clear();
  extra_position_.clear();
  collect_images(x);
  collect_boundary();
  extra_grid_.build(extra_position_, reach_, executor);
  const auto order = extra_grid_.order();
  extras_.resize(order.size());
  listed_points_.resize(total());
  for (std::size_t i = 0; i < n; ++i) listed_points_[i] = {x[i].x, x[i].y, x[i].z, 0};
  for (std::size_t k = 0; k < order.size(); ++k) {
    extras_[k] = unsorted_[order[k]];
    const Vec3f& p = extra_position_[order[k]];
    listed_points_[padded_ + k] = {p.x, p.y, p.z, 0};
  }
  pairs_.build(listed_points_, n, grid_, padded_, extra_grid_, reach_, executor);
  pairs_.reserve_weights();
  valid_ = true;
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
      extra_position_.push_back(Vec3f(listed_poses_[b.body].to_world(Vec3d(b.local[k]))));
    }
  }
}

void Neighbourhood::place(std::span<const Vec3f> x, std::span<const Body> bodies,
                          ScratchArray<Float4>& position, ScratchArray<Float4>& velocity,
                          const Executor& executor) const {
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
    if (extra.body < 0) {
      const Vec3f p = x[extra.source] + extra.shift;
      position[padded_ + e] = {p.x, p.y, p.z, share};
    } else {
      const auto b = static_cast<std::size_t>(extra.body);
      const BodyState& state = bodies[b].state;
      if (state.pose == listed_poses_[b] && state.velocity == Vec3d{} &&
          state.angular_velocity == Vec3d{}) {  // at rest: where it was when listed
        position[padded_ + e] = listed_points_[padded_ + e];
        position[padded_ + e].w = extra.volume / largest_volume_;
        velocity[padded_ + e] = {};
        continue;
      }
      const Vec3d p = state.pose.to_world(Vec3d(extra.shift));
      const Vec3f v = Vec3f(velocity_at(state, p));
      position[padded_ + e] = {static_cast<float>(p.x), static_cast<float>(p.y),
                               static_cast<float>(p.z), extra.volume / largest_volume_};
      velocity[padded_ + e] = {v.x, v.y, v.z, 0};
    }
  }
}

std::size_t Neighbourhood::memory_bytes() const {
  return grid_.memory_bytes() + extra_grid_.memory_bytes() + pairs_.memory_bytes() +
         listed_points_.memory_bytes() +
         (extras_.capacity() + unsorted_.capacity()) * sizeof(Extra) +
         extra_position_.capacity() * sizeof(Vec3f);
}

}  // namespace talus::sph
