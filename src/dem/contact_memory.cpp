#include "dem/contact_memory.h"

#include <algorithm>
#include <bit>

namespace talus::dem {

namespace {

/// Of the one relative to the other.
Row turned_round(const Row& r) { return make_row(-r.v[0], -r.v[1], -r.v[2], r.v[3]); }

template <class Visit>
void for_active(const ChunkList& list, Visit&& visit) {
  for (std::uint32_t group = 0; group < list.active.size(); ++group)
    for (unsigned bits = list.active[group]; bits != 0; bits &= bits - 1) {
      const std::uint32_t e = group * 8 + static_cast<unsigned>(std::countr_zero(bits));
      if (list.owns(e)) visit(e);
    }
}

}  // namespace

void ContactMemory::take_pairs(const ChunkList& list, std::span<const std::uint32_t> owner,
                               Chunk& out) {
  out.starts.resize(list.end - list.begin + 1);
  std::fill(out.starts.begin(), out.starts.end(), 0u);
  for_active(list, [&](std::uint32_t e) { ++out.starts[owner[list.first[e]] - list.begin]; });
  std::uint32_t total = 0;
  for (std::uint32_t& s : out.starts) total = s += total;
  out.first.resize(total);
  out.second.resize(total);
  out.slide.resize(list.slide.empty() ? 0 : total);
  out.turn.resize(list.turn.empty() ? 0 : total);
  // Each grain's contacts are filled in from their end, which leaves the starts behind.
  for_active(list, [&](std::uint32_t e) {
    const std::uint32_t at = --out.starts[owner[list.first[e]] - list.begin];
    out.first[at] = list.first[e];
    out.second[at] = list.second[e] & sphere_mask;
    if (!list.slide.empty()) out.slide[at] = list.slide[e];
    if (!list.turn.empty()) out.turn[at] = list.turn[e];
  });
}

void ContactMemory::take(std::vector<ChunkList>& lists, std::span<const std::uint32_t> owner,
                         const Executor& executor) {
  holds_ = !lists.empty();
  chunks_.resize(lists.size());
  executor.run_chunks(lists.size(), [&](std::size_t c) {
    ChunkList& list = lists[c];
    Chunk& chunk = chunks_[c];
    chunk.begin = list.begin;
    take_pairs(list, owner, chunk);
    std::swap(chunk.wall_starts, list.wall_starts);
    std::swap(chunk.wall_sphere, list.wall_sphere);
    std::swap(chunk.wall_active, list.wall_active);
    std::swap(chunk.wall_slide, list.wall_slide);
    std::swap(chunk.wall_turn, list.wall_turn);
  });
}

void ContactMemory::note_numbers(const Grains& grains) {
  first_sphere_.resize(grains.count + 1);
  std::copy(grains.first_sphere.begin(), grains.first_sphere.end(), first_sphere_.begin());
  chunk_size_ = ContactLists::chunk_size(grains.count);
  spheres_ = static_cast<std::uint32_t>(grains.spheres());
}

/// A contact of `grain`, which owns the sphere `first`; all numbers old, and first before second.
/// The image does not count: a grain that crossed the border keeps its contacts.
ContactMemory::Found ContactMemory::find(std::uint32_t grain, std::uint32_t first,
                                         std::uint32_t second) const {
  const Chunk& chunk = chunks_[grain / chunk_size_];
  const std::uint32_t local = grain - chunk.begin;
  for (std::uint32_t e = chunk.starts[local]; e < chunk.starts[local + 1]; ++e)
    if (chunk.second[e] == second && chunk.first[e] == first) return {&chunk, e};
  return {};
}

void ContactMemory::give(ChunkList& list, const Grains& grains,
                         std::span<const std::uint32_t> owner, bool bridges) const {
  const auto spheres = static_cast<std::uint32_t>(grains.spheres());
  struct Old {
    std::uint32_t grain, sphere;
  };
  const auto old_number = [&](std::uint32_t sphere) -> Old {
    if (sphere >= spheres) return {Grains::none, spheres_ + (sphere - spheres)};
    const std::uint32_t grain = owner[sphere], before = grains.listed_index[grain];
    if (before == Grains::none) return {before, before};
    return {before, first_sphere_[before] + (sphere - grains.first_sphere[grain])};
  };
  const std::uint32_t end = bridges ? list.pairs : list.class_starts[1];
  for (std::uint32_t e = 0; e < end; ++e) {
    const Old a = old_number(list.first[e]), b = old_number(list.second[e] & sphere_mask);
    if (a.sphere == Grains::none || b.sphere == Grains::none) continue;
    const bool same = a.sphere < b.sphere;
    const Found found =
        same ? find(a.grain, a.sphere, b.sphere) : find(b.grain, b.sphere, a.sphere);
    if (found.chunk == nullptr) continue;
    list.active[e / 8] = static_cast<std::uint8_t>(list.active[e / 8] | 1u << (e % 8));
    const auto copy = [&](const ScratchArray<Row>& from, ScratchArray<Row>& to) {
      // Laws may have changed since: what they did not store starts anew.
      if (!to.empty() && !from.empty())
        to[e] = same ? from[found.at] : turned_round(from[found.at]);
    };
    copy(found.chunk->slide, list.slide);
    copy(found.chunk->turn, list.turn);
  }
  give_walls(list, grains, owner);
}

void ContactMemory::give_walls(ChunkList& list, const Grains& grains,
                               std::span<const std::uint32_t> owner) const {
  const std::size_t faces = list.wall_starts.size() - 1;
  for (std::size_t f = 0; f < faces; ++f) {
    for (std::uint32_t e = list.wall_starts[f]; e < list.wall_starts[f + 1]; ++e) {
      const std::uint32_t grain = owner[list.wall_sphere[e]];
      const std::uint32_t before = grains.listed_index[grain];
      if (before == Grains::none) continue;
      const Chunk& old = chunks_[before / chunk_size_];
      if (f + 1 >= old.wall_starts.size()) continue;  // of a body that was added since
      const std::uint32_t wanted =
          first_sphere_[before] + (list.wall_sphere[e] - grains.first_sphere[grain]);
      const std::uint32_t* from = old.wall_sphere.data() + old.wall_starts[f];
      const std::uint32_t* to = old.wall_sphere.data() + old.wall_starts[f + 1];
      const std::uint32_t* at = std::lower_bound(from, to, wanted);
      if (at == to || *at != wanted) continue;
      const std::size_t k = static_cast<std::size_t>(at - old.wall_sphere.data());
      list.wall_active[e] = old.wall_active[k];
      if (old.wall_active[k] == 0) continue;
      if (!list.wall_slide.empty() && !old.wall_slide.empty())
        list.wall_slide[e] = old.wall_slide[k];
      if (!list.wall_turn.empty() && !old.wall_turn.empty()) list.wall_turn[e] = old.wall_turn[k];
    }
  }
}

std::size_t ContactMemory::memory_bytes() const {
  std::size_t bytes = first_sphere_.memory_bytes();
  for (const Chunk& c : chunks_)
    bytes += c.starts.memory_bytes() + c.first.memory_bytes() + c.second.memory_bytes() +
             c.slide.memory_bytes() + c.turn.memory_bytes() + c.wall_starts.memory_bytes() +
             c.wall_sphere.memory_bytes() + c.wall_active.memory_bytes() +
             c.wall_slide.memory_bytes() + c.wall_turn.memory_bytes();
  return bytes;
}

}  // namespace talus::dem
