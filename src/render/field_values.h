// One number per particle, to be shown as colour.
#pragma once

#include "core/error.h"
#include "core/parallel.h"
#include "frames/frame.h"

#include <string>
#include <vector>

namespace talus {

struct FieldValues {
  std::string title;  ///< "speed  m/s"
  std::vector<float> values;
  bool categories = false;  ///< no order: ids, materials
};

/// `name` is a field of the frame (a vector or tensor gives its norm), or "speed" or "height".
/// A request error lists what there is.
Result<FieldValues> read_field_values(const FrameFile& frame, const std::string& name, int up,
                                      const Executor& executor);

struct ValueRange {
  double lower = 0, upper = 1;
};
/// Between the 1st and the 99th percentile, widened to zero when zero is near; values that are not
/// finite do not count.
ValueRange robust_range(std::vector<float> values);

}  // namespace talus
