#include "sph/kernel.h"

#include <cmath>

namespace talus::sph {

namespace {

/// body(offset) for every lattice offset within the support, in units of the spacing.
template <class Body>
void for_lattice(float reach, Body&& body) {
  const int n = static_cast<int>(std::ceil(reach));
  for (int z = -n; z <= n; ++z)
    for (int y = -n; y <= n; ++y)
      for (int x = -n; x <= n; ++x)
        body(Vec3f(static_cast<float>(x), static_cast<float>(y), static_cast<float>(z)));
}

}  // namespace

template <class Kernel>
KernelScale make_kernel_scale(float spacing, float support) {
  KernelScale k;
  k.h = support;
  k.inverse_h = 1 / support;
  const float reach = support / spacing;
  double sum = 0;
  for_lattice(reach, [&](const Vec3f& o) { sum += Kernel::value(norm(o) / reach); });
  const double volume = double{spacing} * spacing * spacing;
  k.value_factor = static_cast<float>(1 / (volume * sum));
  k.slope_factor = k.value_factor * k.inverse_h * k.inverse_h;

  const auto gradient = [&](const Vec3f& o) {
    return o * (spacing * k.slope_factor * Kernel::slope(norm(o) / reach));
  };
  double squares = 0;
  for_lattice(reach, [&](const Vec3f& o) { squares += squared_norm(gradient(o)); });
  k.gradient_sum = static_cast<float>(volume * volume * squares);
  double weights = 0;
  for_lattice(reach, [&](const Vec3f& o) {
    if (const float r = norm(o); r > 0) weights += norm(gradient(o)) / (r * spacing);
  });
  k.weight_sum = static_cast<float>(volume * weights);

  // Waves along the axis, the face diagonal and the space diagonal, up to the lattice's shortest.
  const Vec3f directions[] = {{1, 0, 0}, {1, 1, 0}, {1, 1, 1}};
  double worst = 0;
  for (const Vec3f& d : directions) {
    for (int step = 1; step <= 64; ++step) {
      const Vec3f wave = d * (3.14159265f * static_cast<float>(step) / 64);
      Vec3d response{};
      for_lattice(reach, [&](const Vec3f& o) {
        response += Vec3d(gradient(o)) * (volume * std::sin(double{dot(wave, o)}));
      });
      worst = std::fmax(worst, squared_norm(response));
    }
  }
  k.worst_wave = static_cast<float>(worst / k.gradient_sum);
  return k;
}

template KernelScale make_kernel_scale<WendlandC2>(float, float);
template KernelScale make_kernel_scale<CubicSpline>(float, float);
template KernelScale make_kernel_scale<Spiky>(float, float);

}  // namespace talus::sph
