// An experiment of `talus lab`: scenes of lab/NAME/ are run, something is measured, and compared
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
  double error = 0;  ///< half width of the 95 % interval, or standard error; 0 = not estimated
  double lower = 0, upper = 0;
  std::string source;  ///< where the band comes from

  bool in_band() const { return lower <= value && value <= upper; }
};

/// A number that is worth telling but has no band: a parameter beside a published one.
struct Remark {
  std::string name;
  double value = 0, error = 0;
  std::string published;  ///< "1.35 (Silbert et al. 2002)"; may be empty
};

enum class CurveKind {
  points,     ///< measured
  line,       ///< a fit, or many points of one course
  published,  ///< drawn dashed
};

struct Curve {
  std::string name;
  CurveKind kind = CurveKind::points;
  std::vector<double> x, y;
  std::vector<double> error;  ///< of y; may be empty
};

struct Plot {
  std::string name;  ///< of the file: "normal"
  std::string title, x_name, y_name;
  bool log_x = false, log_y = false;
  std::vector<Curve> curves;
};

struct LabReport {
  std::vector<Quantity> quantities;
  std::vector<Remark> remarks;
  std::vector<Plot> plots;

  bool passed() const {
    for (const Quantity& q : quantities)
      if (!q.in_band()) return false;
    return true;
  }
};

struct LabContext {
  const Executor& executor;
  std::string folder;  ///< with the scenes: lab/
  std::string cache;   ///< settled states are kept here
  bool full = false;   ///< all sizes and parameters, instead of a few minutes' worth
  std::function<void(std::string_view)> say;  ///< what is being done now
  std::function<bool()> stop;                 ///< whether the user wants to end it
};

/// For controls: quick size is enough for what must fail.
inline LabContext quick_size(LabContext context) {
  context.full = false;
  return context;
}

struct Experiment {
  std::string_view name, summary;
  Result<LabReport> (*run)(const LabContext& context);
};

/// All of them, in the order `talus lab all` takes.
std::span<const Experiment> lab_experiments();

}  // namespace talus
