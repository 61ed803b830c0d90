// What a picture is made of, in memory: spheres, rods, meshes, planes, light, camera. Nothing here
// knows about files, frames or the ray tracer; whoever has particles can fill a PictureScene and
// call render(). All lengths in metres, world frame, any axis may be up.
#pragma once

#include "core/error.h"
#include "core/parallel.h"
#include "math/quat.h"
#include "math/vec.h"
#include "render/image.h"
#include "render/lighting.h"

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace talus {

/// The layout that the ray tracer reads in place: 20 M grains need no second copy.
struct alignas(16) PictureSphere {
  Vec3f centre;
  float radius;
};

/// Albedo with the curve of sRGB (finer steps in the dark), and wetness 0..255.
struct PaintedGrain {
  std::uint8_t red = 188, green = 188, blue = 188;
  std::uint8_t wetness = 0;
};
PaintedGrain paint(const Vec3f& linear_albedo, float wetness = 0);

/// How the surface of a sphere looks to the camera. The defaults suit one grain per sphere.
struct GrainLook {
  float roughness = 0.9f;   ///< 0 = Lambert, 1 = roughest (Oren-Nayar family)
  float specular = 0.6f;    ///< 0..1, scales a Fresnel reflection of 4 %
  float bumps = 0.45f;      ///< strength of the normal's perturbation; 0 = perfect ball
  float bump_scale = 1.4f;  ///< bumps per radius
  float lump = 0;           ///< 0..1: drawn as a lump of many small grains
  float lump_grains = 7;    ///< small grains per radius of a lump
  /// Below 1 the camera looks through the spheres, less so at their rims; no other ray meets them,
  /// so that they neither shade nor colour what is among them.
  float opacity = 1;
};

struct SphereSet {
  std::span<const PictureSphere> spheres;
  std::span<const PaintedGrain> paint;     ///< empty: all alike
  std::span<const std::uint32_t> texture;  ///< constant over time per grain; empty: the index
  std::span<const Vec3f> velocity;         ///< m/s, for motion blur; may be empty
  GrainLook look;
};

/// A straight rod with round ends. Both ends have the same radius.
struct PictureRod {
  PictureSphere from, to;
};

struct RodSet {
  std::span<const PictureRod> rods;
  std::span<const PaintedGrain> paint;  ///< empty: all alike
};

enum class MeshSurface { matte, satin, glass };

struct PictureMesh {
  std::span<const Vec3f> vertices;  ///< local frame
  std::span<const std::array<std::uint32_t, 3>> triangles;
  Posed pose;                            ///< local to world
  Vec3d velocity{}, angular_velocity{};  ///< about pose.position, for motion blur
  Vec3f colour{0.5f, 0.5f, 0.5f};        ///< linear albedo
  MeshSurface surface = MeshSurface::satin;
  bool one_sided = false;  ///< seen (and felt by light) only from the side its triangles face
};

/// An endless floor; the free side is where `normal` points.
struct PicturePlane {
  Vec3f point{};
  Vec3f normal{0, 0, 1};
  Vec3f colour{0.46f, 0.43f, 0.39f};
  float texture = 1;  ///< strength of the stains and of the fine grain of the floor
};

struct PictureScene {
  std::vector<SphereSet> spheres;
  RodSet rods;
  std::vector<PictureMesh> meshes;
  std::vector<PicturePlane> planes;
  Lighting light;
  double size = 1;  ///< m, extent of the action: scales the floor's texture and the haze
};

struct PictureCamera {
  Vec3d position{0, -3, 1.5};
  Vec3d target{};
  Vec3d up{0, 0, 1};
  double focal_length_mm = 50;  ///< on a sensor 36 mm wide
  double f_stop = 0;            ///< 0 = everything sharp
  double focus_distance = 0;    ///< m; 0 = at the target
};

struct RenderOptions {
  int width = 1920, height = 1080;
  int samples = 64;    ///< per pixel
  int bounces = 4;     ///< of indirect light
  double shutter = 0;  ///< s the shutter is open, centred on the frame; 0 = no motion blur
  bool denoise = false;
  std::uint64_t seed = 0;  ///< another seed, another noise
};

struct RenderReport {
  double build_seconds = 0, trace_seconds = 0;
  std::uint64_t rays = 0;
  std::size_t tracer_bytes = 0;  ///< memory of the ray tracer's tree
};

/// Scene-referred linear RGB. The same bits for any number of threads.
Result<Image> render(const PictureScene& scene, const PictureCamera& camera,
                     const RenderOptions& options, const Executor& executor,
                     RenderReport* report = nullptr);

}  // namespace talus
