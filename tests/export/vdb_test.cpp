// The point grids and volumes of `talus export --to vdb`, read back with OpenVDB.
#include "export/export_run.h"
#include "frames/scratch_folder.h"
#include "render/synthetic_run.h"

#include <openvdb/openvdb.h>
#include <openvdb/points/PointCount.h>
#include <openvdb/points/PointDataGrid.h>

#include <gtest/gtest.h>
#include <map>

namespace talus {
namespace {

struct Point {
  openvdb::Vec3d position;
  openvdb::Vec3f velocity;
  float radius;
};

std::map<std::uint64_t, Point> points_of(const openvdb::points::PointDataGrid& grid) {
  using openvdb::points::AttributeHandle;
  std::map<std::uint64_t, Point> out;
  for (auto leaf = grid.tree().cbeginLeaf(); leaf; ++leaf) {
    const AttributeHandle<openvdb::Vec3f> position(leaf->constAttributeArray("P"));
    const AttributeHandle<openvdb::Vec3f> velocity(leaf->constAttributeArray("v"));
    const AttributeHandle<std::int64_t> id(leaf->constAttributeArray("id"));
    const AttributeHandle<float> radius(leaf->constAttributeArray("pscale"));
    for (auto index = leaf->beginIndexOn(); index; ++index) {
      const openvdb::Vec3d at = openvdb::Vec3d(position.get(*index)) + index.getCoord().asVec3d();
      const auto name = static_cast<std::uint64_t>(id.get(*index));
      EXPECT_EQ(out.count(name), 0u) << "id " << name << " twice";
      out[name] = {grid.indexToWorld(at), velocity.get(*index), radius.get(*index)};
    }
  }
  return out;
}

TEST(ExportVdb, PointsAndDensityAreThoseOfTheFrame) {
  ScratchFolder folder;
  const test::SyntheticRun run(folder / "run", 1, 20000);
  ExportOptions o;
  o.run = run.folder;
  o.format = "vdb";
  o.settings.density = true;
  const Executor executor(2);
  const auto report = export_run(o, executor, {});
  ASSERT_TRUE(report.ok()) << report.error().message;
  ASSERT_TRUE(report->failures.empty()) << report->failures[0];

  openvdb::initialize();
  openvdb::io::File file((run.folder / "export_vdb/grains.000000.vdb").string());
  file.open();
  const auto grid = openvdb::gridPtrCast<openvdb::points::PointDataGrid>(file.readGrid("points"));
  ASSERT_TRUE(grid);
  const auto frame = FrameFile::open(frame_path(run.folder, 0));
  const auto id = *frame->read<std::uint64_t>("id", executor);
  const auto position = *frame->read<Vec3f>("position", executor);
  const auto velocity = *frame->read<Vec3f>("velocity", executor);
  const auto radius = *frame->read<float>("radius", executor);
  const auto found = points_of(*grid);
  ASSERT_EQ(found.size(), id.size());
  EXPECT_EQ(openvdb::points::pointCount(grid->tree()), id.size());
  for (std::size_t i = 0; i < id.size(); ++i) {
    const Point& p = found.at(id[i]);
    // Positions are kept relative to a voxel of four radii, in single precision.
    EXPECT_NEAR(p.position.x(), position[i].x, 1e-6);
    EXPECT_NEAR(p.position.y(), position[i].y, 1e-6);
    EXPECT_NEAR(p.position.z(), position[i].z, 1e-6);
    EXPECT_EQ(p.velocity, openvdb::Vec3f(velocity[i].x, velocity[i].y, velocity[i].z));
    EXPECT_EQ(p.radius, radius[i]);
  }

  const auto density = openvdb::gridPtrCast<openvdb::FloatGrid>(file.readGrid("density"));
  ASSERT_TRUE(density);
  double filled = 0;
  for (auto value = density->cbeginValueOn(); value; ++value)
    filled += *value * density->transform().voxelVolume();
  EXPECT_NEAR(filled / (20000 * 4.0 / 3.0 * 3.14159265 * 0.02 * 0.02 * 0.02), 1, 1e-4);
}

}  // namespace
}  // namespace talus
