// Pictures of a recording, written beside the drawing, and the film that is made of them.
#pragma once

#include "core/error.h"
#include "core/hand_over.h"
#include "core/parallel.h"
#include "render/image.h"

#include <filesystem>
#include <string>
#include <vector>

namespace talus::view {

class Recorder {
 public:
  ~Recorder() { work_.wait(); }

  /// The folder is made; pictures of an older recording in it are an error.
  Status start(const std::filesystem::path& folder, double frames_per_second);
  bool on() const { return on_; }
  std::size_t pictures() const { return files_.size(); }
  /// Waits when the disk is slower than the drawing.
  void add(ScreenImage image);
  /// Makes film.mp4 in the folder, beside the drawing; take_messages() tells how it went.
  void finish();
  std::vector<std::string> take_messages() { return messages_.take_all(); }
  void wait() { work_.wait(); }

 private:
  std::filesystem::path folder_;
  std::vector<std::filesystem::path> files_;
  double rate_ = 25;
  bool on_ = false;
  Mailbox<std::string> messages_;
  BackgroundWork work_;
};

/// talus_0001.png, or the next number that is free.
std::filesystem::path free_name(const std::filesystem::path& folder, const std::string& stem,
                                const std::string& extension);

}  // namespace talus::view
