// One value: from the file into the member of its key.
#pragma once

#include "scene/keys.h"

#include <filesystem>
#include <string>

namespace talus {

/// What reading a value depends on besides the value.
struct ReadContext {
  Diagnostics& diagnostics;
  std::filesystem::path folder;                ///< files are relative to it
  std::vector<Material>* materials = nullptr;  ///< for keys that name a material
  /// Part of the file could not be read: what is missing may only be unreadable.
  bool partial = false;
  bool defaults = false;  ///< reading our own table, where infinity means "never"
};

template <class T>
T& member_of(const Key& key, void* object) {
  return *static_cast<T*>(key.member(object));
}

/// Checks type, range and reference; reports what is wrong at the value's place and leaves the
/// member alone. `path` is how messages call the key. Not for KeyType::shape and keyframes.
bool set_value(const Key& key, const std::string& path, const TomlNode& value, void* object,
               ReadContext& context);

}  // namespace talus
