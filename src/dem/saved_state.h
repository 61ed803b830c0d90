// Grains and the memory of their contacts, to and from a checkpoint.
#pragma once

#include "dem/contact_list.h"
#include "dem/grains.h"
#include "particles/state.h"

#include <vector>

namespace talus::dem {

void save_grains(State& state, Grains& grains);
Status load_grains(const State& state, Grains& grains);

void save_contacts(State& state, const std::vector<ChunkList>& chunks);
/// Into lists made for the same grains.
Status load_contacts(const State& state, std::vector<ChunkList>& chunks);

}  // namespace talus::dem
