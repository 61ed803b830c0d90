// The container behind frames and checkpoints: named columns of equal-sized items, compressed in
// blocks, described by a JSON header. Layout, byte by byte, in docs/run-folder.md.
//
// Why this shape: a block is one zstd frame of at most 1 MiB of raw items, so columns compress on
// all cores, memory stays small, and one column is read without the others. Inside a block the
// bytes are transposed (all first bytes of the items, then all second bytes, ...), which groups the
// exponents of floats; scalar integers are replaced by differences first, which turns sorted ids
// into almost nothing. Every value of a file is covered by a check: the prelude by its own content,
// the header by a CRC-32, the items of a block by the checksum inside zstd.
#pragma once

#include "core/error.h"
#include "core/parallel.h"
#include "frames/atomic_file.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace talus {

inline constexpr std::uint32_t container_version = 1;

struct ColumnInfo {
  std::string name;
  std::string unit;
  std::string meaning;
  std::string type;   ///< particles/store.h name, e.g. "vec3f"; "bytes" in checkpoints
  std::string dtype;  ///< numpy name of one scalar, e.g. "<f4"
  std::uint32_t item_bytes = 1;
  std::uint32_t components = 1;  ///< scalars in one item
  bool delta = false;            ///< scalar unsigned integers only: differences before transposing
  std::uint64_t count = 0;       ///< items; set by the writer
};

struct ColumnBlock {
  std::uint64_t offset = 0, bytes = 0;  ///< of the compressed bytes in the file
};

class ContainerWriter {
 public:
  static Result<ContainerWriter> create(const std::filesystem::path& path, std::string kind);
  ContainerWriter(ContainerWriter&&) noexcept;
  ~ContainerWriter();

  Status add_column(ColumnInfo info, std::span<const std::byte> items, const Executor& executor);
  /// Blocks that encode_block() made elsewhere, all but the last of items_per_block() items.
  Status add_packed_column(ColumnInfo info, std::uint64_t count,
                           std::span<const std::vector<std::byte>> blocks);
  /// `metadata` is the text of a JSON object. After this the file exists.
  Status finish(std::string_view metadata);

 private:
  struct Column {
    ColumnInfo info;
    std::vector<ColumnBlock> blocks;
  };
  ContainerWriter(AtomicFile file, std::string kind);

  AtomicFile file_;
  std::string kind_;
  std::vector<Column> columns_;
};

/// Where a reader gets its bytes: a file, or memory (for the fuzzer).
class ByteSource;

class ContainerReader {
 public:
  /// Checks prelude, version, header and the place of every block before it returns.
  static Result<ContainerReader> open(const std::filesystem::path& path, std::string_view kind);
  static Result<ContainerReader> open_memory(std::span<const std::byte> bytes,
                                             std::string_view kind);
  ContainerReader(ContainerReader&&) noexcept;
  ~ContainerReader();

  const std::string& path() const { return path_; }
  const std::string& metadata() const { return metadata_; }  ///< a JSON object
  std::size_t column_count() const { return columns_.size(); }
  const ColumnInfo& column(std::size_t index) const { return columns_[index].info; }
  int find(std::string_view name) const;
  std::uint64_t column_bytes(std::size_t index) const;
  std::uint64_t compressed_bytes(std::size_t index) const;

  /// Reads, checks and unpacks one column into `out`, which has column_bytes(index) bytes.
  Status read(std::size_t index, std::span<std::byte> out, const Executor& executor) const;

 private:
  struct Column {
    ColumnInfo info;
    std::vector<ColumnBlock> blocks;
  };
  ContainerReader(std::unique_ptr<ByteSource> source, std::string path);
  static Result<ContainerReader> open_source(std::unique_ptr<ByteSource> source, std::string path,
                                             std::string_view kind);
  Status parse_header(std::string_view header, std::string_view kind);
  Error damaged(std::string_view what) const;

  std::unique_ptr<ByteSource> source_;
  std::string path_;
  std::string metadata_;
  std::vector<Column> columns_;
};

}  // namespace talus
