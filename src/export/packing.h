// zlib on all cores: arrays cut into blocks of fixed size, so that the bytes do not depend on the
// number of threads.
#pragma once

#include "core/parallel.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace talus {

inline constexpr std::size_t packing_block_bytes = std::size_t{1} << 18;

/// Each block a zlib stream of its own (what VTK wants). Empty vectors mean lack of memory.
std::vector<std::vector<std::byte>> zlib_blocks(std::span<const std::byte> bytes,
                                                const Executor& executor);

/// One raw deflate stream (zip, gzip), as pieces to be written one after the other.
struct Deflated {
  std::vector<std::vector<std::byte>> pieces;
  std::uint64_t bytes = 0;  ///< of all pieces
  std::uint32_t crc = 0;    ///< CRC-32 of what was packed
};
Deflated deflate_stream(std::span<const std::byte> bytes, const Executor& executor);

}  // namespace talus
