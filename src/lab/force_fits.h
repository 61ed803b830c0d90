// The curves that distributions of contact forces are compared with; f = force over mean force.
//   exponential  P = a (1 - b e^(-f^2)) e^(-beta f)        Mueth, Jaeger & Nagel 1998; thesis 7.1
//   tail         P ~ e^(-c f^alpha), f > 1                 van Eerd et al. 2007; thesis 7.2
//   gamma        P = f^(a-1) e^(-f/b) / (Gamma(a) b^a)     Radeke et al. 2004; thesis 7.3
#pragma once

#include "lab/experiment.h"
#include "lab/fit.h"
#include "lab/statistics.h"

namespace talus::lab {

double exponential_curve(std::span<const double> p, double f);  ///< a, b, beta
double gamma_curve(std::span<const double> p, double f);        ///< a, b

/// Bins with at least five samples, each weighed by its count.
Fit fit_exponential(const Histogram& h);
Fit fit_tail(const Histogram& h);  ///< amplitude, c, alpha
Fit fit_gamma(const Histogram& h);

/// The curve for a plot, from 0 to the last bin that was fitted.
Curve curve_of(const char* name, CurveKind kind, const Histogram& h, const Model& model,
               std::span<const double> parameters, double from = 0);
Curve points_of(const std::string& name, const Histogram& h);

}  // namespace talus::lab
