#include "frames/detail_frame.h"

#include "frames/json.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <set>

namespace talus {

namespace fs = std::filesystem;
using json_read::json;

namespace {

/// frame_000123.tal -> 123; -1 for other names.
std::int64_t frame_number(const fs::path& path) {
  const std::string name = path.filename().string();
  if (!name.starts_with("frame_") || !name.ends_with(".tal")) return -1;
  std::int64_t number = -1;
  const char* end = name.data() + name.size() - 4;
  const auto [stop, code] = std::from_chars(name.data() + 6, end, number);
  return code == std::errc() && stop == end ? number : -1;
}

std::vector<fs::path> share_folders(const fs::path& run_folder) {
  std::vector<fs::path> out;
  std::error_code code;
  for (const auto& entry : fs::directory_iterator(run_folder / "detail", code))
    if (entry.is_directory(code) && entry.path().filename().string().starts_with("slice_"))
      out.push_back(entry.path());
  std::sort(out.begin(), out.end());
  return out;
}

}  // namespace

std::string detail_metadata(const DetailFrameInfo& info) {
  json data = *json_read::parse_object(frame_metadata(info.frame));
  data["detail"] = {{"settings", info.settings}, {"factor", info.factor},
                    {"radius", info.radius},     {"tile_size", info.tile_size},
                    {"levels", info.levels},     {"velocity_step", info.velocity_step}};
  return json_read::dump(data);
}

Result<DetailFrameFile> DetailFrameFile::open(const fs::path& path) {
  auto container = ContainerReader::open(path, detail_frame_kind);
  if (!container) return container.error();
  DetailFrameFile file(std::move(*container));
  if (Status status = file.parse(); !status.ok()) return status.error();
  return file;
}

Error DetailFrameFile::damaged(std::string_view what) const {
  return work_error("{} is damaged: {}. Remove it and run 'talus detail' again", container_.path(),
                    what);
}

Status DetailFrameFile::parse() {
  auto frame = parse_frame_metadata(container_.metadata());
  const auto data = json_read::parse_object(container_.metadata());
  const json* detail = data ? json_read::member(*data, "detail") : nullptr;
  if (!frame || detail == nullptr) return damaged("its metadata is misshapen");
  const auto settings = json_read::text(*detail, "settings");
  const auto factor = json_read::u64(*detail, "factor"), levels = json_read::u64(*detail, "levels");
  const auto radius = json_read::number(*detail, "radius"),
             size = json_read::number(*detail, "tile_size"),
             step = json_read::number(*detail, "velocity_step");
  if (!settings || !factor || !levels || !radius || !size || !step || *levels == 0 ||
      *levels > 65536)
    return damaged("its metadata is misshapen");
  info_ = {std::move(*frame),
           *settings,
           *factor,
           *radius,
           *size,
           static_cast<std::uint32_t>(*levels),
           *step};
  const int position = container_.find("position"), tile = container_.find("tile");
  if (position < 0 || tile < 0 || container_.find("id") < 0)
    return damaged("it lacks positions, tiles or ids");
  count_ = container_.column(static_cast<std::size_t>(position)).count;
  for (std::size_t c = 0; c < container_.column_count(); ++c)
    if (static_cast<int>(c) != tile && container_.column(c).count != count_)
      return damaged(fmt::format("column '{}' has {} items, not {}", container_.column(c).name,
                                 container_.column(c).count, count_));
  return {};
}

template <class T>
Result<std::vector<T>> DetailFrameFile::column(std::string_view name,
                                               const Executor& executor) const {
  const int index = container_.find(name);
  if (index < 0) return std::vector<T>{};
  const auto c = static_cast<std::size_t>(index);
  if (container_.column(c).item_bytes != sizeof(T))
    return damaged(
        fmt::format("column '{}' has items of {} bytes", name, container_.column(c).item_bytes));
  try {
    std::vector<T> items(container_.column(c).count);
    if (Status s = container_.read(c, std::as_writable_bytes(std::span(items)), executor); !s)
      return s.error();
    return items;
  } catch (const std::exception&) {
    return work_error("not enough memory for {} grains of {}", count_, container_.path());
  }
}

std::uint64_t DetailFrameFile::compressed_bytes(std::string_view name) const {
  const int index = container_.find(name);
  return index < 0 ? 0 : container_.compressed_bytes(static_cast<std::size_t>(index));
}

Result<std::vector<Vec3f>> DetailFrameFile::positions(const Executor& executor) const {
  const auto tiles = column<std::array<std::int32_t, 4>>("tile", executor);
  if (!tiles) return tiles.error();
  const auto numbers = column<std::array<std::uint16_t, 3>>("position", executor);
  if (!numbers) return numbers.error();
  std::vector<std::uint64_t> begin{0};
  for (const auto& tile : *tiles)
    begin.push_back(begin.back() + static_cast<std::uint32_t>(tile[3]));
  if (begin.back() != count_) return damaged("its tiles do not hold as many grains as it has");
  std::vector<Vec3f> out(count_);
  const double step = info_.tile_size / info_.levels;
  executor.for_range(tiles->size(), 16, [&](std::size_t first, std::size_t last) {
    for (std::size_t t = first; t < last; ++t)
      for (std::uint64_t i = begin[t]; i < begin[t + 1]; ++i)
        for (int a = 0; a < 3; ++a)
          out[i][a] = static_cast<float>((*tiles)[t][a] * info_.tile_size +
                                         ((*numbers)[i][a] + 0.5) * step);
  });
  return out;
}

Result<std::vector<std::uint64_t>> DetailFrameFile::ids(const Executor& executor) const {
  const auto c = static_cast<std::size_t>(container_.find("id"));
  if (container_.column(c).item_bytes == 8) return column<std::uint64_t>("id", executor);
  const auto narrow = column<std::uint32_t>("id", executor);
  if (!narrow) return narrow.error();
  std::vector<std::uint64_t> out(narrow->size());
  executor.for_each(out.size(), [&](std::size_t i) { out[i] = (*narrow)[i]; });
  return out;
}

Result<std::vector<Vec3f>> DetailFrameFile::velocities(const Executor& executor) const {
  const auto numbers = column<std::array<std::int16_t, 3>>("velocity", executor);
  if (!numbers) return numbers.error();
  std::vector<Vec3f> out(numbers->size());
  const auto unit = static_cast<float>(info_.velocity_step);
  executor.for_each(out.size(), [&](std::size_t i) {
    for (int a = 0; a < 3; ++a) out[i][a] = unit * static_cast<float>((*numbers)[i][a]);
  });
  return out;
}

Result<std::vector<std::uint8_t>> DetailFrameFile::shades(const Executor& executor) const {
  return column<std::uint8_t>("shade", executor);
}
Result<std::vector<std::uint8_t>> DetailFrameFile::materials(const Executor& executor) const {
  return column<std::uint8_t>("material", executor);
}
Result<std::vector<float>> DetailFrameFile::radii(const Executor& executor) const {
  return column<float>("radius", executor);
}

std::vector<fs::path> detail_files(const fs::path& run_folder, std::uint64_t frame) {
  std::vector<fs::path> out;
  std::error_code code;
  for (const fs::path& folder : share_folders(run_folder)) {
    const fs::path file = folder / fmt::format("frame_{:06}.tal", frame);
    if (fs::exists(file, code)) out.push_back(file);
  }
  return out;
}

std::vector<std::uint64_t> detail_frame_numbers(const fs::path& run_folder) {
  std::set<std::uint64_t> numbers;
  std::error_code code;
  for (const fs::path& folder : share_folders(run_folder))
    for (const auto& entry : fs::directory_iterator(folder, code))
      if (const std::int64_t n = frame_number(entry.path()); n >= 0)
        numbers.insert(static_cast<std::uint64_t>(n));
  return {numbers.begin(), numbers.end()};
}

}  // namespace talus
