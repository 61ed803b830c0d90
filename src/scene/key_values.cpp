#include "scene/key_values.h"

#include "scene/presets.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace talus {
namespace {

constexpr double radians = std::numbers::pi / 180;

/// A key, its value in the file, and where complaints about it go.
struct Reader {
  const Key& key;
  const std::string& path;
  ReadContext& context;

  bool fail(const TomlNode& node, std::string_view text) const {
    context.diagnostics.error(node.at, fmt::format("{}: {}", path, text));
    return false;
  }

  bool wrong_type(const TomlNode& node, std::string_view expected) const {
    std::string hint;
    const bool numeric = node.kind == TomlKind::text && !node.text.empty() &&
                         (std::isdigit(static_cast<unsigned char>(node.text[0])) != 0);
    if (numeric && !key.unit.empty()) hint = "; write a plain number in " + key.unit;
    return fail(node,
                fmt::format("expected {}{}, found {}{}", expected,
                            key.unit.empty() ? "" : " in " + key.unit, kind_name(node.kind), hint));
  }

  bool in_range(const TomlNode& node, double x) const {
    if (context.defaults) return true;
    if (!std::isfinite(x)) return fail(node, "must be a finite number, not nan or inf");
    if (key.range.contains(x)) return true;
    const KeyRange& r = key.range;
    return fail(node, fmt::format("{} is out of range; must be {} {} and {} {}{}", x,
                                  r.lower_open ? "above" : "at least", r.lower,
                                  r.upper_open ? "below" : "at most", r.upper,
                                  key.unit.empty() ? "" : " " + key.unit));
  }

  bool number(const TomlNode& node, double& out) const {
    if (node.kind != TomlKind::number && node.kind != TomlKind::integer)
      return wrong_type(node, "a number");
    if (!in_range(node, node.number)) return false;
    out = node.number;
    return true;
  }

  bool integer(const TomlNode& node, std::int64_t& out) const {
    if (node.kind != TomlKind::integer) return wrong_type(node, "a whole number");
    if (!in_range(node, node.number)) return false;
    out = node.integer;
    return true;
  }

  bool list(const TomlNode& node, std::size_t count, std::string_view expected) const {
    if (node.kind != TomlKind::array) return wrong_type(node, expected);
    if (node.items.size() == count) return true;
    return fail(node, fmt::format("expected {}, found a list of {}", expected, node.items.size()));
  }

  bool numbers(const TomlNode& node, std::span<double> out, std::string_view expected) const {
    if (!list(node, out.size(), expected)) return false;
    bool ok = true;
    for (std::size_t i = 0; i < out.size(); ++i) ok = number(node.items[i], out[i]) && ok;
    return ok;
  }

  bool vector(const TomlNode& node, Vec3d& out) const {
    double v[3];
    if (!numbers(node, v, "a list of 3 numbers")) return false;
    out = {v[0], v[1], v[2]};
    return true;
  }

  bool direction(const TomlNode& node, Vec3d& out) const {
    Vec3d v;
    if (!vector(node, v)) return false;
    const double n = norm(v);
    if (!(n > 1e-9)) return fail(node, "a direction cannot be [0, 0, 0]");
    // A vector that is unit already keeps its bits, so that a written scene reads back equal.
    out = std::abs(n - 1) < 1e-12 ? v : v / n;
    return true;
  }

  bool text(const TomlNode& node, std::string& out) const {
    if (node.kind != TomlKind::text) return wrong_type(node, "a text in quotes");
    constexpr std::size_t longest = 4096;
    if (node.text.size() > longest)
      return fail(node, fmt::format("longer than {} characters", longest));
    if (node.text.find('\0') != std::string::npos) return fail(node, "contains a zero character");
    out = node.text;
    return true;
  }

  bool choice(const TomlNode& node, const std::vector<std::string>& choices, int& out) const {
    std::string word;
    if (!text(node, word)) return false;
    const auto it = std::find(choices.begin(), choices.end(), word);
    if (it != choices.end()) {
      out = static_cast<int>(it - choices.begin());
      return true;
    }
    const std::string guess = nearest_word(word, choices);
    return fail(node,
                fmt::format("{} is not one of {}{}", in_quotes(word), fmt::join(choices, ", "),
                            guess.empty() ? "" : "; did you mean '" + guess + "'?"));
  }

