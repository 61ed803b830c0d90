// share.json: what a folder with the files of one share contains.
#pragma once

#include "core/error.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace talus::detail {

struct ShareRecord {
  std::string settings;
  std::uint64_t slices = 1, slice = 1, parts = 1, part = 1;  ///< from 1
  bool finished = false;
  std::vector<std::uint64_t> frames;
  std::vector<std::uint64_t> grains;  ///< of each frame
};

Status write_share(const std::filesystem::path& folder, const ShareRecord& record);
/// Empty when there is no such file.
Result<std::optional<ShareRecord>> read_share(const std::filesystem::path& folder);

}  // namespace talus::detail
