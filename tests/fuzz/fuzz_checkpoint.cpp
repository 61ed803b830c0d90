// Fuzzes the reader of checkpoints: any bytes must give a state or an error, never a crash.
#include "frame_fixup.h"
#include "frames/checkpoint.h"
#include "frames/container.h"

#include <cstddef>
#include <cstdint>
#include <span>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace talus;
  static const Executor executor(1);
  const auto bytes = std::as_bytes(std::span(data, size));
  const auto container = ContainerReader::open_memory(bytes, "checkpoint");
  if (!container.ok()) return 0;
  std::uint64_t total = 0;
  for (std::size_t c = 0; c < container->column_count(); ++c) total += container->column_bytes(c);
  if (total > (1u << 24)) return 0;  // a valid header may promise more than memory holds
  const auto state = read_checkpoint_memory(bytes, executor);
  static_cast<void>(state.ok());
  return 0;
}
