#include "scene/diagnostics.h"

#include <algorithm>
#include <array>
#include <tuple>

namespace talus {
namespace {

constexpr std::size_t longest_word = 48;

/// Optimal string alignment distance: insertions, deletions, replacements, swaps of neighbours.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::array<std::array<std::size_t, longest_word + 1>, 3> rows{};
  auto* before = &rows[0];
  auto* last = &rows[1];
  auto* now = &rows[2];
  for (std::size_t j = 0; j <= b.size(); ++j) (*last)[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    (*now)[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = a[i - 1] == b[j - 1] ? 0 : 1;
      std::size_t best = std::min({(*last)[j] + 1, (*now)[j - 1] + 1, (*last)[j - 1] + change});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        best = std::min(best, (*before)[j - 2] + 1);
      (*now)[j] = best;
    }
    std::swap(before, last);
    std::swap(last, now);
  }
  return (*last)[b.size()];
}

}  // namespace

Diagnostics::Diagnostics(std::string path, std::vector<std::string> overrides, bool in_file)
    : path_(std::move(path)), overrides_(std::move(overrides)), in_file_(in_file) {}

std::string Diagnostics::place(const Location& at) const {
  if (at.source > 0)
    return "--set " + in_quotes(overrides_[static_cast<std::size_t>(at.source) - 1]);
  if (at.line == 0 && !in_file_) return path_;
  if (at.line > 0 && static_cast<std::size_t>(at.line) <= places_.size())
    return places_[static_cast<std::size_t>(at.line) - 1];
  return fmt::format("{}:{}:{}", path_, std::max(at.line, 1), std::max(at.column, 1));
}

void Diagnostics::error(const Location& at, std::string_view text) {
  if (++error_count_ > max_shown) return;
  errors_.push_back({at, fmt::format("{}: error: {}", place(at), text)});
}

void Diagnostics::warning(const Location& at, std::string_view text) {
  if (warnings_.size() < max_shown)
    warnings_.push_back(fmt::format("{}: warning: {}", place(at), text));
}

Error Diagnostics::to_error() const {
  std::vector<Entry> sorted = errors_;
  std::stable_sort(sorted.begin(), sorted.end(), [](const Entry& a, const Entry& b) {
    return std::tuple(a.at.source, a.at.line, a.at.column) <
           std::tuple(b.at.source, b.at.line, b.at.column);
  });
  std::string text =
      fmt::format("{}{} in the scene '{}'", full() ? "at least " : "",
                  error_count_ == 1 ? "1 error" : fmt::format("{} errors", error_count_), path_);
  for (const Entry& entry : sorted) text += "\n" + entry.line;
  return {ErrorKind::request, text};
}

std::string printable(std::string_view text) {
  std::string out;
  unsigned char before = 0;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool c1_control = before == 0xc2 && byte < 0xa0;  // U+0080 .. U+009F in UTF-8
    if (byte < 0x20 || byte == 0x7f || c1_control)
      out += fmt::format("\\x{:02x}", byte);
    else
      out += c;
    before = byte;
  }
  return out;
}

std::string in_quotes(std::string_view text) {
  constexpr std::size_t longest = 80;
  return "'" + printable(text.substr(0, longest)) + (text.size() > longest ? "..." : "") + "'";
}

std::string nearest_word(std::string_view word, const std::vector<std::string>& candidates) {
  if (word.empty() || word.size() > longest_word) return {};
  std::string best;
  std::size_t best_distance = std::max<std::size_t>(2, word.size() / 3) + 1;
  for (const std::string& candidate : candidates) {
    if (candidate.empty() || candidate.size() > longest_word) continue;
    const std::size_t distance = edit_distance(word, candidate);
    if (distance < best_distance && distance < candidate.size()) {
      best = candidate;
      best_distance = distance;
    }
  }
  return best;
}

}  // namespace talus
