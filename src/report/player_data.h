// What the player of a report shows: frames of a thinned cloud, and the stage around it.
#pragma once

#include "frames/atomic_file.h"
#include "render/run_source.h"
#include "render/survey.h"
#include "report/cloud.h"
#include "run/manifest.h"

#include <optional>
#include <string>
#include <vector>

namespace talus::report {

class PlayerData {
 public:
  /// `run` without frames: those of the manifest are chosen from.
  PlayerData(RunSource run, const Manifest& manifest, const CloudLimits& limits);

  /// Script elements with the frames, one frame in memory at a time. Frames that cannot be read
  /// are left out, with a note; an error only when the file cannot be written.
  Status write_frames(AtomicFile& file, std::vector<std::string>& notes, const Executor& executor);
  /// Everything else, as JSON; after write_frames().
  Result<std::string> json() const;

  const RunSource& run() const { return run_; }
  std::size_t frames() const { return infos_.size(); }
  std::size_t damaged() const { return damaged_; }  ///< frames that could not be read
  std::size_t spheres() const { return encoder_ ? encoder_->spheres() : 0; }
  double share() const { return filter_.share(); }  ///< of the particles

 private:
  struct Encoded {
    FrameInfo info;
    std::string text;
  };
  void skip(const Error& error, std::vector<std::string>& notes);
  void survey(std::vector<std::string>& notes, const Executor& executor);
  void measure(const Executor& executor);
  Result<Encoded> encode(const FrameEntry& entry, const Executor& executor);

  RunSource run_;
  CloudLimits limits_;
  std::uint64_t most_ = 0, sum_ = 0;  ///< particles at once, and of all frames together
  Survey survey_;
  PlaceGrid grid_;
  IdFilter filter_;
  std::optional<CloudEncoder> encoder_;
  std::vector<FrameInfo> infos_;
  std::size_t damaged_ = 0;
};

}  // namespace talus::report
