// A share of the grains to and from the disk: frames for others, checkpoints for ourselves.
#pragma once

#include "core/error.h"
#include "detail/grain_cloud.h"
#include "frames/container.h"
#include "frames/detail_frame.h"

#include <filesystem>
#include <string>
#include <vector>

namespace talus::detail {

/// A file in memory, compressed, ready to be written while the next frame is computed.
struct PackedFile {
  struct Column {
    ColumnInfo info;
    std::uint64_t count = 0;
    std::vector<std::vector<std::byte>> blocks;
  };
  std::string kind, metadata;
  std::vector<Column> columns;

  std::size_t bytes() const;
};

PackedFile pack_frame(const GrainCloud& cloud, const FrameInfo& base, const std::string& settings,
                      double step_seconds, const Executor& executor);
PackedFile pack_checkpoint(const GrainCloud& cloud, std::uint64_t frame,
                           const std::string& settings, const Executor& executor);
/// Whole or not at all.
Status write_packed(const std::filesystem::path& path, const PackedFile& file);

/// Fills an empty cloud, and returns the frame that the checkpoint was made at.
Result<std::uint64_t> read_checkpoint_into(const std::filesystem::path& path,
                                           const std::string& settings, GrainCloud& cloud,
                                           const Executor& executor);

/// Whole numbers along a tile's edge, such that rounding to them moves a grain by less than 1 % of
/// its radius.
std::uint32_t position_levels(double tile_size, double grain_radius);

}  // namespace talus::detail
