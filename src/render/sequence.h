// Frames of a run -> pictures -> film. Pictures that are already there are kept, so a stopped job
// goes on where it was, and n processes with slices 1/n .. n/n share the work.
#pragma once

#include "core/error.h"
#include "core/parallel.h"
#include "render/field_values.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace talus {

struct SequenceOptions {
  std::filesystem::path run;
  std::filesystem::path beside;  ///< a second run, drawn to the right of the first; may be empty
  std::filesystem::path output;  ///< folder of the pictures; empty: chosen below the run folder
  bool detail = false;           ///< draw the grains of detail/
  std::int64_t first = 0, last = INT64_MAX, stride = 1;  ///< frames
  int slice = 1, slices = 1;
  int width = 0, height = 0, samples = 0;  ///< 0: as the scene says
  bool preview =
      false;  ///< small and rough, in seconds; only the last frame unless frames are given
  bool frames_given = false;
  std::string camera;     ///< name; empty: the scene's first, or an automatic one
  std::string colour_by;  ///< field; empty: natural colours
  std::string colour_map = "dune";
  std::optional<ValueRange> range;
  int grains_per_particle = 0;  ///< 0: automatic
  std::vector<std::string> hidden, glass;
  std::optional<bool> motion_blur, denoise;
  std::optional<double> exposure;
  double f_stop = 0;  ///< 0: as the camera says
  int bounces = 4;
  bool exr = false;
  bool film = true;
  double frames_per_second = 0;  ///< 0: as the scene says
  std::string ffmpeg = "ffmpeg";
};

struct PictureProgress {
  std::size_t done = 0, total = 0;  ///< pictures of this slice
  std::uint64_t frame = 0;
  bool kept = false;  ///< it was there already
  std::uint64_t grains = 0;
  double seconds = 0;    ///< for this picture
  double remaining = 0;  ///< s; negative when unknown
  std::filesystem::path file;
};

struct SequenceReport {
  std::size_t rendered = 0, kept = 0;
  std::filesystem::path folder;
  std::filesystem::path film;  ///< empty: none was made
  std::string film_note;       ///< why not, when it was wanted
  bool film_failed = false;
  bool interrupted = false;
};

using ProgressCall = std::function<void(const PictureProgress&)>;
using StopQuestion = std::function<bool()>;

Result<SequenceReport> render_sequence(const SequenceOptions& options, const Executor& executor,
                                       const ProgressCall& progress, const StopQuestion& stop);

}  // namespace talus
