// PNG files, in and out.
#pragma once

#include "core/error.h"

#include <cstdint>
#include <string>
#include <vector>

namespace talus {

/// Rows from the top of the picture down, values 0 .. 65535 (8-bit files are widened).
struct GreyImage {
  int width = 0, height = 0;
  std::vector<std::uint16_t> pixels;
};

/// Colour is turned to grey, transparency ignored.
Result<GreyImage> read_grey_png(const std::string& path);

/// rgb holds width * height * 3 bytes, sRGB, rows from the top down.
Status write_png(const std::string& path, int width, int height,
                 const std::vector<std::uint8_t>& rgb);

}  // namespace talus
