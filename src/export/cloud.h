// The grains of one file, base or detail, as plain arrays: what every format is written from.
#pragma once

#include "core/error.h"
#include "core/parallel.h"
#include "frames/frame.h"
#include "particles/store.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace talus {

struct CloudField {
  FieldInfo info;
  std::span<const std::byte> items;
  std::shared_ptr<const void> owner;  ///< of the items
};

/// A field that keeps the values it is made of.
template <class T>
CloudField cloud_field(FieldInfo info, std::vector<T> values) {
  auto kept = std::make_shared<const std::vector<T>>(std::move(values));
  return {std::move(info), std::as_bytes(std::span(*kept)), kept};
}

struct Cloud {
  FrameInfo info;
  std::uint64_t count = 0;
  /// As the file has them, in its order, then "colour" (vec3f, linear RGB albedo).
  std::vector<CloudField> fields;

  const CloudField* find(std::string_view name) const;
  template <class T>
  bool has(std::string_view name) const {
    const CloudField* field = find(name);
    return field != nullptr && field->info.type == field_type_of<T>();
  }
  /// Empty when there is no such field, or it has another type.
  template <class T>
  std::span<const T> values(std::string_view name) const {
    if (!has<T>(name)) return {};
    return {reinterpret_cast<const T*>(find(name)->items.data()), count};
  }
};

/// Reads a base frame, or a file of detail grains.
Result<Cloud> read_cloud(const std::filesystem::path& path, bool detail, const Executor& executor);

/// Grains of a file and bytes of one of them, from its header alone.
struct CloudSize {
  std::uint64_t count = 0;
  std::uint64_t item_bytes = 0;
};
Result<CloudSize> cloud_size(const std::filesystem::path& path, bool detail);

}  // namespace talus
