// Every key of a scene: unit, type, default, range, meaning and the member it sets, declared once
// in key_table_*.cpp. The parser, the writer, the defaults, `talus keys` and
// docs/scene-reference.md all come from these tables.
#pragma once

#include "scene/scene.h"
#include "scene/toml_tree.h"

#include <functional>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace talus {

/// How a value is written in the file and which type of member it sets.
enum class KeyType {
  boolean,        ///< bool
  integer,        ///< int
  seed,           ///< std::uint64_t
  number,         ///< double
  fraction,       ///< float
  tangent_deg,    ///< double: the file has an angle in degrees, the member its tangent
  radians_deg,    ///< double: the file has degrees, the member radians
  text,           ///< std::string
  word,           ///< std::string, one of `choices`
  choice,         ///< an enum, one of `choices` in the enum's order
  axis_name,      ///< int: x, y, z
  vector,         ///< Vec3d
  direction,      ///< Vec3d, scaled to unit length
  flags,          ///< std::array<bool, 3>
  colour,         ///< std::array<float, 3>
  gravity,        ///< Vec3d: a number (along -up) or a vector
  rotation_deg,   ///< Quatd from angles about x, then y, then z
  rotation_axis,  ///< Quatd that turns z to the given direction
  quaternion,     ///< Quatd, w x y z
  file,           ///< std::string, made absolute; the file must exist
  grain_shape,    ///< std::string: a template's name or a file
  words,          ///< std::vector<std::string>, each one of `choices`
  texts,          ///< std::vector<std::string>
  material,       ///< std::uint32_t: the name of a material
  preset,         ///< no member: fills the material before its other keys
  shape,          ///< Shape: an inline table of the section "shape"
  keyframes,      ///< std::vector<Keyframe>: tables of the section "body.keyframe"
};

struct KeyRange {
  double lower = -1e6, upper = 1e6;
  bool lower_open = false, upper_open = false;
  bool contains(double x) const {
    return (lower_open ? x > lower : x >= lower) && (upper_open ? x < upper : x <= upper);
  }
};
inline KeyRange above(double lower, double upper = 1e6) { return {lower, upper, true, false}; }
inline KeyRange between(double lower, double upper) { return {lower, upper, false, false}; }
inline KeyRange below(double lower, double upper) { return {lower, upper, false, true}; }
inline KeyRange any_number(double limit = 1e6) { return {-limit, limit, false, false}; }

struct Key {
  std::string name;  ///< within its section
  KeyType type = KeyType::number;
  std::string unit;           ///< empty: none
  std::string default_text;   ///< as it would stand in a file; empty: see default_words
  std::string default_words;  ///< when there is no such value: "required", "forever", ...
  bool required = false;
  KeyRange range;
  std::vector<std::string> choices;
  std::string meaning;  ///< what it is and what follows from it
  /// Used only when the sibling `only_if_key` has one of these values; an error elsewhere.
  std::string only_if_key;
  std::vector<std::string> only_if_values;
  /// Keys of one group set the same member: at most one may be given. Only the first is written.
  std::string group;
  bool written = true;

  std::function<void*(void*)> member;          ///< address of the member in its struct
  std::function<void(void*, int)> set_choice;  ///< KeyType::choice
  std::function<int(const void*)> get_choice;  ///< KeyType::choice
  TomlNode default_value;                      ///< default_text, parsed
  bool has_default_value = false;

  // The table reads as: key<&Struct::member>(name, unit, default, meaning).range(...).only_if(...)
  Key& in(const KeyRange& r) { return range = r, *this; }
  Key& must() { return required = true, default_words = "required", *this; }
  Key& if_not_given(std::string words) { return default_words = std::move(words), *this; }
  Key& only_if(std::string key, std::vector<std::string> values) {
    only_if_key = std::move(key);
    only_if_values = std::move(values);
    return *this;
  }
  Key& one_of(std::string name_of_group) { return group = std::move(name_of_group), *this; }
  Key& alternative(std::string name_of_group) {
    group = std::move(name_of_group);
    written = false;
    return *this;
  }
  Key& as(KeyType t) { return type = t, *this; }
  Key& choose(std::vector<std::string> words) { return choices = std::move(words), *this; }
};

