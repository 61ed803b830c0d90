// How far around each grain the lists look.
#include "dem/contact_list.h"

#include <algorithm>

namespace talus::dem {

namespace {

// Of a flying grain over that of a dense flow, at most.
constexpr float widest_skin = 8;
// Work on a pair while lists are made, over that on a grain; what wider skins must save.
constexpr double cost_of_pair = 0.4, worthwhile = 0.9;

}  // namespace

/// Grains come with the skins that their speeds ask for. Those of the fast are cut where longer
/// lists cost more than making them less often saves: alone in the air, a grain may have a wide
/// one.
void ContactLists::choose_skins(Grains& grains, const Limits& limits, const Executor& executor) {
  const std::size_t n = grains.count;
  crowd_.resize(n);
  executor.for_range(n, 1024, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const CellGrid::Range here = grid_.find(grid_.cell_of(points_[i]));
      crowd_[i] = static_cast<float>(here.end - here.begin);
    }
  });
  const auto pairs = [&](auto&& skin_of) {
    return executor.reduce(
        n, 0.0,
        [&](std::size_t begin, std::size_t end) {
          double sum = 0;
          for (std::size_t i = begin; i < end; ++i) {
            const double edge = 1 + double{skin_of(i) / grains.size[i]};
            sum += double{crowd_[i]} * edge * edge * edge;
          }
          return sum;
        },
        [](double a, double b) { return a + b; });
  };
  float wanted = 0, widest = limits.dense_skin;
  for (std::size_t i = 0; i < n; ++i) wanted = std::max(wanted, grains.skin[i]);
  double least_cost = 1e300;
  for (float wider = 1; wider <= widest_skin; wider *= 2) {
    const float tried = wider * limits.dense_skin;
    const double listed =
        pairs([&](std::size_t i) { return std::clamp(grains.skin[i], limits.skin, tried); });
    const double lasts = double{std::min(1.0f, tried / wanted)};
    const double cost = (1 + cost_of_pair * listed / static_cast<double>(n)) / lasts;
    if (cost > worthwhile * least_cost) break;
    least_cost = cost;
    widest = tried;
  }
  for (std::size_t i = 0; i < n; ++i)
    grains.skin[i] = std::clamp(grains.skin[i], limits.skin, widest);
}

void ContactLists::find_flyers(const Grains& grains, const Limits& limits,
                               const Executor& executor) {
  flyers_.clear();
  resting_.clear();
  widest_ = limits.skin;
  for (std::uint32_t i = 0; i < grains.count; ++i) {
    widest_ = std::max(widest_, grains.skin[i]);
    if (grains.skin[i] > limits.skin) flyers_.add(i, points_[i]);
  }
  if (flyers_.grains.empty()) return;
  for (std::uint32_t i = 0; i < grains.count; ++i)
    if (!(grains.skin[i] > limits.skin)) resting_.add(i, points_[i]);
  const float cell = limits.largest_size * (1 + rounding_margin) + widest_ + limits.reach;
  for (WideCells* cells : {&flyers_, &resting_})
    cells->grid.build({cells->points.data(), cells->points.size()}, cell, executor);
}

void ContactLists::WideCells::clear() {
  grains.clear();
  points.clear();
}

void ContactLists::WideCells::add(std::uint32_t grain, const Vec3f& at) {
  grains.push_back(grain);
  points.push_back(at);
}

std::size_t ContactLists::WideCells::memory_bytes() const {
  return grains.capacity() * sizeof(std::uint32_t) + points.memory_bytes() + grid.memory_bytes();
}

}  // namespace talus::dem
