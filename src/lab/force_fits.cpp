#include "lab/force_fits.h"

#include <cmath>

namespace talus::lab {

namespace {

constexpr std::size_t least_count = 5;

struct Points {
  std::vector<double> x, y, error;
};

Points fitted_points(const Histogram& h, double from) {
  Points p;
  for (std::size_t k = 0; k < h.x.size(); ++k) {
    if (h.count[k] < least_count || h.x[k] < from) continue;
    p.x.push_back(h.x[k]);
    p.y.push_back(h.density[k]);
    p.error.push_back(h.error[k]);
  }
  return p;
}

double tail_curve(std::span<const double> p, double f) {
  return std::exp(p[0] - p[1] * std::pow(f, p[2]));
}

}  // namespace

double exponential_curve(std::span<const double> p, double f) {
  return p[0] * (1 - p[1] * std::exp(-f * f)) * std::exp(-p[2] * f);
}

double gamma_curve(std::span<const double> p, double f) {
  if (!(f > 0) || !(p[0] > 0) || !(p[1] > 0)) return 0;
  return std::exp((p[0] - 1) * std::log(f) - f / p[1] - std::lgamma(p[0]) - p[0] * std::log(p[1]));
}

Fit fit_exponential(const Histogram& h) {
  const Points p = fitted_points(h, 0);
  const double start[] = {2.5, 0.65, 1.35};
  return fit_curve(exponential_curve, start, p.x, p.y, p.error);
}

Fit fit_tail(const Histogram& h) {
  const Points p = fitted_points(h, 1);
  const double start[] = {0.5, 1.0, 1.2};
  return fit_curve(tail_curve, start, p.x, p.y, p.error);
}

Fit fit_gamma(const Histogram& h) {
  const Points p = fitted_points(h, 0);
  const double start[] = {3, 0.33};
  return fit_curve(gamma_curve, start, p.x, p.y, p.error);
}

Curve curve_of(const char* name, CurveKind kind, const Histogram& h, const Model& model,
               std::span<const double> parameters, double from) {
  Curve curve{name, kind, {}, {}, {}};
  double last = 1;
  for (std::size_t k = 0; k < h.x.size(); ++k)
    if (h.count[k] >= least_count) last = h.x[k];
  constexpr int steps = 120;
  for (int k = 0; k <= steps; ++k) {
    const double f = from + (last - from) * k / steps;
    curve.x.push_back(f);
    curve.y.push_back(model(parameters, f));
  }
  return curve;
}

Curve points_of(const std::string& name, const Histogram& h) {
  Curve curve{name, CurveKind::points, {}, {}, {}};
  for (std::size_t k = 0; k < h.x.size(); ++k) {
    if (h.count[k] == 0) continue;
    curve.x.push_back(h.x[k]);
    curve.y.push_back(h.density[k]);
    curve.error.push_back(h.error[k]);
  }
  return curve;
}

}  // namespace talus::lab
