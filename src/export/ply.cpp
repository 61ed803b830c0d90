// Binary PLY: one element `vertex` with x y z, vx vy vz, nx ny nz where there are normals, red
// green blue (sRGB bytes), radius, id, and every other scalar field as a float or an integer. PLY
// has no 64-bit integers: ids are `uint` while they fit, else `double`, which is exact to 2^53.
#include "export/formats.h"
#include "frames/atomic_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>

namespace talus {

namespace {

struct Property {
  std::string text;  ///< of the header
  std::size_t bytes = 0;
  std::function<void(std::size_t item, std::byte* out)> put;
};

template <class T>
void store(std::byte* out, const T& value) {
  std::memcpy(out, &value, sizeof value);
}

std::uint8_t srgb_byte(float linear) {
  const float c = std::clamp(linear, 0.0f, 1.0f);
  const float s = c <= 0.0031308f ? 12.92f * c : 1.055f * std::pow(c, 1 / 2.4f) - 0.055f;
  return static_cast<std::uint8_t>(std::lround(s * 255));
}

void add_vector(std::vector<Property>& out, const Cloud& cloud, std::string_view name,
                std::string names) {
  if (!cloud.has<Vec3f>(name)) return;
  const auto values = cloud.values<Vec3f>(name);
  out.push_back(
      {std::move(names), 12, [values](std::size_t i, std::byte* to) { store(to, values[i]); }});
}

void add_id(std::vector<Property>& out, std::span<const std::uint64_t> id) {
  const bool small = id.empty() || *std::max_element(id.begin(), id.end()) <= 0xffffffffu;
  if (small)
    out.push_back({"property uint id\n", 4, [id](std::size_t i, std::byte* to) {
                     store(to, static_cast<std::uint32_t>(id[i]));
                   }});
  else
    out.push_back({"property double id\n", 8,
                   [id](std::size_t i, std::byte* to) { store(to, static_cast<double>(id[i])); }});
}

template <class T>
void add_scalar(std::vector<Property>& out, const Cloud& cloud, const std::string& name,
                const char* type) {
  const auto values = cloud.values<T>(name);
  out.push_back({fmt::format("property {} {}\n", type, name), sizeof(T),
                 [values](std::size_t i, std::byte* to) { store(to, values[i]); }});
}

std::vector<Property> properties_of(const Cloud& cloud) {
  std::vector<Property> out;
  add_vector(out, cloud, "position", "property float x\nproperty float y\nproperty float z\n");
  add_vector(out, cloud, "velocity", "property float vx\nproperty float vy\nproperty float vz\n");
  add_vector(out, cloud, "normal", "property float nx\nproperty float ny\nproperty float nz\n");
  if (const auto colour = cloud.values<Vec3f>("colour"); cloud.has<Vec3f>("colour"))
    out.push_back({"property uchar red\nproperty uchar green\nproperty uchar blue\n", 3,
                   [colour](std::size_t i, std::byte* to) {
                     for (int c = 0; c < 3; ++c) store(to + c, srgb_byte((&colour[i].x)[c]));
                   }});
  add_id(out, cloud.values<std::uint64_t>("id"));
  for (const CloudField& field : cloud.fields) {
    const std::string& name = field.info.name;
    if (field.info.type == FieldType::f32) add_scalar<float>(out, cloud, name, "float");
    if (field.info.type == FieldType::f64) add_scalar<double>(out, cloud, name, "double");
    if (field.info.type == FieldType::u8) add_scalar<std::uint8_t>(out, cloud, name, "uchar");
    if (field.info.type == FieldType::u32) add_scalar<std::uint32_t>(out, cloud, name, "uint");
  }
  return out;
}

std::string header_of(const Cloud& cloud, const std::vector<Property>& properties) {
  std::string text = "ply\nformat binary_little_endian 1.0\n";
  text += fmt::format("comment Talus, scene '{}', frame {}, time {} s\n", cloud.info.scene,
                      cloud.info.index, cloud.info.time);
  for (const CloudField& field : cloud.fields)
    text +=
        fmt::format("comment {} [{}]: {}\n", field.info.name, field.info.unit, field.info.meaning);
  text += fmt::format("element vertex {}\n", cloud.count);
  for (const Property& property : properties) text += property.text;
  return text + "end_header\n";
}

}  // namespace

Status write_ply(const Cloud& cloud, const std::filesystem::path& path, const ExportSettings&,
                 const Executor& executor) {
  const std::vector<Property> properties = properties_of(cloud);
  auto file = AtomicFile::create(path);
  if (!file) return file.error();
  const std::string header = header_of(cloud, properties);
  if (Status s = file->append(std::as_bytes(std::span(header))); !s) return s;
  std::size_t row = 0;
  for (const Property& property : properties) row += property.bytes;
  // A slab at a time, so that a large cloud is not in memory twice.
  constexpr std::size_t slab = std::size_t{1} << 20;
  std::vector<std::byte> rows;
  for (std::size_t begin = 0; begin < cloud.count; begin += slab) {
    const std::size_t n = std::min<std::size_t>(slab, cloud.count - begin);
    rows.resize(n * row);
    executor.for_range(n, 4096, [&](std::size_t from, std::size_t to) {
      std::size_t offset = 0;
      for (const Property& property : properties) {
        for (std::size_t i = from; i < to; ++i)
          property.put(begin + i, rows.data() + i * row + offset);
        offset += property.bytes;
      }
    });
    if (Status s = file->append(rows); !s) return s;
  }
  return file->commit();
}

}  // namespace talus
