#include "frames/atomic_file.h"
#include "report/tables.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <fstream>
#include <limits>

namespace talus::report {

namespace {

/// One row, which a quoted line break may continue on the next lines. False at the end, or when
/// the line end is missing.
bool next_row(std::istream& in, std::vector<std::string>& cells) {
  cells.assign(1, "");
  bool quoted = false;
  for (int c = in.get(); c != std::istream::traits_type::eof(); c = in.get()) {
    const char letter = static_cast<char>(c);
    if (quoted) {
      if (letter != '"')
        cells.back() += letter;
      else if (in.peek() == '"')
        cells.back() += static_cast<char>(in.get());
      else
        quoted = false;
    } else if (letter == '"') {
      quoted = true;
    } else if (letter == ',') {
      cells.emplace_back();
    } else if (letter == '\n') {
      return true;
    } else {
      cells.back() += letter;
    }
  }
  return false;
}

double number(const std::string& text) {
  double value = 0;
  const auto [stop, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool good = code == std::errc() && stop == text.data() + text.size();
  return good ? value : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace

Result<CsvColumns> CsvColumns::read(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) return file_error("open", path, errno);
  CsvColumns out;
  if (!next_row(in, out.names_)) return work_error("{} has no header", path.string());
  out.columns_.resize(out.names_.size());
  std::vector<std::string> cells;
  while (next_row(in, cells)) {
    if (cells.size() != out.names_.size())
      return work_error("{}: row {} has {} cells, the header {}", path.string(), out.rows_ + 1,
                        cells.size(), out.names_.size());
    for (std::size_t c = 0; c < cells.size(); ++c) out.columns_[c].push_back(std::move(cells[c]));
    ++out.rows_;
  }
  return out;
}

int CsvColumns::find(const std::string& name) const {
  const auto at = std::find(names_.begin(), names_.end(), name);
  return at == names_.end() ? -1 : static_cast<int>(at - names_.begin());
}

std::vector<std::string> CsvColumns::texts(const std::string& name) const {
  const int column = find(name);
  return column < 0 ? std::vector<std::string>() : columns_[static_cast<std::size_t>(column)];
}

std::vector<double> CsvColumns::numbers(const std::string& name) const {
  std::vector<double> out;
  const int column = find(name);
  if (column < 0) return out;
  for (const std::string& text : columns_[static_cast<std::size_t>(column)])
    out.push_back(number(text));
  return out;
}

}  // namespace talus::report
