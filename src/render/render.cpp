// Path tracing: from the camera along random paths; at every hit the sun is asked for directly
// (a shadow ray to a random point of its disc), the sky is found by the rays that leave the scene.
// The sun's disc is not in the sky, so no light counts twice. Paths end after `bounces` or by
// Russian roulette; both ends are unbiased or darken only what was dark.
#include "core/timer.h"
#include "render/camera_rays.h"
#include "render/denoise.h"
#include "render/picture.h"
#include "render/sampler.h"
#include "render/surface.h"
#include "render/tracer.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace talus {

namespace {

constexpr int tile_size = 16;
constexpr int glass_layers = 8;  ///< a path crosses at most so many panes
/// Likewise of translucent spheres; two faces of each, and beds are some dozens deep.
constexpr int veil_layers = 512;

struct PathResult {
  Vec3f light{};
  PixelFeatures features;
};

class PathTracer {
 public:
  PathTracer(const PictureScene& scene, const Tracer& tracer, const RenderOptions& options)
      : scene_(scene), tracer_(tracer), options_(options) {
    tangent_frame(scene.light.sun_direction, sun_x_, sun_y_);
  }

  PathResult trace(Ray ray, PixelSampler& sampler, std::uint64_t& rays) const;

 private:
  Hit nearest(const Ray& ray, RayKind kind, std::uint64_t& rays) const;
  Vec3f sunlight(const Surface& s, const Vec3f& wo, float time, PixelSampler& sampler,
                 std::uint64_t& rays) const;
  float haze(float distance) const {
    const float far = 14.0f * static_cast<float>(scene_.size);
    const float x = distance / far;
    return 1 - std::exp(-x * x);
  }

