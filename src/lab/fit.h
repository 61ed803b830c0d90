// Curves through measured points: weighted nonlinear least squares (Levenberg & Marquardt, of
// Eigen, whose headers stay in fit.cpp).
#pragma once

#include <functional>
#include <span>
#include <vector>

namespace talus::lab {

/// y = model(parameters, x)
using Model = std::function<double(std::span<const double>, double)>;

struct Fit {
  std::vector<double> parameter;
  std::vector<double> error;  ///< half width of the 95 % confidence interval
  bool converged = false;
};

/// Fits `model` to the points, each weighed by 1/error^2 of its own, from `start` on. Without
/// errors (empty) all points weigh the same.
Fit fit_curve(const Model& model, std::span<const double> start, std::span<const double> x,
              std::span<const double> y, std::span<const double> error = {});

}  // namespace talus::lab
