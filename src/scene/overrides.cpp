#include "scene/overrides.h"

#include "scene/keys.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace talus {
namespace {

std::vector<std::string> split(std::string_view path) {
  std::vector<std::string> parts;
  while (true) {
    const std::size_t dot = path.find('.');
    parts.emplace_back(path.substr(0, dot));
    if (dot == std::string_view::npos) return parts;
    path.remove_prefix(dot + 1);
  }
}

std::string name_of(const TomlNode& item) {
  const TomlMember* name = item.find("name");
  if (name == nullptr) name = item.find("preset");
  return name != nullptr && name->value.kind == TomlKind::text ? name->value.text : "";
}

/// The element of a list of tables that `word` names or numbers; null when there is none.
TomlNode* element(TomlNode& list, const std::string& word) {
  for (TomlNode& item : list.items)
    if (item.kind == TomlKind::table && name_of(item) == word) return &item;
  std::size_t index = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), index);
  if (error == std::errc() && end == word.data() + word.size() && index < list.items.size())
    return &list.items[index];
  return nullptr;
}

std::string names_of(const TomlNode& list) {
  std::string text;
  for (std::size_t i = 0; i < std::min<std::size_t>(list.items.size(), 20); ++i) {
    const std::string name = name_of(list.items[i]);
    text += fmt::format("{}{}", i == 0 ? "" : ", ", name.empty() ? std::to_string(i) : name);
  }
  return text;
}

/// The file may say the same thing with another key of the group; the command line wins.
void drop_alternatives(const std::string& section, const std::string& name, TomlNode& table) {
  for (const Section& candidate : scene_sections()) {
    const Key* key = candidate.name == section ? candidate.find(name) : nullptr;
    if (key == nullptr || key->group.empty()) continue;
    std::erase_if(table.members, [&](const TomlMember& member) {
      const Key* other = candidate.find(member.key);
      return other != nullptr && other->group == key->group && other->name != name;
    });
  }
}

/// The file may have keys that go with another value of this one, as every scene.toml of a run
/// folder has; the command line wins. What it says itself must fit together.
void drop_unused(const std::string& section, const std::string& name, const std::string& word,
                 TomlNode& table) {
  for (const Section& candidate : scene_sections()) {
    const Key* key = candidate.name == section ? candidate.find(name) : nullptr;
    if (key == nullptr ||
        std::find(key->choices.begin(), key->choices.end(), word) == key->choices.end())
      continue;
    std::erase_if(table.members, [&](const TomlMember& member) {
      const Key* other = candidate.find(member.key);
      if (other == nullptr || other->only_if_key != name || member.at.source != 0) return false;
      const auto& wanted = other->only_if_values;
      return std::find(wanted.begin(), wanted.end(), word) == wanted.end();
    });
  }
}

/// The path that was meant by a key without its table, or by a misspelt path; empty when unclear.
std::string full_path(const std::string& word) {
  for (const Section& section : scene_sections())
    if (section.find(word) != nullptr) return section.name + "." + word;
  return nearest_word(word, key_paths());
}

TomlNode& child_table(TomlNode& table, const std::string& name, const Location& at) {
  if (TomlMember* member = table.find(name)) return member->value;
  TomlNode value;
  value.at = at;
  table.members.push_back({name, at, value});
  return table.members.back().value;
}

/// Follows the path up to its last part; null, reported, when it leads nowhere.
TomlNode* descend(const std::vector<std::string>& parts, const Location& at, TomlNode& root,
                  std::string& section, Diagnostics& diagnostics) {
  TomlNode* node = &root;
  for (std::size_t i = 0; i + 1 < parts.size(); ++i) {
    node = &child_table(*node, parts[i], at);
    section += (section.empty() ? "" : ".") + parts[i];
    if (node->kind == TomlKind::array) {
      const bool named = i + 2 < parts.size();
      TomlNode* item = named ? element(*node, parts[i + 1]) : nullptr;
      if (named) ++i;
      if (!named && node->items.size() == 1) item = &node->items.front();
      if (item == nullptr) {
        diagnostics.error(at, fmt::format("which {}? Write {}.NAME.{}=...; there are: {}",
                                          printable(section), printable(section),
                                          printable(parts.back()), printable(names_of(*node))));
        return nullptr;
      }
      node = item;
    }
    if (node->kind != TomlKind::table) {
      diagnostics.error(
          at, fmt::format("{} is {}, it has no keys", printable(section), kind_name(node->kind)));
      return nullptr;
    }
    if (parts[i] == "shape") section = "shape";
  }
  return node;
}

