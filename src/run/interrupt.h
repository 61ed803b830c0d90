// Ctrl-C and SIGTERM as a question one can ask between two steps.
#pragma once

namespace talus {

/// While it lives, the first signal only sets the answer; a second one ends the process at once.
/// One at a time: signal handlers belong to the whole process.
class InterruptWatch {
 public:
  InterruptWatch();
  ~InterruptWatch();
  InterruptWatch(const InterruptWatch&) = delete;
  InterruptWatch& operator=(const InterruptWatch&) = delete;

  bool interrupted() const;
};

}  // namespace talus
