#include "frames/block_codec.h"

#include <zstd.h>

#include <cstring>
#include <memory>

namespace talus {

namespace {

// Level 1: higher levels gain nothing on mantissa bits and run at a third of the speed
// (docs/run-folder.md has the figures).
constexpr int zstd_level = 1;

template <class T>
void to_differences(std::span<std::byte> items) {
  T previous = 0;
  for (std::size_t at = 0; at + sizeof(T) <= items.size(); at += sizeof(T)) {
    T value;
    std::memcpy(&value, &items[at], sizeof(T));
    const T difference = static_cast<T>(value - previous);
    std::memcpy(&items[at], &difference, sizeof(T));
    previous = value;
  }
}

template <class T>
void from_differences(std::span<std::byte> items) {
  T sum = 0;
  for (std::size_t at = 0; at + sizeof(T) <= items.size(); at += sizeof(T)) {
    T difference;
    std::memcpy(&difference, &items[at], sizeof(T));
    sum = static_cast<T>(sum + difference);
    std::memcpy(&items[at], &sum, sizeof(T));
  }
}

void differences(std::span<std::byte> items, std::uint32_t item_bytes, bool forward) {
  switch (item_bytes) {
    case 1:
      return forward ? to_differences<std::uint8_t>(items) : from_differences<std::uint8_t>(items);
    case 4:
      return forward ? to_differences<std::uint32_t>(items)
                     : from_differences<std::uint32_t>(items);
    case 8:
      return forward ? to_differences<std::uint64_t>(items)
                     : from_differences<std::uint64_t>(items);
    default: return;
  }
}

/// to[plane * rows + row] = from[row * planes + plane], in strips that stay in the first cache.
void transpose(const std::byte* from, std::byte* to, std::size_t rows, std::size_t planes) {
  constexpr std::size_t strip = 256;
  for (std::size_t begin = 0; begin < rows; begin += strip) {
    const std::size_t end = std::min(rows, begin + strip);
    for (std::size_t p = 0; p < planes; ++p)
      for (std::size_t r = begin; r < end; ++r) to[p * rows + r] = from[r * planes + p];
  }
}

struct FreeCompressor {
  void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
};

}  // namespace

std::vector<std::byte> encode_block(std::span<const std::byte> items, std::uint32_t item_bytes,
                                    bool delta) {
  std::vector<std::byte> planes(items.size());
  const std::size_t rows = items.size() / item_bytes;
  if (delta) {
    std::vector<std::byte> changed(items.begin(), items.end());
    differences(changed, item_bytes, true);
    transpose(changed.data(), planes.data(), rows, item_bytes);
  } else {
    transpose(items.data(), planes.data(), rows, item_bytes);
  }
  const std::unique_ptr<ZSTD_CCtx, FreeCompressor> context(ZSTD_createCCtx());
  if (!context) return {};
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_compressionLevel, zstd_level);
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_checksumFlag, 1);
  std::vector<std::byte> packed(ZSTD_compressBound(planes.size()));
  const std::size_t size =
      ZSTD_compress2(context.get(), packed.data(), packed.size(), planes.data(), planes.size());
  if (ZSTD_isError(size)) return {};
  packed.resize(size);
  return packed;
}

std::string decode_block(std::span<const std::byte> packed, std::uint32_t item_bytes, bool delta,
                         std::span<std::byte> items) {
  if (ZSTD_getFrameContentSize(packed.data(), packed.size()) != items.size())
    return "its size is not the one the header promises";
  // A frame without its trailing checksum, or with a second frame behind it, is not ours.
  if (ZSTD_findFrameCompressedSize(packed.data(), packed.size()) != packed.size())
    return "it is cut short or has bytes behind its end";
  std::vector<std::byte> planes(items.size());
  const std::size_t size =
      ZSTD_decompress(planes.data(), planes.size(), packed.data(), packed.size());
  if (ZSTD_isError(size)) return ZSTD_getErrorName(size);
  if (size != items.size()) return "it unpacks to fewer bytes than the header promises";
  transpose(planes.data(), items.data(), item_bytes, items.size() / item_bytes);
  if (delta) differences(items, item_bytes, false);
  return {};
}

}  // namespace talus
