#include "sph/kernel.h"

#include <cmath>
#include <gtest/gtest.h>

namespace talus::sph {
namespace {

template <class Kernel>
class Kernels : public testing::Test {};
using AllKernels = testing::Types<WendlandC2, CubicSpline, Spiky>;
TYPED_TEST_SUITE(Kernels, AllKernels);

TYPED_TEST(Kernels, SlopeIsTheDerivativeOverQ) {
  for (const float q : {0.1f, 0.2f, 0.49f, 0.51f, 0.7f, 0.95f}) {
    const double e = 1e-3;
    const double up = TypeParam::value(static_cast<float>(q + e));
    const double down = TypeParam::value(static_cast<float>(q - e));
    EXPECT_NEAR(TypeParam::slope(q) * q, (up - down) / (2 * e), 2e-3) << "q = " << q;
  }
}

TYPED_TEST(Kernels, VanishesBeyondItsSupport) {
  for (const float q : {1.0f, 1.5f, 100.0f}) {
    EXPECT_EQ(TypeParam::value(q), 0.0f);
    EXPECT_EQ(TypeParam::slope(q), 0.0f);
  }
}

TYPED_TEST(Kernels, ALatticeIsAtRestDensity) {
  for (const float ratio : {2.0f, 2.12f, 2.5f}) {
    const float a = 0.025f;
    const KernelScale k = make_kernel_scale<TypeParam>(a, ratio * a);
    double sum = 0, squares = 0;
    for (int x = -3; x <= 3; ++x)
      for (int y = -3; y <= 3; ++y)
        for (int z = -3; z <= 3; ++z) {
          const double r = a * std::sqrt(double(x * x + y * y + z * z));
          const auto q = static_cast<float>(r / k.h);
          sum += double{a} * a * a * k.value_factor * TypeParam::value(q);
          squares += std::pow(r * k.slope_factor * TypeParam::slope(q), 2);
        }
    EXPECT_NEAR(sum, 1, 1e-5);
    EXPECT_NEAR(squares * std::pow(double{a}, 6), k.gradient_sum, 1e-3 * k.gradient_sum);
  }
}

TEST(KernelScale, HasThePublishedConstants) {
  // Cubic spline, h = 2a: delta = 1.18 a^2/dt^2, worst wave 2.8.
  const KernelScale k = make_kernel_scale<CubicSpline>(1, 2);
  EXPECT_NEAR(1 / (2 * k.gradient_sum), 1.18, 0.01);
  EXPECT_NEAR(k.worst_wave, 2.8, 0.05);
}

}  // namespace
}  // namespace talus::sph
