// The text is scanned before toml++ sees it, for two things it does not withstand:
//  - it builds and frees its tree by recursion, and a dotted key of a million parts is a tree a
//    million deep, so nesting is capped;
//  - on some letters beyond ASCII outside of quotes its tables of letters run into undefined
//    behaviour. TOML allows none there, so the first one is reported instead. The same happens to
//    one that follows a line continuation in a multi-line text, which is refused as well.
#include "scene/toml_tree.h"

// Its assertions do not all hold for malformed text ("[:a]"), and with NDEBUG it turns them into
// assumptions for the optimiser, which is undefined behaviour. Without either, the checks that
// follow them report the mistake.
#undef NDEBUG
#define TOML_ASSERT(expr) static_assert(true)
#define TOML_EXCEPTIONS 0
#define TOML_HEADER_ONLY 1
#define TOML_ENABLE_FORMATTERS 0
#include <toml++/toml.h>

#include <algorithm>
#include <tuple>

namespace talus {
namespace {

constexpr int max_depth = 24;
constexpr int max_reparses = 20;
constexpr std::size_t max_reparsed_bytes = std::size_t{8} << 20;

Location location(const toml::source_position& p, int source) {
  return {source, static_cast<int>(p.line), static_cast<int>(p.column)};
}

/// Walks over the text, strings and comments skipped.
class TextScan {
 public:
  explicit TextScan(std::string_view text) : text_(text) {
    if (text_.starts_with("\xef\xbb\xbf")) i_ = 3;  // byte order mark
  }

  /// Brackets that are open at the end of the text.
  int open_brackets() {
    while (i_ < text_.size()) step();
    return brackets_;
  }

  /// What the parser must not see, and where; empty when the text may be parsed.
  std::string objection(Location& where) {
    while (i_ < text_.size()) {
      if (static_cast<unsigned char>(text_[i_]) >= 0x80) {
        where = position();
        return "not valid TOML: a character beyond ASCII outside of quotes";
      }
      step();
      if (letter_after_continuation_) {
        where = position();
        return "a line of a text that is continued with a backslash must begin with an ASCII "
               "letter";
      }
      if (brackets_ + dots_ > max_depth) {
        --i_;
        where = position();
        return fmt::format("nested more than {} deep; no scene key is", max_depth);
      }
    }
    return {};
  }

 private:
  void step() {
    const char c = text_[i_];
    if (c == '"' || c == '\'') return skip_string(c);
    if (c == '#') {
      while (i_ < text_.size() && text_[i_] != '\n') ++i_;
      return;
    }
    if (c == '[' || c == '{') ++brackets_;
    if ((c == ']' || c == '}') && brackets_ > 0) --brackets_;
    if (c == '.') ++dots_;
    // Values end the dots of a key; the brackets of a header are no values and end with their line.
    if (c == '=' || c == ',' || c == '\n' || c == '[' || c == ']' || c == '{' || c == '}')
      dots_ = 0;
    ++i_;
  }

  void skip_string(char quote) {
    const std::string triple(3, quote);
    const bool multi = text_.substr(i_, 3) == triple;
    i_ += multi ? 3 : 1;
    while (i_ < text_.size()) {
      if (quote == '"' && text_[i_] == '\\') {
        skip_escape(multi);
        if (letter_after_continuation_) return;
      } else if (multi ? text_.substr(i_, 3) == triple : text_[i_] == quote) {
        i_ += multi ? 3 : 1;
        return;
      } else if (!multi && text_[i_] == '\n') {
        return;  // unterminated: the parser will say so
      } else {
        ++i_;
      }
    }
    i_ = text_.size();
  }

  void skip_escape(bool multi) {
    if (!multi) {
      i_ += 2;
      return;
    }
    ++i_;
    const std::size_t next = std::min(text_.find_first_not_of(" \t\r\n", i_), text_.size());
    letter_after_continuation_ =
        next < text_.size() && static_cast<unsigned char>(text_[next]) >= 0x80;
    const bool escaped_letter = next == i_ && next < text_.size() && !letter_after_continuation_;
    i_ = escaped_letter ? next + 1 : next;
  }

  Location position() const {
    const std::string_view before = text_.substr(0, i_);
    const auto line = std::count(before.begin(), before.end(), '\n') + 1;
    const std::size_t start = before.rfind('\n');
    return {0, static_cast<int>(line),
            static_cast<int>(start == std::string_view::npos ? i_ + 1 : i_ - start)};
  }

