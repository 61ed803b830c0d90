#include "geometry/cell_grid.h"

#include <bit>
#include <cmath>

namespace talus {

namespace {

constexpr int digit_bits = 11;
constexpr std::size_t digits = std::size_t{1} << digit_bits;
constexpr std::size_t max_sort_chunks = 32;

/// Spreads the lower 21 bits so that two zero bits follow each.
std::uint64_t spread(std::uint64_t v) {
  v &= 0x1fffff;
  v = (v | v << 32) & 0x1f00000000ffffull;
  v = (v | v << 16) & 0x1f0000ff0000ffull;
  v = (v | v << 8) & 0x100f00f00f00f00full;
  v = (v | v << 4) & 0x10c30c30c30c30c3ull;
  v = (v | v << 2) & 0x1249249249249249ull;
  return v;
}

/// Takes every third bit: undoes spread().
int gather(std::uint64_t v) {
  v &= 0x1249249249249249ull;
  v = (v | v >> 2) & 0x10c30c30c30c30c3ull;
  v = (v | v >> 4) & 0x100f00f00f00f00full;
  v = (v | v >> 8) & 0x1f0000ff0000ffull;
  v = (v | v >> 16) & 0x1f00000000ffffull;
  v = (v | v >> 32) & 0x1fffff;
  return static_cast<int>(v);
}

std::uint64_t morton(const Vec3i& c) {
  return spread(static_cast<std::uint64_t>(c.x)) | spread(static_cast<std::uint64_t>(c.y)) << 1 |
         spread(static_cast<std::uint64_t>(c.z)) << 2;
}

struct Bounds {
  Vec3f lower{INFINITY, INFINITY, INFINITY};
  Vec3f upper{-INFINITY, -INFINITY, -INFINITY};
};

}  // namespace

Vec3i CellGrid::place_of(const Cell& cell) {
  return {gather(cell.key), gather(cell.key >> 1), gather(cell.key >> 2)};
}

void CellGrid::choose_origin(std::span<const Vec3f> points, const Executor& executor) {
  const Bounds box = executor.reduce(
      points.size(), Bounds{},
      [&](std::size_t begin, std::size_t end) {
        Bounds b;
        for (std::size_t i = begin; i < end; ++i) {
          b.lower = min(b.lower, points[i]);
          b.upper = max(b.upper, points[i]);
        }
        return b;
      },
      [](const Bounds& a, const Bounds& b) {
        return Bounds{min(a.lower, b.lower), max(a.upper, b.upper)};
      });
  std::int32_t widest = 1;
  for (int axis = 0; axis < 3; ++axis) {
    // Whole cells, so that the order does not change when the outermost point moves a little.
    double first = std::floor(double{box.lower[axis]} / cell_size_) - 1;
    double last = std::floor(double{box.upper[axis]} / cell_size_) + 1;
    const double room = (max_coordinate + 1) / 2 - 2;
    if (last - first > room) {
      // Somebody is very far away: keep the cells around the middle point, clamp the rest.
      first = std::floor(double{points[points.size() / 2][axis]} / cell_size_) - room / 2;
      last = first + room;
    }
    origin_[axis] = first * cell_size_;
    widest = std::max(widest, static_cast<std::int32_t>(2 * (last - first + 1)));
  }
  key_bits_ = 3 * std::bit_width(static_cast<std::uint32_t>(widest));
}

void CellGrid::build(std::span<const Vec3f> points, float cell_size, const Executor& executor) {
  cell_size_ = cell_size;
  inverse_sub_cell_ = 2.0 / cell_size;
  const std::size_t n = points.size();
  items_.resize(n);
  items_other_.resize(n);
  order_.resize(n);
  if (n == 0) {
    cells_.clear();
    slots_.clear();
    return;
  }
  choose_origin(points, executor);
  executor.for_range(n, 4096, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const Vec3f& p = points[i];
      const Vec3i c{coordinate(p.x, origin_.x), coordinate(p.y, origin_.y),
                    coordinate(p.z, origin_.z)};
      items_[i] = {morton(c), static_cast<std::uint32_t>(i)};
    }
  });
  sort_items(executor);
  executor.for_range(n, 8192, [&](std::size_t begin, std::size_t end) {
    for (std::size_t k = begin; k < end; ++k) order_[k] = items_[k].index;
  });
  collect_cells();
}