  const PictureScene& scene_;
  const Tracer& tracer_;
  const RenderOptions& options_;
  Vec3f sun_x_, sun_y_;
};

Hit PathTracer::nearest(const Ray& ray, RayKind kind, std::uint64_t& rays) const {
  ++rays;
  Hit hit = tracer_.intersect(ray, kind);
  for (std::uint32_t i = 0; i < scene_.planes.size(); ++i) {
    const PicturePlane& plane = scene_.planes[i];
    const float approach = dot(ray.direction, plane.normal);
    if (approach >= 0) continue;
    const float t = dot(plane.point - ray.origin, plane.normal) / approach;
    if (t > ray.near && t < hit.distance) hit = {t, HitKind::plane, i, 0, 0, 0};
  }
  return hit;
}

struct LocalFrame {
  Vec3f x, y, z;
  explicit LocalFrame(const Vec3f& n) : z(n) { tangent_frame(n, x, y); }
  Vec3f to_local(const Vec3f& v) const { return {dot(v, x), dot(v, y), dot(v, z)}; }
  Vec3f to_world(const Vec3f& v) const { return x * v.x + y * v.y + z * v.z; }
};

Vec3f PathTracer::sunlight(const Surface& s, const Vec3f& wo, float time, PixelSampler& sampler,
                           std::uint64_t& rays) const {
  const Lighting& light = scene_.light;
  const auto u = sampler.next2();
  if (luminance(light.sun_irradiance) <= 0) return {};
  const float r = std::sqrt(u[0]) * light.sun_radius, phi = 2 * pi_f * u[1];
  const Vec3f direction =
      normalized(light.sun_direction + sun_x_ * (r * std::cos(phi)) + sun_y_ * (r * std::sin(phi)));
  if (dot(direction, s.geometric) <= 0) return {};
  const LocalFrame frame(s.shading);
  const Vec3f wi = frame.to_local(direction);
  if (wi.z <= 0) return {};
  const Vec3f f = evaluate(s.reflectance, wi, frame.to_local(wo));
  const Ray shadow{s.position + s.geometric * s.epsilon, direction, 0, 1e30f, time};
  for (const PicturePlane& plane : scene_.planes) {
    if (dot(direction, plane.normal) >= 0) continue;
    if (dot(shadow.origin - plane.point, plane.normal) > 0) return {};
  }
  ++rays;
  if (tracer_.occluded(shadow)) return {};
  return tint(f, light.sun_irradiance) * wi.z;
}

PathResult PathTracer::trace(Ray ray, PixelSampler& sampler, std::uint64_t& rays) const {
  PathResult out;
  Vec3f throughput{1, 1, 1};
  bool seen = true;
  int panes = 0, veils = 0;
  for (int bounce = 0;;) {
    const Hit hit = nearest(ray, seen ? RayKind::camera : RayKind::light, rays);
    if (hit.kind == HitKind::none) {
      const Vec3f sky = scene_.light.sky(ray.direction);
      if (seen) out.features = {{1, 1, 1}, {}, 1e9f, 0};
      out.light += tint(throughput, sky);
      return out;
    }
    Surface s = surface_at(scene_, tracer_, ray, hit, seen);
    if (s.opacity < 1 && (s.opacity <= 0 || sampler.next1() >= s.opacity)) {
      if (++veils > veil_layers) return out;
      ray.origin = s.position - s.geometric * s.epsilon;
      continue;
    }
    const Vec3f wo = -ray.direction;
    const auto u = sampler.next2();
    const float choose = sampler.next1();
    if (s.glass) {
      // A thin pane: both faces reflect, the rest goes straight on.
      const float one = bsdf_detail::schlick(0.04f, std::abs(dot(wo, s.shading)));
      const float reflected = 2 * one / (1 + one);
      if (++panes > glass_layers) return out;
      if (choose < reflected) {
        ray.direction = normalized(s.shading * (2 * dot(wo, s.shading)) - wo);
        ray.origin = s.position + s.geometric * s.epsilon;
      } else {
        ray.origin = s.position - s.geometric * s.epsilon;
        throughput = tint(throughput, {0.97f, 0.985f, 0.98f});
      }
      continue;
    }
    if (seen) {
      out.features = {s.reflectance.albedo, s.shading, hit.distance, 0};
      if (hit.kind == HitKind::plane) {
        const float h = haze(hit.distance);
        const Vec3f level = ray.direction - scene_.light.up * dot(ray.direction, scene_.light.up);
        out.light += scene_.light.sky(normalized(level)) * h;
        throughput *= 1 - h;
      }
      seen = false;
    }
    out.light += tint(throughput, sunlight(s, wo, ray.time, sampler, rays));
    if (bounce++ >= options_.bounces) return out;
    const LocalFrame frame(s.shading);
    const BsdfSample next = sample(s.reflectance, frame.to_local(wo), u, choose);
    throughput = tint(throughput, next.weight);
    const float strength = std::max({throughput.x, throughput.y, throughput.z});
    if (!(strength > 1e-5f)) return out;
    if (bounce > 1) {
      const float survive = std::min(0.95f, strength * 1.25f);
      if (sampler.next1() >= survive) return out;
      throughput *= 1 / survive;
    }
    Vec3f direction = frame.to_world(next.wi);
    // A bump can send light into its own surface: mirror it out again, so no energy gets lost.
    const float depth = dot(direction, s.geometric);
    if (depth < 0) direction = direction - s.geometric * (2 * depth);
    ray.direction = normalized(direction);
    ray.origin = s.position + s.geometric * s.epsilon;
  }
}

/// The mean of all samples of a pixel, and of what they saw first.
Vec3f sample_pixel(const PathTracer& paths, const CameraRays& lens, int x, int y,
                   PixelSampler& sampler, int samples, std::uint64_t& rays,
                   PixelFeatures* features) {
  Vec3f sum{};
  PixelFeatures mean;
  double square = 0, first = 0;
  for (int i = 0; i < samples; ++i) {
    sampler.start_sample(static_cast<std::uint32_t>(i));
    const PathResult path = paths.trace(lens.ray(x, y, sampler), sampler, rays);
    sum += path.light;
    mean.albedo += path.features.albedo;
    mean.normal += path.features.normal;
    mean.depth += path.features.depth;
    const double l = luminance(demodulate(path.light, path.features.albedo));
    first += l;
    square += l * l;
  }
  const float share = 1.0f / static_cast<float>(samples);
  if (features != nullptr) {
    const double spread = std::max(0.0, square / samples - (first / samples) * (first / samples));
    *features = {mean.albedo * share, mean.normal * share, mean.depth * share,
                 static_cast<float>(spread / std::max(1, samples - 1))};
  }
  return sum * share;
}

Status check_options(const RenderOptions& o, const PictureCamera& camera) {
  if (o.width <= 0 || o.height <= 0)
    return request_error("the picture size is {} x {} pixels; both must be at least 1", o.width,
                         o.height);
  if (static_cast<std::int64_t>(o.width) * o.height > (std::int64_t{1} << 28))
    return request_error("the picture size {} x {} is more than 2^28 pixels", o.width, o.height);
  if (o.samples <= 0) return request_error("{} samples per pixel; at least 1 is needed", o.samples);
  if (o.bounces < 0) return request_error("{} bounces; 0 or more are possible", o.bounces);
  if (!(norm(camera.target - camera.position) > 0))
    return request_error("the camera stands on its target ({}, {}, {}); move one of them",
                         camera.target.x, camera.target.y, camera.target.z);
  if (!(camera.focal_length_mm > 0))
    return request_error("the focal length is {} mm; it must be positive", camera.focal_length_mm);
  return {};
}

}  // namespace

