#include "view/timeline.h"

#include <algorithm>
#include <cmath>

namespace talus::view {

void Timeline::set_count(std::size_t count) {
  count_ = count;
  if (follow && count_ > 0) current_ = count_ - 1;
  current_ = std::min(current_, count_ > 0 ? count_ - 1 : 0);
}

void Timeline::go_to(std::size_t frame) {
  current_ = std::min(frame, count_ > 0 ? count_ - 1 : 0);
  due_ = 0;
  if (current_ + 1 < count_) follow = false;
}

void Timeline::step(int frames) {
  playing_ = false;
  const auto target = static_cast<std::ptrdiff_t>(current_) + frames;
  go_to(static_cast<std::size_t>(std::max<std::ptrdiff_t>(target, 0)));
}

void Timeline::set_playing(bool playing) {
  playing_ = playing && count_ > 1;
  due_ = 0;
  if (playing_ && !follow && current_ + 1 >= count_) current_ = 0;
}

bool Timeline::advance(double seconds, bool ready) {
  if (!playing_ || follow || !ready) return false;
  due_ += std::max(seconds, 0.0) * frame_rate_ * std::max(speed, 0.0);
  if (due_ < 1) return false;
  const double whole = std::floor(due_);
  due_ -= whole;
  const std::size_t before = current_;
  const auto passed = static_cast<std::size_t>(std::min(whole, 1e6));
  if (current_ + passed < count_) {
    current_ += passed;
  } else if (current_ + 1 < count_) {
    current_ = count_ - 1;  // the last one is always seen
  } else if (loop) {
    current_ = 0;
  } else {
    playing_ = false;
  }
  return current_ != before;
}

}  // namespace talus::view
