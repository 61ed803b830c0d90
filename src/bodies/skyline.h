// Direct solver for symmetric positive definite systems whose entries lie near the diagonal, like
// those of chains: Cholesky factor L D L^T in skyline storage (each row from its first entry on).
#pragma once

#include <cstddef>
#include <vector>

namespace talus {

class Skyline {
 public:
  /// first[i] <= i is the first column of row i that may differ from zero.
  explicit Skyline(std::vector<std::size_t> first);

  std::size_t size() const { return first_.size(); }
  std::size_t first(std::size_t row) const { return first_[row]; }
  /// Entry of the lower triangle, first(row) <= column <= row.
  double& at(std::size_t row, std::size_t column) {
    return values_[start_[row] + column - first_[row]];
  }

  /// In place. Pivots that vanish (redundant rows) are raised to `smallest` of their diagonal.
  void factorize(double smallest);
  /// b becomes x with A x = b.
  void solve(std::vector<double>& b) const;

 private:
  double at(std::size_t row, std::size_t column) const {
    return values_[start_[row] + column - first_[row]];
  }
  std::vector<std::size_t> first_, start_;
  std::vector<double> values_;
};

}  // namespace talus
