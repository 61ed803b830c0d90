// Houdini geometry in its current form: the JSON document of .geo in SideFX's binary JSON (.bgeo),
// not the classic format, which Houdini 18.5 and later refuse. The structure is the one published
// in Houdini's documentation ("Houdini geometry file format", io/formats/geo): a list of pairs with
// counts, topology, attributes and primitives; an attribute is a definition and its values, here
// pages of 1024 raw tuples. Points only: P, v, id, pscale, Cd, and all other fields by their names.
//
// Binary JSON: the byte 0x7f, "NSJb", then one value. A value is a byte that tells its type, then
// the value; lengths below 0xf1 are one byte, longer ones 0xf2/0xf4/0xf8 and 2/4/8 bytes. An array
// of equal numbers is 0x40, the type, the length and the raw little-endian numbers.
//
// .bgeo.gz is the same document in gzip, .bgeo.sc in blocks of Blosc (block_stream.h).
#include "export/block_stream.h"
#include "export/formats.h"
#include "export/packing.h"
#include "frames/atomic_file.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>

namespace talus {

namespace {

enum class Tag : std::uint8_t {
  array_begin = 0x5b,
  array_end = 0x5d,
  map_begin = 0x7b,
  map_end = 0x7d,
  int32 = 0x13,
  int64 = 0x14,
  real32 = 0x19,
  real64 = 0x1a,
  uint8 = 0x21,
  string = 0x27,
  no = 0x30,
  uniform_array = 0x40,
  magic = 0x7f,
};

/// Writes one document, in pieces so that large arrays are not copied together.
class BinaryJson {
 public:
  BinaryJson(AtomicFile& file, BgeoPacking packing, const Executor& executor)
      : file_(file), gzip_(packing == BgeoPacking::gzip), executor_(executor) {
    if (packing == BgeoPacking::blocks) blocks_.emplace(file, executor);
  }

  void tag(Tag t) { raw(static_cast<std::uint8_t>(t)); }
  void text(std::string_view value) {
    tag(Tag::string);
    length(value.size());
    append(std::as_bytes(std::span(value)));
  }
  void number(std::int64_t value) {
    tag(Tag::int64);
    raw(value);
  }
  void real(double value) {
    tag(Tag::real64);
    raw(value);
  }
  /// The numbers go to the file as they are, not through the buffer: they may be gigabytes.
  void uniform(Tag type, std::uint64_t count, std::span<const std::byte> items) {
    tag(Tag::uniform_array);
    tag(type);
    length(count);
    if (flush()) pass_on(items);
  }
  template <class T>
  void raw(const T& value) {
    append(std::as_bytes(std::span(&value, 1)));
  }
  void pair(std::string_view key, std::string_view value) {
    text(key);
    text(value);
  }
  void pair(std::string_view key, std::int64_t value) {
    text(key);
    number(value);
  }
  /// Passes on what has gathered. A failure stays, and is told at the end.
  Status flush() {
    std::vector<std::byte> bytes;
    bytes.swap(buffer_);
    pass_on(bytes);
    return status_;
  }
  /// After the last value.
  Status finish() {
    if (Status status = flush(); !status) return status;
    return blocks_ ? blocks_->finish() : Status();
  }

 private:
  void length(std::uint64_t n) {
    if (n < 0xf1) {
      raw(static_cast<std::uint8_t>(n));
    } else if (n <= 0xffff) {
      raw(std::uint8_t{0xf2});
      raw(static_cast<std::uint16_t>(n));
    } else if (n <= 0xffffffffu) {
      raw(std::uint8_t{0xf4});
      raw(static_cast<std::uint32_t>(n));
    } else {
      raw(std::uint8_t{0xf8});
      raw(n);
    }
  }
  void append(std::span<const std::byte> bytes) {
    buffer_.insert(buffer_.end(), bytes.begin(), bytes.end());
  }

  void pass_on(std::span<const std::byte> bytes);

