// Distance fields on disk, under a hash of the mesh and of the voxel size. Files appear whole or
// not at all; a damaged or foreign file is as good as none.
#pragma once

#include "geometry/distance_blocks.h"

#include <optional>
#include <string>

namespace talus {

class FieldCache {
 public:
  /// An empty folder: nothing is read or written.
  FieldCache(const std::string& folder, const Mesh& mesh, double voxel, double band);

  const std::string& path() const { return path_; }
  std::optional<DistanceBlocks> read() const;
  /// Keeps quiet when the disk refuses: the cache saves time and nothing else.
  void write(const DistanceBlocks& blocks) const;

 private:
  std::string path_;
  std::uint64_t key_[2] = {};
};

}  // namespace talus
