#include "core/random.h"
#include "frames/field_columns.h"
#include "frames/frame.h"
#include "frames/json.h"

#include <algorithm>
#include <numeric>

namespace talus {

namespace {

using json_read::json;

json list(const Vec3d& v) { return json::array({v.x, v.y, v.z}); }

}  // namespace

std::string frame_metadata(const FrameInfo& info) {
  json data{{"scene", info.scene},
            {"frame", info.index},
            {"time", info.time},
            {"interval", info.interval},
            {"step", info.step}};
  json& bodies = data["bodies"] = json::array();
  for (const FrameBody& body : info.bodies) {
    const Quatd& q = body.state.pose.rotation;
    bodies.push_back({{"name", body.name},
                      {"position", list(body.state.pose.position)},
                      {"rotation", json::array({q.w, q.x, q.y, q.z})},
                      {"velocity", list(body.state.velocity)},
                      {"angular_velocity", list(body.state.angular_velocity)},
                      {"force", list(body.load.force)},
                      {"torque", list(body.load.torque)}});
  }
  json& materials = data["materials"] = json::array();
  for (const FrameMaterial& m : info.materials)
    materials.push_back({{"name", m.name},
                         {"colour", json::array({m.colour[0], m.colour[1], m.colour[2]})},
                         {"colour_variation", m.colour_variation}});
  return json_read::dump(data);
}

namespace {

/// Indices that visit ids in ascending order. Ids are nearly dense (0, 1, 2, ... less what sinks
/// took), so a table beats a sort; the sort remains for runs that lost most of their particles.
std::vector<std::uint32_t> order_by_id(std::span<const std::uint64_t> ids,
                                       const Executor& executor) {
  const auto n = static_cast<std::uint32_t>(ids.size());
  std::vector<std::uint32_t> order(n);
  const std::uint64_t top = executor.reduce(
      ids.size(), std::uint64_t{0},
      [&](std::size_t begin, std::size_t end) {
        return *std::max_element(ids.begin() + begin, ids.begin() + end);
      },
      [](std::uint64_t a, std::uint64_t b) { return std::max(a, b); });
  if (top / 4 >= ids.size()) {
    std::iota(order.begin(), order.end(), 0u);
    std::sort(order.begin(), order.end(), [&](auto a, auto b) { return ids[a] < ids[b]; });
    return order;
  }
  constexpr std::uint32_t absent = 0xFFFFFFFFu;
  std::vector<std::uint32_t> place(top + 1, absent);
  executor.for_each(n, [&](std::size_t i) { place[ids[i]] = static_cast<std::uint32_t>(i); });
  std::size_t to = 0;
  for (std::uint32_t i : place)
    if (i != absent) order[to++] = i;
  TALUS_CHECK(to == n, "{} particles share an id with another", n - to);
  return order;
}

void gather(std::span<const std::byte> from, std::size_t item, std::span<const std::uint32_t> order,
            std::vector<std::byte>& to, const Executor& executor) {
  to.resize(from.size());
  executor.for_range(order.size(), 4096, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      std::memcpy(&to[i * item], &from[std::size_t{order[i]} * item], item);
  });
}

FieldInfo shade_field() {
  return {"shade", "1", FieldType::u8, FieldUse::frame,
          "lighter or darker than the material's colour, 0..255; constant for a particle"};
}

bool is_written(const FieldInfo& info, std::span<const std::string> extra) {
  return info.use == FieldUse::frame ||
         std::find(extra.begin(), extra.end(), info.name) != extra.end();
}

Status write_columns(ContainerWriter& writer, const ParticleStore& store,
                     std::span<const std::string> extra, std::uint64_t seed,
                     const Executor& executor) {
  const int id_field = store.find("id");
  TALUS_CHECK(id_field >= 0, "a store of {} fields has no ids", store.field_count());
  const auto id_bytes = store.bytes(static_cast<std::size_t>(id_field));
  const std::span ids(reinterpret_cast<const std::uint64_t*>(id_bytes.data()), store.size());
  const auto order = order_by_id(ids, executor);
  std::vector<std::byte> sorted;
  for (std::size_t f = 0; f < store.field_count(); ++f) {
    const FieldInfo& info = store.info(f);
    if (!is_written(info, extra)) continue;
    gather(store.bytes(f), bytes_per_item(info.type), order, sorted, executor);
    if (Status status = writer.add_column(column_of(info), sorted, executor); !status.ok())
      return status;
  }
  sorted.resize(store.size());
  executor.for_each(store.size(), [&](std::size_t i) {
    sorted[i] = static_cast<std::byte>(grain_shade(seed, ids[order[i]]));
  });
  return writer.add_column(column_of(shade_field()), sorted, executor);
}

Status write_table(ContainerWriter& writer, const FrameTable& table, const Executor& executor) {
  for (std::size_t f = 0; f < table.items->field_count(); ++f) {
    FieldInfo info = table.items->info(f);
    info.name = table.name + "/" + info.name;
    if (Status status = writer.add_column(column_of(info), table.items->bytes(f), executor);
        !status.ok())
      return status;
  }
  return {};
}

}  // namespace

std::uint8_t grain_shade(std::uint64_t seed, std::uint64_t id) {
  return static_cast<std::uint8_t>(random_words(seed, id, Purpose::colour)[0] >> 24);
}

std::vector<FieldInfo> frame_fields(const ParticleStore& store,
                                    std::span<const std::string> extra_fields) {
  std::vector<FieldInfo> fields;
  for (std::size_t f = 0; f < store.field_count(); ++f)
    if (is_written(store.info(f), extra_fields)) fields.push_back(store.info(f));
  fields.push_back(shade_field());
  return fields;
}

Status write_frame(const std::filesystem::path& path, const FrameInfo& info,
                   std::span<const FrameColumn> columns, const Executor& executor) {
  auto writer = ContainerWriter::create(path, "frame");
  if (!writer) return writer.error();
  for (const FrameColumn& column : columns)
    if (Status status = writer->add_column(column_of(column.info), column.items, executor);
        !status.ok())
      return status;
  return writer->finish(frame_metadata(info));
}

Status write_frame(const std::filesystem::path& path, const FrameInfo& info,
                   const ParticleStore& store, std::span<const std::string> extra_fields,
                   std::uint64_t seed, const Executor& executor,
                   std::span<const FrameTable> tables) {
  auto writer = ContainerWriter::create(path, "frame");
  if (!writer) return writer.error();
  if (Status status = write_columns(*writer, store, extra_fields, seed, executor); !status.ok())
    return status;
  for (const FrameTable& table : tables)
    if (Status status = write_table(*writer, table, executor); !status.ok()) return status;
  return writer->finish(frame_metadata(info));
}

std::filesystem::path frame_path(const std::filesystem::path& run_folder, std::uint64_t index) {
  return run_folder / "frames" / fmt::format("frame_{:06}.tal", index);
}

}  // namespace talus
