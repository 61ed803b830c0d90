#include "run/nozzle.h"

#include "core/random.h"
#include "scene/estimate.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace talus {

namespace {
constexpr std::uint32_t tries = 32;
constexpr std::size_t max_bins_across = 512;
}  // namespace

double greatest_rate(const Scene& scene, const Pour& pour, double particle_mass) {
  const double area = std::numbers::pi * pour.radius * pour.radius;
  const double s = particle_size(scene, pour.material);
  return particle_mass / (s * s * s) * area * pour.speed;
}

Result<Nozzle> Nozzle::create(const Scene& scene, std::size_t pour, double particle_mass) {
  Nozzle nozzle(scene, pour, particle_mass);
  const Pour& p = scene.pours[pour];
  const double most = greatest_rate(scene, p, particle_mass);
  if (p.rate > most * 1.0001)
    return request_error(
        "pour '{}': {:.4g} kg/s do not fit through a nozzle of radius {:.4g} m at {:.4g} m/s; at "
        "most {:.4g} kg/s do. Widen it, raise its speed or lower its rate",
        p.name, p.rate, p.radius, p.speed, most);
  return nozzle;
}

Nozzle::Nozzle(const Scene& scene, std::size_t pour, double particle_mass)
    : pour_(scene.pours[pour]), seed_(scene.seed), stream_(std::uint64_t{pour} << 48) {
  spacing_ = particle_size(scene, pour_.material);
  interval_ = particle_mass / pour_.rate;
  const double speed = pour_.speed + std::sqrt(norm(scene.gravity) * spacing_);
  patience_ = speed > 0 ? 0.5 * spacing_ / speed : 0;
  reach_ = std::max(0.0, pour_.radius - spacing_ / 2);
  const Vec3d d = pour_.direction;
  const Vec3d helper = std::abs(d.z) < 0.9 ? Vec3d{0, 0, 1} : Vec3d{1, 0, 0};
  axis_x_ = normalized(cross(helper, d));
  axis_y_ = cross(d, axis_x_);
  bins_across_ =
      std::clamp<std::size_t>(static_cast<std::size_t>(2 * reach_ / spacing_), 1, max_bins_across);
  bins_.resize(bins_across_ * bins_across_);
}

double Nozzle::next_time() const {
  if (!(pour_.rate > 0)) return std::numeric_limits<double>::infinity();
  const double time = pour_.start + static_cast<double>(emitted_) * interval_;
  return time < pour_.stop ? time : std::numeric_limits<double>::infinity();
}

std::uint64_t Nozzle::count_until(double time) const {
  const double span = std::min(time, pour_.stop) - pour_.start;
  if (!(pour_.rate > 0) || !(span > 0)) return 0;
  return static_cast<std::uint64_t>(std::ceil(span / interval_));
}

std::size_t Nozzle::bin_coordinate(double x) const {
  if (!(reach_ > 0)) return 0;
  const double cell = (x + reach_) / (2 * reach_) * static_cast<double>(bins_across_);
  return static_cast<std::size_t>(std::clamp(cell, 0.0, static_cast<double>(bins_across_) - 1));
}

std::vector<Nozzle::Spot>& Nozzle::bin_of(double x, double y) {
  return bins_[bin_coordinate(y) * bins_across_ + bin_coordinate(x)];
}

/// Squared distance to the nearest particle that left before, at most one spacing.
double Nozzle::clearance(const Spot& spot) const {
  double nearest = spacing_ * spacing_;
  const std::size_t x0 = bin_coordinate(spot.x - spacing_), x1 = bin_coordinate(spot.x + spacing_);
  const std::size_t y0 = bin_coordinate(spot.y - spacing_), y1 = bin_coordinate(spot.y + spacing_);
  for (std::size_t y = y0; y <= y1; ++y) {
    for (std::size_t x = x0; x <= x1; ++x) {
      for (const Spot& other : bins_[y * bins_across_ + x]) {
        const double along = pour_.speed * interval_ * static_cast<double>(spot.k - other.k);
        const double dx = spot.x - other.x, dy = spot.y - other.y;
        nearest = std::min(nearest, dx * dx + dy * dy + along * along);
      }
    }
  }
  return nearest;
}

Nozzle::Spot Nozzle::choose_spot() {
  Spot best;
  double best_clearance = -1;
  for (std::uint32_t t = 0; t < tries; ++t) {
    const auto r = random_floats(seed_, stream_ + emitted_, Purpose::nozzle, t);
    const double radius = reach_ * std::sqrt(static_cast<double>(r[0]));
    const double angle = 2 * std::numbers::pi * static_cast<double>(r[1]);
    const Spot spot{emitted_, radius * std::cos(angle), radius * std::sin(angle)};
    const double c = clearance(spot);
    if (c <= best_clearance) continue;
    best_clearance = c;
    best = spot;
    if (c >= spacing_ * spacing_) break;
  }
  return best;
}

void Nozzle::remember(const Spot& spot) {
  std::vector<Spot>& bin = bin_of(spot.x, spot.y);
  std::erase_if(bin, [&](const Spot& old) {
    return pour_.speed * interval_ * static_cast<double>(spot.k - old.k) >= spacing_;
  });
  bin.push_back(spot);
}

Nozzle::Emission Nozzle::emit() {
  const double time = next_time();
  const Spot spot = choose_spot();
  remember(spot);
  ++emitted_;
  return {time, pour_.position + axis_x_ * spot.x + axis_y_ * spot.y,
          pour_.direction * pour_.speed};
}

void Nozzle::save(State& state, const std::string& prefix) const {
  std::vector<Spot> spots;
  for (const auto& bin : bins_) spots.insert(spots.end(), bin.begin(), bin.end());
  state.put(prefix + "/emitted", emitted_);
  state.put(prefix + "/spots", std::span<const Spot>(spots));
}

Status Nozzle::load(const State& state, const std::string& prefix) {
  std::vector<Spot> spots;
  if (Status status = state.get(prefix + "/emitted", emitted_); !status.ok()) return status;
  if (Status status = state.get(prefix + "/spots", spots); !status.ok()) return status;
  for (auto& bin : bins_) bin.clear();
  for (const Spot& spot : spots) bin_of(spot.x, spot.y).push_back(spot);
  return {};
}

}  // namespace talus
