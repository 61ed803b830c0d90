// Houdini's seekable compressed container, the .sc of .bgeo.sc: a stream of bytes, cut into blocks
// of one size that are packed one by one, on all cores, and written while the next are being
// packed.
//
// Layout: "scf1"; 8 bytes that are 0 (no metadata); the blocks, each a Blosc buffer that tells its
// own sizes; the index; "1fcs". The marks and what the index knows (block size, size of the last
// block, a 64-bit place for each block, its own length) are in SideFX's documentation of
// UT_SCFCommon.h and UT_CompressedBlockIndex.h; the order and byte order of the index are not, so
// that part of a file is our reading of it: block size, last block size, the blocks' offsets in the
// file, then the bytes of all these, each as a big-endian 64-bit number. Whoever reads a file from
// its start needs no index.
#pragma once

#include "core/error.h"
#include "core/parallel.h"
#include "frames/atomic_file.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace talus {

class BlockStream {
 public:
  static constexpr std::size_t block_bytes = std::size_t{1} << 20;

  BlockStream(AtomicFile& file, const Executor& executor);
  ~BlockStream();

  /// Takes the next bytes of the stream. A failure to write stays, and is told by finish().
  void append(std::span<const std::byte> bytes);
  /// The last block, the index, the end.
  Status finish();

 private:
  /// Blocks on their way to the file.
  struct Batch {
    std::vector<std::vector<std::byte>> packed;
    std::vector<std::size_t> bytes;
    std::size_t count = 0;
  };

  void pack(std::span<const std::span<const std::byte>> blocks);
  void write(const Batch& batch);

  AtomicFile& file_;
  const Executor& executor_;
  std::vector<std::byte> begun_;  ///< a block that is not full yet
  Batch batches_[2];
  std::size_t next_ = 0;
  std::size_t last_block_ = 0;  ///< bytes
  std::vector<std::uint64_t> places_;
  Status status_;
  BackgroundWork writer_;
};

}  // namespace talus
