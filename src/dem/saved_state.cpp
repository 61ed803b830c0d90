#include "dem/saved_state.h"

#include <algorithm>

namespace talus::dem {

namespace {

template <class T>
void gather(State& state, const char* name, const std::vector<ChunkList>& chunks,
            ScratchArray<T> ChunkList::*member) {
  std::vector<T> all;
  for (const ChunkList& c : chunks) all.insert(all.end(), (c.*member).begin(), (c.*member).end());
  state.put(name, std::span<const T>(all));
}

template <class T>
Status spread(const State& state, const char* name, std::vector<ChunkList>& chunks,
              ScratchArray<T> ChunkList::*member) {
  std::vector<T> all;
  if (Status s = state.get(name, all); !s) return s;
  std::size_t need = 0, next = 0;
  for (const ChunkList& c : chunks) need += (c.*member).size();
  if (need != all.size())
    return work_error(
        "checkpoint has {} items of '{}' where these grains and bodies need {}; was the scene "
        "changed?",
        all.size(), name, need);
  for (ChunkList& c : chunks)
    for (T& item : c.*member) item = all[next++];
  return {};
}

}  // namespace

void save_grains(State& state, Grains& grains) {
  state.put("dem/count", static_cast<std::uint64_t>(grains.count));
  int number = 0;
  grains.for_each_array([&](auto& a) {
    using T = std::remove_reference_t<decltype(a[0])>;
    state.put(fmt::format("dem/grains{:02}", number++), std::span<const T>(a.data(), grains.count));
  });
}

Status load_grains(const State& state, Grains& grains) {
  std::uint64_t count = 0;
  if (Status s = state.get("dem/count", count); !s) return s;
  grains.resize(count);
  int number = 0;
  Status result;
  grains.for_each_array([&](auto& a) {
    using T = std::remove_reference_t<decltype(a[0])>;
    std::vector<T> items;
    const std::string name = fmt::format("dem/grains{:02}", number++);
    if (Status s = state.get(name, items); !s) {
      result = s;
    } else if (items.size() != count) {
      result =
          work_error("checkpoint has {} items of '{}' for {} grains", items.size(), name, count);
    } else {
      std::copy(items.begin(), items.end(), a.data());
    }
  });
  return result;
}

void save_contacts(State& state, const std::vector<ChunkList>& chunks) {
  gather(state, "dem/active", chunks, &ChunkList::active);
  gather(state, "dem/slide", chunks, &ChunkList::slide);
  gather(state, "dem/turn", chunks, &ChunkList::turn);
  gather(state, "dem/wall_active", chunks, &ChunkList::wall_active);
  gather(state, "dem/wall_slide", chunks, &ChunkList::wall_slide);
  gather(state, "dem/wall_turn", chunks, &ChunkList::wall_turn);
}

Status load_contacts(const State& state, std::vector<ChunkList>& chunks) {
  if (Status s = spread(state, "dem/active", chunks, &ChunkList::active); !s) return s;
  if (Status s = spread(state, "dem/slide", chunks, &ChunkList::slide); !s) return s;
  if (Status s = spread(state, "dem/turn", chunks, &ChunkList::turn); !s) return s;
  if (Status s = spread(state, "dem/wall_active", chunks, &ChunkList::wall_active); !s) return s;
  if (Status s = spread(state, "dem/wall_slide", chunks, &ChunkList::wall_slide); !s) return s;
  return spread(state, "dem/wall_turn", chunks, &ChunkList::wall_turn);
}

}  // namespace talus::dem
