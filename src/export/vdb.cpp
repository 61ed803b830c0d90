// OpenVDB points: P (uncompressed, relative to the voxel), v, id, pscale, Cd in a PointDataGrid
// named "points", and on request a FloatGrid "density" with the volume fraction of the grains.
// Voxels are sized for about eight grains each, which keeps both the tree and the leaves small.
//
// OpenVDB's own converter sorts on all cores; its headers take a minute to compile, so they stay in
// this file.
#include "export/formats.h"
#include "frames/atomic_file.h"

#include <openvdb/openvdb.h>
#include <openvdb/points/PointConversion.h>
#include <openvdb/points/PointDataGrid.h>
#include <openvdb/tools/PointIndexGrid.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <sstream>

namespace talus {

namespace {

using openvdb::Name;
namespace points = openvdb::points;

/// What OpenVDB's algorithms want to see of an array of positions.
class PositionList {
 public:
  using PosType = openvdb::Vec3f;
  using value_type = openvdb::Vec3f;
  explicit PositionList(std::span<const Vec3f> positions) : positions_(positions) {}
  std::size_t size() const { return positions_.size(); }
  template <class V>
  void getPos(std::size_t i, V& out) const {
    const Vec3f& p = positions_[i];
    out = V(p.x, p.y, p.z);
  }

 private:
  std::span<const Vec3f> positions_;
};

/// The same for an attribute.
template <class Out, class In>
class ValueList {
 public:
  using value_type = Out;
  explicit ValueList(std::span<const In> values) : values_(values) {}
  std::size_t size() const { return values_.size(); }
  template <class T>
  void get(T& out, std::size_t i, openvdb::Index = 0) const {
    if constexpr (std::is_same_v<In, Vec3f>)
      out = T(values_[i].x, values_[i].y, values_[i].z);
    else
      out = static_cast<T>(values_[i]);
  }

 private:
  std::span<const In> values_;
};

template <class Out, class In>
void add_attribute(points::PointDataTree& tree, const openvdb::tools::PointIndexTree& index,
                   const Name& name, std::span<const In> values) {
  if (values.empty()) return;
  points::appendAttribute<Out>(tree, name);
  points::populateAttribute(tree, index, name, ValueList<Out, In>(values));
}

/// Edge of a voxel: for about eight grains of mean radius r in random packing, 2 * 2 r.
double voxel_size(const Cloud& cloud) {
  const auto radius = cloud.values<float>("radius");
  double sum = 0;
  for (const float r : radius) sum += r;
  const double mean = radius.empty() ? 0.01 : sum / static_cast<double>(radius.size());
  return 4 * std::max(mean, 1e-6);
}

points::PointDataGrid::Ptr point_grid(const Cloud& cloud,
                                      const openvdb::math::Transform& transform) {
  const PositionList positions(cloud.values<Vec3f>("position"));
  const auto index =
      openvdb::tools::createPointIndexGrid<openvdb::tools::PointIndexGrid>(positions, transform);
  auto grid = points::createPointDataGrid<points::NullCodec, points::PointDataGrid>(
      *index, positions, transform);
  points::PointDataTree& tree = grid->tree();
  const auto& order = index->tree();
  add_attribute<openvdb::Vec3f>(tree, order, "v", cloud.values<Vec3f>("velocity"));
  add_attribute<std::int64_t>(tree, order, "id", cloud.values<std::uint64_t>("id"));
  add_attribute<float>(tree, order, "pscale", cloud.values<float>("radius"));
  add_attribute<openvdb::Vec3f>(tree, order, "Cd", cloud.values<Vec3f>("colour"));
  grid->setName("points");
  return grid;
}

/// Volume fraction: each grain's volume, spread over the eight voxel centres around it.
openvdb::FloatGrid::Ptr density_grid(const Cloud& cloud,
                                     const openvdb::math::Transform& transform) {
  auto grid = openvdb::FloatGrid::create(0.0f);
  grid->setTransform(transform.copy());
  grid->setGridClass(openvdb::GRID_FOG_VOLUME);
  grid->setName("density");
  auto access = grid->getAccessor();
  const auto position = cloud.values<Vec3f>("position");
  const auto radius = cloud.values<float>("radius");
  const double voxel_volume = transform.voxelVolume();
  for (std::size_t i = 0; i < position.size(); ++i) {
    const double r = radius.empty() ? 0 : radius[i];
    const double share = 4.0 / 3.0 * 3.14159265358979 * r * r * r / voxel_volume;
    const openvdb::Vec3d at =
        transform.worldToIndex(openvdb::Vec3d(position[i].x, position[i].y, position[i].z));
    const openvdb::Coord base = openvdb::Coord::floor(at);
    for (int corner = 0; corner < 8; ++corner) {
      const openvdb::Coord c = base.offsetBy(corner & 1, corner >> 1 & 1, corner >> 2 & 1);
      double weight = share;
      for (int axis = 0; axis < 3; ++axis) weight *= 1 - std::abs(at[axis] - c[axis]);
      access.setValue(c, access.getValue(c) + static_cast<float>(weight));
    }
  }
  return grid;
}

}  // namespace

Status write_vdb(const Cloud& cloud, const std::filesystem::path& path,
                 const ExportSettings& settings, const Executor&) {
  // OpenVDB writes through a stream of its own; the temporary name keeps half a file out of sight.
  const std::filesystem::path temporary = path.string() + ".tmp";
  try {
    openvdb::initialize();
    const auto transform = openvdb::math::Transform::createLinearTransform(voxel_size(cloud));
    openvdb::GridPtrVec grids{point_grid(cloud, *transform)};
    if (settings.density) grids.push_back(density_grid(cloud, *transform));
    for (auto& grid : grids) {
      grid->insertMeta("time", openvdb::DoubleMetadata(cloud.info.time));
      grid->insertMeta("frame",
                       openvdb::Int64Metadata(static_cast<std::int64_t>(cloud.info.index)));
    }
    openvdb::io::File file(temporary.string());
    file.setCompression(openvdb::io::COMPRESS_ACTIVE_MASK | openvdb::io::COMPRESS_BLOSC);
    file.write(grids);
    file.close();
  } catch (const std::exception& e) {
    std::error_code ignored;
    std::filesystem::remove(temporary, ignored);
    return work_error("cannot write {}: {}", path.string(), e.what());
  }
  std::error_code code;
  std::filesystem::rename(temporary, path, code);
  if (code) return file_error("write", path, code.value());
  return {};
}

}  // namespace talus
