// Fine grains to files of other programs: one detail frame of 20 M grains, read and written to the
// folder for temporary files, flushing included. The grains lie in tiles of space as `talus detail`
// leaves them, at random places in their tile.

#include "cases.h"
#include "core/random.h"
#include "export/cloud.h"
#include "export/formats.h"
#include "frames/container.h"
#include "frames/detail_frame.h"

#include <filesystem>
#include <memory>
#include <unistd.h>

namespace talus {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t grains_per_tile = 500;
constexpr int tiles_across = 200;

/// A folder that goes with the case.
struct Work {
  fs::path folder = fs::temp_directory_path() / fmt::format("talus_bench_{}", ::getpid());
  Work() { fs::create_directories(folder); }
  ~Work() {
    std::error_code ignored;
    fs::remove_all(folder, ignored);
  }
};

ColumnInfo column(const char* name, const char* dtype, std::uint32_t bytes,
                  std::uint32_t components, bool delta = false) {
  ColumnInfo info;
  info.name = name;
  info.unit = "1";
  info.type = "bytes";
  info.dtype = dtype;
  info.item_bytes = bytes;
  info.components = components;
  info.delta = delta;
  return info;
}

Status write_grains(const fs::path& path, std::size_t count, const Executor& executor) {
  std::vector<std::array<std::int32_t, 4>> tiles(count / grains_per_tile);
  for (std::size_t t = 0; t < tiles.size(); ++t) {
    const int n = static_cast<int>(t);
    tiles[t] = {n % tiles_across, n / tiles_across % tiles_across, n / tiles_across / tiles_across,
                static_cast<int>(grains_per_tile)};
  }
  std::vector<std::array<std::uint16_t, 3>> position(count);
  std::vector<std::uint32_t> id(count);
  std::vector<std::uint8_t> shade(count), material(count);
  executor.for_each(count, [&](std::size_t i) {
    const auto r = random_floats(1, i, Purpose::test);
    for (std::size_t c = 0; c < 3; ++c) position[i][c] = static_cast<std::uint16_t>(r[c] * 1024);
    id[i] = static_cast<std::uint32_t>(i);
    shade[i] = static_cast<std::uint8_t>(r[3] * 256);
  });
  DetailFrameInfo info;
  info.frame.materials = {{"sand", {0.5f, 0.4f, 0.3f}, 0.3f}};
  info.factor = 250;
  info.radius = 0.002;
  info.tile_size = 0.04;
  info.levels = 1024;
  auto file = ContainerWriter::create(path, std::string(detail_frame_kind));
  if (!file) return file.error();
  const auto add = [&](ColumnInfo c, auto& items) {
    return file->add_column(std::move(c), std::as_bytes(std::span(items)), executor);
  };
  for (const Status& s :
       {add(column("tile", "<i4", 16, 4), tiles), add(column("position", "<u2", 6, 3), position),
        add(column("id", "<u4", 4, 1, true), id), add(column("shade", "|u1", 1, 1), shade),
        add(column("material", "|u1", 1, 1), material)})
    if (!s) return s;
  return file->finish(detail_metadata(info));
}

Result<BenchRun> prepare(const BenchContext& context, const char* format,
                         const ExportSettings& settings) {
  const std::size_t count = context.quick ? 100'000 : 20'000'000;
  auto work = std::make_shared<Work>();
  const fs::path source = work->folder / "frame_000000.tal", target = work->folder / "grains";
  if (Status s = write_grains(source, count, context.executor); !s) return s.error();
  const ExportFormat* writer = find_export_format(format);
  return BenchRun([=, &context] {
    BenchSample sample;
    PhaseTimers timers;
    const double start = seconds_now();
    Result<Cloud> cloud = Cloud{};
    Status written;
    timers.time("read", [&] { cloud = read_cloud(source, true, context.executor); });
    TALUS_CHECK(cloud.ok(), "{}", cloud.error().message);
    timers.time("write", [&] {
      written = writer->write_grains(*cloud, target, settings, context.executor);
    });
    TALUS_CHECK(written.ok(), "{}", written.error().message);
    sample.seconds = seconds_now() - start;
    sample.particles = count;
    for (const CloudField& field : cloud->fields)
      sample.bytes_per_particle += static_cast<double>(bytes_per_item(field.info.type));
    sample.phases = timers.phases();
    const double grains = static_cast<double>(count);
    sample.figures = {{"grains_rate", "M/s", grains / sample.seconds * 1e-6},
                      {"file", "B/grain", static_cast<double>(fs::file_size(target)) / grains}};
    fs::remove(target);
    static_cast<void>(work);
    return sample;
  });
}

}  // namespace

void register_export_cases(BenchRegistry& registry) {
  registry.add({"export/bgeo-sc-20m", "20 M detail grains to .bgeo.sc, read and written",
                [](const BenchContext& context) {
                  return prepare(context, "bgeo", {.packing = BgeoPacking::blocks});
                }});
  registry.add({"export/vdb-20m", "20 M detail grains to OpenVDB points, read and written",
                [](const BenchContext& context) { return prepare(context, "vdb", {}); }});
}

}  // namespace talus
