#include "lab/fit.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <unsupported/Eigen/NonLinearOptimization>
#include <unsupported/Eigen/NumericalDiff>

namespace talus::lab {

namespace {

struct Residuals {
  using Scalar = double;
  using InputType = Eigen::VectorXd;
  using ValueType = Eigen::VectorXd;
  using JacobianType = Eigen::MatrixXd;
  enum { InputsAtCompileTime = Eigen::Dynamic, ValuesAtCompileTime = Eigen::Dynamic };

  const Model& model;
  std::span<const double> x, y, error;
  int parameters;

  int inputs() const { return parameters; }
  int values() const { return static_cast<int>(x.size()); }
  int operator()(const Eigen::VectorXd& p, Eigen::VectorXd& out) const {
    const std::span<const double> values(p.data(), static_cast<std::size_t>(p.size()));
    for (std::size_t k = 0; k < x.size(); ++k) {
      const double r = (model(values, x[k]) - y[k]) / (error.empty() ? 1 : error[k]);
      // A model may be undefined out there; far off is all that the search has to know.
      out[static_cast<Eigen::Index>(k)] = std::isfinite(r) ? r : 1e6;
    }
    return 0;
  }
};

/// Student's t for 95 %, two sided, by Cornish & Fisher's series; exact to 1 % from 3 on.
double student_95(double freedom) {
  const double z = 1.959964, z3 = z * z * z, z5 = z3 * z * z;
  return z + (z3 + z) / (4 * freedom) + (5 * z5 + 16 * z3 + 3 * z) / (96 * freedom * freedom);
}

}  // namespace

Fit fit_curve(const Model& model, std::span<const double> start, std::span<const double> x,
              std::span<const double> y, std::span<const double> error) {
  Fit fit;
  const auto n = static_cast<Eigen::Index>(start.size());
  fit.parameter.assign(start.begin(), start.end());
  fit.error.assign(start.size(), 0);
  if (x.size() <= start.size()) return fit;
  Eigen::VectorXd p(n);
  for (Eigen::Index k = 0; k < n; ++k) p[k] = start[static_cast<std::size_t>(k)];
  const Residuals residuals{model, x, y, error, static_cast<int>(n)};
  Eigen::NumericalDiff<Residuals> function(residuals);
  Eigen::LevenbergMarquardt<Eigen::NumericalDiff<Residuals>> search(function);
  search.parameters.maxfev = 4000;
  search.parameters.xtol = search.parameters.ftol = 1e-12;
  search.minimize(p);

  Eigen::VectorXd r(static_cast<Eigen::Index>(x.size()));
  Eigen::MatrixXd j(static_cast<Eigen::Index>(x.size()), n);
  residuals(p, r);
  function.df(p, j);
  const double freedom = static_cast<double>(x.size()) - static_cast<double>(n);
  const Eigen::MatrixXd normal = j.transpose() * j;
  const Eigen::FullPivLU<Eigen::MatrixXd> solver(normal);
  fit.converged = p.allFinite() && solver.isInvertible();
  if (!fit.converged) return fit;
  const Eigen::MatrixXd covariance = solver.inverse() * (r.squaredNorm() / freedom);
  for (Eigen::Index k = 0; k < n; ++k) {
    const auto at = static_cast<std::size_t>(k);
    fit.parameter[at] = p[k];
    fit.error[at] = student_95(freedom) * std::sqrt(std::max(covariance(k, k), 0.0));
  }
  return fit;
}

}  // namespace talus::lab
