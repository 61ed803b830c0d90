// Reflection of a rough surface: diffuse below, a weak glossy coat above.
//
// Diffuse: Oren-Nayar in the form of Fujii with the light between the facets given back, so that a
// white surface reflects all light whatever its roughness (Portsmouth, Kutz & Hill 2024):
//   f_1 = (albedo / pi) A (1 + sigma s / t),   A = 1 / (1 + (1/2 - 2 / (3 pi)) sigma)
//   f_m = (rho_m / pi) (1 - E(mu_i)) (1 - E(mu_o)) / (1 - mean E)
//   s = w_i . w_o - mu_i mu_o,  t = max(mu_i, mu_o) for s > 0, else 1
//   E(mu) = A (1 + (sigma / pi) G(mu)), the share of light that f_1 reflects at albedo 1
// Coat: GGX with height-correlated Smith shadowing (Heitz 2014), Schlick's Fresnel term, sampled by
// visible normals (Heitz 2018). The diffuse part gets what the coat lets through on both ways, so
// the sum never exceeds the light that came in.
#pragma once

#include "math/vec.h"
#include "render/lighting.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace talus {

struct Reflectance {
  Vec3f albedo{0.5f, 0.5f, 0.5f};
  float roughness = 0;  ///< sigma of the diffuse part, 0..1
  float fresnel = 0;    ///< reflectance of the coat at normal incidence; 0 = no coat
  float gloss = 0.3f;   ///< alpha of GGX
};

namespace bsdf_detail {
inline float diffuse_share(float mu, float sigma) {
  const float a = 1 / (1 + (0.5f - 2 / (3 * pi_f)) * sigma);
  const float s = std::sqrt(std::max(0.0f, 1 - mu * mu));
  const float g = s * (std::acos(std::min(mu, 1.0f)) - s * mu) +
                  (2.0f / 3.0f) * ((s / std::max(mu, 1e-4f)) * (1 - s * s * s) - s);
  return a * (1 + sigma / pi_f * g);
}

inline Vec3f diffuse(const Reflectance& m, const Vec3f& wi, const Vec3f& wo) {
  const float sigma = m.roughness;
  if (sigma <= 0) return m.albedo * (1 / pi_f);
  const float a = 1 / (1 + (0.5f - 2 / (3 * pi_f)) * sigma);
  const float s = dot(wi, wo) - wi.z * wo.z;
  const float s_over_t = s > 0 ? s / std::max(std::max(wi.z, wo.z), 1e-4f) : s;
  const float mean = a * (1 + sigma * (2.0f / 3.0f - 28 / (15 * pi_f)));
  const float rest = std::max(0.0f, 1 - diffuse_share(wi.z, sigma)) *
                     std::max(0.0f, 1 - diffuse_share(wo.z, sigma)) / std::max(1e-6f, 1 - mean);
  Vec3f f;
  for (int c = 0; c < 3; ++c) {
    const float rho = m.albedo[c];
    const float multiple = rho * rho * mean / (1 - rho * (1 - mean));
    f[c] = (rho * a * (1 + sigma * s_over_t) + multiple * rest) / pi_f;
  }
  return f;
}

inline float schlick(float f0, float cosine) {
  const float x = 1 - std::clamp(cosine, 0.0f, 1.0f);
  return f0 + (1 - f0) * x * x * x * x * x * std::min(1.0f, f0 * 25);
}

inline float smith_lambda(float mu, float alpha) {
  const float mu2 = mu * mu;
  return 0.5f * (std::sqrt(1 + alpha * alpha * (1 - mu2) / std::max(mu2, 1e-8f)) - 1);
}

inline float ggx(float mu_h, float alpha) {
  const float d = mu_h * mu_h * (alpha * alpha - 1) + 1;
  return alpha * alpha / (pi_f * d * d);
}

/// How often sampling picks the coat.
inline float coat_share(const Reflectance& m, float mu_o) {
  if (m.fresnel <= 0) return 0;
  const float f = schlick(m.fresnel, mu_o);
  return std::clamp(f / (f + luminance(m.albedo) * (1 - f) + 1e-4f), 0.05f, 0.95f);
}

inline Vec3f sample_visible_normal(const Vec3f& wo, float alpha, float u, float v) {
  const Vec3f stretched = normalized(Vec3f{alpha * wo.x, alpha * wo.y, wo.z});
  Vec3f t1, t2;
  tangent_frame(stretched, t1, t2);
  const float r = std::sqrt(u), phi = 2 * pi_f * v;
  const float p1 = r * std::cos(phi);
  const Vec3f up_axis = {0, 0, 1};
  // t1 must lie in the macro surface so that the lower half can be squeezed.
  const float flat = stretched.x * stretched.x + stretched.y * stretched.y;
  if (flat > 1e-12f) {
    t1 = normalized(cross(up_axis, stretched));
    t2 = cross(stretched, t1);
  }
  const float s = 0.5f * (1 + stretched.z);
  const float p2 = (1 - s) * std::sqrt(std::max(0.0f, 1 - p1 * p1)) + s * r * std::sin(phi);
  const Vec3f n = t1 * p1 + t2 * p2 + stretched * std::sqrt(std::max(0.0f, 1 - p1 * p1 - p2 * p2));
  return normalized(Vec3f{alpha * n.x, alpha * n.y, std::max(1e-6f, n.z)});
}
}  // namespace bsdf_detail

