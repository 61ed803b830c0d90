// Which of a run's frames is shown: play, step, jump, follow a run that is still being written.
#pragma once

#include <cstddef>

namespace talus::view {

class Timeline {
 public:
  explicit Timeline(double frame_rate = 25) : frame_rate_(frame_rate > 0 ? frame_rate : 25) {}

  /// There are `count` frames now. When following, the last one is shown.
  void set_count(std::size_t count);
  std::size_t count() const { return count_; }
  std::size_t current() const { return current_; }

  void go_to(std::size_t frame);
  void step(int frames);
  void to_start() { go_to(0); }
  void to_end() { go_to(count_ > 0 ? count_ - 1 : 0); }

  /// At the end, playing starts over.
  void set_playing(bool playing);
  bool playing() const { return playing_; }
  /// Frames pass with the time of the wall; when drawing is slow, some are left out, but the last is
  /// always seen. `ready` tells whether the present one is on the screen; if not, it is waited for.
  /// True when the frame changed.
  bool advance(double seconds, bool ready);

  double speed = 1;         ///< 1 = as in nature
  bool loop = true;
  bool follow = false;      ///< stay at the newest frame

 private:
  std::size_t count_ = 0, current_ = 0;
  double frame_rate_;
  double due_ = 0;  ///< frames that should have passed
  bool playing_ = false;
};

}  // namespace talus::view
