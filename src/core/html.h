// Text from outside as part of an HTML page.
#pragma once

#include <string>
#include <string_view>

namespace talus {

/// For element content and quoted attributes: nothing in `text` can end either.
inline std::string html_escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      case '\'': out += "&#39;"; break;
      default: out += c;
    }
  }
  return out;
}

}  // namespace talus
