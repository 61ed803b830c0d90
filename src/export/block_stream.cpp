#include "export/block_stream.h"

#include <algorithm>
#include <blosc.h>
#include <string_view>

namespace talus {

namespace {

constexpr std::size_t blocks_at_once = 32;
constexpr int level = 5;
// Bytes of equal weight of four-byte numbers together; most of what is written are such numbers.
constexpr std::size_t shuffled_bytes = 4;

std::size_t pack_block(std::span<const std::byte> block, std::vector<std::byte>& out) {
  out.resize(BlockStream::block_bytes + BLOSC_MAX_OVERHEAD);
  const int bytes =
      blosc_compress_ctx(level, BLOSC_SHUFFLE, shuffled_bytes, block.size(), block.data(),
                         out.data(), out.size(), BLOSC_LZ4_COMPNAME, 0, 1);
  return bytes > 0 ? static_cast<std::size_t>(bytes) : 0;
}

void put(std::vector<std::byte>& out, std::string_view text) {
  for (const char c : text) out.push_back(static_cast<std::byte>(c));
}

void put_big_endian(std::vector<std::byte>& out, std::uint64_t value) {
  for (int shift = 56; shift >= 0; shift -= 8)
    out.push_back(static_cast<std::byte>(value >> shift));
}

}  // namespace

BlockStream::BlockStream(AtomicFile& file, const Executor& executor)
    : file_(file), executor_(executor) {
  std::vector<std::byte> head;
  put(head, "scf1");
  put_big_endian(head, 0);
  status_ = file_.append(head);
}

BlockStream::~BlockStream() { writer_.wait(); }

void BlockStream::append(std::span<const std::byte> bytes) {
  std::vector<std::span<const std::byte>> blocks;
  if (!begun_.empty()) {
    const std::size_t n = std::min(block_bytes - begun_.size(), bytes.size());
    begun_.insert(begun_.end(), bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(n));
    bytes = bytes.subspan(n);
    if (begun_.size() == block_bytes) blocks.emplace_back(begun_);
  }
  for (; bytes.size() >= block_bytes; bytes = bytes.subspan(block_bytes))
    blocks.push_back(bytes.first(block_bytes));
  for (std::size_t b = 0; b < blocks.size(); b += blocks_at_once)
    pack(std::span(blocks).subspan(b, std::min(blocks_at_once, blocks.size() - b)));
  if (begun_.size() == block_bytes) begun_.clear();
  begun_.insert(begun_.end(), bytes.begin(), bytes.end());
}

void BlockStream::pack(std::span<const std::span<const std::byte>> blocks) {
  Batch& batch = batches_[next_];
  next_ = 1 - next_;
  batch.count = blocks.size();
  batch.packed.resize(std::max(batch.packed.size(), blocks.size()));
  batch.bytes.resize(batch.packed.size());
  executor_.run_chunks(blocks.size(), [&](std::size_t b) {
    batch.bytes[b] = pack_block(blocks[b], batch.packed[b]);
  });
  last_block_ = blocks.back().size();
  writer_.start([this, &batch] { write(batch); });
}

void BlockStream::write(const Batch& batch) {
  for (std::size_t b = 0; b < batch.count && status_; ++b) {
    if (batch.bytes[b] == 0) {
      status_ = work_error("a block of data could not be packed: not enough memory");
      return;
    }
    places_.push_back(file_.size());
    status_ = file_.append(std::span(batch.packed[b]).first(batch.bytes[b]));
  }
}

Status BlockStream::finish() {
  const std::span<const std::byte> last(begun_);
  if (!last.empty()) pack({&last, 1});
  writer_.wait();
  if (!status_) return status_;
  std::vector<std::byte> index;
  put_big_endian(index, block_bytes);
  put_big_endian(index, last_block_);
  for (const std::uint64_t place : places_) put_big_endian(index, place);
  put_big_endian(index, index.size());
  put(index, "1fcs");
  return file_.append(index);
}

}  // namespace talus
