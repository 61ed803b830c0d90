#include "scene/read_scene.h"

#include "scene/defaults.h"
#include "scene/key_values.h"
#include "scene/overrides.h"
#include "scene/presets.h"
#include "scene/rope.h"
#include "scene/validate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <map>
#include <memory>

namespace talus {
namespace {

constexpr std::size_t max_file_bytes = std::size_t{16} << 20;
constexpr std::size_t max_materials = 1000;
constexpr std::size_t max_tables = 100000;

/// Reads the tables of a document into a Scene; mistakes go to the context's diagnostics.
class SceneReader {
 public:
  SceneReader(const TomlNode& root, ReadContext& context) : root_(root), context_(context) {}

  void read(Scene& scene) {
    check_table_names();
    single("scene", &scene);
    std::vector<SceneSize> sizes;
    repeated("size", sizes, SceneSize{});
    materials(scene);
    single("sph", &scene.sph);
    single("dem", &scene.dem);
    repeated("contact", scene.contacts, default_contact());
    repeated("fill", scene.fills, default_fill());
    repeated("pour", scene.pours, pour_of(scene));
    repeated("sink", scene.sinks, default_sink());
    repeated("wetting", scene.wettings, default_wetting());
    repeated("body", scene.bodies, default_body());
    repeated("joint", scene.joints, default_joint());
    repeated("rope", ropes_, default_rope());
    repeated("camera", scene.cameras, default_camera());
    single("render", &scene.render);
    single("detail", &scene.detail);
    single("output", &scene.output);
    finish(scene);
  }

 private:
  void error(const Location& at, const std::string& text) { context_.diagnostics.error(at, text); }

  /// "did you mean" for a key that `section` does not have.
  std::string suggestion(const Section& section, const std::string& key) const {
    std::vector<std::string> names;
    for (const Key& k : section.keys) names.push_back(k.name);
    const std::string guess = nearest_word(key, names);
    if (!guess.empty()) return fmt::format("did you mean '{}'?", guess);
    for (const Section& other : scene_sections())
      if (other.find(key) != nullptr) return fmt::format("'{}' is a key of {}", key, other.header);
    return fmt::format("it has {}", fmt::join(names, ", "));
  }

  void check_table_names() {
    std::vector<std::string> names;
    for (const Section& section : scene_sections())
      if (section.name.find('.') == std::string::npos && section.name != "shape")
        names.push_back(section.name);
    for (const TomlMember& member : root_.members) {
      if (context_.diagnostics.full()) return;
      if (std::find(names.begin(), names.end(), member.key) != names.end()) continue;
      std::string hint = nearest_word(member.key, names);
      hint = hint.empty() ? "" : fmt::format("did you mean '{}'?", hint);
      for (const Section& section : scene_sections())
        if (hint.empty() && section.find(member.key) != nullptr)
          hint = fmt::format("'{}' is a key of {}", member.key, section.header);
      if (hint.empty()) hint = fmt::format("a scene has {}", fmt::join(names, ", "));
      error(member.at, fmt::format("unknown table or key {}; {}", in_quotes(member.key), hint));
    }
  }

  /// The text that a sibling key has, or would have by default.
  static std::string sibling_word(const Section& section, const TomlNode& table,
                                  const std::string& name) {
    const TomlMember* member = table.find(name);
    return member != nullptr ? member->value.text : section.find(name)->default_value.text;
  }

  bool in_use(const Section& section, const Key& key, const TomlNode& table) const {
    if (key.only_if_key.empty()) return true;
    const std::string word = sibling_word(section, table, key.only_if_key);
    const auto& choices = section.find(key.only_if_key)->choices;
    // With a deciding word that is itself wrong, nothing can be said about the others.
    if (std::find(choices.begin(), choices.end(), word) == choices.end()) return true;
    const auto& wanted = key.only_if_values;
    return std::find(wanted.begin(), wanted.end(), word) != wanted.end();
  }

  bool deciding_word_known(const Section& section, const Key& key, const TomlNode& table) const {
    if (key.only_if_key.empty()) return true;
    const auto& choices = section.find(key.only_if_key)->choices;
    const std::string word = sibling_word(section, table, key.only_if_key);
    return std::find(choices.begin(), choices.end(), word) != choices.end();
  }

  void check_unknown(const Section& section, const TomlNode& table) {
    for (const TomlMember& member : table.members) {
      if (context_.diagnostics.full()) return;
      if (section.find(member.key) == nullptr)
        error(member.at, fmt::format("unknown key {} in {}; {}", in_quotes(member.key),
                                     section.header, suggestion(section, member.key)));
    }
  }

