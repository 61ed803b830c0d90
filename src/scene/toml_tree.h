// A TOML document as a plain tree with the place of every key and value. Only toml_tree.cpp sees
// the parser behind it (toml++), which is slow to compile.
#pragma once

#include "scene/diagnostics.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace talus {

enum class TomlKind { boolean, integer, number, text, array, table, date };

struct TomlMember;

struct TomlNode {
  TomlKind kind = TomlKind::table;
  Location at;
  bool boolean = false;
  std::int64_t integer = 0;
  double number = 0;  ///< also set for integers
  std::string text;
  std::vector<TomlNode> items;      ///< array
  std::vector<TomlMember> members;  ///< table, in the order of the file

  const TomlMember* find(std::string_view key) const;
  TomlMember* find(std::string_view key);
};

struct TomlMember {
  std::string key;
  Location at;  ///< of the key
  TomlNode value;
};

/// "a number", "a list", ...: how messages call a kind.
std::string_view kind_name(TomlKind kind);

struct TomlDocument {
  TomlNode root;
  /// False when a mistake hides what belongs to which table, so that looking at keys would mislead.
  bool structure_known = true;
};

/// Reads a whole document. Mistakes of syntax go to `diagnostics`, as many as can be told apart:
/// the parser stops at the first, so its line is blanked and the rest is read again. `source` marks
/// the locations (see Location::source).
TomlDocument parse_toml(std::string_view text, int source, Diagnostics& diagnostics);

/// Reads one value such as `0.05` or `[1, 2, 3]`; nothing when it is not TOML.
bool parse_toml_value(std::string_view text, int source, TomlNode& value);

}  // namespace talus
