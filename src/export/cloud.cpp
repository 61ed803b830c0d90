#include "export/cloud.h"

#include "frames/detail_frame.h"

namespace talus {

namespace {

/// Every program shows a colour; hardly one can make it from a material's number and a shade.
void add_colour(Cloud& cloud, const Executor& executor) {
  const auto material = cloud.values<std::uint32_t>("material");
  const auto small_material = cloud.values<std::uint8_t>("material");
  const auto shade = cloud.values<std::uint8_t>("shade");
  if (!cloud.has<std::uint8_t>("shade") || cloud.info.materials.empty()) return;
  std::vector<Vec3f> colour(cloud.count);
  executor.for_each(cloud.count, [&](std::size_t i) {
    std::size_t m = 0;
    if (!material.empty()) m = material[i];
    if (!small_material.empty()) m = small_material[i];
    if (m >= cloud.info.materials.size()) return;
    const auto [r, g, b] = grain_colour(cloud.info.materials[m], shade[i]);
    colour[i] = {r, g, b};
  });
  cloud.fields.push_back(cloud_field(
      {"colour", "1", FieldType::vec3f, FieldUse::frame, "linear RGB albedo"}, std::move(colour)));
}

Result<Cloud> read_base(const std::filesystem::path& path, const Executor& executor) {
  const auto file = FrameFile::open(path);
  if (!file) return file.error();
  Cloud cloud{file->info(), file->count(), {}};
  for (std::size_t f = 0; f < file->fields().size(); ++f) {
    auto bytes = file->read_bytes(f, executor);
    if (!bytes) return bytes.error();
    cloud.fields.push_back(cloud_field(file->fields()[f], std::move(*bytes)));
  }
  return cloud;
}

template <class T>
Status add_column(Cloud& cloud, FieldInfo info, Result<std::vector<T>> values) {
  if (!values) return values.error();
  if (values->size() != cloud.count) return {};
  info.type = field_type_of<T>();
  cloud.fields.push_back(cloud_field(std::move(info), std::move(values).value()));
  return {};
}

/// A file without radii has grains of one size.
Result<std::vector<float>> radii_of(const DetailFrameFile& file, const Executor& executor) {
  auto radii = file.radii(executor);
  if (radii.ok() && radii->empty())
    radii->assign(file.count(), static_cast<float>(file.info().radius));
  return radii;
}

Result<Cloud> read_detail(const std::filesystem::path& path, const Executor& executor) {
  const auto file = DetailFrameFile::open(path);
  if (!file) return file.error();
  Cloud cloud{file->info().frame, file->count(), {}};
  const auto field = [](const char* name, const char* unit, const char* meaning) {
    return FieldInfo{name, unit, FieldType::f32, FieldUse::frame, meaning};
  };
  for (Status status :
       {add_column(cloud, field("id", "1", "constant and unique"), file->ids(executor)),
        add_column(cloud, field("position", "m", "centre"), file->positions(executor)),
        add_column(cloud, field("velocity", "m/s", "of the grain"), file->velocities(executor)),
        add_column(cloud, field("radius", "m", "of the grain"), radii_of(*file, executor)),
        add_column(cloud, field("material", "1", "index into the materials"),
                   file->materials(executor)),
        add_column(cloud, field("shade", "1", "lighter or darker than the material's colour"),
                   file->shades(executor))})
    if (!status) return status.error();
  return cloud;
}

}  // namespace

const CloudField* Cloud::find(std::string_view name) const {
  for (const CloudField& field : fields)
    if (field.info.name == name) return &field;
  return nullptr;
}

Result<Cloud> read_cloud(const std::filesystem::path& path, bool detail, const Executor& executor) {
  auto cloud = detail ? read_detail(path, executor) : read_base(path, executor);
  if (!cloud) return cloud;
  if (cloud->values<Vec3f>("position").size() != cloud->count ||
      cloud->values<std::uint64_t>("id").size() != cloud->count)
    return work_error("{} has no positions or ids and cannot be exported", path.string());
  add_colour(*cloud, executor);
  return cloud;
}

Result<CloudSize> cloud_size(const std::filesystem::path& path, bool detail) {
  CloudSize size;
  if (detail) {
    const auto file = DetailFrameFile::open(path);
    if (!file) return file.error();
    // id, position, velocity, radius, material, shade, colour.
    return CloudSize{file->count(), 8 + 12 + 12 + 4 + 1 + 1 + 12};
  }
  const auto file = FrameFile::open(path);
  if (!file) return file.error();
  size.count = file->count();
  size.item_bytes = sizeof(Vec3f);  // the colour
  for (const FieldInfo& field : file->fields()) size.item_bytes += bytes_per_item(field.type);
  return size;
}

}  // namespace talus