  void check_groups(const Section& section, const TomlNode& table, const std::string& path) {
    std::map<std::string, const TomlMember*> given;
    for (const TomlMember& member : table.members) {
      const Key* key = section.find(member.key);
      if (key == nullptr || key->group.empty()) continue;
      const auto [it, first] = given.emplace(key->group, &member);
      if (!first)
        error(member.at, fmt::format("{}: {} is given twice, as {} and as {}; keep one", path,
                                     key->group, it->second->key, member.key));
    }
  }

  void section(const Section& section, const TomlNode& table, const std::string& path,
               void* object) {
    check_unknown(section, table);
    check_groups(section, table, path);
    for (const Key& key : section.keys) {
      if (context_.diagnostics.full()) return;
      const TomlMember* member = table.find(key.name);
      const std::string key_path = path + "." + key.name;
      if (!in_use(section, key, table)) {
        if (member != nullptr)
          error(member->at,
                fmt::format("{} is not used when {} is '{}', only when it is {}", key_path,
                            key.only_if_key, sibling_word(section, table, key.only_if_key),
                            fmt::join(key.only_if_values, ", ")));
        continue;
      }
      if (member == nullptr) {
        if (key.required && !context_.partial && deciding_word_known(section, key, table))
          error(table.at, fmt::format("{} is missing: {}", key_path, key.meaning));
        continue;
      }
      value(key, key_path, member->value, object);
    }
  }

  void value(const Key& key, const std::string& path, const TomlNode& node, void* object) {
    if (key.type == KeyType::shape) {
      if (node.kind != TomlKind::table)
        return error(node.at, fmt::format("{}: expected a table such as {{ type = \"sphere\", "
                                          "radius = 0.1 }}, found {}",
                                          path, kind_name(node.kind)));
      auto& shape = member_of<Shape>(key, object);
      section(scene_section("shape"), node, path, &shape);
      if (shape.kind == ShapeKind::tube && node.find("radius_top") == nullptr)
        shape.radius_top = shape.radius;
    } else if (key.type == KeyType::keyframes) {
      list(scene_section("body.keyframe"), node, path,
           member_of<std::vector<Keyframe>>(key, object), default_keyframe());
    } else {
      set_value(key, path, node, object, context_);
    }
  }

  void single(const char* name, void* object) {
    const TomlMember* member = root_.find(name);
    if (member == nullptr) return;
    if (member->value.kind != TomlKind::table)
      return error(member->at, fmt::format("'{}' must be one table; write {} above its keys", name,
                                           scene_section(name).header));
    section(scene_section(name), member->value, name, object);
  }

  template <class T>
  void repeated(const char* name, std::vector<T>& items, const T& model) {
    if (const TomlMember* member = root_.find(name))
      list(scene_section(name), member->value, name, items, model);
  }

  template <class T>
  void list(const Section& description, const TomlNode& node, const std::string& path,
            std::vector<T>& items, const T& model) {
    const std::size_t most = std::is_same_v<T, Material> ? max_materials : max_tables;
    if (node.kind != TomlKind::array)
      return error(node.at, fmt::format("'{}' can occur several times; write {} with double "
                                        "brackets above its keys",
                                        path, description.header));
    if (node.items.size() > most)
      return error(node.at, fmt::format("{} times {}; at most {} are possible", node.items.size(),
                                        description.header, most));
    items.reserve(node.items.size());
    for (const TomlNode& item : node.items) {
      if (context_.diagnostics.full()) return;
      items.push_back(model);
      if (item.kind != TomlKind::table) {
        error(item.at,
              fmt::format("{} must be tables, found {}", description.header, kind_name(item.kind)));
        continue;
      }
      const std::string item_path =
          node.items.size() == 1 ? path : fmt::format("{}.{}", path, items.size() - 1);
      section(description, item, item_path, &items.back());
    }
  }

  void materials(Scene& scene) {
    Material model = default_material();
    model.name = material_presets().front().material.name;
    repeated("material", scene.materials, model);
    if (scene.materials.empty()) scene.materials.push_back(material_presets().front().material);
  }

  static Pour pour_of(const Scene& scene) {
    Pour pour = default_pour();
    pour.direction = {};
    pour.direction[scene.up] = -1;
    return pour;
  }