  bool file(const TomlNode& node, std::string& out) const {
    std::string name;
    if (!text(node, name)) return false;
    if (name.empty()) return fail(node, "the name of a file is empty");
    std::error_code error;
    const auto full = std::filesystem::absolute(context.folder / name, error).lexically_normal();
    if (error || !std::filesystem::is_regular_file(full, error))
      return fail(node, fmt::format("there is no file {}; names are relative to the scene file",
                                    in_quotes(full.string())));
    out = full.string();
    return true;
  }
};

bool set_rotation(const Reader& read, const TomlNode& node, Quatd& out) {
  if (read.key.type == KeyType::quaternion) {
    double q[4];
    if (!read.numbers(node, q, "a list of 4 numbers (w, x, y, z)")) return false;
    const double squared = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
    if (!(squared > 1e-12)) return read.fail(node, "a quaternion cannot be [0, 0, 0, 0]");
    const Quatd value{q[0], q[1], q[2], q[3]};
    out = std::abs(squared - 1) < 1e-12 ? value : normalized(value);
    return true;
  }
  Vec3d v;
  if (read.key.type == KeyType::rotation_deg) {
    if (!read.vector(node, v)) return false;
    out = normalized(Quatd::from_axis_angle({0, 0, 1}, v.z * radians) *
                     Quatd::from_axis_angle({0, 1, 0}, v.y * radians) *
                     Quatd::from_axis_angle({1, 0, 0}, v.x * radians));
    return true;
  }
  if (!read.direction(node, v)) return false;
  // The shortest turn from z to v; half a turn about x when v points straight down.
  const Quatd turn{1 + v.z, -v.y, v.x, 0};
  out = v.z < -1 + 1e-12 ? Quatd{0, 1, 0, 0} : normalized(turn);
  return true;
}

bool set_gravity(const Reader& read, const TomlNode& node, void* object) {
  auto& out = member_of<Vec3d>(read.key, object);
  if (node.kind == TomlKind::array) return read.vector(node, out);
  double g = 0;
  if (!read.number(node, g)) return false;
  if (g < 0)
    return read.fail(node,
                     "a number pulls against up and cannot be negative; give a vector for "
                     "another direction");
  out = {};
  if (g > 0) out[static_cast<const Scene*>(object)->up] = -g;
  return true;
}

bool set_material(const Reader& read, const TomlNode& node, std::uint32_t& out) {
  std::string name;
  if (!read.text(node, name)) return false;
  std::vector<Material>& materials = *read.context.materials;
  const auto it = std::find_if(materials.begin(), materials.end(),
                               [&](const Material& m) { return m.name == name; });
  out = static_cast<std::uint32_t>(it - materials.begin());
  if (it != materials.end()) return true;
  if (const Preset* preset = find_preset(name)) {
    materials.push_back(preset->material);
    return true;
  }
  out = 0;
  std::vector<std::string> names = preset_names();
  for (const Material& m : materials) names.push_back(m.name);
  const std::string guess = nearest_word(name, names);
  return read.fail(node, fmt::format("no material is called {}; {}", in_quotes(name),
                                     guess.empty() ? "define it in a [[material]] table"
                                                   : "did you mean '" + guess + "'?"));
}

bool set_words(const Reader& read, const TomlNode& node, std::vector<std::string>& out) {
  if (node.kind != TomlKind::array) return read.wrong_type(node, "a list of texts");
  std::vector<std::string> words;
  bool ok = true;
  for (const TomlNode& item : node.items) {
    int i = 0;
    if (read.context.diagnostics.full()) return false;
    if (!read.choice(item, read.key.choices, i)) {
      ok = false;
      continue;
    }
    const std::string& word = read.key.choices[static_cast<std::size_t>(i)];
    if (std::find(words.begin(), words.end(), word) != words.end())
      ok = read.fail(item, fmt::format("'{}' is listed twice", word));
    words.push_back(word);
  }
  if (ok) out = words;
  return ok;
}

bool set_texts(const Reader& read, const TomlNode& node, std::vector<std::string>& out) {
  if (node.kind != TomlKind::array) return read.wrong_type(node, "a list of texts");
  for (const TomlNode& item : node.items) {
    if (item.kind != TomlKind::text) return read.wrong_type(item, "a text");
    out.push_back(item.text);
  }
  return true;
}

bool set_flags(const Reader& read, const TomlNode& node, std::array<bool, 3>& out) {
  if (!read.list(node, 3, "a list of 3 times true or false")) return false;
  for (std::size_t i = 0; i < 3; ++i) {
    if (node.items[i].kind != TomlKind::boolean)
      return read.wrong_type(node.items[i], "true or false");
    out[i] = node.items[i].boolean;
  }
  return true;
}

bool set_grain_shape(const Reader& read, const TomlNode& node, std::string& out) {
  std::string name;
  if (!read.text(node, name)) return false;
  const auto& known = read.key.choices;
  if (std::find(known.begin(), known.end(), name) != known.end()) {
    out = name;
    return true;
  }
  // A name with a suffix or a folder is meant as a file; else as a template.
  if (name.find_first_of("./\\") != std::string::npos) return read.file(node, out);
  int unused = 0;
  return read.choice(node, known, unused);
}

bool set_number(const Reader& read, const TomlNode& node, void* object) {
  double x = 0;
  if (!read.number(node, x)) return false;
  if (read.key.type == KeyType::fraction) {
    member_of<float>(read.key, object) = static_cast<float>(x);
    return true;
  }
  if (read.key.type == KeyType::tangent_deg) x = std::tan(x * radians);
  if (read.key.type == KeyType::radians_deg) x *= radians;
  member_of<double>(read.key, object) = x;
  return true;
}

bool set_integer(const Reader& read, const TomlNode& node, void* object) {
  std::int64_t i = 0;
  if (!read.integer(node, i)) return false;
  if (read.key.type == KeyType::seed)
    member_of<std::uint64_t>(read.key, object) = static_cast<std::uint64_t>(i);
  else
    member_of<int>(read.key, object) = static_cast<int>(i);
  return true;
}

bool set_choice(const Reader& read, const TomlNode& node, void* object) {
  int i = 0;
  if (!read.choice(node, read.key.choices, i)) return false;
  const std::string& word = read.key.choices[static_cast<std::size_t>(i)];
  switch (read.key.type) {
    case KeyType::choice: read.key.set_choice(object, i); break;
    case KeyType::axis_name: member_of<int>(read.key, object) = i; break;
    case KeyType::preset: *static_cast<Material*>(object) = find_preset(word)->material; break;
    default: member_of<std::string>(read.key, object) = word; break;
  }
  return true;
}

bool set_colour(const Reader& read, const TomlNode& node, std::array<float, 3>& out) {
  Vec3d v;
  if (!read.vector(node, v)) return false;
  out = {static_cast<float>(v.x), static_cast<float>(v.y), static_cast<float>(v.z)};
  return true;
}

}  // namespace

