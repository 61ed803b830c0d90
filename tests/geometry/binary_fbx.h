// A mesh as the binary FBX (version 7.4) that Blender, Maya and others write. By hand: the library
// that reads it cannot read the binary files that it writes itself.
#pragma once

#include "geometry/mesh.h"

#include <cstring>
#include <string>
#include <vector>

namespace talus {

class BinaryFbx {
 public:
  /// `unit`: centimetres per unit of the coordinates.
  static std::string of(const Mesh& mesh, double unit) {
    std::vector<double> corners;
    std::vector<std::int32_t> faces;
    for (const Vec3f& v : mesh.vertices)
      for (int k = 0; k < 3; ++k) corners.push_back(double{v[k]});
    for (const auto& t : mesh.triangles)
      for (int k = 0; k < 3; ++k)
        faces.push_back(k < 2 ? static_cast<std::int32_t>(t[static_cast<std::size_t>(k)])
                              : -1 - static_cast<std::int32_t>(t[2]));  // the last of a polygon
    const std::string between("\0\1", 2);
    const Node scale{
        "P", {text("UnitScaleFactor"), text("double"), text("Number"), text(""), number(unit)}, {}};
    const Node geometry{
        "Geometry",
        {whole(1000), text("Box" + between + "Geometry"), text("Mesh")},
        {{"Vertices", {array('d', corners)}, {}}, {"PolygonVertexIndex", {array('i', faces)}, {}}}};
    const Node model{"Model",
                     {whole(2000), text("Box" + between + "Model"), text("Mesh")},
                     {{"Version", {version(232)}, {}}}};
    std::string file("Kaydara FBX Binary  \0\x1a\0", 23);
    file += bytes(std::uint32_t{7400});
    for (const Node& node : {Node{"FBXHeaderExtension", {}, {{"FBXVersion", {version(7400)}, {}}}},
                             Node{"GlobalSettings", {}, {{"Properties70", {}, {scale}}}},
                             Node{"Objects", {}, {geometry, model}},
                             Node{"Connections",
                                  {},
                                  {{"C", {text("OO"), whole(2000), whole(0)}, {}},
                                   {"C", {text("OO"), whole(1000), whole(2000)}, {}}}}})
      file += encoded(node, file.size());
    return file + std::string(13, '\0');
  }

 private:
  struct Node {
    std::string name;
    std::vector<std::string> properties;
    std::vector<Node> children;
  };

  template <class T>
  static std::string bytes(const T& value) {
    std::string out(sizeof(T), '\0');
    std::memcpy(out.data(), &value, sizeof(T));
    return out;
  }
  static std::string version(std::int32_t value) { return "I" + bytes(value); }
  static std::string whole(std::int64_t value) { return "L" + bytes(value); }
  static std::string number(double value) { return "D" + bytes(value); }
  static std::string text(const std::string& value) {
    return "S" + bytes(static_cast<std::uint32_t>(value.size())) + value;
  }
  template <class T>
  static std::string array(char type, const std::vector<T>& values) {
    const auto size = static_cast<std::uint32_t>(values.size() * sizeof(T));
    std::string out = type + bytes(static_cast<std::uint32_t>(values.size()));
    out += bytes(std::uint32_t{0}) + bytes(size);  // not compressed
    for (const T& value : values) out += bytes(value);
    return out;
  }

  /// A node that begins at offset `begin` of the file, which it must name.
  static std::string encoded(const Node& node, std::size_t begin) {
    std::string properties, children;
    for (const std::string& p : node.properties) properties += p;
    const std::size_t inner = begin + 13 + node.name.size() + properties.size();
    for (const Node& child : node.children) children += encoded(child, inner + children.size());
    if (!node.children.empty()) children += std::string(13, '\0');
    return bytes(static_cast<std::uint32_t>(inner + children.size())) +
           bytes(static_cast<std::uint32_t>(node.properties.size())) +
           bytes(static_cast<std::uint32_t>(properties.size())) +
           static_cast<char>(node.name.size()) + node.name + properties + children;
  }
};

}  // namespace talus