  template <class T>
  static void name_unnamed(std::vector<T>& items, const char* word) {
    for (std::size_t i = 0; i < items.size(); ++i)
      if (items[i].name.empty()) items[i].name = fmt::format("{}{}", word, i + 1);
  }

  bool given(const char* table, const char* key) const {
    const TomlMember* member = root_.find(table);
    return member != nullptr && member->value.find(key) != nullptr;
  }

  /// What a default depends on elsewhere in the scene.
  void finish(Scene& scene) {
    if (scene.name.empty()) scene.name = std::filesystem::path(scene.file).stem().string();
    if (scene.name.empty()) scene.name = "scene";
    if (!given("scene", "gravity")) {
      const double g = norm(scene.gravity);
      scene.gravity = {};
      scene.gravity[scene.up] = -g;
    }
    const Vec3d sun = scene.render.sun_direction;  // declared for up = z
    if (!given("render", "sun_direction") && scene.up == 0)
      scene.render.sun_direction = {sun.z, sun.x, sun.y};
    if (!given("render", "sun_direction") && scene.up == 1)
      scene.render.sun_direction = {sun.y, sun.z, sun.x};
    name_unnamed(scene.fills, "fill");
    name_unnamed(scene.pours, "pour");
    name_unnamed(scene.sinks, "sink");
    name_unnamed(scene.wettings, "wetting");
    name_unnamed(scene.bodies, "body");
    name_unnamed(scene.joints, "joint");
    name_unnamed(ropes_, "rope");
    const TomlMember* bodies = root_.find("body");
    for (std::size_t i = 0; i < scene.bodies.size(); ++i) {
      const TomlNode& table = bodies->value.items[i];
      if (scene.bodies[i].mass > 0 && table.find("density") == nullptr) scene.bodies[i].density = 0;
    }
    note_places(scene);
    ropes(scene);
  }

  /// For what only geometry tells later. A shape that is no mesh has no file: its own place then.
  void note_places(Scene& scene) {
    const auto place = [&](const char* table, std::size_t i, const char* key) {
      const Location at = locate(&root_, fmt::format("{}.{}.{}", table, i, key));
      return ScenePlace{context_.diagnostics.place(at)};
    };
    const auto shapes = [&](const char* table, auto& items) {
      for (std::size_t i = 0; i < items.size(); ++i) items[i].place = place(table, i, "shape.file");
    };
    shapes("fill", scene.fills);
    shapes("sink", scene.sinks);
    shapes("wetting", scene.wettings);
    shapes("body", scene.bodies);
    for (std::size_t i = 0; i < scene.bodies.size(); ++i)
      scene.bodies[i].animation_place = place("body", i, "animation_file");
  }

  /// Ropes become bodies and joints, so that nothing after this needs to know of them.
  void ropes(Scene& scene) {
    std::vector<std::string> names;
    for (const SceneBody& body : scene.bodies) names.push_back(body.name);
    std::size_t total = names.size();
    for (const Rope& rope : ropes_) total += static_cast<std::size_t>(rope_links(rope));
    if (total > max_tables)
      return error(root_.find("rope")->at,
                   fmt::format("{} bodies with the links of ropes; at most {} are possible", total,
                               max_tables));
    for (const Rope& rope : ropes_)
      for (int i = 0; i < rope_links(rope); ++i) names.push_back(rope_link_name(rope, i));
    for (std::size_t i = 0; i < ropes_.size(); ++i) {
      const TomlNode& table = root_.find("rope")->value.items[i];
      rope_end(ropes_[i].from_body, "from_body", table, names);
      rope_end(ropes_[i].to_body, "to_body", table, names);
      const std::size_t first = scene.bodies.size();
      if (const Status status = add_rope(scene, ropes_[i]); !status)
        error(table.at, status.error().message);
      for (std::size_t b = first; b < scene.bodies.size(); ++b)
        scene.bodies[b].place.text = context_.diagnostics.place(table.at);
    }
  }

  /// An end held by nobody known becomes a free one, so that the mistake is told once.
  void rope_end(std::string& holder, const char* key, const TomlNode& table,
                const std::vector<std::string>& names) {
    if (holder.empty() || holder == "world" ||
        std::find(names.begin(), names.end(), holder) != names.end())
      return;
    const std::string guess = nearest_word(holder, names);
    error(table.find(key)->at,
          fmt::format("no body is called {}{}", in_quotes(holder),
                      guess.empty() ? "; an end is held by a body, by \"world\", or is free: \"\""
                                    : "; did you mean " + in_quotes(guess) + "?"));
    holder.clear();
  }

