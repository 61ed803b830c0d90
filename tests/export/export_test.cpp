// Every format, read back by something that is not its writer, value by value; and what a user may
// get wrong.
#include "export/block_stream.h"
#include "export/export_run.h"
#include "frames/scratch_folder.h"
#include "render/synthetic_run.h"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <gtest/gtest.h>
#include <sys/wait.h>

namespace talus {
namespace {

namespace fs = std::filesystem;

class Export : public testing::Test {
 protected:
  Export() : run_(folder_ / "run", frames, 5000) {}

  ExportOptions options(const std::string& format) const {
    ExportOptions o;
    o.run = run_.folder;
    o.format = format;
    o.output = folder_ / format;
    return o;
  }
  ExportReport export_as(const ExportOptions& o, int threads = 2) const {
    const Executor executor(threads);
    auto report = export_run(o, executor, {});
    EXPECT_TRUE(report.ok()) << report.error().message;
    return report.ok() ? *report : ExportReport{};
  }
  std::string refusal(const ExportOptions& o, ErrorKind kind) const {
    const Executor executor(1);
    const auto report = export_run(o, executor, {});
    EXPECT_FALSE(report.ok());
    if (report.ok()) return {};
    EXPECT_EQ(report.error().kind, kind);
    return report.error().message;
  }
  /// Runs tests/export/check_NAME.py RUN EXPORT FRAMES ...; `modules` are what it imports.
  void check(const std::string& name, const std::string& modules, const ExportOptions& o,
             const std::string& more = {}) {
    ASSERT_EQ(std::system(("/usr/bin/python3 -c 'import " + modules + "'").c_str()), 0)
        << "packages.txt names what the tests need; ./talus test installs it";
    const std::string command = fmt::format(
        "cd {}/tests/export && PYTHONDONTWRITEBYTECODE=1 /usr/bin/python3 check_{}.py "
        "'{}' '{}' {} {} > '{}' 2>&1",
        TALUS_SOURCE_DIR, name, run_.folder.string(), o.output.string(), frames, more,
        (folder_ / "said").string());
    const int status = std::system(command.c_str());
    const auto said = file_bytes(folder_ / "said");
    EXPECT_EQ(status, 0) << std::string(reinterpret_cast<const char*>(said.data()), said.size());
  }

