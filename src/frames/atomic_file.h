// A file that appears under its name whole or not at all: written under a temporary name beside it,
// flushed to the disk, renamed, and the folder flushed. A crash leaves the old file, or the new
// one.
#pragma once

#include "core/error.h"

#include <cstdint>
#include <filesystem>
#include <span>
#include <string_view>

namespace talus {

class AtomicFile {
 public:
  static Result<AtomicFile> create(const std::filesystem::path& path);
  AtomicFile(AtomicFile&& other) noexcept;
  AtomicFile& operator=(AtomicFile&&) = delete;
  /// Without commit() the temporary file is removed and nothing has happened.
  ~AtomicFile();

  Status append(std::span<const std::byte> bytes);
  /// Overwrites bytes that have been appended.
  Status rewrite(std::uint64_t offset, std::span<const std::byte> bytes);
  std::uint64_t size() const { return size_; }
  Status commit();

 private:
  AtomicFile(std::filesystem::path path, std::filesystem::path temporary, int descriptor)
      : path_(std::move(path)), temporary_(std::move(temporary)), descriptor_(descriptor) {}
  Status write_at(std::uint64_t offset, std::span<const std::byte> bytes);

  std::filesystem::path path_, temporary_;
  int descriptor_ = -1;
  std::uint64_t size_ = 0;
};

/// The whole of a small text file, in one call.
Status write_text_file(const std::filesystem::path& path, std::string_view text);
/// Refuses files above `limit` bytes.
Result<std::string> read_text_file(const std::filesystem::path& path, std::uint64_t limit);

/// "cannot write PATH: no space left on device", with what to do next. `code` is an errno value.
Error file_error(std::string_view action, const std::filesystem::path& path, int code);

}  // namespace talus
