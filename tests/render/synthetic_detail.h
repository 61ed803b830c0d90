// Fine grains of a SyntheticRun made by hand: two for each particle, left and right of it.
#pragma once

#include "frames/detail_frame.h"
#include "render/synthetic_run.h"

#include <array>
#include <string>

namespace talus::test {

struct SyntheticDetail {
  static constexpr std::uint64_t factor = 2;
  static constexpr double tile_size = 8, velocity_step = 0.001;
  static constexpr std::uint32_t levels = 65536;

  /// Of one frame of the run, in two shares of the lower and the upper half of the ids.
  SyntheticDetail(const SyntheticRun& run, std::uint64_t frame, bool velocities) {
    make(run, frame, velocities);
  }

 private:
  static void make(const SyntheticRun& run, std::uint64_t frame, bool velocities) {
    const Executor executor(1);
    const auto base = FrameFile::open(frame_path(run.folder, frame));
    ASSERT_TRUE(base.ok()) << base.error().message;
    const auto position = base->read<Vec3f>("position", executor);
    ASSERT_TRUE(position.ok());
    for (const std::uint64_t half : {0, 1})
      write(run, base->info(), *position, half, velocities, executor);
  }

  template <class T>
  static void add(ContainerWriter& out, const char* name, const char* dtype,
                  std::uint32_t components, const std::vector<T>& items, const Executor& executor) {
    ColumnInfo info;
    info.name = name;
    info.type = "packed";
    info.dtype = dtype;
    info.components = components;
    info.item_bytes = sizeof(T);
    ASSERT_TRUE(out.add_column(info, std::as_bytes(std::span(items)), executor).ok());
  }

  static void write(const SyntheticRun& run, const FrameInfo& frame,
                    const std::vector<Vec3f>& position, std::uint64_t half, bool velocities,
                    const Executor& executor) {
    const std::size_t n = position.size(), first = half * (n / 2), last = half == 0 ? n / 2 : n;
    std::vector<std::array<std::int32_t, 4>> tile{
        {-1, -1, -1, static_cast<std::int32_t>(factor * (last - first))}};
    std::vector<std::array<std::uint16_t, 3>> place;
    std::vector<std::array<std::int16_t, 3>> velocity;
    std::vector<std::uint64_t> id;
    std::vector<std::uint8_t> zero;
    // One tile from -8 m to 0 along each axis: the run is moved into it.
    const auto level = [](double x) {
      return static_cast<std::uint16_t>((x - 4 + tile_size) / tile_size * levels);
    };
    for (std::size_t i = first; i < last; ++i)
      for (std::uint64_t k = 0; k < factor; ++k) {
        const double side = k == 0 ? -0.005 : 0.005;
        place.push_back({level(double{position[i].x} + side), level(double{position[i].y}),
                         level(double{position[i].z})});
        velocity.push_back({static_cast<std::int16_t>(100 * (k + 1)), 0, 0});
        id.push_back(i * factor + k);
        zero.push_back(0);
      }
    const auto folder = run.folder / "detail" / ("slice_" + std::to_string(half + 1) + "_of_2");
    std::filesystem::create_directories(folder);
    char name[32];
    std::snprintf(name, sizeof name, "frame_%06d.tal", static_cast<int>(frame.index));
    auto out = ContainerWriter::create(folder / name, std::string(detail_frame_kind));
    ASSERT_TRUE(out.ok()) << out.error().message;
    add(*out, "tile", "<i4", 4, tile, executor);
    add(*out, "position", "<u2", 3, place, executor);
    add(*out, "id", "<u8", 1, id, executor);
    add(*out, "shade", "u1", 1, zero, executor);
    add(*out, "material", "u1", 1, zero, executor);
    if (velocities) add(*out, "velocity", "<i2", 3, velocity, executor);
    DetailFrameInfo info{
        frame, "by hand", factor, 0.01, tile_size, levels, velocities ? velocity_step : 0};
    ASSERT_TRUE(out->finish(detail_metadata(info)).ok());
  }
};

}  // namespace talus::test