  static constexpr int frames = 3;
  ScratchFolder folder_;
  test::SyntheticRun run_;
};

TEST_F(Export, VtkReadsVtk) {
  const auto o = options("vtk");
  EXPECT_EQ(export_as(o).written, 6u);
  check("vtk", "vtkmodules.vtkIOXML, numpy, zstandard", o);
}

TEST_F(Export, Ply) {
  export_as(options("ply"));
  check("ply", "numpy, zstandard", options("ply"));
}

TEST_F(Export, NumpyReadsNpz) {
  export_as(options("npz"));
  check("npz", "numpy, zstandard", options("npz"));
}

TEST_F(Export, HoudiniGeometryPlainAndCompressed) {
  auto o = options("bgeo");
  export_as(o);
  check("bgeo", "numpy, zstandard", o, ".bgeo.gz");
  o.settings.packing = BgeoPacking::none;
  export_as(o);
  check("bgeo", "numpy, zstandard", o, ".bgeo");
}

TEST_F(Export, HoudiniGeometryInBlocks) {
  run_.write(1, 0);
  run_.write(2, 40000);  // several blocks of a megabyte
  auto o = options("bgeo");
  o.settings.packing = BgeoPacking::blocks;
  export_as(o);
  check("bgeo", "numpy, zstandard", o, ".bgeo.sc");
  EXPECT_GT(fs::file_size(o.output / "grains.000002.bgeo.sc"), BlockStream::block_bytes);
  auto other = o;
  other.output = folder_ / "other";
  export_as(other, 1);
  for (const auto& entry : fs::directory_iterator(o.output))
    EXPECT_EQ(file_bytes(entry.path()), file_bytes(other.output / entry.path().filename()));
}

TEST(BlockStream, KeepsTheBytesWhereverTheyAreCut) {
  ScratchFolder folder;
  const Executor executor(2);
  std::vector<std::byte> bytes(5 * BlockStream::block_bytes / 2);
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(i * i >> 9);
  const auto write = [&](const char* name, std::span<const std::size_t> pieces) {
    auto file = AtomicFile::create(folder / name);
    ASSERT_TRUE(file.ok());
    BlockStream stream(*file, executor);
    std::span<const std::byte> rest(bytes);
    for (const std::size_t n : pieces) {
      stream.append(rest.first(n));
      rest = rest.subspan(n);
    }
    stream.append(rest);
    ASSERT_TRUE(stream.finish().ok());
    ASSERT_TRUE(file->commit().ok());
  };
  write("whole", {});
  const std::size_t pieces[] = {1, BlockStream::block_bytes - 1, 0, 77, BlockStream::block_bytes};
  write("cut", pieces);
  EXPECT_EQ(file_bytes(folder / "whole"), file_bytes(folder / "cut"));
}

TEST_F(Export, BodiesMoveInGltf) {
  export_as(options("gltf"));
  check("gltf", "numpy, zstandard", options("gltf"));
}

TEST_F(Export, BodiesStandInObj) {
  const auto o = options("obj");
  export_as(o);
  const auto mesh = read_mesh_file((o.output / "bodies.000002.obj").string(), 1);
  ASSERT_TRUE(mesh.ok()) << mesh.error().message;
  const Vec3d centre{0.2 * 0.08, -0.5, 0.1};
  for (const Vec3f& v : mesh->vertices) EXPECT_NEAR(norm(Vec3d(v) - centre), 0.1, 1e-5);
}

TEST_F(Export, AnEmptyFrameIsAFileWithoutGrains) {
  for (int i = 0; i < frames; ++i) run_.write(i, 0);
  for (const char* format : {"vtk", "ply", "npz"}) {
    export_as(options(format));
    check(format, "numpy", options(format));
  }
  export_as(options("bgeo"));
  check("bgeo", "numpy", options("bgeo"), ".bgeo.gz");
  EXPECT_TRUE(export_as(options("vdb")).failures.empty());
}

TEST_F(Export, TheSameBytesForAnyNumberOfThreads) {
  for (const char* format : {"vtk", "ply", "npz", "bgeo"}) {
    auto one = options(format), three = options(format);
    three.output = folder_ / "three";
    export_as(one, 1);
    export_as(three, 3);
    for (const auto& entry : fs::directory_iterator(one.output))
      EXPECT_EQ(file_bytes(entry.path()), file_bytes(three.output / entry.path().filename()))
          << entry.path();
  }
}

TEST_F(Export, AFrameRange) {
  auto o = options("ply");
  o.first = 1;
  o.last = 2;
  EXPECT_EQ(export_as(o).written, 2u);
  EXPECT_FALSE(fs::exists(o.output / "grains.000000.ply"));
  o.first = 7;
  o.last = 9;
  EXPECT_NE(refusal(o, ErrorKind::request).find("has 0 to 2"), std::string::npos);
}

TEST_F(Export, GoesOnWhereItStopped) {
  const auto o = options("vtk");
  int asked = 0;
  const Executor executor(1);
  const auto first = export_run(o, executor, {{}, {}, [&] { return ++asked > 2; }});
  ASSERT_TRUE(first.ok());
  EXPECT_TRUE(first->interrupted);
  EXPECT_EQ(first->written, 2u);
  EXPECT_FALSE(fs::exists(o.output / "run.pvd"));
  const auto second = export_as(o);
  EXPECT_EQ(second.kept, 2u);
  EXPECT_EQ(second.written, 4u);
  check("vtk", "numpy", o);
  // A frame that was computed again is exported again.
  fs::last_write_time(frame_path(run_.folder, 1),
                      fs::file_time_type::clock::now() + std::chrono::seconds(5));
  EXPECT_EQ(export_as(o).written, 2u);
}

TEST_F(Export, ADamagedFrameIsNamedAndTheRestIsExported) {
  fs::resize_file(frame_path(run_.folder, 1), 200);
  const auto report = export_as(options("ply"));
  EXPECT_EQ(report.written, 2u);
  ASSERT_EQ(report.failures.size(), 1u);
  EXPECT_NE(report.failures[0].find("frame_000001.tal"), std::string::npos) << report.failures[0];
  EXPECT_FALSE(fs::exists(folder_ / "ply/grains.000001.ply"));
}

TEST_F(Export, AnUnknownFormatListsTheKnownOnes) {
  const std::string said = refusal(options("vkt"), ErrorKind::request);
  EXPECT_NE(said.find("no format 'vkt'; did you mean 'vtk'?"), std::string::npos) << said;
  for (const ExportFormat& format : export_formats())
    EXPECT_NE(said.find(format.program), std::string::npos) << format.name;
  EXPECT_NE(refusal(options(""), ErrorKind::request).find("--to FORMAT"), std::string::npos);
}

TEST_F(Export, NoFramesNoDetailNoFolder) {
  auto o = options("vtk");
  o.detail = true;
  EXPECT_NE(refusal(o, ErrorKind::work).find("'talus detail' makes them"), std::string::npos);
  fs::remove_all(run_.folder / "frames");
  EXPECT_NE(refusal(options("vtk"), ErrorKind::work).find("no frames"), std::string::npos);
  o.run = folder_ / "nothing";
  EXPECT_NE(refusal(o, ErrorKind::request).find("nothing"), std::string::npos);
}

TEST_F(Export, ADiskThatIsTooSmallIsToldBeforeTheStart) {
  // A file system of 64 kB, when the test may mount one.
  const fs::path disk = folder_ / "disk";
  fs::create_directory(disk);
  const std::string mount =
      "mount -t tmpfs -o size=65536 talus '" + disk.string() + "' 2>/dev/null";
  if (std::system(mount.c_str()) != 0) GTEST_SKIP() << "no right to mount a small file system here";
  auto o = options("ply");
  o.output = disk / "out";
  const std::string said = refusal(o, ErrorKind::work);
  EXPECT_NE(said.find("of disk"), std::string::npos) << said;
  EXPECT_FALSE(fs::exists(o.output));
  // Forced: the work fails with a message, and no half file is left.
  o.force = true;
  const auto report = export_as(o);
  EXPECT_FALSE(report.failures.empty());
  for (const auto& entry : fs::directory_iterator(o.output))
    EXPECT_EQ(entry.path().extension(), ".ply") << entry.path();
  EXPECT_EQ(std::system(("umount '" + disk.string() + "'").c_str()), 0);
}

}  // namespace
}  // namespace talus
