#include "bodies/skyline.h"

#include <algorithm>

namespace talus {

Skyline::Skyline(std::vector<std::size_t> first) : first_(std::move(first)) {
  std::size_t total = 0;
  for (std::size_t i = 0; i < first_.size(); ++i) {
    start_.push_back(total);
    total += i - first_[i] + 1;
  }
  values_.assign(total, 0.0);
}

void Skyline::factorize(double smallest) {
  for (std::size_t i = 0; i < size(); ++i) {
    const double diagonal = at(i, i);
    // Row i of L D first, then its entries are divided by the pivots.
    for (std::size_t j = first_[i]; j < i; ++j) {
      double sum = at(i, j);
      for (std::size_t k = std::max(first_[i], first_[j]); k < j; ++k) sum -= at(i, k) * at(j, k);
      at(i, j) = sum;
    }
    double pivot = diagonal;
    for (std::size_t j = first_[i]; j < i; ++j) {
      const double ld = at(i, j);
      at(i, j) = ld / at(j, j);
      pivot -= ld * at(i, j);
    }
    at(i, i) = std::max(pivot, smallest * diagonal);
  }
}

void Skyline::solve(std::vector<double>& b) const {
  for (std::size_t i = 0; i < size(); ++i)
    for (std::size_t j = first_[i]; j < i; ++j) b[i] -= at(i, j) * b[j];
  for (std::size_t i = 0; i < size(); ++i) b[i] /= at(i, i);
  for (std::size_t i = size(); i-- > 0;)
    for (std::size_t j = first_[i]; j < i; ++j) b[j] -= at(i, j) * b[i];
}

}  // namespace talus
