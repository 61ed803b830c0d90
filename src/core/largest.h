// The few largest of many values. What they are does not depend on the order in which values come,
// so parts can be gathered by several threads.
#pragma once

#include <array>
#include <cstddef>

namespace talus {

template <std::size_t count>
class Largest {
 public:
  void add(float value) {
    if (!(value > values_.back())) return;
    std::size_t k = count - 1;
    for (; k > 0 && values_[k - 1] < value; --k) values_[k] = values_[k - 1];
    values_[k] = value;
  }
  void add(const Largest& other) {
    for (const float value : other.values_) add(value);
  }
  /// The smallest of them: as many values are as large. 0 where there are fewer that are positive.
  float least() const { return values_.back(); }

 private:
  std::array<float, count> values_{};  ///< descending
};

}  // namespace talus
