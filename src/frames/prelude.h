// The first 32 bytes of a container; little-endian on every machine Talus runs on.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>

namespace talus {

static_assert(std::endian::native == std::endian::little, "container files are little-endian");

struct Prelude {
  char magic[8] = {'T', 'A', 'L', 'U', 'S', 'D', 'A', 'T'};
  std::uint32_t version = 0;
  std::uint32_t header_crc = 0;
  std::uint64_t header_offset = 0;
  std::uint64_t header_bytes = 0;
};
static_assert(sizeof(Prelude) == 32);

}  // namespace talus
