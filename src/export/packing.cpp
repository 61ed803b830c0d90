#include "export/packing.h"

#include <algorithm>
#include <zlib.h>

namespace talus {

namespace {

constexpr int level = 1;  // the next ones gain little on floats and take several times as long

std::size_t block_count(std::size_t bytes) {
  return (bytes + packing_block_bytes - 1) / packing_block_bytes;
}

std::span<const std::byte> block_of(std::span<const std::byte> bytes, std::size_t b) {
  const std::size_t begin = b * packing_block_bytes;
  return bytes.subspan(begin, std::min(packing_block_bytes, bytes.size() - begin));
}

/// Raw deflate; all blocks but the last end on a byte and leave the stream open.
std::vector<std::byte> deflate_block(std::span<const std::byte> bytes, bool last) {
  z_stream stream{};
  if (deflateInit2(&stream, level, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY) != Z_OK) return {};
  std::vector<std::byte> out(deflateBound(&stream, bytes.size()) + 16);
  stream.next_in = const_cast<Bytef*>(reinterpret_cast<const Bytef*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, last ? Z_FINISH : Z_FULL_FLUSH);
  out.resize(out.size() - stream.avail_out);
  deflateEnd(&stream);
  return out;
}

}  // namespace

std::vector<std::vector<std::byte>> zlib_blocks(std::span<const std::byte> bytes,
                                                const Executor& executor) {
  std::vector<std::vector<std::byte>> out(block_count(bytes.size()));
  executor.run_chunks(out.size(), [&](std::size_t b) {
    const auto block = block_of(bytes, b);
    uLongf packed = compressBound(block.size());
    out[b].resize(packed);
    const int code = compress2(reinterpret_cast<Bytef*>(out[b].data()), &packed,
                               reinterpret_cast<const Bytef*>(block.data()), block.size(), level);
    out[b].resize(code == Z_OK ? packed : 0);
    out[b].shrink_to_fit();
  });
  return out;
}

Deflated deflate_stream(std::span<const std::byte> bytes, const Executor& executor) {
  const std::size_t blocks = std::max<std::size_t>(block_count(bytes.size()), 1);
  Deflated out;
  out.pieces.resize(blocks);
  std::vector<std::uint32_t> crc(blocks);
  executor.run_chunks(blocks, [&](std::size_t b) {
    const auto block = block_of(bytes, b);
    out.pieces[b] = deflate_block(block, b + 1 == blocks);
    crc[b] = static_cast<std::uint32_t>(
        ::crc32_z(0, reinterpret_cast<const Bytef*>(block.data()), block.size()));
  });
  for (std::size_t b = 0; b < blocks; ++b) {
    out.bytes += out.pieces[b].size();
    out.crc = static_cast<std::uint32_t>(
        crc32_combine(out.crc, crc[b], static_cast<z_off_t>(block_of(bytes, b).size())));
  }
  return out;
}

}  // namespace talus
