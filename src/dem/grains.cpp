#include "dem/grains.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace talus::dem {

ShapeTable make_shape_table(std::span<const GrainShape> shapes) {
  ShapeTable table;
  table.first.push_back(0);
  for (const GrainShape& s : shapes) {
    for (const Ball& b : s.balls)
      table.balls.push_back({b.centre.x, b.centre.y, b.centre.z, b.radius});
    if (s.balls.size() == 1) table.balls.back() = {0, 0, 0, 0.5};  // exactly
    table.first.push_back(static_cast<std::uint32_t>(table.balls.size()));
    table.isotropic.push_back(s.isotropic ? 1 : 0);
    table.greatest_arm = std::max(table.greatest_arm, s.arm);
    table.clumps |= s.balls.size() > 1;
  }
  const auto same = [&](const GrainShape& s) { return s.balls.size() == shapes[0].balls.size(); };
  const bool even = !shapes.empty() && std::all_of(shapes.begin(), shapes.end(), same);
  if (even && std::has_single_bit(shapes[0].balls.size()))
    table.grain_shift = std::countr_zero(shapes[0].balls.size());
  return table;
}

void Grains::resize(std::size_t n) {
  count = n;
  for_each_array([&](auto& a) { a.resize(padded()); });
}

void Grains::finish(const ShapeTable& shapes) {
  for (std::size_t i = count; i < padded(); ++i) {
    for (int c = 0; c < 3; ++c) x[c][i] = v[c][i] = l[c][i] = 0;
    for (int c = 0; c < 3; ++c) inverse_inertia[c][i] = 0;
    for (auto& a : turned) a[i] = 0;
    q[0][i] = 1;
    q[1][i] = q[2][i] = q[3][i] = 0;
    for (auto& a : listed) a[i] = 0;
    inverse_mass[i] = 0;
    size[i] = 0;
    skin[i] = 1;
    shape[i] = count > 0 ? shape[count - 1] : 0;
    id[i] = 0;
    listed_index[i] = none;
  }
  first_sphere.resize(count + 1);
  std::uint32_t next = 0;
  for (std::size_t i = 0; i < count; ++i) {
    first_sphere[i] = next;
    next += shapes.count(shape[i]);
  }
  first_sphere[count] = next;
}

Quatd Grains::orientation(std::size_t i) const {
  const Quatd before{q[0][i], q[1][i], q[2][i], q[3][i]};
  const Vec3d turn{turned[0][i], turned[1][i], turned[2][i]};
  const double angle = norm(turn);
  if (angle == 0) return before;
  return normalized(Quatd::from_axis_angle(turn / angle, angle) * before);
}

void Grains::apply_turns(std::size_t begin, std::size_t end, double least) {
  for (std::size_t i = begin; i < end; ++i) {
    const Vec3f turn{turned[0][i], turned[1][i], turned[2][i]};
    if (double{squared_norm(turn)} < least * least) continue;
    const Quatd now = orientation(i);
    q[0][i] = now.w;
    q[1][i] = now.x;
    q[2][i] = now.y;
    q[3][i] = now.z;
    for (auto& a : turned) a[i] = 0;
  }
}

void Grains::reorder(std::span<const std::uint32_t> order, const Executor& executor) {
  for_each_array([&](auto& a) {
    using T = std::remove_reference_t<decltype(a[0])>;
    scratch_.resize(count * sizeof(T));
    T* out = reinterpret_cast<T*>(scratch_.data());
    executor.for_range(count, 8192, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) out[i] = a[order[i]];
    });
    std::memcpy(a.data(), out, count * sizeof(T));
  });
}

void Grains::compact(std::span<const std::uint8_t> keep) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (keep[i] == 0) continue;
    if (kept != i) for_each_array([&](auto& a) { a[kept] = a[i]; });
    ++kept;
  }
  resize(kept);
}

std::size_t Grains::memory_bytes() const {
  std::size_t bytes = scratch_.memory_bytes() + first_sphere.memory_bytes();
  const_cast<Grains*>(this)->for_each_array([&](auto& a) { bytes += a.memory_bytes(); });
  return bytes;
}

}  // namespace talus::dem
