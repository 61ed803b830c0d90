#include "lab/flank.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace talus {

namespace {

Line weighted_line(std::span<const double> x, std::span<const double> y,
                   std::span<const double> weight) {
  double w = 0, wx = 0, wy = 0, wxx = 0, wxy = 0;
  for (std::size_t k = 0; k < x.size(); ++k) {
    w += weight[k];
    wx += weight[k] * x[k];
    wy += weight[k] * y[k];
    wxx += weight[k] * x[k] * x[k];
    wxy += weight[k] * x[k] * y[k];
  }
  const double spread = w * wxx - wx * wx;
  if (!(spread > 0)) return {w > 0 ? wy / w : 0, 0};
  const double slope = (w * wxy - wx * wy) / spread;
  return {(wy - slope * wx) / w, slope};
}

/// Area of a ring over that of the innermost one.
double ring_area(std::size_t k) { return 2 * static_cast<double>(k) + 1; }

/// Height over rings of width `ring`, of the particles that pass(p) lets in, `share` of the circle.
template <class Pass>
std::vector<double> ring_heights(std::span<const Vec3f> position, double ring, double volume,
                                 double share, Pass&& pass) {
  std::vector<double> heights;
  for (const Vec3f& p : position) {
    if (!pass(p)) continue;
    const auto k = static_cast<std::size_t>(std::hypot(p.x, p.y) / ring);
    if (k >= heights.size()) heights.resize(std::min<std::size_t>(k + 1, 100'000), 0.0);
    if (k < heights.size()) heights[k] += volume;
  }
  for (std::size_t k = 0; k < heights.size(); ++k)
    heights[k] /= share * std::numbers::pi * ring * ring * ring_area(k);
  return heights;
}

/// Mean height over the four innermost rings that is largest: the innermost alone has room for so
/// few particles that it says nothing.
double top_of(const std::vector<double>& heights) {
  double top = 0, volume = 0, area = 0;
  for (std::size_t k = 0; k < std::min<std::size_t>(heights.size(), 4); ++k) {
    volume += heights[k] * ring_area(k);
    area += ring_area(k);
    if (k > 0) top = std::max(top, volume / area);
  }
  return top;
}

/// Slope of the flank, degrees; NaN when there is none.
double flank_angle(const std::vector<double>& heights, double ring, double top) {
  std::vector<double> x, y, area;
  for (std::size_t k = 0; k < heights.size() && !(k > 3 && heights[k] < 0.2 * top); ++k) {
    if (heights[k] > 0.8 * top || heights[k] < 0.2 * top) continue;
    x.push_back((static_cast<double>(k) + 0.5) * ring);
    y.push_back(heights[k]);
    area.push_back(ring_area(k));
  }
  if (x.size() < 3) return std::nan("");
  return -std::atan(fit_line(x, y, area).slope) * 180 / std::numbers::pi;
}

}  // namespace

Line fit_line(std::span<const double> x, std::span<const double> y) {
  return fit_line(x, y, std::vector<double>(x.size(), 1.0));
}

Line fit_line(std::span<const double> x, std::span<const double> y,
              std::span<const double> certainty) {
  std::vector<double> weight(certainty.begin(), certainty.end()), residual(x.size());
  Line line = weighted_line(x, y, weight);
  for (int round = 0; round < 20; ++round) {
    for (std::size_t k = 0; k < x.size(); ++k)
      residual[k] = std::sqrt(certainty[k]) * std::abs(y[k] - line.intercept - line.slope * x[k]);
    std::vector<double> sorted = residual;
    std::sort(sorted.begin(), sorted.end());
    const double scale = 4.685 * 1.4826 * sorted[sorted.size() / 2];
    if (!(scale > 0)) break;
    for (std::size_t k = 0; k < x.size(); ++k) {
      const double u = std::min(residual[k] / scale, 1.0);
      weight[k] = certainty[k] * (1 - u * u) * (1 - u * u);
    }
    line = weighted_line(x, y, weight);
  }
  return line;
}

Flank measure_flank(std::span<const Vec3f> position, double spacing, double volume) {
  Flank flank;
  const double ring = 1.5 * spacing;
  flank.profile = ring_heights(position, ring, volume, 1, [](const Vec3f&) { return true; });
  for (std::size_t k = 0; k < flank.profile.size(); ++k)
    flank.radius.push_back((static_cast<double>(k) + 0.5) * ring);
  flank.height = top_of(flank.profile);
  flank.angle_deg = flank_angle(flank.profile, ring, flank.height);
  double sum = 0, squares = 0;
  for (int q = 0; q < 4; ++q) {
    const float sx = (q & 1) != 0 ? 1.0f : -1.0f, sy = (q & 2) != 0 ? 1.0f : -1.0f;
    const double angle =
        flank_angle(ring_heights(position, ring, volume, 0.25,
                                 [&](const Vec3f& p) { return p.x * sx >= 0 && p.y * sy >= 0; }),
                    ring, flank.height);
    sum += angle;
    squares += angle * angle;
  }
  flank.error_deg = std::sqrt(std::max(squares / 4 - sum * sum / 16, 0.0) / 3);
  return flank;
}

}  // namespace talus
