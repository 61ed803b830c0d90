// Reads back what src/report packs, written from its description alone.
#pragma once

#include "report/cloud.h"

#include <array>
#include <string>
#include <vector>
#include <zlib.h>

namespace talus::test {

inline std::vector<std::uint8_t> from_base64(const std::string& text) {
  const std::string digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::vector<std::uint8_t> out;
  std::uint32_t word = 0;
  int bits = 0;
  for (const char c : text) {
    if (c == '=') break;
    word = word << 6 | static_cast<std::uint32_t>(digits.find(c));
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    out.push_back(static_cast<std::uint8_t>(word >> bits & 255));
  }
  return out;
}

inline std::vector<std::uint8_t> unpacked(const std::string& text) {
  const std::vector<std::uint8_t> packed = from_base64(text);
  std::vector<std::uint8_t> out(64u << 20);
  uLongf size = out.size();
  if (uncompress(out.data(), &size, packed.data(), packed.size()) != Z_OK) size = 0;
  out.resize(size);
  return out;
}

/// The state of the spheres after each frame.
struct DecodedCloud {
  std::vector<std::array<std::uint16_t, 3>> places;
  std::vector<std::uint8_t> speeds;

  void add(const std::vector<std::uint8_t>& bytes) {
    const std::size_t n = bytes.size() / 7;
    places.resize(n);
    speeds.assign(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(n));
    for (std::size_t axis = 0; axis < 3; ++axis)
      for (std::size_t i = 0; i < n; ++i) {
        const int change = bytes[(1 + 2 * axis) * n + i] | bytes[(2 + 2 * axis) * n + i] << 8;
        const int difference = (change >> 1) ^ -(change & 1);
        places[i][axis] = static_cast<std::uint16_t>(places[i][axis] + difference);
      }
  }
  bool there(std::size_t i) const { return speeds[i] != report::absent_speed; }
};

}  // namespace talus::test