  std::string_view text_;
  std::size_t i_ = 0;
  int brackets_ = 0, dots_ = 0;
  bool letter_after_continuation_ = false;
};

TomlNode convert(const toml::node& node, int source);

void convert_table(const toml::table& table, int source, TomlNode& out) {
  out.kind = TomlKind::table;
  out.members.reserve(table.size());
  for (const auto& [key, value] : table)
    out.members.push_back(
        {std::string(key.str()), location(key.source().begin, source), convert(value, source)});
  std::stable_sort(out.members.begin(), out.members.end(),
                   [](const TomlMember& a, const TomlMember& b) {
                     return std::tuple(a.at.line, a.at.column) < std::tuple(b.at.line, b.at.column);
                   });
}

TomlNode convert(const toml::node& node, int source) {
  TomlNode out;
  out.at = location(node.source().begin, source);
  if (const auto* table = node.as_table()) {
    convert_table(*table, source, out);
  } else if (const auto* array = node.as_array()) {
    out.kind = TomlKind::array;
    out.items.reserve(array->size());
    for (const auto& item : *array) out.items.push_back(convert(item, source));
  } else if (const auto* text = node.as_string()) {
    out.kind = TomlKind::text;
    out.text = text->get();
  } else if (const auto* integer = node.as_integer()) {
    out.kind = TomlKind::integer;
    out.integer = integer->get();
    out.number = static_cast<double>(out.integer);
  } else if (const auto* number = node.as_floating_point()) {
    out.kind = TomlKind::number;
    out.number = number->get();
  } else if (const auto* boolean = node.as_boolean()) {
    out.kind = TomlKind::boolean;
    out.boolean = boolean->get();
  } else {
    out.kind = TomlKind::date;
  }
  return out;
}

/// First and one past the last byte of a line (from 1); empty at the end of a shorter text.
std::pair<std::size_t, std::size_t> line_span(std::string_view text, int line) {
  std::size_t begin = 0;
  for (int i = 1; i < line; ++i) {
    const std::size_t end = text.find('\n', begin);
    if (end == std::string_view::npos) return {text.size(), text.size()};
    begin = end + 1;
  }
  const std::size_t end = text.find('\n', begin);
  return {begin, end == std::string_view::npos ? text.size() : end};
}

/// Only a line that is closed in itself, like `key = value`, can be left out without harm.
bool is_closed_line(std::string_view line) {
  const std::size_t first = line.find_first_not_of(" \t");
  if (first == std::string_view::npos || line[first] == '[') return false;
  const auto count = [&](char c) { return std::count(line.begin(), line.end(), c); };
  return count('[') == count(']') && count('{') == count('}') &&
         line.find("\"\"\"") == std::string_view::npos &&
         line.find("'''") == std::string_view::npos;
}

std::string describe(const toml::parse_error& error) {
  std::string text(error.description());
  constexpr std::size_t longest = 300;  // the parser quotes what it read, which may be a whole file
  if (text.size() > longest) text = text.substr(0, longest) + "...";
  if (text.find("determine value type") != std::string::npos) text += "; texts stand in quotes";
  return "not valid TOML: " + printable(text);
}

}  // namespace

const TomlMember* TomlNode::find(std::string_view key) const {
  for (const TomlMember& member : members)
    if (member.key == key) return &member;
  return nullptr;
}

TomlMember* TomlNode::find(std::string_view key) {
  return const_cast<TomlMember*>(std::as_const(*this).find(key));
}

std::string_view kind_name(TomlKind kind) {
  switch (kind) {
    case TomlKind::boolean: return "true or false";
    case TomlKind::integer: return "a whole number";
    case TomlKind::number: return "a number";
    case TomlKind::text: return "a text in quotes";
    case TomlKind::array: return "a list";
    case TomlKind::table: return "a table";
    case TomlKind::date: return "a date or time";
  }
  return "a value";
}

TomlDocument parse_toml(std::string_view text, int source, Diagnostics& diagnostics) {
  TomlDocument document;
  std::string rest(text);
  int last_line = 0;
  for (int i = 0; i < max_reparses; ++i) {
    Location objectionable;
    const std::string objection = TextScan(rest).objection(objectionable);
    if (!objection.empty()) {
      objectionable.source = source;
      diagnostics.error(objectionable, objection);
      break;
    }
    const toml::parse_result result = toml::parse(std::string_view(rest));
    if (result) {
      document.root = convert(result.table(), source);
      return document;
    }
    const toml::parse_error& error = result.error();
    const Location at = location(error.source().begin, source);
    diagnostics.error(at, describe(error));
    const auto [begin, end] = line_span(rest, at.line);
    document.structure_known = document.structure_known &&
                               is_closed_line(std::string_view(rest).substr(begin, end - begin));
    // Inside a list that is never closed, every further line would be called wrong.
    const bool cascade = TextScan(std::string_view(rest).substr(0, begin)).open_brackets() > 0;
    if (cascade || at.line <= last_line || rest.size() > max_reparsed_bytes / max_reparses) break;
    std::fill(rest.begin() + static_cast<std::ptrdiff_t>(begin),
              rest.begin() + static_cast<std::ptrdiff_t>(end), ' ');
    last_line = at.line;
  }
  document.structure_known = false;
  return document;
}

bool parse_toml_value(std::string_view text, int source, TomlNode& value) {
  Location unused;
  if (text.find_first_of("\r\n") != std::string_view::npos ||
      !TextScan(text).objection(unused).empty())
    return false;
  const toml::parse_result result = toml::parse("v = " + std::string(text));
  if (!result || result.table().size() != 1) return false;
  value = convert(*result.table().get("v"), source);
  return true;
}

}  // namespace talus
