// Typed look-ups in a JSON header of unknown quality. Include it in .cpp files only: the parser's
// header is heavy. Every function answers a missing or misshapen member with an empty optional.
#pragma once

#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace talus::json_read {

using nlohmann::json;

/// An object, or empty when the text is not one JSON object.
inline std::optional<json> parse_object(std::string_view text) {
  json value = json::parse(text.begin(), text.end(), nullptr, false);
  if (value.is_discarded() || !value.is_object()) return {};
  return value;
}

inline const json* member(const json& object, const char* key) {
  if (!object.is_object()) return nullptr;
  const auto it = object.find(key);
  return it == object.end() ? nullptr : &*it;
}

inline std::optional<std::uint64_t> u64(const json& value) {
  if (!value.is_number_unsigned()) return {};
  return value.get<std::uint64_t>();
}
inline std::optional<std::uint64_t> u64(const json& object, const char* key) {
  const json* value = member(object, key);
  return value ? u64(*value) : std::nullopt;
}

inline std::optional<double> number(const json& value) {
  if (!value.is_number()) return {};
  const double x = value.get<double>();
  return std::isfinite(x) ? std::optional(x) : std::nullopt;
}
inline std::optional<double> number(const json& object, const char* key) {
  const json* value = member(object, key);
  return value ? number(*value) : std::nullopt;
}

inline std::optional<std::string> text(const json& object, const char* key) {
  const json* value = member(object, key);
  if (!value || !value->is_string()) return {};
  return value->get<std::string>();
}

inline std::optional<bool> boolean(const json& object, const char* key) {
  const json* value = member(object, key);
  if (!value || !value->is_boolean()) return {};
  return value->get<bool>();
}

inline const json* array(const json& object, const char* key) {
  const json* value = member(object, key);
  return value && value->is_array() ? value : nullptr;
}

/// Compact, and safe for names that are not valid UTF-8.
inline std::string dump(const json& value, int indent = -1) {
  return value.dump(indent, ' ', false, json::error_handler_t::replace);
}

}  // namespace talus::json_read
