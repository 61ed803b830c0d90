#include "dem/restitution.h"

#include <cmath>

namespace talus::dem {

namespace {

struct Motion {
  double x = 0, v = 1;
};

double force(NormalLaw law, double damping, const Motion& m) {
  const double x = std::fmax(m.x, 0.0);
  if (law == NormalLaw::linear) return x + damping * m.v;
  return std::pow(x, 1.5) + damping * std::sqrt(1.5 * std::sqrt(x)) * m.v;
}

Motion advance(NormalLaw law, double damping, const Motion& m, double h) {
  const auto rate = [&](const Motion& at) { return Motion{at.v, -force(law, damping, at)}; };
  const auto moved = [](const Motion& a, const Motion& r, double t) {
    return Motion{a.x + t * r.x, a.v + t * r.v};
  };
  const Motion a = rate(m), b = rate(moved(m, a, h / 2)), c = rate(moved(m, b, h / 2)),
               d = rate(moved(m, c, h));
  return {m.x + h / 6 * (a.x + 2 * b.x + 2 * c.x + d.x),
          m.v + h / 6 * (a.v + 2 * b.v + 2 * c.v + d.v)};
}

}  // namespace

double restitution_of(NormalLaw law, double damping) {
  const double h = 2e-3 / (1 + damping);
  Motion m = advance(law, damping, {}, h);
  for (int step = 0; step < 4'000'000; ++step) {
    const Motion next = advance(law, damping, m, h);
    const double f0 = force(law, damping, m), f1 = force(law, damping, next);
    if (f1 <= 0) return -(m.v + (next.v - m.v) * f0 / (f0 - f1));
    m = next;
  }
  return 0;
}

double damping_for(NormalLaw law, double restitution) {
  if (restitution >= 1) return 0;
  double low = 0, high = 1;
  while (restitution_of(law, high) > restitution && high < 100) high *= 2;
  for (int k = 0; k < 40; ++k) {
    const double middle = 0.5 * (low + high);
    (restitution_of(law, middle) > restitution ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

}  // namespace talus::dem
