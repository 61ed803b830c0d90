#include "sph/neighbourhood.h"

#include <algorithm>

namespace talus::sph {

namespace {

// Sorting pays when what it saves has cost as much as it does; both in units of what all sweeps of
// a step take. Lists that are worn have to be made anyway.
constexpr double cost_of_sorting = 0.1, cost_of_lists = 0.4;
// Newcomers are sorted among themselves when so many of them, of eight, are not.
constexpr std::size_t unsorted_newcomers = 64;

/// Into memory that is there.
void copy_poses(std::span<const Body> bodies, std::vector<Posed>& poses) {
  poses.clear();
  for (const Body& b : bodies) poses.push_back(b.state.pose);
}

}  // namespace

Listing Neighbourhood::update(ParticleStore& store, Field<Vec3f> x, Field<Vec3f> listed,
                              std::span<const Body> bodies, Placed placed,
                              const Executor& executor) {
  const std::size_t n = store.size();
  const bool renumbers = n != known_ && (box_.any() || !boundary_.empty());  // extras come behind
  if (!valid_ || renumbers) {
    list_all(store, x, listed, bodies, placed, executor);
    return Listing::all;
  }
  if (n - ordered_ > unsorted_newcomers + (ordered_ - sorted_) / 8)
    sort_newcomers(store, x, executor);
  padded_ = ClusterPairs::cluster_count(n) * ClusterPairs::width;
  place(store[x], bodies, placed, executor);
  waste_ += std::max(length_ / fresh_length_ - 1, 0.0);
  const float farthest = farthest_move(store[x], store[listed], bodies, executor);
  if (known_ == n && wear_.holds(farthest)) return Listing::none;
  if (!box_.any()) {  // who crosses a face is an image elsewhere
    enclose(n, placed.position, executor);
    enclose_moves(store[x], store[listed], placed.position, executor);
    wear_.find_worn(motion_, farthest, executor);
  }
  if (box_.any() || worth_sorting(n)) {
    list_all(store, x, listed, bodies, placed, executor);
    return Listing::all;
  }
  if (wear_.worn().empty()) return Listing::none;
  pairs_.build(points(n, placed.position), reach_, wear_.worn(), executor);
  pairs_.reserve_weights();
  begin_counting(store[x], store[listed], bodies, executor);
  wear_.renew();
  return Listing::some;
}

/// Sorted particles have short lists. What long ones cost adds up, step by step.
bool Neighbourhood::worth_sorting(std::size_t count) const {
  const bool many_newcomers = count - sorted_ > sorted_ / 8;
  return many_newcomers || waste_ > cost_of_sorting + cost_of_lists * (1 - wear_.worn_share());
}

/// The farthest that anybody has moved since moves count.
float Neighbourhood::farthest_move(std::span<const Vec3f> now, std::span<const Vec3f> then,
                                   std::span<const Body> bodies, const Executor& executor) const {
  const float moved2 = executor.reduce(
      now.size(), 0.0f,
      [&](std::size_t begin, std::size_t end) {
        float m = 0;
        for (std::size_t i = begin; i < end; ++i) m = max(m, squared_norm(now[i] - then[i]));
        return m;
      },
      [](float a, float b) { return max(a, b); });
  float farthest = std::sqrt(moved2);
  for (const BoundaryParticles& b : boundary_) {
    const Posed &from = counted_poses_[b.body], &to = bodies[b.body].state.pose;
    if (from == to) continue;
    farthest = max(farthest, static_cast<float>(talus::farthest_move(from, to, b.arm)));
  }
  return farthest;
}

void Neighbourhood::list_all(ParticleStore& store, Field<Vec3f> x, Field<Vec3f> listed,
                             std::span<const Body> bodies, Placed placed,
                             const Executor& executor) {
  const std::size_t n = store.size();
  grid_.build(store[x], reach_, executor);
  store.reorder(grid_.order(), executor);
  sorted_ = ordered_ = n;
  padded_ = ClusterPairs::cluster_count(n) * ClusterPairs::width;
  copy_poses(bodies, sorted_poses_);
  collect_extras(store[x], executor);
  begin_counting(store[x], store[listed], bodies, executor);
  place(store[x], bodies, placed, executor);
  enclose(n, placed.position, executor);
  pairs_.build(points(n, placed.position), reach_, executor);
  pairs_.reserve_weights();
  wear_.reset(ClusterPairs::group_count(n));
  fresh_length_ = waste_ = 0;
  valid_ = true;
}

/// Who is poured comes one by one from all over the nozzle: eight in a row are far from each other.
/// Sorting them is cheap as long as they are few. Their lists, and all that have them, are worn.
void Neighbourhood::sort_newcomers(ParticleStore& store, Field<Vec3f> x, const Executor& executor) {
  grid_.build(store[x].subspan(sorted_), reach_, executor);
  store.reorder(grid_.order(), executor, sorted_);
  ordered_ = store.size();
  known_ = std::min(known_, sorted_);
}

/// From now on moves count.
void Neighbourhood::begin_counting(std::span<const Vec3f> x, std::span<Vec3f> listed,
                                   std::span<const Body> bodies, const Executor& executor) {
  executor.for_range(x.size(), 8192, [&](std::size_t begin, std::size_t end) {
    std::copy(x.begin() + begin, x.begin() + end, listed.begin() + begin);
  });
  known_ = x.size();
  copy_poses(bodies, counted_poses_);
  count_extras(x);
}

void Neighbourhood::enclose(std::size_t count, const ScratchArray<Float4>& position,
                            const Executor& executor) {
  const std::span at(position.data(), total());
  ClusterPairs::enclose(at, 0, count, motion_.places, executor);
  ClusterPairs::enclose(at, padded_, extras_.size(), motion_.extra_places, executor);
}

/// Who is new came from nowhere: whatever is near it has to be listed.
void Neighbourhood::enclose_moves(std::span<const Vec3f> now, std::span<const Vec3f> then,
                                  const ScratchArray<Float4>& position, const Executor& executor) {
  constexpr std::size_t width = ClusterPairs::width;
  motion_.now = now;
  motion_.then = then;
  motion_.known = known_;
  motion_.moves.build(motion_.places.leaves(), executor, [&](std::size_t c) {
    Box3f moves;
    for (std::size_t i = c * width; i < std::min(now.size(), (c + 1) * width); ++i)
      moves.include(motion_.move(i));
    return moves;
  });
  motion_.extra_moves.build(motion_.extra_places.leaves(), executor, [&](std::size_t c) {
    Box3f moves;
    for (std::size_t e = c * width; e < std::min(extras_.size(), (c + 1) * width); ++e)
      moves.include(xyz(position[padded_ + e]) - counted_extra_[e]);
    return moves;
  });
}

/// Of those that are near, not of lists: they depend on when those were made.
void Neighbourhood::note_lengths(const Executor& executor) {
  struct Sum {
    double near = 0, swept = 0;
  };
  const Sum all = executor.reduce(
      pairs_.clusters(), Sum{},
      [&](std::size_t begin, std::size_t end) {
        Sum sum;
        for (std::size_t c = begin; c < end; ++c) {
          const std::size_t near = pairs_.near(c).size();
          sum.near += static_cast<double>(near);
          sum.swept += near > 0;
        }
        return sum;
      },
      [](const Sum& a, const Sum& b) {
        return Sum{a.near + b.near, a.swept + b.swept};
      });
  length_ = all.near / std::max(all.swept, 1.0);
  if (fresh_length_ == 0) fresh_length_ = std::max(length_, 1.0);
}

bool Neighbourhood::reaches(std::span<const Float4> position, std::size_t c,
                            std::uint32_t j) const {
  const std::size_t first = c * ClusterPairs::width;
  const Vec3f at = xyz(position[j]);
  bool any = false;  // padding lanes repeat the last particle
  for (std::size_t i = first; i < first + ClusterPairs::width; ++i)
    any = any || squared_norm(xyz(position[i]) - at) < support_ * support_;
  return any;
}

void Neighbourhood::save(State& state) const {
  state.put("sph/listed", static_cast<std::uint8_t>(valid_));
  state.put("sph/sorted", std::array<std::uint64_t, 3>{sorted_, ordered_, known_});
  state.put("sph/lengths", std::array{length_, fresh_length_, waste_});
  state.put("sph/skin_used", wear_.used());
  state.put("sph/sorted_poses", std::span<const Posed>(sorted_poses_));
  state.put("sph/counted_poses", std::span<const Posed>(counted_poses_));
}

Status Neighbourhood::load(const State& state, const ParticleStore& store, Field<Vec3f> listed,
                           std::span<const Body> bodies, Placed placed, const Executor& executor) {
  std::uint8_t was_listed = 0;
  std::array<std::uint64_t, 3> sorted{};
  std::array<double, 3> lengths{};
  std::vector<float> used;
  if (Status s = state.get("sph/listed", was_listed); !s) return s;
  if (Status s = state.get("sph/sorted", sorted); !s) return s;
  if (Status s = state.get("sph/lengths", lengths); !s) return s;
  if (Status s = state.get("sph/skin_used", used); !s) return s;
  if (Status s = state.get("sph/sorted_poses", sorted_poses_); !s) return s;
  if (Status s = state.get("sph/counted_poses", counted_poses_); !s) return s;
  valid_ = false;
  if (was_listed == 0 || store.empty()) return {};
  for (const auto& poses : {sorted_poses_, counted_poses_})
    if (poses.size() != bodies.size())
      return work_error("checkpoint has {} bodies, the scene {}", poses.size(), bodies.size());
  const std::size_t n = store.size();
  std::tie(sorted_, ordered_, known_) = std::tuple(sorted[0], sorted[1], sorted[2]);
  std::tie(length_, fresh_length_, waste_) = std::tuple(lengths[0], lengths[1], lengths[2]);
  if (sorted_ > ordered_ || std::max(ordered_, known_) > n ||
      ClusterPairs::group_count(known_) != used.size())
    return work_error("checkpoint lists {} neighbours, but has {} particles", known_, n);
  relist(store[listed], placed, executor);
  wear_.restore(used);
  return {};
}

/// Lists as they would have been made where moves count from: they are used up as those were.
void Neighbourhood::relist(std::span<const Vec3f> listed, Placed placed, const Executor& executor) {
  const std::size_t n = listed.size();
  padded_ = ClusterPairs::cluster_count(n) * ClusterPairs::width;
  collect_extras(listed, executor);
  count_extras(listed);
  placed.position.resize(total());
  for (std::size_t i = 0; i < padded_; ++i) {
    const Vec3f& p = listed[std::min(i, n - 1)];
    placed.position[i] = {p.x, p.y, p.z, 0};
  }
  for (std::size_t e = 0; e < extras_.size(); ++e) {
    const Vec3f& p = counted_extra_[e];
    placed.position[padded_ + e] = {p.x, p.y, p.z, 0};
  }
  enclose(n, placed.position, executor);
  pairs_.build(points(n, placed.position), reach_, executor);
  pairs_.reserve_weights();
  valid_ = true;
}

std::size_t Neighbourhood::memory_bytes() const {
  std::size_t bytes = grid_.memory_bytes() + extra_grid_.memory_bytes() + pairs_.memory_bytes() +
                      wear_.memory_bytes() +
                      (extras_.capacity() + unsorted_.capacity()) * sizeof(Extra) +
                      (extra_position_.capacity() + counted_extra_.capacity()) * sizeof(Vec3f);
  for (const BoxTree* tree :
       {&motion_.places, &motion_.moves, &motion_.extra_places, &motion_.extra_moves})
    bytes += tree->memory_bytes();
  return bytes;
}

}  // namespace talus::sph
