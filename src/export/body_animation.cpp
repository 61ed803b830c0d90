// Bodies for other programs: glTF 2.0 (bodies.gltf + bodies.bin: one node with translation and
// rotation over time for each body) and OBJ (a file for each frame, bodies as objects, placed).
// glTF is y up by definition, Talus' scenes mostly z up: a root node turns them.
#include "export/formats.h"
#include "frames/atomic_file.h"
#include "frames/json.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace talus {

namespace {

using nlohmann::json;

/// The binary file behind a glTF document, and the lists that point into it.
class GltfBuffer {
 public:
  template <class T>
  int add(const std::vector<T>& items, int component_type, const char* type, int parts,
          int target) {
    const std::size_t offset = bytes_.size();
    bytes_.resize(offset + items.size() * sizeof(T));
    if (!items.empty()) std::memcpy(bytes_.data() + offset, items.data(), items.size() * sizeof(T));
    json view{{"buffer", 0}, {"byteOffset", offset}, {"byteLength", items.size() * sizeof(T)}};
    if (target != 0) view["target"] = target;
    views_.push_back(view);
    accessors_.push_back({{"bufferView", views_.size() - 1},
                          {"componentType", component_type},
                          {"count", items.size() * sizeof(T) / static_cast<std::size_t>(parts) / 4},
                          {"type", type}});
    return static_cast<int>(accessors_.size()) - 1;
  }
  json& accessor(int index) { return accessors_[static_cast<std::size_t>(index)]; }
  const json& accessors() const { return accessors_; }
  const json& views() const { return views_; }
  std::span<const std::byte> bytes() const { return bytes_; }

 private:
  std::vector<std::byte> bytes_;
  json accessors_ = json::array(), views_ = json::array();
};

constexpr int gl_float = 5126, gl_uint = 5125, vertex_target = 34962, index_target = 34963;

json mesh_json(const BodyMesh& body, GltfBuffer& buffer, std::size_t material) {
  const int position = buffer.add(body.mesh.vertices, gl_float, "VEC3", 3, vertex_target);
  Vec3f lower = body.mesh.vertices[0], upper = lower;
  for (const Vec3f& v : body.mesh.vertices) lower = min(lower, v), upper = max(upper, v);
  buffer.accessor(position)["min"] = {lower.x, lower.y, lower.z};
  buffer.accessor(position)["max"] = {upper.x, upper.y, upper.z};
  const int index = buffer.add(body.mesh.triangles, gl_uint, "SCALAR", 1, index_target);
  return {
      {"name", body.name},
      {"primitives",
       {{{"attributes", {{"POSITION", position}}}, {"indices", index}, {"material", material}}}}};
}

json material_json(const BodyMesh& body) {
  return {{"name", body.name},
          {"doubleSided", true},
          {"pbrMetallicRoughness",
           {{"baseColorFactor", {body.colour.x, body.colour.y, body.colour.z, 1}},
            {"metallicFactor", 0},
            {"roughnessFactor", 0.7}}}};
}

Posed pose_in(const FrameInfo& frame, const BodyMesh& body) {
  for (const FrameBody& b : frame.bodies)
    if (b.name == body.name) return b.state.pose;
  return body.pose;
}

json node_json(const BodyMesh& body, const Posed& pose, std::size_t mesh) {
  const auto& q = pose.rotation;
  return {{"name", body.name},
          {"mesh", mesh},
          {"translation", {pose.position.x, pose.position.y, pose.position.z}},
          {"rotation", {q.x, q.y, q.z, q.w}}};
}

void add_channels(const BodyMesh& body, std::span<const FrameInfo> frames, std::size_t node,
                  int times, GltfBuffer& buffer, json& animation) {
  std::vector<Vec3f> translations;
  std::vector<std::array<float, 4>> rotations;
  for (const FrameInfo& frame : frames) {
    const Posed pose = pose_in(frame, body);
    translations.push_back(Vec3f(pose.position));
    std::array<float, 4> q{static_cast<float>(pose.rotation.x), static_cast<float>(pose.rotation.y),
                           static_cast<float>(pose.rotation.z),
                           static_cast<float>(pose.rotation.w)};
    // q and -q are the same turn; the nearer one, or players spin the long way round.
    if (!rotations.empty()) {
      float dot = 0;
      for (std::size_t i = 0; i < 4; ++i) dot += q[i] * rotations.back()[i];
      if (dot < 0)
        for (float& x : q) x = -x;
    }
    rotations.push_back(q);
  }
  const int t = buffer.add(translations, gl_float, "VEC3", 3, 0);
  const int r = buffer.add(rotations, gl_float, "VEC4", 4, 0);
  for (const auto& [output, path] : {std::pair(t, "translation"), std::pair(r, "rotation")}) {
    animation["samplers"].push_back(
        {{"input", times}, {"output", output}, {"interpolation", "LINEAR"}});
    animation["channels"].push_back({{"sampler", animation["samplers"].size() - 1},
                                     {"target", {{"node", node}, {"path", path}}}});
  }
}

/// The rotation that takes the axis `up` to glTF's y, as x y z w.
json turn_up(int up) {
  constexpr double half = 0.70710678118654752;
  if (up == 2) return {-half, 0, 0, half};
  if (up == 0) return {0, 0, half, half};
  return {0, 0, 0, 1};
}

}  // namespace