  const TomlNode& root_;
  ReadContext& context_;
  std::vector<Rope> ropes_;
};

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

Result<std::string> read_text(const std::string& path) {
  std::error_code code;
  const auto status = std::filesystem::status(path, code);
  if (!std::filesystem::exists(status))
    return request_error("{}: there is no such file; 'talus new NAME' writes a scene to start from",
                         path);
  if (std::filesystem::is_directory(status))
    return request_error("{}: is a folder, not a scene file", path);
  const std::unique_ptr<std::FILE, CloseFile> file(std::fopen(path.c_str(), "rb"));
  if (!file) return request_error("{}: cannot be opened for reading", path);
  // One byte more than allowed tells a file that is too long, whatever its reported size.
  std::string text(max_file_bytes + 1, '\0');
  text.resize(std::fread(text.data(), 1, text.size(), file.get()));
  if (std::ferror(file.get()) != 0) return request_error("{}: cannot be read", path);
  return text;
}

/// What `overrides` and the reader make of the tree, when nothing in it is wrong.
Result<Scene> finished_scene(TomlNode& root, const std::string& path,
                             const SceneOverrides& overrides, Diagnostics& diagnostics,
                             SceneWarnings* warnings) {
  for (std::size_t i = 0; i < overrides.size(); ++i)
    apply_override(overrides[i], static_cast<int>(i) + 1, root, diagnostics);

  Scene scene = default_scene();
  scene.file = path;
  ReadContext context{diagnostics, std::filesystem::path(path).parent_path()};
  context.materials = &scene.materials;
  context.partial = !diagnostics.ok();
  SceneReader(root, context).read(scene);
  if (!context.partial) validate(scene, &root, diagnostics);
  if (warnings != nullptr) *warnings = diagnostics.warnings();
  if (!diagnostics.ok()) return diagnostics.to_error();
  return scene;
}

}  // namespace

Result<Scene> parse_scene(std::string_view text, const std::string& path,
                          const SceneOverrides& overrides, SceneWarnings* warnings) {
  Diagnostics diagnostics(path, overrides);
  if (text.size() > max_file_bytes)
    return request_error(
        "{}: longer than {} MiB, which no scene is; big data belong into mesh files", path,
        max_file_bytes >> 20);
  TomlDocument document = parse_toml(text, 0, diagnostics);
  if (!document.structure_known) return diagnostics.to_error();
  return finished_scene(document.root, path, overrides, diagnostics, warnings);
}

Result<Scene> scene_from_tree(TomlNode root, std::vector<std::string> places,
                              const std::string& path, const SceneOverrides& overrides,
                              SceneWarnings* warnings) {
  Diagnostics diagnostics(path, overrides, false);
  diagnostics.name_lines(std::move(places));
  return finished_scene(root, path, overrides, diagnostics, warnings);
}

Result<Scene> read_scene(const std::string& path, const SceneOverrides& overrides,
                         SceneWarnings* warnings) {
  Result<std::string> text = read_text(path);
  if (!text) return text.error();
  return parse_scene(*text, path, overrides, warnings);
}

Result<Scene> reread_scene(const Scene& scene, const std::string& text) {
  Result<Scene> again = parse_scene(text, scene.file);
  if (!again) return again;
  const auto keep = [](const auto& from, auto& to) {
    for (std::size_t i = 0; i < std::min(from.size(), to.size()); ++i) to[i].place = from[i].place;
  };
  keep(scene.fills, again->fills);
  keep(scene.sinks, again->sinks);
  keep(scene.wettings, again->wettings);
  keep(scene.bodies, again->bodies);
  for (std::size_t i = 0; i < std::min(scene.bodies.size(), again->bodies.size()); ++i)
    again->bodies[i].animation_place = scene.bodies[i].animation_place;
  return again;
}

std::vector<std::string> scene_sizes(const std::string& path) {
  const Result<std::string> text = read_text(path);
  if (!text) return {};
  Diagnostics diagnostics(path, {});
  return size_names(parse_toml(*text, 0, diagnostics).root);
}

Status validate_scene(const Scene& scene, SceneWarnings* warnings) {
  Diagnostics diagnostics("scene", {}, false);
  validate(scene, nullptr, diagnostics);
  if (warnings != nullptr) *warnings = diagnostics.warnings();
  if (!diagnostics.ok()) return diagnostics.to_error();
  return {};
}

}  // namespace talus
