// The tables of a run folder (docs/run-folder.md) as columns, and what a report draws of them.
#pragma once

#include "core/error.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace talus::report {

/// A CSV file by its columns. A last line without its end is still being written and left out.
class CsvColumns {
 public:
  static Result<CsvColumns> read(const std::filesystem::path& path);

  std::size_t rows() const { return rows_; }
  /// Number of the column, or -1.
  int find(const std::string& name) const;
  /// Empty when there is no such column; cells that are no numbers become NaN.
  std::vector<double> numbers(const std::string& name) const;
  std::vector<std::string> texts(const std::string& name) const;

 private:
  std::vector<std::string> names_;
  std::vector<std::vector<std::string>> columns_;
  std::size_t rows_ = 0;
};

/// One line of a plot: a value for each entry of the plot's x. NaN: a gap.
struct Series {
  std::string name;
  std::vector<double> values;
};

struct Plot {
  std::string key;  ///< a word, for scripts and tests
  std::string title;
  std::string unit;
  std::vector<double> time;  ///< s
  std::vector<Series> series;
  std::vector<std::string> notes;  ///< for each time, or none
};

struct PhaseTime {
  std::string name;
  double seconds = 0;
};

struct RunTables {
  std::vector<Plot> plots;
  std::vector<PhaseTime> phases;  ///< longest first, "other" last
  double wall_seconds = 0;        ///< of computing, all frames
  double steps = 0;
  double particle_steps = 0;
  double fastest = 0;              ///< m/s
  std::vector<std::string> notes;  ///< tables that could not be read
};

/// Rows after `last_frame`, the last one the manifest lists, are left out.
RunTables read_tables(const std::filesystem::path& folder, std::uint64_t last_frame);

/// At most `limit` entries (even): of each stretch the smallest and the largest value, in their
/// order, so that peaks stay. Shorter plots stay as they are.
void thin_plot(Plot& plot, std::size_t limit);

}  // namespace talus::report
