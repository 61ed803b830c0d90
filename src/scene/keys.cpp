#include "scene/keys.h"

#include "core/error.h"
#include "scene/key_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace talus {
namespace {

std::vector<Section> build_sections() {
  std::vector<Section> sections{
      scene_keys(),          sph_keys(),     dem_keys(),    material_keys(),
      contact_pair_keys(),   shape_keys(),   fill_keys(),   pour_keys(),
      sink_keys(),           wetting_keys(), body_keys(),   keyframe_keys(),
      joint_keys(),          rope_keys(),    camera_keys(), render_keys(),
      detail_section_keys(), output_keys(),  size_keys()};
  for (Section& section : sections) {
    for (Key& key : section.keys) {
      if (key.default_text.empty()) continue;
      key.has_default_value = parse_toml_value(key.default_text, 0, key.default_value);
      TALUS_CHECK(key.has_default_value, "default of {}.{} is not TOML: {}", section.name, key.name,
                  key.default_text);
    }
  }
  return sections;
}

std::string join(const std::vector<std::string>& words) {
  return fmt::format("{}", fmt::join(words, ", "));
}

/// A bare limit such as 1e6 only keeps numbers sane; it is no news to the reader.
bool is_sanity_limit(double x) { return std::abs(x) >= 1e6; }

std::string default_text(const Key& key) {
  return key.default_words.empty() ? key.default_text : key.default_words;
}

std::string condition_text(const Key& key) {
  if (key.only_if_key.empty()) return {};
  return fmt::format("only when {} is {}", key.only_if_key, fmt::join(key.only_if_values, ", "));
}

std::string escaped_cell(std::string text) {
  for (std::size_t i = 0; (i = text.find('|', i)) != std::string::npos; i += 2)
    text.insert(i, 1, '\\');
  return text;
}

std::string code_cell(const std::string& text) { return text.empty() ? "" : "`" + text + "`"; }

std::string markdown_row(const Key& key) {
  const std::string condition = condition_text(key);
  const std::string value =
      key.default_words.empty() ? code_cell(key.default_text) : key.default_words;
  return fmt::format("| `{}` | {} | {} | {} | {} | {}{} |\n", key.name, type_text(key), key.unit,
                     value, escaped_cell(range_text(key)), escaped_cell(key.meaning),
                     condition.empty() ? "" : " (" + condition + ".)");
}

}  // namespace

const Key* Section::find(std::string_view name_of_key) const {
  for (const Key& key : keys)
    if (key.name == name_of_key) return &key;
  return nullptr;
}

std::span<const Section> scene_sections() {
  static const std::vector<Section> sections = build_sections();
  return sections;
}

const Section& scene_section(std::string_view name) {
  const auto sections = scene_sections();
  const auto it = std::find_if(sections.begin(), sections.end(),
                               [&](const Section& section) { return section.name == name; });
  TALUS_CHECK(it != sections.end(), "no section '{}'", name);
  return *it;
}

std::string range_text(const Key& key) {
  switch (key.type) {
    case KeyType::integer:
    case KeyType::number:
    case KeyType::fraction:
    case KeyType::tangent_deg:
    case KeyType::radians_deg:
    case KeyType::vector:
    case KeyType::colour: break;
    default: return {};
  }
  const KeyRange& r = key.range;
  const bool lower = !is_sanity_limit(r.lower), upper = !is_sanity_limit(r.upper);
  if (lower && upper && !r.lower_open)
    return fmt::format("{} .. {}{}", r.lower, r.upper, r.upper_open ? " (excluded)" : "");
  if (lower && upper) return fmt::format("> {}, <= {}", r.lower, r.upper);
  if (lower) return fmt::format("{} {}", r.lower_open ? ">" : ">=", r.lower);
  if (upper) return fmt::format("<= {}", r.upper);
  return {};
}

std::string type_text(const Key& key) {
  switch (key.type) {
    case KeyType::boolean: return "true or false";
    case KeyType::integer:
    case KeyType::seed: return "whole number";
    case KeyType::number:
    case KeyType::fraction:
    case KeyType::tangent_deg:
    case KeyType::radians_deg: return "number";
    case KeyType::text: return "text";
    case KeyType::word:
    case KeyType::choice:
    case KeyType::axis_name:
    case KeyType::preset: return "one of " + join(key.choices);
    case KeyType::vector:
    case KeyType::direction:
    case KeyType::colour:
    case KeyType::rotation_deg:
    case KeyType::rotation_axis: return "3 numbers";
    case KeyType::flags: return "3 of true or false";
    case KeyType::gravity: return "number or 3 numbers";
    case KeyType::quaternion: return "4 numbers";
    case KeyType::file: return "file";
    case KeyType::grain_shape: return "one of " + join(key.choices) + ", or a file";
    case KeyType::words: return "list of " + join(key.choices);
    case KeyType::texts: return "list of texts";
    case KeyType::material: return "name of a material";
    case KeyType::shape: return "table of shape keys";
    case KeyType::keyframes: return "tables";
  }
  return {};
}

std::vector<std::string> key_paths() {
  std::vector<std::string> paths;
  for (const Section& section : scene_sections())
    for (const Key& key : section.keys) paths.push_back(section.name + "." + key.name);
  return paths;
}

std::string keys_text(std::string_view prefix) {
  std::string text;
  for (const Section& section : scene_sections()) {
    std::string rows;
    for (const Key& key : section.keys) {
      const std::string path = section.name + "." + key.name;
      if (!path.starts_with(prefix)) continue;
      rows += fmt::format("  {}{}\n      {}; default: {}", path,
                          key.unit.empty() ? "" : " [" + key.unit + "]", type_text(key),
                          default_text(key));
      const std::string range = range_text(key), condition = condition_text(key);
      if (!range.empty()) rows += "; range: " + range;
      if (!condition.empty()) rows += "; " + condition;
      rows += "\n      " + key.meaning + "\n";
    }
    if (rows.empty()) continue;
    text += fmt::format("{}{}  {}\n{}", text.empty() ? "" : "\n", section.header, section.meaning,
                        rows);
  }
  return text;
}

std::string keys_markdown() {
  std::string text =
      "# Scene reference\n\n"
      "<!-- Made by `talus keys --markdown > docs/scene-reference.md`; do not edit by hand. -->\n\n"
      "A scene is a TOML file. Units are SI; angles carry `_deg` in their key. Every key is "
      "listed\n"
      "here; any other key is an error, and so is a key that the chosen type does not use.\n"
      "`talus new NAME` writes a commented scene to start from, `talus check SCENE` reads one and\n"
      "reports everything that is wrong or doubtful, `talus keys [PREFIX]` prints this page's\n"
      "content. `--set key=value` changes a key from the command line: `--set sph.spacing=0.01`,\n"
      "`--set material.sand.friction_angle_deg=40` (by name), `--set fill.0.jitter=0` (by "
      "number).\n";
  for (const Section& section : scene_sections()) {
    text += fmt::format("\n## {}\n\n`{}` — {}\n\n", section.name, section.header, section.meaning);
    text += "| key | type | unit | default | range | meaning |\n|---|---|---|---|---|---|\n";
    for (const Key& key : section.keys) text += markdown_row(key);
  }
  return text;
}

}  // namespace talus
