// Pictures and films that `talus render` left in a run folder.
#pragma once

#include "core/error.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace talus::report {

/// Files of this size are mailed without a thought; larger ones are left out of the page.
inline constexpr std::uint64_t largest_picture = 5u << 20, largest_film = 3u << 20;

/// The best picture or film (`extension` ".png" or ".mp4") that is newer than the run's first
/// frame: one in the folder itself, else the last one of a folder of pictures. Nothing when there
/// is none up to `limit` bytes.
std::optional<std::filesystem::path> find_picture(const std::filesystem::path& run,
                                                  const std::string& extension,
                                                  std::uint64_t limit);

/// The file as the value of an attribute src.
Result<std::string> data_address(const std::filesystem::path& file, const std::string& type);

}  // namespace talus::report
