#include "detail/guides.h"

#include "detail/upsampling_laws.h"

namespace talus::detail {

void GuideSet::build(std::span<const Guide> guides, const Executor& executor) {
  sorted_.resize(guides.size());
  largest_radius_ = 0;
  if (guides.empty()) return;
  points_.resize(guides.size());
  for (std::size_t i = 0; i < guides.size(); ++i) {
    points_[i] = guides[i].position;
    largest_radius_ = max(largest_radius_, guides[i].radius);
  }
  grid_.build(points_, reach * largest_radius_, executor);
  const auto order = grid_.order();
  executor.for_each(guides.size(), [&](std::size_t k) { sorted_[k] = guides[order[k]]; });
}

}  // namespace talus::detail