struct Section {
  std::string name;    ///< "sph", "body.keyframe"
  std::string header;  ///< how a file opens it: "[sph]", "[[body]]", "shape = { ... }"
  std::string meaning;
  std::vector<Key> keys;

  const Key* find(std::string_view key) const;
};

/// All sections in the order of the reference. Built once, constant.
std::span<const Section> scene_sections();
const Section& scene_section(std::string_view name);

/// Plain text of all keys whose path starts with `prefix`; empty when there are none.
std::string keys_text(std::string_view prefix);
/// docs/scene-reference.md.
std::string keys_markdown();
/// All paths, "sph.spacing", for suggestions.
std::vector<std::string> key_paths();

/// "> 0", "0 .. 1", "" when unlimited.
std::string range_text(const Key& key);
/// "number", "3 numbers", "one of ...".
std::string type_text(const Key& key);

namespace detail_keys {

template <class T>
constexpr KeyType type_of_member() {
  if constexpr (std::is_same_v<T, bool>) return KeyType::boolean;
  if constexpr (std::is_same_v<T, int>) return KeyType::integer;
  if constexpr (std::is_same_v<T, std::uint64_t>) return KeyType::seed;
  if constexpr (std::is_same_v<T, double>) return KeyType::number;
  if constexpr (std::is_same_v<T, float>) return KeyType::fraction;
  if constexpr (std::is_same_v<T, std::string>) return KeyType::text;
  if constexpr (std::is_enum_v<T>) return KeyType::choice;
  if constexpr (std::is_same_v<T, Vec3d>) return KeyType::vector;
  if constexpr (std::is_same_v<T, std::array<bool, 3>>) return KeyType::flags;
  if constexpr (std::is_same_v<T, std::array<float, 3>>) return KeyType::colour;
  if constexpr (std::is_same_v<T, Quatd>) return KeyType::quaternion;
  if constexpr (std::is_same_v<T, std::vector<std::string>>) return KeyType::words;
  if constexpr (std::is_same_v<T, std::uint32_t>) return KeyType::material;
  if constexpr (std::is_same_v<T, Shape>) return KeyType::shape;
  if constexpr (std::is_same_v<T, std::vector<Keyframe>>) return KeyType::keyframes;
}

template <class T>
struct OwnerOf;
template <class S, class M>
struct OwnerOf<M S::*> {
  using type = S;
};
template <class S, class M>
struct OwnerOf<M& (*)(S&)> {
  using type = S;
};

}  // namespace detail_keys

/// A key bound to a member (or to a function that returns one: Quatd& rotation_of(Shape&)).
template <auto member>
Key key(std::string name, std::string unit, std::string default_text, std::string meaning) {
  using S = typename detail_keys::OwnerOf<decltype(member)>::type;
  using M = std::remove_reference_t<decltype(std::invoke(member, std::declval<S&>()))>;
  Key k;
  k.name = std::move(name);
  k.type = detail_keys::type_of_member<M>();
  k.unit = std::move(unit);
  k.default_text = std::move(default_text);
  k.meaning = std::move(meaning);
  k.member = [](void* s) -> void* { return &std::invoke(member, *static_cast<S*>(s)); };
  if constexpr (std::is_enum_v<M>) {
    k.set_choice = [](void* s, int i) { std::invoke(member, *static_cast<S*>(s)) = M(i); };
    k.get_choice = [](const void* s) {
      return static_cast<int>(std::invoke(member, *static_cast<S*>(const_cast<void*>(s))));
    };
  }
  return k;
}

}  // namespace talus