void apply_change(const std::string& word, const Location& at, TomlNode& root,
                  Diagnostics& diagnostics) {
  const std::size_t equals = word.find('=');
  if (equals == std::string::npos || equals == 0) {
    diagnostics.error(at, "expected key=value, e.g. sph.spacing=0.01");
    return;
  }
  const std::vector<std::string> parts = split(std::string_view(word).substr(0, equals));
  constexpr std::size_t deepest = 6;
  if (parts.size() < 2 || parts.size() > deepest ||
      std::find(parts.begin(), parts.end(), "") != parts.end()) {
    const std::string guess = full_path(word.substr(0, equals));
    diagnostics.error(at, fmt::format("expected table.key=value{}",
                                      guess.empty() ? ", e.g. sph.spacing=0.01"
                                                    : "; did you mean '" + guess + "'?"));
    return;
  }
  std::string section;
  TomlNode* table = descend(parts, at, root, section, diagnostics);
  if (table == nullptr) return;
  const std::string value_text = word.substr(equals + 1);
  TomlNode value;
  if (!parse_toml_value(value_text, at.source, value)) {
    value = {};  // a bare word is a text, so that quotes need not pass through the shell
    value.kind = TomlKind::text;
    value.text = value_text;
  }
  drop_alternatives(section, parts.back(), *table);
  drop_unused(section, parts.back(), value.text, *table);
  if (TomlMember* member = table->find(parts.back()))
    *member = {parts.back(), at, value};
  else
    table->members.push_back({parts.back(), at, value});
  table->find(parts.back())->value.at = at;
}

/// The list of changes of the size that is called `name`; null, reported, when there is none.
const TomlNode* changes_of(const std::string& name, const Location& at, const TomlNode& root,
                           Diagnostics& diagnostics) {
  const std::vector<std::string> names = size_names(root);
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) {
    diagnostics.error(at, names.empty()
                              ? "the scene has no [[size]] tables; 'talus keys size' tells of them"
                              : fmt::format("no size is called {}; there are: {}", in_quotes(name),
                                            printable(fmt::format("{}", fmt::join(names, ", ")))));
    return nullptr;
  }
  const TomlNode& table =
      root.find("size")->value.items[static_cast<std::size_t>(found - names.begin())];
  const TomlMember* set = table.find("set");
  return set != nullptr && set->value.kind == TomlKind::array ? &set->value : nullptr;
}

}  // namespace

std::vector<std::string> size_names(const TomlNode& root) {
  std::vector<std::string> names;
  const TomlMember* sizes = root.find("size");
  if (sizes == nullptr) return names;
  for (const TomlNode& item : sizes->value.items) names.push_back(name_of(item));
  return names;
}

void apply_override(const std::string& word, int number, TomlNode& root, Diagnostics& diagnostics) {
  const Location at{number, 1, 1};
  constexpr std::string_view size = "size=";
  if (!word.starts_with(size)) return apply_change(word, at, root, diagnostics);
  const TomlNode* changes = changes_of(word.substr(size.size()), at, root, diagnostics);
  if (changes == nullptr) return;
  const std::vector<TomlNode> words = changes->items;  // changes may move the tree
  for (const TomlNode& change : words)
    if (change.kind == TomlKind::text) apply_change(change.text, change.at, root, diagnostics);
}

}  // namespace talus