PaintedGrain paint(const Vec3f& albedo, float wetness) {
  const auto byte = [](float v) {
    return static_cast<std::uint8_t>(std::clamp(v, 0.0f, 1.0f) * 255.0f + 0.5f);
  };
  return {byte(srgb_encode(albedo.x)), byte(srgb_encode(albedo.y)), byte(srgb_encode(albedo.z)),
          byte(wetness)};
}

Result<Image> render(const PictureScene& scene, const PictureCamera& camera,
                     const RenderOptions& options, const Executor& executor, RenderReport* report) {
  if (const Status ok = check_options(options, camera); !ok) return ok.error();
  const double start = seconds_now();
  auto tracer = Tracer::build(scene, options.shutter, executor);
  if (!tracer) return tracer.error();
  const double built = seconds_now();

  Image image(options.width, options.height);
  std::vector<PixelFeatures> features(options.denoise ? image.pixels.size() : 0);
  const CameraRays lens(camera, options.width, options.height);
  const PathTracer paths(scene, **tracer, options);
  const int tiles_x = (options.width + tile_size - 1) / tile_size;
  const int tiles_y = (options.height + tile_size - 1) / tile_size;
  std::vector<std::uint64_t> rays(static_cast<std::size_t>(tiles_x) * tiles_y, 0);
  executor.run_chunks(rays.size(), [&](std::size_t tile) {
    const int x0 = static_cast<int>(tile % tiles_x) * tile_size;
    const int y0 = static_cast<int>(tile / tiles_x) * tile_size;
    for (int y = y0; y < std::min(y0 + tile_size, options.height); ++y) {
      for (int x = x0; x < std::min(x0 + tile_size, options.width); ++x) {
        const std::size_t pixel = static_cast<std::size_t>(y) * options.width + x;
        PixelSampler sampler(options.seed, pixel);
        image.pixels[pixel] = sample_pixel(paths, lens, x, y, sampler, options.samples, rays[tile],
                                           options.denoise ? &features[pixel] : nullptr);
      }
    }
  });
  if (options.denoise) image = denoise(image, features, executor);
  if (report != nullptr) {
    report->build_seconds = built - start;
    report->trace_seconds = seconds_now() - built;
    for (const std::uint64_t n : rays) report->rays += n;
    report->tracer_bytes = (*tracer)->bytes();
  }
  return image;
}

}  // namespace talus
