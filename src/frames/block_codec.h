// One block of a column: items <-> transposed, zstd-compressed bytes. Pure functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace talus {

inline constexpr std::size_t max_block_bytes = std::size_t{1} << 20;  ///< raw
inline constexpr std::uint32_t max_item_bytes = 4096;

inline std::size_t items_per_block(std::uint32_t item_bytes) {
  return max_block_bytes / item_bytes;
}

/// `items` holds whole items of item_bytes each, at most max_block_bytes. Empty on lack of memory.
std::vector<std::byte> encode_block(std::span<const std::byte> items, std::uint32_t item_bytes,
                                    bool delta);

/// Fills `items`, whose size is what the block must hold. Returns what is wrong, or nothing.
std::string decode_block(std::span<const std::byte> packed, std::uint32_t item_bytes, bool delta,
                         std::span<std::byte> items);

}  // namespace talus
