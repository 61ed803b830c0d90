// A CSV file that grows by rows and can be cut back to where a checkpoint was taken.
#pragma once

#include "core/error.h"

#include <cstdint>
#include <filesystem>
#include <string_view>

namespace talus {

class CsvTable {
 public:
  /// Starts the file with `header`, or, with keep_bytes > 0, cuts an existing file to that size.
  /// An error when the file is shorter than that.
  static Result<CsvTable> open(const std::filesystem::path& path, std::string_view header,
                               std::uint64_t keep_bytes = 0);
  CsvTable(CsvTable&& other) noexcept;
  CsvTable& operator=(CsvTable&&) = delete;
  ~CsvTable();

  /// `row` without the line end.
  Status append(std::string_view row);
  /// To the disk; after this, bytes() is safe to write into a checkpoint.
  Status flush();
  std::uint64_t bytes() const { return bytes_; }

 private:
  CsvTable(std::filesystem::path path, int descriptor, std::uint64_t bytes)
      : path_(std::move(path)), descriptor_(descriptor), bytes_(bytes) {}

  std::filesystem::path path_;
  int descriptor_ = -1;
  std::uint64_t bytes_ = 0;
};

}  // namespace talus
