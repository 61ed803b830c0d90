// The only file that sees OpenVDB.

#include "geometry/distance_blocks.h"

#include <openvdb/openvdb.h>
#include <openvdb/tools/SignedFloodFill.h>

#include <cmath>

namespace talus {
namespace {

constexpr int side = DistanceBlocks::side;
constexpr int values_side = DistanceBlocks::values_side;

}  // namespace

Status write_vdb(const std::string& path, const DistanceBlocks& b) try {
  openvdb::initialize();
  const auto grid = openvdb::FloatGrid::create(static_cast<float>(b.band));
  grid->setName("surface");
  grid->setGridClass(openvdb::GRID_LEVEL_SET);
  grid->setTransform(openvdb::math::Transform::createLinearTransform(b.voxel));
  auto values = grid->getAccessor();
  const openvdb::Coord lower(static_cast<int>(std::lround(b.origin.x / b.voxel)),
                             static_cast<int>(std::lround(b.origin.y / b.voxel)),
                             static_cast<int>(std::lround(b.origin.z / b.voxel)));
  for (std::size_t entry = 0; entry < b.table.size(); ++entry) {
    if (b.table[entry] < 0) continue;
    const int index = static_cast<int>(entry);
    const openvdb::Coord corner =
        lower.offsetBy(index % b.blocks.x * side, index / b.blocks.x % b.blocks.y * side,
                       index / b.blocks.x / b.blocks.y * side);
    const float* block =
        b.values.data() + static_cast<std::size_t>(b.table[entry]) * DistanceBlocks::block_values;
    for (int z = 0; z < side; ++z)
      for (int y = 0; y < side; ++y)
        for (int x = 0; x < side; ++x) {
          const float d = block[(z * values_side + y) * values_side + x];
          if (std::abs(d) < static_cast<float>(b.band))
            values.setValue(corner.offsetBy(x, y, z), d);
          else
            values.setValueOff(corner.offsetBy(x, y, z),
                               std::copysign(static_cast<float>(b.band), d));
        }
  }
  openvdb::tools::signedFloodFill(grid->tree());
  openvdb::io::File file(path);
  file.setCompression(openvdb::io::COMPRESS_ZIP | openvdb::io::COMPRESS_ACTIVE_MASK);
  file.write({grid});
  file.close();
  return {};
} catch (const std::exception& e) {
  return work_error("{}: the field cannot be written: {}", path, e.what());
}

}  // namespace talus
