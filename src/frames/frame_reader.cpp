#include "frames/field_columns.h"
#include "frames/frame.h"
#include "frames/json.h"

namespace talus {

namespace {

using json_read::json;

template <std::size_t N>
std::optional<std::array<double, N>> numbers(const json& object, const char* key) {
  const json* list = json_read::array(object, key);
  if (!list || list->size() != N) return {};
  std::array<double, N> values;
  for (std::size_t i = 0; i < N; ++i) {
    const auto value = json_read::number((*list)[i]);
    if (!value) return {};
    values[i] = *value;
  }
  return values;
}

Vec3d to_vec(const std::array<double, 3>& a) { return {a[0], a[1], a[2]}; }

std::optional<FrameBody> parse_body(const json& value) {
  const auto name = json_read::text(value, "name");
  const auto position = numbers<3>(value, "position");
  const auto rotation = numbers<4>(value, "rotation");
  const auto velocity = numbers<3>(value, "velocity");
  const auto angular_velocity = numbers<3>(value, "angular_velocity");
  const auto force = numbers<3>(value, "force");
  const auto torque = numbers<3>(value, "torque");
  if (!name || !position || !rotation || !velocity || !angular_velocity || !force || !torque)
    return {};
  FrameBody body;
  body.name = *name;
  const auto& q = *rotation;
  body.state.pose = {to_vec(*position), {q[0], q[1], q[2], q[3]}};
  body.state.velocity = to_vec(*velocity);
  body.state.angular_velocity = to_vec(*angular_velocity);
  body.load = {to_vec(*force), to_vec(*torque)};
  return body;
}

std::optional<FrameMaterial> parse_material(const json& value) {
  const auto name = json_read::text(value, "name");
  const auto colour = numbers<3>(value, "colour");
  const auto variation = json_read::number(value, "colour_variation");
  if (!name || !colour || !variation) return {};
  FrameMaterial material{*name, {}, static_cast<float>(*variation)};
  for (std::size_t i = 0; i < 3; ++i) material.colour[i] = static_cast<float>((*colour)[i]);
  return material;
}

}  // namespace

Result<FrameFile> FrameFile::open(const std::filesystem::path& path) {
  return from_container(ContainerReader::open(path, "frame"));
}

Result<FrameFile> FrameFile::open_memory(std::span<const std::byte> bytes) {
  return from_container(ContainerReader::open_memory(bytes, "frame"));
}

Result<FrameFile> FrameFile::from_container(Result<ContainerReader> container) {
  if (!container) return container.error();
  FrameFile file(std::move(*container));
  if (Status status = file.parse(); !status.ok()) return status.error();
  return file;
}

Status FrameFile::parse() {
  for (std::size_t c = 0; c < container_.column_count(); ++c) {
    const ColumnInfo& column = container_.column(c);
    const auto field = field_of(column);
    if (!field)
      return work_error("{} is damaged: field '{}' has an unknown type '{}'", container_.path(),
                        column.name, column.type);
    const auto slash = column.name.find('/');
    const bool table = slash != std::string::npos;
    if (!table && !table_fields_.empty())
      return work_error("{} is damaged: field '{}' of the particles comes after tables",
                        container_.path(), column.name);
    // The first column of the particles, or of a table, tells how many items there are.
    const bool first = c == 0 || (table && container_.column(c - 1).name.substr(0, slash + 1) !=
                                               column.name.substr(0, slash + 1));
    const std::uint64_t wanted = first ? column.count : container_.column(c - 1).count;
    if (column.count != wanted)
      return work_error("{} is damaged: field '{}' has {} items, others have {}", container_.path(),
                        column.name, column.count, wanted);
    if (!table) count_ = column.count;
    (table ? table_fields_ : fields_).push_back(*field);
  }
  auto info = parse_frame_metadata(container_.metadata());
  if (!info) return work_error("{} is damaged: its metadata is misshapen", container_.path());
  info_ = std::move(*info);
  return {};
}

std::optional<FrameInfo> parse_frame_metadata(std::string_view text) {
  const auto data = json_read::parse_object(text);
  if (!data) return {};
  const auto scene = json_read::text(*data, "scene");
  const auto index = json_read::u64(*data, "frame"), step = json_read::u64(*data, "step");
  const auto time = json_read::number(*data, "time"),
             interval = json_read::number(*data, "interval");
  const json* bodies = json_read::array(*data, "bodies");
  const json* materials = json_read::array(*data, "materials");
  if (!scene || !index || !step || !time || !interval || !bodies || !materials) return {};
  FrameInfo info{*scene, *index, *time, *interval, *step, {}, {}};
  for (const json& value : *bodies) {
    auto body = parse_body(value);
    if (!body) return {};
    info.bodies.push_back(std::move(*body));
  }
  for (const json& value : *materials) {
    auto material = parse_material(value);
    if (!material) return {};
    info.materials.push_back(std::move(*material));
  }
  return info;
}

Result<std::size_t> FrameFile::index_of(std::string_view name, FieldType type) const {
  for (std::size_t f = 0; f < fields_.size() + table_fields_.size(); ++f) {
    const FieldInfo& field = f < fields_.size() ? fields_[f] : table_fields_[f - fields_.size()];
    if (field.name != name) continue;
    if (field.type != type)
      return work_error("{}: field '{}' is {}, not {}", container_.path(), name,
                        type_name(field.type), type_name(type));
    return f;
  }
  std::string known;
  for (const FieldInfo& field : fields_) known += (known.empty() ? "" : ", ") + field.name;
  return work_error(
      "{} has no field '{}'; it has {}. Name it in output.fields of the scene and "
      "run again",
      container_.path(), name, known);
}

Error FrameFile::too_large() const {
  return work_error("not enough memory for {} particles of {}", count_, container_.path());
}

Result<std::vector<std::byte>> FrameFile::read_bytes(std::size_t field,
                                                     const Executor& executor) const {
  try {
    std::vector<std::byte> bytes(container_.column_bytes(field));
    if (Status status = container_.read(field, bytes, executor); !status.ok())
      return status.error();
    return bytes;
  } catch (const std::exception&) {
    return too_large();
  }
}

}  // namespace talus
