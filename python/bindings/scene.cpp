#include "scene.h"

#include "scene/keys.h"
#include "scene/toml_tree.h"
#include "scene/write_scene.h"

#include <cmath>

namespace talus::python {

namespace {

/// Python's values -> the tree that scene files become. Each key gets a line of its own, whose
/// "place" is how a message calls it.
class TreeBuilder {
 public:
  TomlNode table(const py::dict& dict, const std::string& place) {
    TomlNode node = start(TomlKind::table, place);
    for (const auto& [key, value] : dict) {
      if (!py::isinstance<py::str>(key))
        throw py::type_error((place.empty() ? "the scene" : place) +
                             ": keys must be strings, not " + py::repr(key).cast<std::string>());
      const auto name = key.cast<std::string>();
      const std::string below = place.empty() ? name : place + "." + name;
      TomlNode child = node_of(py::reinterpret_borrow<py::object>(value), below);
      if (place.empty() && child.kind == TomlKind::table && repeated(name)) {
        TomlNode list = start(TomlKind::array, below);  // one material may stand without brackets
        list.items.push_back(std::move(child));
        child = std::move(list);
      }
      node.members.push_back({name, child.at, std::move(child)});
    }
    return node;
  }
  std::vector<std::string> take_places() { return std::move(places_); }

 private:
  TomlNode start(TomlKind kind, const std::string& place) {
    places_.push_back(place.empty() ? "scene" : place);
    TomlNode node;
    node.kind = kind;
    node.at = {0, static_cast<int>(places_.size()), 1};
    return node;
  }

  static bool repeated(const std::string& name) {
    for (const Section& section : scene_sections())
      if (section.name == name) return section.header.starts_with("[[");
    return false;
  }

  TomlNode node_of(py::object value, const std::string& place) {
    if (py::hasattr(value, "tolist")) value = value.attr("tolist")();  // numpy, scalars included
    if (py::isinstance<py::bool_>(value)) {
      TomlNode node = start(TomlKind::boolean, place);
      node.boolean = value.cast<bool>();
      return node;
    }
    if (py::isinstance<py::int_>(value)) return integer(value, place);
    if (py::isinstance<py::float_>(value)) {
      TomlNode node = start(TomlKind::number, place);
      node.number = value.cast<double>();
      return node;
    }
    if (py::hasattr(value, "__fspath__")) value = value.attr("__fspath__")();
    if (py::isinstance<py::str>(value)) {
      TomlNode node = start(TomlKind::text, place);
      node.text = value.cast<std::string>();
      return node;
    }
    if (py::isinstance<py::dict>(value)) return table(value.cast<py::dict>(), place);
    if (py::isinstance<py::list>(value) || py::isinstance<py::tuple>(value)) {
      TomlNode node = start(TomlKind::array, place);
      std::size_t number = 0;
      for (const py::handle item : value)
        node.items.push_back(node_of(py::reinterpret_borrow<py::object>(item),
                                     place + "[" + std::to_string(number++) + "]"));
      return node;
    }
    throw py::type_error(place + ": " + py::repr(value).cast<std::string>() +
                         " is no value of a scene; numbers, strings, booleans, lists and "
                         "dictionaries are");
  }

  TomlNode integer(const py::object& value, const std::string& place) {
    int overflow = 0;
    const long long number = PyLong_AsLongLongAndOverflow(value.ptr(), &overflow);
    if (overflow != 0)
      throw py::value_error(place + ": " + py::str(value).cast<std::string>() + " is too large");
    TomlNode node = start(TomlKind::integer, place);
    node.integer = number;
    node.number = static_cast<double>(number);
    return node;
  }