/// Least-significant-digit radix sort; chunks by size alone, so the result is the same everywhere.
void CellGrid::sort_items(const Executor& executor) {
  const std::size_t n = items_.size();
  const std::size_t grain =
      std::max<std::size_t>(4096, (n + max_sort_chunks - 1) / max_sort_chunks);
  const std::size_t chunks = (n + grain - 1) / grain;
  histogram_.resize(chunks * digits);
  for (int shift = 0; shift < key_bits_; shift += digit_bits) {
    executor.run_chunks(chunks, [&](std::size_t c) {
      std::uint32_t* count = &histogram_[c * digits];
      std::fill_n(count, digits, 0u);
      for (std::size_t i = c * grain; i < std::min(n, (c + 1) * grain); ++i)
        ++count[(items_[i].key >> shift) & (digits - 1)];
    });
    std::uint32_t sum = 0;
    for (std::size_t d = 0; d < digits; ++d)
      for (std::size_t c = 0; c < chunks; ++c) {
        const std::uint32_t count = histogram_[c * digits + d];
        histogram_[c * digits + d] = sum;
        sum += count;
      }
    executor.run_chunks(chunks, [&](std::size_t c) {
      std::uint32_t* next = &histogram_[c * digits];
      for (std::size_t i = c * grain; i < std::min(n, (c + 1) * grain); ++i)
        items_other_[next[(items_[i].key >> shift) & (digits - 1)]++] = items_[i];
    });
    std::swap(items_, items_other_);
  }
}

void CellGrid::collect_cells() {
  cells_.clear();
  const std::uint32_t n = static_cast<std::uint32_t>(items_.size());
  for (std::uint32_t k = 0; k < n;) {
    const std::uint64_t key = items_[k].key >> 3;  // eight sub-cells make a cell
    std::uint32_t end = k + 1;
    while (end < n && items_[end].key >> 3 == key) ++end;
    cells_.push_back({key, k, end});
    k = end;
  }
  const std::size_t slot_count = std::bit_ceil(2 * cells_.size() + 2);
  hash_shift_ = 64 - std::countr_zero(slot_count);
  slots_.resize(slot_count);
  std::fill(slots_.begin(), slots_.end(), 0u);
  for (std::size_t c = 0; c < cells_.size(); ++c) {
    std::size_t s = slot_of(cells_[c].key);
    while (slots_[s] != 0) s = (s + 1) & (slot_count - 1);
    slots_[s] = static_cast<std::uint32_t>(c + 1);
  }
}

CellGrid::Range CellGrid::find(const Vec3i& cell) const {
  constexpr std::int32_t last = max_coordinate >> 1;
  if (slots_.empty() || cell.x < 0 || cell.y < 0 || cell.z < 0 || cell.x > last || cell.y > last ||
      cell.z > last)
    return {};
  const std::uint64_t key = morton(cell);
  for (std::size_t s = slot_of(key); slots_[s] != 0; s = (s + 1) & (slots_.size() - 1)) {
    const Cell& candidate = cells_[slots_[s] - 1];
    if (candidate.key == key) return {candidate.begin, candidate.end};
  }
  return {};
}

std::size_t CellGrid::memory_bytes() const {
  return items_.memory_bytes() + items_other_.memory_bytes() + histogram_.memory_bytes() +
         order_.memory_bytes() + cells_.memory_bytes() + slots_.memory_bytes();
}

}  // namespace talus
