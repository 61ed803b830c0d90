#include "render/surface.h"

#include "render/noise.h"
#include "render/sampler.h"

#include <algorithm>
#include <cmath>

namespace talus {

namespace {

constexpr float sand_fresnel = 0.04f;

const std::array<float, 256>& decoded_bytes() {
  static const std::array<float, 256> table = [] {
    std::array<float, 256> t{};
    for (int i = 0; i < 256; ++i) t[i] = srgb_decode(static_cast<float>(i) / 255.0f);
    return t;
  }();
  return table;
}

Vec3f albedo_of(const PaintedGrain& grain) {
  const auto& table = decoded_bytes();
  return {table[grain.red], table[grain.green], table[grain.blue]};
}

float epsilon_at(const Vec3f& p, float size) {
  const float reach = std::max({std::abs(p.x), std::abs(p.y), std::abs(p.z)});
  return 1e-3f * size + 1e-6f * reach;
}

/// Tilts n against the slope of a height field; the tilt stays below 60 degrees.
Vec3f tilt(const Vec3f& n, const Vec3f& slope, float strength) {
  Vec3f t = (slope - n * dot(slope, n)) * strength;
  const float length = norm(t);
  if (length > 1.5f) t *= 1.5f / length;
  return normalized(n - t);
}

/// Water between the grains darkens sand (light leaves it less easily) and makes it shine.
void wet(Reflectance& r, float wetness) {
  if (wetness <= 0) return;
  for (int c = 0; c < 3; ++c)
    r.albedo[c] = std::pow(r.albedo[c], 1 + 0.55f * wetness) * (1 - 0.38f * wetness);
  r.roughness *= 1 - 0.6f * wetness;
  r.fresnel = std::max(r.fresnel, 0.045f * wetness);
  r.gloss += (0.16f - r.gloss) * wetness;
}

/// One sphere drawn as a lump of small grains: each cell has its own normal and its own albedo.
void lump_texture(Surface& s, const GrainLook& look, const Vec3f& local, std::uint32_t seed) {
  const CellNoise cell = cell_noise(local * look.lump_grains, seed);
  const float shade = 0.72f + 0.56f * to_unit_float(PixelSampler::mix(cell.cell));
  const float crack = std::clamp((cell.second - cell.nearest) * 3.0f, 0.0f, 1.0f);
  const float factor = 1 + look.lump * (shade * (0.55f + 0.45f * crack) - 1);
  s.reflectance.albedo = s.reflectance.albedo * factor;
  const Vec3f round = cell.to_point / std::max(cell.nearest, 1e-6f);
  const Vec3f bent = normalized(s.geometric * 0.9f + round * (1.1f * look.lump), s.geometric);
  s.shading = dot(bent, s.geometric) > 0.2f ? bent : normalized(bent + s.geometric * 0.8f);
}

void grain_texture(Surface& s, const SphereSet& set, std::uint32_t primitive) {
  const std::uint32_t seed =
      PixelSampler::mix(set.texture.empty() ? primitive : set.texture[primitive]);
  const GrainLook& look = set.look;
  const Vec3f local = s.geometric;
  if (look.bumps > 0) {
    const Vec3f p = local * look.bump_scale + Vec3f{17.3f, 5.1f, 29.7f};
    const NoiseValue coarse = value_noise(p, seed);
    const NoiseValue fine = value_noise(p * 3.1f, seed ^ 0x68bc21ebu);
    s.shading = tilt(s.geometric, coarse.gradient * 0.75f + fine.gradient * 0.3f, look.bumps);
    s.reflectance.albedo =
        s.reflectance.albedo * (1 + look.bumps * 0.5f * (fine.value + coarse.value - 1));
  }
  if (look.lump > 0) lump_texture(s, look, local, seed);
}

/// A ray sees a translucent sphere once, where it enters. At the rim the way through the shell is
/// longer, so that spheres keep their outline.
float opacity_at(float opacity, const Vec3f& outward, const Vec3f& direction) {
  const float cosine = -dot(outward, direction);
  if (cosine <= 0) return 0;
  const float rim = (1 - cosine) * (1 - cosine);
  return std::min(1.0f, opacity * (1 + 6 * rim * rim));
}

Surface sphere_surface(const PictureScene& scene, const Tracer& tracer, const Ray& ray,
                       const Hit& hit, bool seen) {
  const SphereSet& set = scene.spheres[hit.set];
  const float radius = set.spheres[hit.primitive].radius;
  const Vec3f centre = tracer.sphere_centre(hit, ray.time);
  Surface s;
  s.geometric = normalized(ray.origin + ray.direction * hit.distance - centre);
  s.position = centre + s.geometric * radius;
  s.shading = s.geometric;
  s.epsilon = epsilon_at(s.position, radius);
  if (set.look.opacity < 1) s.opacity = opacity_at(set.look.opacity, s.geometric, ray.direction);
  const PaintedGrain paint = set.paint.empty() ? PaintedGrain{} : set.paint[hit.primitive];
  s.reflectance.albedo = albedo_of(paint);
  s.reflectance.roughness = set.look.roughness;
  if (seen) {
    s.reflectance.fresnel = sand_fresnel * set.look.specular;
    s.reflectance.gloss = 0.42f;
    grain_texture(s, set, hit.primitive);
  }
  wet(s.reflectance, static_cast<float>(paint.wetness) / 255.0f);
  if (!seen) s.reflectance.fresnel = 0;
  return s;
}

Surface rod_surface(const PictureScene& scene, const Ray& ray, const Hit& hit) {
  const PictureRod& rod = scene.rods.rods[hit.primitive];
  const Vec3f axis = rod.to.centre - rod.from.centre;
  const Vec3f p = ray.origin + ray.direction * hit.distance - rod.from.centre;
  const float length = squared_norm(axis);
  const float along = length > 0 ? std::clamp(dot(p, axis) / length, 0.0f, 1.0f) : 0;
  Surface s;
  s.geometric = s.shading = normalized(p - axis * along);
  s.position = rod.from.centre + axis * along + s.geometric * rod.from.radius;
  s.epsilon = epsilon_at(s.position, rod.from.radius);
  const auto& paint = scene.rods.paint;
  s.reflectance.albedo = albedo_of(paint.empty() ? PaintedGrain{} : paint[hit.primitive]);
  s.reflectance.roughness = 0.3f;
  s.reflectance.fresnel = sand_fresnel;
  s.reflectance.gloss = 0.3f;
  return s;
}

Surface mesh_surface(const PictureScene& scene, const Tracer& tracer, const Ray& ray,
                     const Hit& hit) {
  const PictureMesh& mesh = scene.meshes[hit.set];
  Surface s;
  s.position = ray.origin + ray.direction * hit.distance;
  s.geometric = tracer.mesh_normal(hit);
  s.shading = tracer.smooth_normal(hit);
  s.epsilon = epsilon_at(s.position, 0.01f * static_cast<float>(scene.size));
  s.glass = mesh.surface == MeshSurface::glass;
  s.reflectance.albedo = mesh.colour;
  if (mesh.surface == MeshSurface::matte) {
    s.reflectance.roughness = 0.5f;
  } else {
    s.reflectance.roughness = 0.2f;
    s.reflectance.fresnel = 0.04f;
    s.reflectance.gloss = 0.22f;
  }
  return s;
}

Surface plane_surface(const PictureScene& scene, const Ray& ray, const Hit& hit, bool seen) {
  const PicturePlane& plane = scene.planes[hit.set];
  const float size = static_cast<float>(scene.size);
  Surface s;
  s.position = ray.origin + ray.direction * hit.distance;
  s.position = s.position - plane.normal * dot(s.position - plane.point, plane.normal);
  s.geometric = s.shading = normalized(plane.normal);
  s.epsilon = epsilon_at(s.position, 0.01f * size);
  s.reflectance.albedo = plane.colour;
  s.reflectance.roughness = 0.6f;
  if (!seen || plane.texture <= 0) return s;
  const Vec3f p = s.position / size;
  const float stains = value_noise(p * 1.7f, 11).value + 0.5f * value_noise(p * 4.3f, 12).value +
                       0.25f * value_noise(p * 11.0f, 13).value - 0.875f;
  // The fine grain of the floor fades where it would be smaller than a pixel.
  const float fade = std::clamp(1.6f - hit.distance / (3.0f * size), 0.0f, 1.0f);
  const NoiseValue grit = value_noise(p * 260.0f, 14);
  const float speckle = (grit.value - 0.5f) * 0.16f * fade;
  s.reflectance.albedo = plane.colour * (1 + plane.texture * (0.16f * stains + speckle));
  s.shading = tilt(s.geometric, grit.gradient, 0.10f * fade * plane.texture);
  return s;
}

}  // namespace

Surface surface_at(const PictureScene& scene, const Tracer& tracer, const Ray& ray, const Hit& hit,
                   bool seen) {
  Surface s = hit.kind == HitKind::sphere ? sphere_surface(scene, tracer, ray, hit, seen)
              : hit.kind == HitKind::rod  ? rod_surface(scene, ray, hit)
              : hit.kind == HitKind::mesh ? mesh_surface(scene, tracer, ray, hit)
                                          : plane_surface(scene, ray, hit, seen);
  // The viewer may be inside a sphere or behind a triangle: both normals then turn to face him.
  if (dot(s.geometric, ray.direction) > 0) {
    s.geometric = -s.geometric;
    s.shading = -s.shading;
  }
  // A bump may lean away from the viewer; without this it would be black.
  const float away = dot(s.shading, ray.direction);
  if (away > -0.05f) s.shading = normalized(s.shading - ray.direction * (away + 0.05f));
  s.reflectance.albedo = {std::clamp(s.reflectance.albedo.x, 0.0f, 1.0f),
                          std::clamp(s.reflectance.albedo.y, 0.0f, 1.0f),
                          std::clamp(s.reflectance.albedo.z, 0.0f, 1.0f)};
  return s;
}

}  // namespace talus
