// Everything that is wrong or doubtful in a scene, with its place, collected so that the user sees
// all of it at once.
#pragma once

#include "core/error.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace talus {

/// A place in the scene file (source 0) or in the n-th --set (source n). Line 0: the file as a
/// whole.
struct Location {
  int source = 0;
  int line = 0, column = 0;  ///< from 1
};

class Diagnostics {
 public:
  /// `path` is shown before line and column; `overrides` are the --set words. `in_file` is false
  /// for scenes made in code, which have no lines.
  Diagnostics(std::string path, std::vector<std::string> overrides, bool in_file = true);
  /// For scenes that are not text: line n is called places[n - 1].
  void name_lines(std::vector<std::string> places) { places_ = std::move(places); }

  void error(const Location& at, std::string_view text);
  void warning(const Location& at, std::string_view text);

  /// "file:line:column", or the --set word.
  std::string place(const Location& at) const;

  bool ok() const { return error_count_ == 0; }
  /// More would not be shown: a reader of hopeless input can stop.
  bool full() const { return error_count_ >= max_shown; }
  std::size_t error_count() const { return error_count_; }
  /// Lines "file:line:column: warning: ...".
  const std::vector<std::string>& warnings() const { return warnings_; }
  /// All errors as one: a headline, then a line "file:line:column: error: ..." for each.
  Error to_error() const;

  static constexpr std::size_t max_shown = 100;

 private:
  struct Entry {
    Location at;
    std::string line;
  };
  std::string path_;
  std::vector<std::string> overrides_;
  bool in_file_;
  std::vector<std::string> places_;
  std::vector<Entry> errors_;
  std::size_t error_count_ = 0;
  std::vector<std::string> warnings_;
};

/// The text in quotes, unprintable bytes escaped, cut when long: safe to print whatever the input.
std::string in_quotes(std::string_view text);

/// Unprintable bytes escaped, without quotes or cutting.
std::string printable(std::string_view text);

/// The candidate closest to `word` in letters (insert, delete, replace, swap), or empty when none
/// is close enough to be meant.
std::string nearest_word(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace talus
