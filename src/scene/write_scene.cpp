// Key by key from the same tables that the parser reads with, so that what is written can be read.
#include "scene/write_scene.h"

#include "scene/key_values.h"

#include <fmt/format.h>

#include <cmath>

namespace talus {

std::string toml_string(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\')
      out += std::string("\\") + c;
    else if (byte < 0x20 || byte == 0x7f)
      out += fmt::format("\\u{:04x}", byte);
    else
      out += c;
  }
  return out + "\"";
}

namespace {

std::string vector_text(const Vec3d& v) { return fmt::format("[{}, {}, {}]", v.x, v.y, v.z); }

std::string quaternion_text(const Quatd& q) {
  return fmt::format("[{}, {}, {}, {}]", q.w, q.x, q.y, q.z);
}

std::string words_text(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + toml_string(word);
  return "[" + text + "]";
}

std::string value_text(const Key& key, void* object, const Scene& scene) {
  switch (key.type) {
    case KeyType::boolean: return member_of<bool>(key, object) ? "true" : "false";
    case KeyType::integer: return fmt::format("{}", member_of<int>(key, object));
    case KeyType::seed: return fmt::format("{}", member_of<std::uint64_t>(key, object));
    case KeyType::number: {
      const double x = member_of<double>(key, object);
      return std::isfinite(x) ? fmt::format("{}", x) : "";
    }
    case KeyType::fraction: return fmt::format("{}", member_of<float>(key, object));
    case KeyType::choice:
      return toml_string(key.choices[static_cast<std::size_t>(key.get_choice(object))]);
    case KeyType::axis_name:
      return toml_string(key.choices[static_cast<std::size_t>(member_of<int>(key, object))]);
    case KeyType::text:
    case KeyType::word:
    case KeyType::file: {
      const auto& name = member_of<std::string>(key, object);
      return name.empty() ? "" : toml_string(name);
    }
    case KeyType::grain_shape: return toml_string(member_of<std::string>(key, object));
    case KeyType::vector:
    case KeyType::direction:
    case KeyType::gravity: return vector_text(member_of<Vec3d>(key, object));
    case KeyType::flags: {
      const auto& f = member_of<std::array<bool, 3>>(key, object);
      return fmt::format("[{}, {}, {}]", f[0], f[1], f[2]);
    }
    case KeyType::colour: {
      const auto& c = member_of<std::array<float, 3>>(key, object);
      return fmt::format("[{}, {}, {}]", c[0], c[1], c[2]);
    }
    case KeyType::quaternion: return quaternion_text(member_of<Quatd>(key, object));
    case KeyType::words:
    case KeyType::texts: return words_text(member_of<std::vector<std::string>>(key, object));
    case KeyType::material:
      return toml_string(scene.materials[member_of<std::uint32_t>(key, object)].name);
    default: return {};
  }
}

/// Is the key in use, given the value of the sibling that decides it?
bool in_use(const Section& section, const Key& key, void* object, const Scene& scene) {
  if (key.only_if_key.empty()) return true;
  const std::string value = value_text(*section.find(key.only_if_key), object, scene);
  for (const std::string& wanted : key.only_if_values)
    if (value == toml_string(wanted)) return true;
  return false;
}

std::string inline_table(const Section& section, void* object, const Scene& scene) {
  std::string text;
  for (const Key& key : section.keys) {
    if (!key.written || !in_use(section, key, object, scene)) continue;
    text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", key.name,
                        value_text(key, object, scene));
  }
  return "{ " + text + " }";
}

void write_section(const Section& section, void* object, const Scene& scene, std::string& out) {
  out += fmt::format("\n{}\n", section.header);
  const std::vector<Keyframe>* keyframes = nullptr;
  for (const Key& key : section.keys) {
    if (!key.written || !in_use(section, key, object, scene)) continue;
    if (key.type == KeyType::keyframes) {
      keyframes = &member_of<std::vector<Keyframe>>(key, object);
      continue;
    }
    const std::string value =
        key.type == KeyType::shape
            ? inline_table(scene_section("shape"), &member_of<Shape>(key, object), scene)
            : value_text(key, object, scene);
    if (!value.empty()) out += fmt::format("{} = {}\n", key.name, value);
  }
  if (keyframes == nullptr) return;
  for (Keyframe frame : *keyframes)
    write_section(scene_section("body.keyframe"), &frame, scene, out);
}

template <class T>
void write_all(const char* name, std::vector<T>& items, const Scene& scene, std::string& out) {
  for (T& item : items) write_section(scene_section(name), &item, scene, out);
}

}  // namespace

std::string to_toml(const Scene& original) {
  Scene scene = original;  // the table's accessors are not const
  std::string out = "# A complete scene: every key that is in use, defaults included.\n";
  write_section(scene_section("scene"), &scene, scene, out);
  write_section(scene_section("sph"), &scene.sph, scene, out);
  write_section(scene_section("dem"), &scene.dem, scene, out);
  write_all("material", scene.materials, scene, out);
  write_all("contact", scene.contacts, scene, out);
  write_all("fill", scene.fills, scene, out);
  write_all("pour", scene.pours, scene, out);
  write_all("sink", scene.sinks, scene, out);
  write_all("wetting", scene.wettings, scene, out);
  write_all("body", scene.bodies, scene, out);
  write_all("joint", scene.joints, scene, out);
  write_all("camera", scene.cameras, scene, out);
  write_section(scene_section("render"), &scene.render, scene, out);
  write_section(scene_section("detail"), &scene.detail, scene, out);
  write_section(scene_section("output"), &scene.output, scene, out);
  return out;
}

}  // namespace talus
