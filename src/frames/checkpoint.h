// A State on disk. The file appears whole or not at all, so the previous checkpoint is there until
// the new one is complete.
#pragma once

#include "core/error.h"
#include "core/parallel.h"
#include "particles/state.h"

#include <filesystem>
#include <span>

namespace talus {

Status write_checkpoint(const std::filesystem::path& path, const State& state,
                        const Executor& executor);
/// Every byte is checked before anything is returned.
Result<State> read_checkpoint(const std::filesystem::path& path, const Executor& executor);
Result<State> read_checkpoint_memory(std::span<const std::byte> bytes, const Executor& executor);

}  // namespace talus
