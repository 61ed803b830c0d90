// CRC-32 (IEEE 802.3, reflected 0xEDB88320), the same as zlib.crc32 in Python, so that a reader
// without Talus can check a header.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace talus {

namespace checksum_detail {
constexpr std::array<std::uint32_t, 256> crc32_table() {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t i = 0; i < 256; ++i) {
    std::uint32_t value = i;
    for (int bit = 0; bit < 8; ++bit) value = (value >> 1) ^ ((value & 1u) ? 0xEDB88320u : 0u);
    table[i] = value;
  }
  return table;
}
}  // namespace checksum_detail

inline std::uint32_t crc32(std::span<const std::byte> bytes) {
  static constexpr auto table = checksum_detail::crc32_table();
  std::uint32_t value = 0xFFFFFFFFu;
  for (std::byte b : bytes)
    value = (value >> 8) ^ table[(value ^ static_cast<std::uint32_t>(b)) & 0xFFu];
  return ~value;
}

}  // namespace talus
