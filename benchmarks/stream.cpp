#include "stream.h"

#include "core/timer.h"

#include <algorithm>
#include <cstring>
#include <vector>

namespace talus {

std::uint64_t sum_words(std::span<const std::byte> bytes, const Executor& executor) {
  constexpr std::size_t word = sizeof(std::uint64_t);
  const std::byte* data = bytes.data();
  return executor.reduce<std::uint64_t>(
      bytes.size() / word, 0,
      [&](std::size_t begin, std::size_t end) {
        std::uint64_t sum = 0;
        for (std::size_t i = begin; i < end; ++i) {
          std::uint64_t value;
          std::memcpy(&value, data + i * word, word);
          sum += value;
        }
        return sum;
      },
      [](std::uint64_t a, std::uint64_t b) { return a + b; });
}

double stream_seconds(std::size_t bytes, const Executor& executor) {
  const std::vector<std::byte> memory(bytes, std::byte{1});
  double best = 1e300;
  volatile std::uint64_t sink = 0;
  for (int pass = 0; pass < 5; ++pass) {
    const double start = seconds_now();
    sink = sum_words(memory, executor);
    best = std::min(best, seconds_now() - start);
  }
  static_cast<void>(sink);
  return best;
}

}  // namespace talus
