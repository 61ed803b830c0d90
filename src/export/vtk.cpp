// VTK XML PolyData (.vtp): appended raw data, each array cut into blocks that zlib packs
// (vtkZLibDataCompressor), counts as UInt64. Format: "VTK File Formats", section XML, of the VTK
// User's Guide. One poly-vertex holds all grains, so that every representation shows them; units
// are given as VTK's UNITS_LABEL. A .pvd lists all files with their times.
#include "export/formats.h"
#include "export/packing.h"
#include "frames/atomic_file.h"

#include <fmt/format.h>

#include <array>
#include <cstring>
#include <numeric>

namespace talus {

namespace {

std::string_view vtk_type(FieldType type) {
  switch (type) {
    case FieldType::u8: return "UInt8";
    case FieldType::u32: return "UInt32";
    case FieldType::u64: return "UInt64";
    case FieldType::f64:
    case FieldType::vec3d: return "Float64";
    case FieldType::f32:
    case FieldType::vec3f:
    case FieldType::sym3f:
    case FieldType::quatf: break;
  }
  return "Float32";
}

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else if (c == '"')
      out += "&quot;";
    else
      out += c;
  }
  return out;
}

/// Collects the arrays of one file: their XML in order, their packed bytes behind it.
class Appended {
 public:
  explicit Appended(const Executor& executor) : executor_(executor) {}

  std::string array(std::string_view name, std::string_view type, int parts,
                    std::span<const std::byte> bytes, std::string_view unit = {},
                    std::span<const std::string_view> part_names = {}) {
    std::string xml = fmt::format("<DataArray type=\"{}\" Name=\"{}\" NumberOfComponents=\"{}\"",
                                  type, escaped(name), parts);
    for (std::size_t c = 0; c < part_names.size(); ++c)
      xml += fmt::format(" ComponentName{}=\"{}\"", c, part_names[c]);
    xml += fmt::format(" format=\"appended\" offset=\"{}\"", offset_);
    xml += unit.empty() ? std::string("/>\n")
                        : fmt::format(
                              "><InformationKey name=\"UNITS_LABEL\" location=\"vtkDataArray\">{}"
                              "</InformationKey></DataArray>\n",
                              escaped(unit));
    add(bytes);
    return xml;
  }

  Status write(AtomicFile& file) const {
    for (const auto& piece : pieces_)
      if (Status s = file.append(piece); !s) return s;
    return {};
  }

 private:
  void add(std::span<const std::byte> bytes) {
    auto blocks = zlib_blocks(bytes, executor_);
    std::vector<std::uint64_t> sizes{blocks.size(), packing_block_bytes,
                                     bytes.size() % packing_block_bytes};
    for (const auto& block : blocks) sizes.push_back(block.size());
    std::vector<std::byte> head(sizes.size() * sizeof(std::uint64_t));
    std::memcpy(head.data(), sizes.data(), head.size());
    blocks.insert(blocks.begin(), std::move(head));
    for (auto& block : blocks) {
      offset_ += block.size();
      pieces_.push_back(std::move(block));
    }
  }

  const Executor& executor_;
  std::vector<std::vector<std::byte>> pieces_;
  std::uint64_t offset_ = 0;
};

template <class T>
std::span<const std::byte> bytes_of(const T& list) {
  return std::as_bytes(std::span(list));
}

std::string field_array(Appended& appended, const CloudField& field) {
  static constexpr std::array<std::string_view, 6> tensor{"XX", "YY", "ZZ", "XY", "XZ", "YZ"};
  static constexpr std::array<std::string_view, 4> quaternion{"W", "X", "Y", "Z"};
  static constexpr std::array<std::string_view, 3> vector{"X", "Y", "Z"};
  std::span<const std::string_view> names;
  if (field.info.type == FieldType::sym3f) names = tensor;
  if (field.info.type == FieldType::quatf) names = quaternion;
  if (components(field.info.type) == 3) names = vector;
  return appended.array(field.info.name, vtk_type(field.info.type), components(field.info.type),
                        field.items, field.info.unit, names);
}