  AtomicFile& file_;
  bool gzip_;
  const Executor& executor_;
  std::optional<BlockStream> blocks_;
  std::vector<std::byte> buffer_;
  Status status_;
};

/// A gzip member for each call: readers of gzip take several in a row as one stream.
void BinaryJson::pass_on(std::span<const std::byte> bytes) {
  if (!status_ || bytes.empty()) return;
  if (blocks_) return blocks_->append(bytes);
  if (!gzip_) {
    status_ = file_.append(bytes);
    return;
  }
  const std::array<std::uint8_t, 10> head{0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3};
  const Deflated packed = deflate_stream(bytes, executor_);
  const std::array<std::uint32_t, 2> tail{packed.crc, static_cast<std::uint32_t>(bytes.size())};
  status_ = file_.append(std::as_bytes(std::span(head)));
  for (const auto& piece : packed.pieces)
    if (status_) status_ = file_.append(piece);
  if (status_) status_ = file_.append(std::as_bytes(std::span(tail)));
}

struct Attribute {
  std::string name;
  std::string_view storage;  ///< Houdini's word
  Tag tag = Tag::real32;
  int size = 1;
  std::string_view role;  ///< how Houdini transforms it: "point", "vector", "color", or nothing
  std::span<const std::byte> items;
  std::vector<std::byte> converted;  ///< what `items` shows when the type had to change
};

std::string houdini_name(const std::string& name) {
  if (name == "position") return "P";
  if (name == "velocity") return "v";
  if (name == "radius") return "pscale";
  if (name == "colour") return "Cd";
  if (name == "normal") return "N";
  if (name == "rotation" || name == "orientation") return "orient";
  return name;
}

/// Houdini's quaternions are x y z w.
std::vector<std::byte> orient_items(std::span<const std::byte> items) {
  std::vector<std::byte> out(items.begin(), items.end());
  for (std::size_t i = 0; i + 16 <= out.size(); i += 16)
    std::rotate(out.begin() + static_cast<std::ptrdiff_t>(i),
                out.begin() + static_cast<std::ptrdiff_t>(i + 4),
                out.begin() + static_cast<std::ptrdiff_t>(i + 16));
  return out;
}

Attribute attribute_of(const CloudField& field) {
  Attribute out;
  out.name = houdini_name(field.info.name);
  out.storage = "fpreal32";
  out.size = components(field.info.type);
  out.items = field.items;
  switch (field.info.type) {
    case FieldType::u8:
      out.storage = "uint8";
      out.tag = Tag::uint8;
      break;
    case FieldType::u32:  // material numbers and counts: far below 2^31
      out.storage = "int32";
      out.tag = Tag::int32;
      break;
    case FieldType::u64:  // ids: far below 2^63
      out.storage = "int64";
      out.tag = Tag::int64;
      break;
    case FieldType::f64:
    case FieldType::vec3d:
      out.storage = "fpreal64";
      out.tag = Tag::real64;
      break;
    case FieldType::quatf:
      out.converted = orient_items(field.items);
      out.items = out.converted;
      break;
    case FieldType::f32:
    case FieldType::vec3f:
    case FieldType::sym3f: break;
  }
  if (out.name == "P") out.role = "point";
  if (out.name == "v") out.role = "vector";
  if (out.name == "N") out.role = "normal";
  if (out.name == "Cd") out.role = "color";
  if (out.name == "orient") out.role = "quaternion";
  return out;
}

void put_definition(BinaryJson& json, const Attribute& a) {
  json.tag(Tag::array_begin);
  json.pair("scope", "public");
  json.pair("type", "numeric");
  json.pair("name", a.name);
  json.text("options");
  json.tag(Tag::map_begin);
  if (!a.role.empty()) {
    json.text("type");
    json.tag(Tag::map_begin);
    json.pair("type", "string");
    json.pair("value", a.role);
    json.tag(Tag::map_end);
  }
  json.tag(Tag::map_end);
  json.tag(Tag::array_end);
}

void put_values(BinaryJson& json, const Attribute& a, std::uint64_t count) {
  json.tag(Tag::array_begin);
  json.pair("size", a.size);
  json.pair("storage", a.storage);
  json.text("defaults");
  json.tag(Tag::array_begin);
  json.pair("size", 1);
  json.pair("storage", "fpreal64");
  json.text("values");
  const double zero = 0;
  json.uniform(Tag::real64, 1, std::as_bytes(std::span(&zero, 1)));
  json.tag(Tag::array_end);
  json.text("values");
  json.tag(Tag::array_begin);
  json.pair("size", a.size);
  json.pair("storage", a.storage);
  json.pair("pagesize", 1024);
  json.text("rawpagedata");
  json.uniform(a.tag, count * static_cast<std::uint64_t>(a.size), a.items);
  json.tag(Tag::array_end);
  json.tag(Tag::array_end);
}

void put_start(BinaryJson& json, const Cloud& cloud) {
  json.tag(Tag::magic);
  json.raw(std::uint32_t{0x624a534e});
  json.tag(Tag::array_begin);
  json.pair("fileversion", "18.5.408");
  json.text("hasindex");
  json.tag(Tag::no);
  json.pair("pointcount", static_cast<std::int64_t>(cloud.count));
  json.pair("vertexcount", 0);
  json.pair("primitivecount", 0);
  json.text("info");
  json.tag(Tag::map_begin);
  json.pair("software", "Talus");
  json.text("time");
  json.real(cloud.info.time);
  json.tag(Tag::map_end);
  json.text("topology");
  json.tag(Tag::array_begin);
  json.text("pointref");
  json.tag(Tag::array_begin);
  json.text("indices");
  json.uniform(Tag::int32, 0, {});
  json.tag(Tag::array_end);
  json.tag(Tag::array_end);
  json.text("attributes");
  json.tag(Tag::array_begin);
  json.text("pointattributes");
  json.tag(Tag::array_begin);
}

}  // namespace

Status write_bgeo(const Cloud& cloud, const std::filesystem::path& path,
                  const ExportSettings& settings, const Executor& executor) {
  auto file = AtomicFile::create(path);
  if (!file) return file.error();
  BinaryJson json(*file, settings.packing, executor);
  put_start(json, cloud);
  std::vector<const CloudField*> fields{cloud.find("position")};  // Houdini expects P first
  for (const CloudField& field : cloud.fields)
    if (&field != fields[0]) fields.push_back(&field);
  for (const CloudField* field : fields) {
    const Attribute attribute = attribute_of(*field);
    json.tag(Tag::array_begin);
    put_definition(json, attribute);
    put_values(json, attribute, cloud.count);
    json.tag(Tag::array_end);
    if (Status s = json.flush(); !s) return s;
  }
  json.tag(Tag::array_end);
  json.tag(Tag::array_end);
  json.text("primitives");
  json.tag(Tag::array_begin);
  json.tag(Tag::array_end);
  json.tag(Tag::array_end);
  if (Status s = json.finish(); !s) return s;
  return file->commit();
}

}  // namespace talus
