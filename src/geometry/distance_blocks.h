// A narrow band of signed distance as plain arrays: blocks of 8^3 cells found through a dense
// table, each with the 9^3 values its cells need, so that a query touches one block; and a coarse
// grid over everything, for points beyond the band.
#pragma once

#include "core/parallel.h"
#include "geometry/distance.h"
#include "geometry/triangle_tree.h"

#include <string>
#include <vector>

namespace talus {

struct DistanceBlocks {
  static constexpr int side = 8;  ///< cells along a block's edge
  static constexpr int values_side = side + 1;
  static constexpr int block_values = values_side * values_side * values_side;

  double voxel = 0;                 ///< m
  double band = 0;                  ///< m
  Vec3d origin{};                   ///< place of the first value, m
  Vec3i blocks{};                   ///< size of the table
  std::vector<std::int32_t> table;  ///< block number, or -1; x fastest
  std::vector<float> values;        ///< block_values for each block, x fastest, m

  double coarse_step = 0;  ///< m
  Vec3d coarse_origin{};
  Vec3i coarse_size{};        ///< nodes
  std::vector<float> coarse;  ///< signed distance at the nodes, x fastest, m

  std::size_t block_count() const { return values.size() / block_values; }
  std::size_t memory_bytes() const {
    return table.size() * sizeof(std::int32_t) + (values.size() + coarse.size()) * sizeof(float);
  }
};

/// Every block with a point within `band` of the mesh, with exact distances to it: also their
/// values beyond the band are exact.
Result<DistanceBlocks> voxelise(const TriangleTree& mesh, double voxel, double band,
                                const Executor& executor);

/// Writes the band as an OpenVDB level set called "surface".
Status write_vdb(const std::string& path, const DistanceBlocks& blocks);

}  // namespace talus
