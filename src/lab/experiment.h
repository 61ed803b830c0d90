// An experiment of `talus lab`: a scene of lab/NAME/ is run, something is measured, and compared
// with a band that comes from theory or from published measurements.
#pragma once

#include "core/error.h"
#include "core/parallel.h"

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace talus {

/// One measured number and the band it has to lie in.
struct Quantity {
  std::string name;  ///< "poured, 30 degrees, 7 K"
  std::string unit;
  double value = 0;
  double error = 0;  ///< standard error of the measurement; 0 = not estimated
  double lower = 0, upper = 0;
  std::string source;  ///< where the band comes from

  bool in_band() const { return lower <= value && value <= upper; }
};

/// A curve for plots and spreadsheets.
struct Curve {
  std::string name, x_name, y_name;
  std::vector<double> x, y;
};

struct LabReport {
  std::vector<Quantity> quantities;
  std::vector<Curve> curves;

  bool passed() const {
    for (const Quantity& q : quantities)
      if (!q.in_band()) return false;
    return true;
  }
};

struct LabContext {
  const Executor& executor;
  std::string folder;  ///< with the scenes: lab/
  bool full = false;   ///< all sizes and parameters, instead of a few minutes' worth
  std::function<void(std::string_view)> say;  ///< what is being done now
};

struct Experiment {
  std::string_view name, summary;
  Result<LabReport> (*run)(const LabContext& context);
};

/// All of them, in the order `talus lab all` takes.
std::span<const Experiment> lab_experiments();

/// A line for each quantity: value, error, band, verdict.
std::string lab_table(std::string_view experiment, const LabReport& report);
std::string lab_json(std::string_view experiment, const LabReport& report);
/// Columns curve, x, y.
std::string lab_csv(const LabReport& report);

}  // namespace talus
