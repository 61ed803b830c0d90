// A file of fine grains: one share of the grains of a run at one instant. Positions are whole
// numbers in tiles of space (docs/run-folder.md); this turns them back into metres.
#pragma once

#include "core/error.h"
#include "core/parallel.h"
#include "frames/container.h"
#include "frames/frame.h"

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace talus {

struct DetailFrameInfo {
  FrameInfo frame;       ///< of the base: time, bodies, materials
  std::string settings;  ///< all that the grains depend on besides the base, as text
  std::uint64_t factor = 0;
  double radius = 0;         ///< m, of a grain whose base particle has the mean size
  double tile_size = 0;      ///< m
  std::uint32_t levels = 0;  ///< whole numbers along the edge of a tile
  double velocity_step = 0;  ///< m/s of one unit of the stored velocities; 0 = none are stored
};

inline constexpr std::string_view detail_frame_kind = "detail frame";

std::string detail_metadata(const DetailFrameInfo& info);

class DetailFrameFile {
 public:
  static Result<DetailFrameFile> open(const std::filesystem::path& path);

  const DetailFrameInfo& info() const { return info_; }
  std::uint64_t count() const { return count_; }
  bool has(std::string_view column) const { return container_.find(column) >= 0; }
  std::uint64_t compressed_bytes(std::string_view column) const;

  Result<std::vector<Vec3f>> positions(const Executor& executor) const;
  Result<std::vector<std::uint64_t>> ids(const Executor& executor) const;
  /// Empty when the file has none.
  Result<std::vector<Vec3f>> velocities(const Executor& executor) const;
  Result<std::vector<std::uint8_t>> shades(const Executor& executor) const;
  Result<std::vector<std::uint8_t>> materials(const Executor& executor) const;
  Result<std::vector<float>> radii(const Executor& executor) const;

 private:
  explicit DetailFrameFile(ContainerReader container) : container_(std::move(container)) {}
  Status parse();
  Error damaged(std::string_view what) const;
  template <class T>
  Result<std::vector<T>> column(std::string_view name, const Executor& executor) const;

  ContainerReader container_;
  DetailFrameInfo info_;
  std::uint64_t count_ = 0;
};

/// Files of one frame of a run's detail/ folder, one for each share, in a fixed order.
std::vector<std::filesystem::path> detail_files(const std::filesystem::path& run_folder,
                                                std::uint64_t frame);
/// Numbers of the frames that some share has, ascending.
std::vector<std::uint64_t> detail_frame_numbers(const std::filesystem::path& run_folder);

}  // namespace talus
