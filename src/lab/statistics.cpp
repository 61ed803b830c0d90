#include "lab/statistics.h"

#include <algorithm>
#include <cmath>

namespace talus::lab {

namespace {

std::vector<double> sorted(std::span<const double> samples) {
  std::vector<double> out(samples.begin(), samples.end());
  std::sort(out.begin(), out.end());
  return out;
}

double quantile_of_sorted(std::span<const double> s, double share) {
  if (s.empty()) return 0;
  const double at = share * static_cast<double>(s.size() - 1);
  const auto k = std::min(static_cast<std::size_t>(at), s.size() - 1);
  const double next = s[std::min(k + 1, s.size() - 1)];
  return s[k] + (at - static_cast<double>(k)) * (next - s[k]);
}

Histogram binned(std::span<const double> s, double lower, double width, std::size_t bins) {
  Histogram h;
  h.width = width;
  const auto below = [&](double x) {
    return static_cast<std::size_t>(std::lower_bound(s.begin(), s.end(), x) - s.begin());
  };
  const double scale = 1 / (static_cast<double>(s.size()) * width);
  std::size_t before = below(lower);
  for (std::size_t k = 0; k < bins; ++k) {
    const std::size_t now = below(lower + static_cast<double>(k + 1) * width);
    const std::size_t count = now - before;
    before = now;
    h.x.push_back(lower + (static_cast<double>(k) + 0.5) * width);
    h.count.push_back(count);
    h.density.push_back(static_cast<double>(count) * scale);
    h.error.push_back(std::sqrt(static_cast<double>(std::max<std::size_t>(count, 1))) * scale);
  }
  return h;
}

}  // namespace

Histogram histogram(std::span<const double> samples, double lower) {
  const std::vector<double> s = sorted(samples);
  if (s.empty()) return {};
  const double range = quantile_of_sorted(s, 0.75) - quantile_of_sorted(s, 0.25);
  const double width = 2 * range / std::cbrt(static_cast<double>(s.size()));
  if (!(width > 0)) return {};
  const double bins = std::ceil((s.back() - lower) / width);
  return binned(s, lower, width, static_cast<std::size_t>(std::clamp(bins, 1.0, 10'000.0)));
}

Histogram histogram(std::span<const double> samples, double lower, double upper, std::size_t bins) {
  const std::vector<double> s = sorted(samples);
  if (s.empty()) return {};
  return binned(s, lower, (upper - lower) / static_cast<double>(bins), bins);
}

double mean(std::span<const double> samples) {
  double sum = 0;
  for (const double x : samples) sum += x;
  return samples.empty() ? 0 : sum / static_cast<double>(samples.size());
}

double quantile(std::span<const double> samples, double share) {
  return quantile_of_sorted(sorted(samples), share);
}

double largest_difference(std::span<const double> a, std::span<const double> b) {
  const std::vector<double> s = sorted(a), t = sorted(b);
  double most = 0;
  std::size_t i = 0, j = 0;
  while (i < s.size() && j < t.size()) {
    const double x = std::min(s[i], t[j]);
    while (i < s.size() && s[i] <= x) ++i;
    while (j < t.size() && t[j] <= x) ++j;
    most = std::max(most, std::abs(static_cast<double>(i) / static_cast<double>(s.size()) -
                                   static_cast<double>(j) / static_cast<double>(t.size())));
  }
  return most;
}

}  // namespace talus::lab
