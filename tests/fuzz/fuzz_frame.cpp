// Fuzzes the reader of frames: any bytes must give a frame or an error, never a crash.
#include "frame_fixup.h"
#include "frames/frame.h"

#include <cstddef>
#include <cstdint>
#include <span>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace talus;
  static const Executor executor(1);
  auto frame = FrameFile::open_memory(std::as_bytes(std::span(data, size)));
  if (!frame.ok()) return 0;
  constexpr std::uint64_t too_many = 1u << 20;  // a valid header may promise more than memory holds
  for (std::size_t f = 0; f < frame->fields().size() && frame->count() < too_many; ++f)
    if (!frame->read_bytes(f, executor).ok()) continue;
  return 0;
}
