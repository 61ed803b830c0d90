// A small bed of sand on a floor, as a scene file.
#pragma once

#include "frames/scratch_folder.h"

#include <filesystem>
#include <fstream>
#include <string>

namespace talus::test {

/// `size` of the box of sand, "x, y, z" in metres; `more` tables behind the bed.
inline std::filesystem::path write_bed(const ScratchFolder& scratch, const std::string& size,
                                       const std::string& position, const std::string& more = "") {
  const std::filesystem::path path = scratch / "bed.toml";
  std::ofstream(path) << R"(
[scene]
name = "bed"
frame_rate = 50
[sph]
spacing = 0.06
[[material]]
name = "sand"
preset = "dry sand"
[[fill]]
name = "bed"
material = "sand"
shape = { type = "box", size = [)"
                      << size << "], position = [" << position << R"(] }
[[body]]
name = "floor"
shape = { type = "plane" }
)" << more;
  return path;
}

}  // namespace talus::test