bool set_value(const Key& key, const std::string& path, const TomlNode& value, void* object,
               ReadContext& context) {
  const Reader read{key, path, context};
  switch (key.type) {
    case KeyType::boolean:
      if (value.kind != TomlKind::boolean) return read.wrong_type(value, "true or false");
      member_of<bool>(key, object) = value.boolean;
      return true;
    case KeyType::integer:
    case KeyType::seed: return set_integer(read, value, object);
    case KeyType::number:
    case KeyType::fraction:
    case KeyType::tangent_deg:
    case KeyType::radians_deg: return set_number(read, value, object);
    case KeyType::text: return read.text(value, member_of<std::string>(key, object));
    case KeyType::word:
    case KeyType::choice:
    case KeyType::axis_name:
    case KeyType::preset: return set_choice(read, value, object);
    case KeyType::vector: return read.vector(value, member_of<Vec3d>(key, object));
    case KeyType::direction: return read.direction(value, member_of<Vec3d>(key, object));
    case KeyType::flags: return set_flags(read, value, member_of<std::array<bool, 3>>(key, object));
    case KeyType::colour:
      return set_colour(read, value, member_of<std::array<float, 3>>(key, object));
    case KeyType::gravity: return set_gravity(read, value, object);
    case KeyType::rotation_deg:
    case KeyType::rotation_axis:
    case KeyType::quaternion: return set_rotation(read, value, member_of<Quatd>(key, object));
    case KeyType::file: return read.file(value, member_of<std::string>(key, object));
    case KeyType::grain_shape:
      return set_grain_shape(read, value, member_of<std::string>(key, object));
    case KeyType::texts:
      return set_texts(read, value, member_of<std::vector<std::string>>(key, object));
    case KeyType::words:
      return set_words(read, value, member_of<std::vector<std::string>>(key, object));
    case KeyType::material: return set_material(read, value, member_of<std::uint32_t>(key, object));
    case KeyType::shape:
    case KeyType::keyframes: break;
  }
  TALUS_CHECK(false, "{} is a table, not a value", path);
  return false;
}

}  // namespace talus
