// Pictures to film: H.264 in MP4 through the ffmpeg program, which is started without a shell.
#pragma once

#include "core/error.h"

#include <filesystem>
#include <string>
#include <vector>

namespace talus {

struct FilmOptions {
  double frames_per_second = 24;
  std::string ffmpeg = "ffmpeg";  ///< program to call, found in PATH
};

/// Pictures (PNG, all of one size) in their order become the film at `path`. Without ffmpeg an
/// Error says how to get it; the pictures are never touched.
Status make_film(const std::vector<std::filesystem::path>& pictures,
                 const std::filesystem::path& path, const FilmOptions& options);

}  // namespace talus
