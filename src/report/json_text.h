// JSON that is only ever written, inside of a script element.
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <string>
#include <string_view>

namespace talus::report {

/// Quoted; without '<' nothing in it can end the element it stands in.
inline std::string json_string(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\')
      out += {'\\', c};
    else if (c == '<' || static_cast<unsigned char>(c) < 0x20)
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    else
      out += c;
  }
  return out + '"';
}

/// Six digits are enough for a picture; more would only make the page longer.
inline std::string json_number(double value) {
  return std::isfinite(value) ? fmt::format("{:.6g}", value) : "null";
}

/// A list of what `write` makes of each item.
template <class List, class Write>
std::string json_list(const List& items, Write&& write) {
  std::string out = "[";
  for (const auto& item : items) {
    if (out.size() > 1) out += ',';
    out += write(item);
  }
  return out + ']';
}

template <class V>
std::string json_vector(const V& v) {
  return fmt::format("[{},{},{}]", json_number(double{v.x}), json_number(double{v.y}),
                     json_number(double{v.z}));
}

}  // namespace talus::report
