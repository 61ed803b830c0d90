// numpy's .npz: a zip of .npy arrays, one for each field, named as the field, and `metadata`, a
// text with JSON: time, frame, units and meanings. Deflate, in pieces on all cores. Sizes from 4
// GiB on are given in zip64 fields. Formats: numpy/lib/format.py's description of .npy 1.0, PKWARE
// APPNOTE.
#include "export/formats.h"
#include "export/packing.h"
#include "frames/atomic_file.h"
#include "frames/field_columns.h"
#include "frames/json.h"

#include <fmt/format.h>

#include <cstring>

namespace talus {

namespace {

/// Little-endian numbers, one after the other.
class Record {
 public:
  template <class T>
  Record& put(T value) {
    const std::size_t at = bytes_.size();
    bytes_.resize(at + sizeof value);
    std::memcpy(bytes_.data() + at, &value, sizeof value);
    return *this;
  }
  Record& text(std::string_view value) {
    const auto* data = reinterpret_cast<const std::byte*>(value.data());
    bytes_.insert(bytes_.end(), data, data + value.size());
    return *this;
  }
  std::span<const std::byte> bytes() const { return bytes_; }
  std::uint64_t size() const { return bytes_.size(); }

 private:
  std::vector<std::byte> bytes_;
};

using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
constexpr u32 unknown = 0xffffffffu;  ///< "see the zip64 field"

struct Entry {
  std::string name;
  u32 crc = 0;
  u64 packed = 0, raw = 0, offset = 0;
};

/// What local and central headers have in common. Dates are fixed: the same frame gives the same
/// bytes.
Record& put_common(Record& record, const Entry& e, u16 extra_bytes) {
  return record.put<u16>(45)
      .put<u16>(0)
      .put<u16>(8)
      .put<u16>(0)
      .put<u16>(0x21)
      .put<u32>(e.crc)
      .put<u32>(unknown)
      .put<u32>(unknown)
      .put<u16>(static_cast<u16>(e.name.size()))
      .put<u16>(extra_bytes);
}

Status add_entry(AtomicFile& file, std::vector<Entry>& entries, std::string name,
                 std::span<const std::byte> raw, const Executor& executor) {
  const Deflated packed = deflate_stream(raw, executor);
  Entry entry{std::move(name), packed.crc, packed.bytes, raw.size(), file.size()};
  Record head;
  head.put<u32>(0x04034b50);
  put_common(head, entry, 20).text(entry.name);
  head.put<u16>(1).put<u16>(16).put<u64>(entry.raw).put<u64>(entry.packed);
  if (Status s = file.append(head.bytes()); !s) return s;
  for (const auto& piece : packed.pieces)
    if (Status s = file.append(piece); !s) return s;
  entries.push_back(std::move(entry));
  return {};
}

Status finish_zip(AtomicFile& file, const std::vector<Entry>& entries) {
  Record list;
  for (const Entry& e : entries) {
    list.put<u32>(0x02014b50).put<u16>(45);
    put_common(list, e, 28).put<u16>(0).put<u16>(0).put<u16>(0).put<u32>(0).put<u32>(unknown);
    list.text(e.name).put<u16>(1).put<u16>(24).put<u64>(e.raw).put<u64>(e.packed).put<u64>(
        e.offset);
  }
  const u64 start = file.size(), count = entries.size();
  const u64 end = start + list.size();
  list.put<u32>(0x06064b50).put<u64>(44).put<u16>(45).put<u16>(45).put<u32>(0).put<u32>(0);
  list.put<u64>(count).put<u64>(count).put<u64>(end - start).put<u64>(start);
  list.put<u32>(0x07064b50).put<u32>(0).put<u64>(end).put<u32>(1);
  list.put<u32>(0x06054b50)
      .put<u16>(0)
      .put<u16>(0)
      .put<u16>(static_cast<u16>(count))
      .put<u16>(static_cast<u16>(count))
      .put<u32>(unknown)
      .put<u32>(unknown)
      .put<u16>(0);
  if (Status s = file.append(list.bytes()); !s) return s;
  return file.commit();
}

std::vector<std::byte> npy(std::string_view type, const std::string& shape,
                           std::span<const std::byte> items) {
  std::string header =
      fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}", type, shape);
  header.append(63 - (header.size() + 10) % 64, ' ');
  header += '\n';
  Record record;
  record.text("\x93NUMPY").put<std::uint8_t>(1).put<std::uint8_t>(0);
  record.put<u16>(static_cast<u16>(header.size())).text(header);
  std::vector<std::byte> out(record.size() + items.size());
  std::memcpy(out.data(), record.bytes().data(), record.size());
  if (!items.empty()) std::memcpy(out.data() + record.size(), items.data(), items.size());
  return out;
}

std::string metadata_of(const Cloud& cloud) {
  using nlohmann::json;
  json fields = json::object();
  for (const CloudField& field : cloud.fields)
    fields[field.info.name] = {{"unit", field.info.unit}, {"meaning", field.info.meaning}};
  json materials = json::array();
  for (const FrameMaterial& m : cloud.info.materials) materials.push_back(m.name);
  json bodies = json::array();
  for (const FrameBody& b : cloud.info.bodies) {
    const Posed& p = b.state.pose;
    bodies.push_back({{"name", b.name},
                      {"position", {p.position.x, p.position.y, p.position.z}},
                      {"rotation", {p.rotation.w, p.rotation.x, p.rotation.y, p.rotation.z}}});
  }
  return json{{"scene", cloud.info.scene}, {"frame", cloud.info.index}, {"time", cloud.info.time},
              {"fields", fields},          {"materials", materials},    {"bodies", bodies}}
      .dump();
}

}  // namespace

Status write_npz(const Cloud& cloud, const std::filesystem::path& path, const ExportSettings&,
                 const Executor& executor) {
  auto file = AtomicFile::create(path);
  if (!file) return file.error();
  std::vector<Entry> entries;
  for (const CloudField& field : cloud.fields) {
    const int parts = components(field.info.type);
    const std::string shape =
        parts == 1 ? fmt::format("{},", cloud.count) : fmt::format("{}, {}", cloud.count, parts);
    const auto array = npy(numpy_type(field.info.type), shape, field.items);
    if (Status s = add_entry(*file, entries, field.info.name + ".npy", array, executor); !s)
      return s;
  }
  const std::string metadata = metadata_of(cloud);
  const auto array =
      npy(fmt::format("|S{}", metadata.size()), "", std::as_bytes(std::span(metadata)));
  if (Status s = add_entry(*file, entries, "metadata.npy", array, executor); !s) return s;
  return finish_zip(*file, entries);
}

}  // namespace talus
