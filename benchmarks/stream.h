// The time to stream memory once: the yardstick for cases that are limited by memory. A neighbour
// search is stated as a multiple of the time to read its arrays.
#pragma once

#include "core/parallel.h"

#include <cstddef>
#include <cstdint>
#include <span>

namespace talus {

/// Adds all 64-bit words; the sum keeps the compiler from dropping the reads.
std::uint64_t sum_words(std::span<const std::byte> bytes, const Executor& executor);

/// Seconds to read `bytes` bytes of fresh memory once, the best of five passes.
double stream_seconds(std::size_t bytes, const Executor& executor);

}  // namespace talus
