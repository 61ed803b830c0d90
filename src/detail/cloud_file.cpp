#include "detail/cloud_file.h"

#include "detail/grain_samples.h"
#include "frames/block_codec.h"
#include "frames/json.h"

#include <algorithm>
#include <cmath>

namespace talus::detail {

namespace {

constexpr std::string_view checkpoint_kind = "detail checkpoint";

/// Where the grains of each tile begin in the order of the file.
std::vector<std::uint64_t> first_grains(const GrainStore& store) {
  std::vector<std::uint64_t> begin{0};
  for (const auto& tile : store.tiles()) begin.push_back(begin.back() + tile.count);
  return begin;
}

ColumnInfo column_info(std::string name, std::string unit, std::string meaning, std::string dtype,
                       std::uint32_t components, std::uint32_t item_bytes, bool delta = false) {
  ColumnInfo info;
  info.name = std::move(name);
  info.unit = std::move(unit);
  info.meaning = std::move(meaning);
  info.type = "packed";
  info.dtype = std::move(dtype);
  info.components = components;
  info.item_bytes = item_bytes;
  info.delta = delta;
  return info;
}

/// Packs what make(page, lane) says of each grain, block by block, straight from the pages.
template <class Item, class Make>
PackedFile::Column pack_grains(const GrainStore& store, std::span<const std::uint64_t> begin,
                               ColumnInfo info, const Executor& executor, Make&& make) {
  PackedFile::Column column{std::move(info), begin.back(), {}};
  const std::uint64_t room = items_per_block(sizeof(Item));
  column.blocks.resize((column.count + room - 1) / room);
  executor.run_chunks(column.blocks.size(), [&](std::size_t b) {
    const std::uint64_t first = b * room, last = std::min(column.count, first + room);
    std::vector<Item> items;
    items.reserve(last - first);
    std::size_t t = static_cast<std::size_t>(std::upper_bound(begin.begin(), begin.end(), first) -
                                             begin.begin()) -
                    1;
    for (std::uint64_t i = first; i < last; ++t) {
      const GrainStore::Tile& tile = store.tiles()[t];
      for (auto k = static_cast<std::uint32_t>(i - begin[t]); k < tile.count && i < last; ++k, ++i)
        items.push_back(make(store.page(tile.pages[k / page_size]), k % page_size));
    }
    column.blocks[b] =
        encode_block(std::as_bytes(std::span(items)), sizeof(Item), column.info.delta);
  });
  return column;
}

template <class Item>
PackedFile::Column pack_items(std::span<const Item> items, ColumnInfo info) {
  PackedFile::Column column{std::move(info), items.size(), {}};
  const std::size_t room = items_per_block(sizeof(Item));
  for (std::size_t first = 0; first < items.size(); first += room)
    column.blocks.push_back(
        encode_block(std::as_bytes(items.subspan(first, std::min(room, items.size() - first))),
                     sizeof(Item), column.info.delta));
  return column;
}

PackedFile::Column pack_tiles(const GrainStore& store) {
  std::vector<std::array<std::int32_t, 4>> tiles;
  for (const auto& tile : store.tiles())
    tiles.push_back(
        {tile.place.x, tile.place.y, tile.place.z, static_cast<std::int32_t>(tile.count)});
  return pack_items(
      std::span<const std::array<std::int32_t, 4>>(tiles),
      column_info("tile", "1", "x y z number of the tile, and its grains", "<i4", 4, 16));
}

float largest_displacement(const GrainStore& store, const Executor& executor) {
  return executor.reduce<float>(
      store.tiles().size(), 0.0f,
      [&](std::size_t first, std::size_t last) {
        float most = 0;
        for (std::size_t t = first; t < last; ++t)
          for (std::uint32_t k = 0; k < store.tiles()[t].count; ++k) {
            const GrainPage& page = store.page(store.tiles()[t].pages[k / page_size]);
            for (int f = 3; f < 6; ++f) most = max(most, std::abs(page.field[f][k % page_size]));
          }
        return most;
      },
      [](float a, float b) { return max(a, b); });
}

bool radii_differ(std::span<const Owner> owners, double mean) {
  return std::any_of(owners.begin(), owners.end(), [&](const Owner& o) {
    return std::abs(static_cast<double>(o.radius) - mean) > 1e-4 * mean;
  });
}

PackedFile::Column pack_positions(const GrainStore& store, std::span<const std::uint64_t> begin,
                                  std::uint32_t levels, const Executor& executor) {
  using Item = std::array<std::uint16_t, 3>;
  const float scale = static_cast<float>(levels) / store.tile_size(),
              middle = 0.5f * static_cast<float>(levels), top = static_cast<float>(levels) - 0.5f;
  return pack_grains<Item>(
      store, begin,
      column_info("position", "tile_size / levels",
                  "whole number along x y z in the tile; its centre is meant", "<u2", 3, 6),
      executor, [=](const GrainPage& page, std::uint32_t k) {
        Item item;
        for (std::size_t a = 0; a < 3; ++a)
          item[a] =
              static_cast<std::uint16_t>(min(max(page.field[a][k] * scale + middle, 0.0f), top));
        return item;
      });
}

PackedFile::Column pack_ids(const GrainCloud& cloud, std::span<const std::uint64_t> begin,
                            const Executor& executor) {
  std::uint64_t top = 0;
  for (const Owner& owner : cloud.owners()) top = std::max(top, owner.id);
  const char* meaning = "id of the base particle * factor + number of the grain";
  if ((top + 1) * cloud.settings().factor() <= 0xFFFFFFFFull)
    return pack_grains<std::uint32_t>(
        cloud.store(), begin, column_info("id", "1", meaning, "<u4", 1, 4, true), executor,
        [&](const GrainPage& page, std::uint32_t k) {
          return static_cast<std::uint32_t>(cloud.grain_id(page.id[k]));
        });
  return pack_grains<std::uint64_t>(
      cloud.store(), begin, column_info("id", "1", meaning, "<u8", 1, 8, true), executor,
      [&](const GrainPage& page, std::uint32_t k) { return cloud.grain_id(page.id[k]); });
}

PackedFile::Column pack_velocities(const GrainCloud& cloud, std::span<const std::uint64_t> begin,
                                   double step_seconds, double unit, const Executor& executor) {
  using Item = std::array<std::int16_t, 3>;
  const auto scale = static_cast<float>(1 / (step_seconds * unit));
  return pack_grains<Item>(
      cloud.store(), begin,
      column_info("velocity", "velocity_step", "mean velocity of the last step", "<i2", 3, 6),
      executor, [=](const GrainPage& page, std::uint32_t k) {
        Item item;
        for (std::size_t a = 0; a < 3; ++a)
          item[a] = static_cast<std::int16_t>(std::lround(page.field[3 + a][k] * scale));
        return item;
      });
}

}  // namespace

std::size_t PackedFile::bytes() const {
  std::size_t total = 0;
  for (const Column& column : columns)
    for (const auto& block : column.blocks) total += block.size();
  return total;
}

std::uint32_t position_levels(double tile_size, double radius) {
  // Half a diagonal of a step is the farthest that rounding moves a grain.
  std::uint32_t levels = 256;
  while (levels < 65536 && 0.5 * std::sqrt(3.0) * tile_size / levels >= 0.0099 * radius)
    levels *= 2;
  return levels;
}

PackedFile pack_frame(const GrainCloud& cloud, const FrameInfo& base, const std::string& settings,
                      double step_seconds, const Executor& executor) {
  const GrainStore& store = cloud.store();
  const CloudSettings& s = cloud.settings();
  const auto begin = first_grains(store);
  DetailFrameInfo info;
  info.frame = base;
  info.settings = settings;
  info.factor = s.factor();
  info.radius = s.radius();
  info.tile_size = store.tile_size();
  info.levels = position_levels(info.tile_size, info.radius);
  PackedFile file;
  file.kind = detail_frame_kind;
  file.columns.push_back(pack_tiles(store));
  file.columns.push_back(pack_positions(store, begin, info.levels, executor));
  file.columns.push_back(pack_ids(cloud, begin, executor));
  file.columns.push_back(pack_grains<std::uint8_t>(
      store, begin,
      column_info("shade", "1", "lighter or darker than the material's colour, 0..255; constant",
                  "|u1", 1, 1),
      executor, [&](const GrainPage& page, std::uint32_t k) {
        return static_cast<std::uint8_t>(grain_bits(s.seed, cloud.grain_id(page.id[k])) >> 24);
      }));
  file.columns.push_back(pack_grains<std::uint8_t>(
      store, begin, column_info("material", "1", "number in the list of materials", "|u1", 1, 1),
      executor, [&](const GrainPage& page, std::uint32_t k) {
        return static_cast<std::uint8_t>(
            std::min(cloud.owners()[page.id[k] / s.factor()].material, 255u));
      }));
  if (radii_differ(cloud.owners(), s.base_radius))
    file.columns.push_back(pack_grains<float>(
        store, begin, column_info("radius", "m", "radius of the grain", "<f4", 1, 4), executor,
        [&](const GrainPage& page, std::uint32_t k) {
          return static_cast<float>(
              grain_radius(static_cast<double>(cloud.owners()[page.id[k] / s.factor()].radius),
                           s.detail.factor));
        }));
  if (s.detail.write_velocity) {
    const double most = static_cast<double>(largest_displacement(store, executor)) / step_seconds;
    info.velocity_step = std::max(most, 1e-6) / 32767;
    file.columns.push_back(
        pack_velocities(cloud, begin, step_seconds, info.velocity_step, executor));
  }
  file.metadata = detail_metadata(info);
  return file;
}

namespace {
using GrainState = std::array<float, grain_fields>;
}

PackedFile pack_checkpoint(const GrainCloud& cloud, std::uint64_t frame,
                           const std::string& settings, const Executor& executor) {
  const GrainStore& store = cloud.store();
  const auto begin = first_grains(store);
  PackedFile file;
  file.kind = checkpoint_kind;
  file.columns.push_back(pack_tiles(store));
  file.columns.push_back(pack_grains<GrainState>(
      store, begin,
      column_info("state", "m", "position in the tile and displacement of a step", "<f4", 6, 24),
      executor, [](const GrainPage& page, std::uint32_t k) {
        GrainState state;
        for (std::size_t f = 0; f < grain_fields; ++f) state[f] = page.field[f][k];
        return state;
      }));
  file.columns.push_back(pack_grains<std::uint32_t>(
      store, begin, column_info("local_id", "1", "number in this share", "<u4", 1, 4, true),
      executor, [](const GrainPage& page, std::uint32_t k) { return page.id[k]; }));
  static_assert(sizeof(Owner) == 16);
  file.columns.push_back(pack_items(
      cloud.owners(), column_info("owner", "1", "base particles with grains", "|u1", 16, 16)));
  file.columns.push_back(
      pack_items(std::span<const std::uint32_t>(cloud.living()),
                 column_info("living", "1", "owners that are there", "<u4", 1, 4, true)));
  const json_read::json data{
      {"frame", frame}, {"steps", cloud.steps_done()}, {"settings", settings}};
  file.metadata = json_read::dump(data);
  return file;
}

Status write_packed(const std::filesystem::path& path, const PackedFile& file) {
  auto writer = ContainerWriter::create(path, file.kind);
  if (!writer) return writer.error();
  for (const PackedFile::Column& column : file.columns)
    if (Status s = writer->add_packed_column(column.info, column.count, column.blocks); !s)
      return s;
  return writer->finish(file.metadata);
}

namespace {

template <class T>
Status read_items(const ContainerReader& reader, const char* name, std::vector<T>& out,
                  const Executor& executor) {
  const int index = reader.find(name);
  if (index < 0 || reader.column(static_cast<std::size_t>(index)).item_bytes != sizeof(T))
    return work_error("{} is damaged: it lacks '{}'", reader.path(), name);
  const auto c = static_cast<std::size_t>(index);
  out.resize(reader.column(c).count);
  return reader.read(c, std::as_writable_bytes(std::span(out)), executor);
}

Status fill_store(const ContainerReader& reader, GrainCloud& cloud, std::size_t owners,
                  const Executor& executor) {
  std::vector<std::array<std::int32_t, 4>> tiles;
  std::vector<GrainState> states;
  std::vector<std::uint32_t> ids;
  if (Status s = read_items(reader, "tile", tiles, executor); !s) return s;
  if (Status s = read_items(reader, "state", states, executor); !s) return s;
  if (Status s = read_items(reader, "local_id", ids, executor); !s) return s;
  std::uint64_t total = 0;
  for (const auto& tile : tiles) total += static_cast<std::uint32_t>(tile[3]);
  const std::uint64_t top = owners * std::uint64_t{cloud.settings().factor()};
  if (total != states.size() || total != ids.size() ||
      std::any_of(ids.begin(), ids.end(), [&](std::uint32_t id) { return id >= top; }))
    return work_error("{} is damaged: its grains do not fit its tiles or owners", reader.path());
  std::uint64_t at = 0;
  std::vector<Parcel> parcel(1);
  for (const auto& tile : tiles) {
    parcel[0].far.clear();
    for (std::int32_t k = 0; k < tile[3]; ++k, ++at)
      parcel[0].far.push_back({{tile[0], tile[1], tile[2]}, states[at], ids[at]});
    cloud.store().deliver(parcel, executor);
  }
  cloud.store().end_step(executor);
  return {};
}

}  // namespace

Result<std::uint64_t> read_checkpoint_into(const std::filesystem::path& path,
                                           const std::string& settings, GrainCloud& cloud,
                                           const Executor& executor) {
  const auto reader = ContainerReader::open(path, checkpoint_kind);
  if (!reader) return reader.error();
  const auto data = json_read::parse_object(reader->metadata());
  const auto frame = data ? json_read::u64(*data, "frame") : std::nullopt;
  const auto steps = data ? json_read::u64(*data, "steps") : std::nullopt;
  const auto stored = data ? json_read::text(*data, "settings") : std::nullopt;
  if (!frame || !steps || !stored)
    return work_error("{} is damaged: its metadata is misshapen", path.string());
  if (*stored != settings) return work_error("{} was made with other settings", path.string());
  std::vector<Owner> owners;
  std::vector<std::uint32_t> living;
  if (Status s = read_items(*reader, "owner", owners, executor); !s) return s.error();
  if (Status s = read_items(*reader, "living", living, executor); !s) return s.error();
  if (Status s = fill_store(*reader, cloud, owners.size(), executor); !s) return s.error();
  cloud.restore(std::move(owners), std::move(living), *steps);
  return *frame;
}

}  // namespace talus::detail