/// Value for the pair of directions in the frame of the normal (z); both on the upper side.
inline Vec3f evaluate(const Reflectance& m, const Vec3f& wi, const Vec3f& wo) {
  using namespace bsdf_detail;
  if (wi.z <= 0 || wo.z <= 0) return {};
  const Vec3f base = diffuse(m, wi, wo);
  if (m.fresnel <= 0) return base;
  const Vec3f h = normalized(wi + wo);
  const float coat =
      schlick(m.fresnel, dot(wi, h)) * ggx(h.z, m.gloss) /
      ((1 + smith_lambda(wi.z, m.gloss) + smith_lambda(wo.z, m.gloss)) * 4 * wi.z * wo.z);
  const float through = (1 - schlick(m.fresnel, wi.z)) * (1 - schlick(m.fresnel, wo.z));
  return base * through + Vec3f{coat, coat, coat};
}

/// Density of sample() per solid angle.
inline float density(const Reflectance& m, const Vec3f& wi, const Vec3f& wo) {
  using namespace bsdf_detail;
  if (wi.z <= 0 || wo.z <= 0) return 0;
  const float share = coat_share(m, wo.z);
  float p = (1 - share) * wi.z / pi_f;
  if (share > 0) {
    const Vec3f h = normalized(wi + wo);
    p += share * ggx(h.z, m.gloss) / ((1 + smith_lambda(wo.z, m.gloss)) * 4 * wo.z);
  }
  return p;
}

struct BsdfSample {
  Vec3f wi;
  Vec3f weight;  ///< value * cosine / density; zero when nothing is reflected
};

inline BsdfSample sample(const Reflectance& m, const Vec3f& wo, const std::array<float, 2>& u,
                         float choose) {
  using namespace bsdf_detail;
  Vec3f wi;
  const float share = coat_share(m, wo.z);
  if (choose < share) {
    const Vec3f h = sample_visible_normal(wo, m.gloss, u[0], u[1]);
    wi = h * (2 * dot(wo, h)) - wo;
  } else {
    const float r = std::sqrt(u[0]), phi = 2 * pi_f * u[1];
    wi = {r * std::cos(phi), r * std::sin(phi), std::sqrt(std::max(0.0f, 1 - u[0]))};
  }
  const float p = density(m, wi, wo);
  if (!(p > 1e-9f)) return {wi, {}};
  return {wi, evaluate(m, wi, wo) * (wi.z / p)};
}

}  // namespace talus
