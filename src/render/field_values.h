// One number per particle, to be shown as colour.
#pragma once

#include "core/error.h"
#include "core/parallel.h"
#include "render/field_source.h"

#include <string>
#include <vector>

namespace talus {

struct FieldValues {
  std::string title;  ///< "speed  m/s"
  std::vector<float> values;
  bool categories = false;  ///< no order: ids, materials
};

/// `name` is a field of the source (a vector or tensor gives its norm), or "speed" or "height".
/// A request error lists what there is.
Result<FieldValues> read_field_values(const FieldSource& source, const std::string& name, int up,
                                      const Executor& executor);
/// All that read_field_values() takes, in alphabetical order.
std::vector<std::string> shown_fields(const FieldSource& source);

struct ValueRange {
  double lower = 0, upper = 1;
};
/// Between the 1st and the 99th percentile, widened to zero when zero is near; values that are not
/// finite do not count.
ValueRange robust_range(std::vector<float> values);

}  // namespace talus