/// Everything around the <Piece>.
Status write_file(const std::filesystem::path& path, double time, const std::string& piece,
                  Appended& appended) {
  const std::array<double, 1> times{time};
  std::string xml =
      "<?xml version=\"1.0\"?>\n<VTKFile type=\"PolyData\" version=\"1.0\" "
      "byte_order=\"LittleEndian\" header_type=\"UInt64\" "
      "compressor=\"vtkZLibDataCompressor\">\n<PolyData>\n<FieldData>\n";
  std::string time_array = appended.array("TimeValue", "Float64", 1, bytes_of(times));
  time_array.insert(time_array.find(" NumberOfComponents"), " NumberOfTuples=\"1\"");
  xml += time_array + "</FieldData>\n" + piece + "</PolyData>\n<AppendedData encoding=\"raw\">\n_";
  auto file = AtomicFile::create(path);
  if (!file) return file.error();
  if (Status s = file->append(std::as_bytes(std::span(xml))); !s) return s;
  if (Status s = appended.write(*file); !s) return s;
  constexpr std::string_view end = "\n</AppendedData>\n</VTKFile>\n";
  if (Status s = file->append(std::as_bytes(std::span(end))); !s) return s;
  return file->commit();
}

struct Surface {
  std::vector<Vec3f> points;
  std::vector<std::int32_t> corners, offsets, body;
  std::vector<Vec3f> colour;  ///< of each face
};

Surface place(std::span<const PlacedBody> bodies) {
  Surface out;
  std::int32_t index = 0;
  for (const PlacedBody& placed : bodies) {
    const auto first = static_cast<std::int32_t>(out.points.size());
    for (const Vec3f& v : placed.body->mesh.vertices)
      out.points.push_back(Vec3f(placed.pose.to_world(Vec3d(v))));
    for (const auto& triangle : placed.body->mesh.triangles) {
      for (const std::uint32_t corner : triangle)
        out.corners.push_back(first + static_cast<std::int32_t>(corner));
      out.offsets.push_back(static_cast<std::int32_t>(out.corners.size()));
      out.body.push_back(index);
      out.colour.push_back(placed.body->colour);
    }
    ++index;
  }
  return out;
}

}  // namespace

Status write_vtp(const Cloud& cloud, const std::filesystem::path& path, const ExportSettings&,
                 const Executor& executor) {
  Appended appended(executor);
  std::vector<std::uint32_t> all(cloud.count);
  std::iota(all.begin(), all.end(), 0u);
  const bool any = cloud.count > 0;
  const std::vector<std::uint32_t> ends(any ? 1 : 0, static_cast<std::uint32_t>(cloud.count));
  std::string piece =
      fmt::format("<Piece NumberOfPoints=\"{}\" NumberOfVerts=\"{}\">\n<PointData>\n", cloud.count,
                  ends.size());
  for (const CloudField& field : cloud.fields)
    if (field.info.name != "position") piece += field_array(appended, field);
  piece += "</PointData>\n<Points>\n" + field_array(appended, *cloud.find("position")) +
           "</Points>\n<Verts>\n" + appended.array("connectivity", "UInt32", 1, bytes_of(all)) +
           appended.array("offsets", "UInt32", 1, bytes_of(ends)) + "</Verts>\n</Piece>\n";
  return write_file(path, cloud.info.time, piece, appended);
}

Status write_vtp_bodies(std::span<const PlacedBody> bodies, double time,
                        const std::filesystem::path& path, const Executor& executor) {
  Appended appended(executor);
  const Surface s = place(bodies);
  const std::string piece =
      fmt::format("<Piece NumberOfPoints=\"{}\" NumberOfPolys=\"{}\">\n<CellData>\n",
                  s.points.size(), s.offsets.size()) +
      appended.array("body", "Int32", 1, bytes_of(s.body)) +
      appended.array("colour", "Float32", 3, bytes_of(s.colour)) + "</CellData>\n<Points>\n" +
      appended.array("points", "Float32", 3, bytes_of(s.points), "m") + "</Points>\n<Polys>\n" +
      appended.array("connectivity", "Int32", 1, bytes_of(s.corners)) +
      appended.array("offsets", "Int32", 1, bytes_of(s.offsets)) + "</Polys>\n</Piece>\n";
  return write_file(path, time, piece, appended);
}

Status write_pvd(std::span<const WrittenFile> files, const std::filesystem::path& folder) {
  std::string xml =
      "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"1.0\" "
      "byte_order=\"LittleEndian\">\n<Collection>\n";
  double time = -1;
  int part = 0;
  for (const WrittenFile& file : files) {
    part = file.time == time ? part + 1 : 0;
    time = file.time;
    xml +=
        fmt::format("<DataSet timestep=\"{}\" part=\"{}\" name=\"{}\" file=\"{}\"/>\n", file.time,
                    part, file.bodies ? "bodies" : "grains", escaped(file.name.string()));
  }
  return write_text_file(folder / "run.pvd", xml + "</Collection>\n</VTKFile>\n");
}

}  // namespace talus
