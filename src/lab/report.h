// What an experiment found, in words, files and one page.
#pragma once

#include "lab/experiment.h"

#include <filesystem>
#include <string>

namespace talus::lab {

/// How and where the numbers came about.
struct Circumstances {
  std::string date, version, machine;
  int threads = 0;
  bool full = false;
  double seconds = 0;
};

/// A line for each quantity: value, error, band, verdict.
std::string table(std::string_view experiment, const LabReport& report);

/// NAME.json, NAME.csv (columns plot, curve, x, y), NAME_PLOT.svg and .png in `folder`.
Status write_report(const std::filesystem::path& folder, const Experiment& experiment,
                    const LabReport& report, const Circumstances& how);

/// FOLDER/index.html, self-contained, from all reports that lie there.
Status write_page(const std::filesystem::path& folder);

}  // namespace talus::lab
