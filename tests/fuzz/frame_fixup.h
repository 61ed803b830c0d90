// Mutations of a container must get past its checksum, or the fuzzer never sees the parser behind
// it. After each mutation the prelude is made right again.
#pragma once

#include "frames/checksum.h"
#include "frames/container.h"
#include "frames/prelude.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

// Only there when linked with libFuzzer; the replay of the corpus does without.
extern "C" __attribute__((weak)) std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size,
                                                              std::size_t max_size);

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t max_size, unsigned int seed) {
  using namespace talus;
  size = LLVMFuzzerMutate(data, size, max_size);
  Prelude prelude;
  if (size < sizeof prelude || seed % 16 == 0) return size;
  std::memcpy(&prelude.header_offset, data + offsetof(Prelude, header_offset),
              sizeof prelude.header_offset);
  if (prelude.header_offset < sizeof prelude || prelude.header_offset > size) return size;
  prelude.version = container_version;
  prelude.header_bytes = size - prelude.header_offset;
  const auto bytes = std::as_bytes(std::span(data, size));
  prelude.header_crc = crc32(bytes.subspan(prelude.header_offset));
  std::memcpy(data, &prelude, sizeof prelude);
  return size;
}