Status write_gltf(const RunSource& run, std::span<const FrameInfo> frames,
                  const std::filesystem::path& folder) {
  const std::vector<BodyMesh>& bodies = run.bodies;
  GltfBuffer buffer;
  json meshes = json::array(), materials = json::array(), nodes = json::array(),
       children = json::array();
  json animation{{"name", "run"}, {"samplers", json::array()}, {"channels", json::array()}};
  std::vector<float> times;
  for (const FrameInfo& frame : frames) times.push_back(static_cast<float>(frame.time));
  const int time = buffer.add(times, gl_float, "SCALAR", 1, 0);
  buffer.accessor(time)["min"] = {times.front()};
  buffer.accessor(time)["max"] = {times.back()};
  for (std::size_t b = 0; b < bodies.size(); ++b) {
    materials.push_back(material_json(bodies[b]));
    meshes.push_back(mesh_json(bodies[b], buffer, b));
    nodes.push_back(node_json(bodies[b], pose_in(frames.front(), bodies[b]), b));
    children.push_back(b);
    if (bodies[b].moves) add_channels(bodies[b], frames, b, time, buffer, animation);
  }
  nodes.push_back({{"name", "scene"}, {"rotation", turn_up(run.scene.up)}, {"children", children}});
  json document{{"asset", {{"version", "2.0"}, {"generator", "Talus"}}},
                {"scene", 0},
                {"scenes", {{{"nodes", {bodies.size()}}}}},
                {"nodes", nodes},
                {"meshes", meshes},
                {"materials", materials},
                {"accessors", buffer.accessors()},
                {"bufferViews", buffer.views()},
                {"buffers", {{{"uri", "bodies.bin"}, {"byteLength", buffer.bytes().size()}}}}};
  if (!animation["channels"].empty()) document["animations"] = {animation};
  auto file = AtomicFile::create(folder / "bodies.bin");
  if (!file) return file.error();
  if (Status s = file->append(buffer.bytes()); !s) return s;
  if (Status s = file->commit(); !s) return s;
  return write_text_file(folder / "bodies.gltf", document.dump(1));
}

Status write_obj_bodies(std::span<const PlacedBody> bodies, double time,
                        const std::filesystem::path& path, const Executor&) {
  std::string text = fmt::format("# Talus, time {} s, metres\n", time);
  std::size_t first = 1;
  for (const PlacedBody& placed : bodies) {
    std::string name = placed.body->name;
    std::replace(name.begin(), name.end(), ' ', '_');
    text += "o " + name + "\n";
    for (const Vec3f& v : placed.body->mesh.vertices) {
      const Vec3d p = placed.pose.to_world(Vec3d(v));
      text += fmt::format("v {:.9g} {:.9g} {:.9g}\n", p.x, p.y, p.z);
    }
    for (const auto& t : placed.body->mesh.triangles)
      text += fmt::format("f {} {} {}\n", first + t[0], first + t[1], first + t[2]);
    first += placed.body->mesh.vertices.size();
  }
  return write_text_file(path, text);
}

}  // namespace talus
