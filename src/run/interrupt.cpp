#include "run/interrupt.h"

#include <csignal>

namespace talus {

namespace {

// A signal handler can reach nothing but static storage.
volatile std::sig_atomic_t signal_seen = 0;

void on_signal(int number) {
  signal_seen = 1;
  std::signal(number, SIG_DFL);
}

}  // namespace

InterruptWatch::InterruptWatch() {
  signal_seen = 0;
  std::signal(SIGINT, on_signal);
  std::signal(SIGTERM, on_signal);
}

InterruptWatch::~InterruptWatch() {
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
}

bool InterruptWatch::interrupted() const { return signal_seen != 0; }

}  // namespace talus