  std::vector<std::string> places_;
};

/// Keys that a scene has already are not those of the table that is being added.
void forget_places(TomlNode& node) {
  node.at = {};
  for (TomlNode& item : node.items) forget_places(item);
  for (TomlMember& member : node.members) {
    member.at = {};
    forget_places(member.value);
  }
}

PyScene read(const std::filesystem::path& path, const SceneOverrides& overrides) {
  PyScene out;
  out.scene = take(read_scene(path.string(), overrides, &out.warnings));
  return out;
}

PyScene parse(const std::string& text, const std::filesystem::path& path,
              const SceneOverrides& overrides) {
  PyScene out;
  out.scene = take(parse_scene(text, path.string(), overrides, &out.warnings));
  return out;
}

PyScene from_dictionary(const py::dict& dict, const std::filesystem::path& folder,
                        const SceneOverrides& overrides) {
  TreeBuilder builder;
  TomlNode root = builder.table(dict, "");
  PyScene out;
  out.scene = take(scene_from_tree(std::move(root), builder.take_places(),
                                   (folder / "scene").string(), overrides, &out.warnings));
  return out;
}

template <class T>
std::vector<std::string> names_of(const std::vector<T>& items) {
  std::vector<std::string> names;
  for (const T& item : items) names.push_back(item.name);
  return names;
}

}  // namespace

PyScene scene_of(const py::object& source, const SceneOverrides& overrides) {
  if (py::isinstance<PyScene>(source)) {
    const auto& scene = source.cast<const PyScene&>();
    if (overrides.empty()) return scene;
    return parse(to_toml(scene.scene), scene.scene.file, overrides);
  }
  if (py::isinstance<py::dict>(source)) return from_dictionary(source, "", overrides);
  if (py::isinstance<py::str>(source) || py::hasattr(source, "__fspath__"))
    return read(source.cast<std::filesystem::path>(), overrides);
  throw py::type_error("a scene is a dictionary, the path of a file, or a talus.Scene, not " +
                       py::repr(py::type::of(source)).cast<std::string>());
}

Scene scene_with(const Scene& scene, const char* section, const py::dict& table) {
  Diagnostics diagnostics("scene", {});
  TomlDocument document = parse_toml(to_toml(scene), 0, diagnostics);
  forget_places(document.root);
  TreeBuilder builder;
  TomlNode item = builder.table(table, section);
  if (document.root.find(section) == nullptr) {
    TomlNode list;
    list.kind = TomlKind::array;
    document.root.members.push_back({section, {}, std::move(list)});
  }
  document.root.find(section)->value.items.push_back(std::move(item));
  return take(scene_from_tree(std::move(document.root), builder.take_places(), "scene"));
}

Scene scene_with_material(const Scene& scene, std::size_t index, const py::dict& changes) {
  Diagnostics diagnostics("scene", {});
  TomlDocument document = parse_toml(to_toml(scene), 0, diagnostics);
  forget_places(document.root);
  TomlNode& material = document.root.find("material")->value.items[index];
  const Section& section = scene_section("material");
  TreeBuilder builder;
  for (TomlMember& change : builder.table(changes, "material").members) {
    // A friction coefficient takes the place of an angle.
    const Key* key = section.find(change.key);
    std::erase_if(material.members, [&](const TomlMember& old) {
      const Key* other = section.find(old.key);
      return old.key == change.key || (key != nullptr && other != nullptr && !key->group.empty() &&
                                       key->group == other->group);
    });
    material.members.push_back(std::move(change));
  }
  return take(scene_from_tree(std::move(document.root), builder.take_places(), "scene"));
}

void bind_scene(py::module_& module) {
  py::class_<PyScene>(module, "Scene", "A validated scene")
      .def(py::init([](const py::object& source, const SceneOverrides& overrides) {
             return scene_of(source, overrides);
           }),
           py::arg("source"), py::kw_only(), py::arg("set") = SceneOverrides{},
           "From a dictionary or the path of a file; `set` are words \"key=value\" over it")
      .def_static("parse", &parse, py::arg("text"), py::arg("path") = "scene.toml", py::kw_only(),
                  py::arg("set") = SceneOverrides{},
                  "From the text of a scene file; `path` names it in messages")
      .def_static("from_dict", &from_dictionary, py::arg("tables"), py::arg("folder") = "",
                  py::kw_only(), py::arg("set") = SceneOverrides{},
                  "From a dictionary; files in it are relative to `folder`")
      .def(
          "to_toml", [](const PyScene& s) { return to_toml(s.scene); },
          "The text of a scene file with every key in use")
      .def_readonly("warnings", &PyScene::warnings)
      .def_property_readonly("name", [](const PyScene& s) { return s.scene.name; })
      .def_property_readonly(
          "solver",
          [](const PyScene& s) { return s.scene.solver == SolverKind::sph ? "sph" : "dem"; })
      .def_property_readonly("duration", [](const PyScene& s) { return s.scene.duration; })
      .def_property_readonly("frame_rate", [](const PyScene& s) { return s.scene.frame_rate; })
      .def_property_readonly(
          "frame_count",
          [](const PyScene& s) { return std::llround(s.scene.duration * s.scene.frame_rate); })
      .def_property_readonly("gravity", [](const PyScene& s) { return array_of(s.scene.gravity); })
      .def_property_readonly("spacing", [](const PyScene& s) { return s.scene.sph.spacing; })
      .def_property_readonly("materials",
                             [](const PyScene& s) { return names_of(s.scene.materials); })
      .def_property_readonly("bodies", [](const PyScene& s) { return names_of(s.scene.bodies); })
      .def(
          "__eq__", [](const PyScene& a, const PyScene& b) { return a.scene == b.scene; },
          py::is_operator())
      .def("__repr__", [](const PyScene& s) {
        return fmt::format("<talus.Scene '{}', {}, {:g} s>", s.scene.name,
                           s.scene.solver == SolverKind::sph ? "sph" : "dem", s.scene.duration);
      });
}

}  // namespace talus::python
