// What belongs to one chunk's list alone.
#include "dem/contact_list.h"

#include <algorithm>

namespace talus::dem {

void ChunkList::note_guests(std::span<const std::uint32_t> owner, std::uint32_t last_sphere) {
  guests.clear();
  std::uint32_t latest = Grains::none;
  const auto add = [&](std::uint32_t sphere) {
    if (sphere >= first_sphere && sphere < last_sphere) return;
    if (sphere >= owner.size()) return;  // of a rough body
    // The spheres of two grains come one after the other.
    if (owner[sphere] == latest) return;
    latest = owner[sphere];
    guests.push_back(latest);
  };
  for (std::uint32_t pair = 0; pair < class_starts[1]; ++pair) {
    add(first[pair]);
    add(second[pair] & sphere_mask);
  }
  std::sort(guests.begin(), guests.end());
  const std::uint32_t* last = std::unique(guests.begin(), guests.end());
  guests.resize(static_cast<std::size_t>(last - guests.begin()));
}

std::size_t ChunkList::memory_bytes() const {
  return first.memory_bytes() + second.memory_bytes() + active.memory_bytes() +
         slide.memory_bytes() + turn.memory_bytes() + guests.memory_bytes() +
         wall_starts.memory_bytes() + wall_sphere.memory_bytes() + wall_active.memory_bytes() +
         wall_slide.memory_bytes() + wall_turn.memory_bytes();
}

ChunkList copy_of(const ChunkList& list) {
  ChunkList out;
  const auto copy = [](const auto& from, auto& to) {
    to.resize(from.size());
    std::copy(from.begin(), from.end(), to.begin());
  };
  out.begin = list.begin;
  out.end = list.end;
  out.first_sphere = list.first_sphere;
  out.pairs = list.pairs;
  out.class_starts = list.class_starts;
  copy(list.first, out.first);
  copy(list.second, out.second);
  copy(list.active, out.active);
  copy(list.slide, out.slide);
  copy(list.turn, out.turn);
  copy(list.guests, out.guests);
  copy(list.wall_starts, out.wall_starts);
  copy(list.wall_sphere, out.wall_sphere);
  copy(list.wall_active, out.wall_active);
  copy(list.wall_slide, out.wall_slide);
  copy(list.wall_turn, out.wall_turn);
  return out;
}

}  // namespace talus::dem
