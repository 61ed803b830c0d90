#include "render/bsdf.h"

#include "core/random.h"

#include <gtest/gtest.h>

namespace talus {
namespace {

Vec3f direction(float mu, float phi) {
  const float s = std::sqrt(1 - mu * mu);
  return {s * std::cos(phi), s * std::sin(phi), mu};
}

/// Light reflected towards wo out of uniform light 1, by sampling.
Vec3f reflected(const Reflectance& m, const Vec3f& wo, int samples) {
  Vec3f sum{};
  for (int i = 0; i < samples; ++i) {
    const auto u = random_floats(5, static_cast<std::uint64_t>(i), Purpose::test);
    sum += sample(m, wo, {u[0], u[1]}, u[2]).weight;
  }
  return sum / static_cast<float>(samples);
}

TEST(Bsdf, WhiteDiffuseReflectsEverythingAtAnyRoughnessAndAngle) {
  for (const float roughness : {0.0f, 0.2f, 0.6f, 1.0f})
    for (const float mu : {0.1f, 0.4f, 0.8f, 1.0f}) {
      const Reflectance m{{1, 1, 1}, roughness, 0, 0.3f};
      EXPECT_NEAR(reflected(m, direction(mu, 0.3f), 60'000).x, 1.0f, 0.012f)
          << roughness << ' ' << mu;
    }
}

TEST(Bsdf, IsReciprocal) {
  const Reflectance m{{0.7f, 0.5f, 0.3f}, 0.8f, 0.04f, 0.3f};
  for (int i = 0; i < 50; ++i) {
    const auto u = random_floats(6, static_cast<std::uint64_t>(i), Purpose::test);
    const Vec3f a = direction(0.05f + 0.95f * u[0], 6 * u[1]);
    const Vec3f b = direction(0.05f + 0.95f * u[2], 6 * u[3]);
    EXPECT_NEAR(evaluate(m, a, b).x, evaluate(m, b, a).x, 1e-4f * evaluate(m, a, b).x + 1e-6f);
  }
}

TEST(Bsdf, SampledAndIntegratedReflectionAgree) {
  const Reflectance m{{0.4f, 0.4f, 0.4f}, 0.5f, 0.05f, 0.35f};
  for (const float mu : {0.3f, 0.9f}) {
    const Vec3f wo = direction(mu, 0);
    double integral = 0, density_sum = 0;
    constexpr int n = 400;
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) {
        const float mu_i = (static_cast<float>(i) + 0.5f) / n;
        const Vec3f wi = direction(mu_i, 6.2831853f * (static_cast<float>(j) + 0.5f) / n);
        const double cell = 6.2831853 / n / n;
        integral += evaluate(m, wi, wo).x * mu_i * cell;
        density_sum += density(m, wi, wo) * cell;
      }
    EXPECT_NEAR(reflected(m, wo, 200'000).x, integral, 0.006) << mu;
    // Some visible-normal samples point below the surface; the rest must be there.
    EXPECT_LT(density_sum, 1.01);
    EXPECT_GT(density_sum, 0.93);
  }
}

TEST(Bsdf, GlossyCoatNeverCreatesLight) {
  for (const float gloss : {0.05f, 0.2f, 0.6f})
    for (const float fresnel : {0.02f, 0.04f, 0.3f})
      for (const float mu : {0.05f, 0.3f, 1.0f}) {
        const Reflectance m{{1, 1, 1}, 0.5f, fresnel, gloss};
        EXPECT_LT(reflected(m, direction(mu, 1), 40'000).x, 1.03f)
            << gloss << ' ' << fresnel << ' ' << mu;
      }
}

}  // namespace
}  // namespace talus
