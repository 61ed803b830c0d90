#include "render/tracer.h"

#include "render/smooth_normals.h"

#include <embree3/rtcore.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <atomic>
#include <string>

namespace talus {

namespace {

// Glass is seen by the camera and by bounced rays, but casts no shadow.
constexpr unsigned solid_mask = 1;
constexpr unsigned glass_mask = 2;
// Spheres that the camera looks through.
constexpr unsigned veil_mask = 4;

struct GeometryName {
  HitKind kind;
  std::uint32_t set;
};

struct WorldMesh {
  std::vector<Vec3f> open, close;  ///< vertices when the shutter opens and closes
  std::vector<Vec3f> corner_normals;
};

bool count_memory(void* user, ssize_t bytes, bool) {
  static_cast<std::atomic<std::int64_t>*>(user)->fetch_add(bytes, std::memory_order_relaxed);
  return true;
}

// Rejects hits on the back of a one-sided mesh: the near walls of a container vanish.
void reject_back(const RTCFilterFunctionNArguments* args) {
  for (unsigned i = 0; i < args->N; ++i) {
    const float facing =
        RTCRayN_dir_x(args->ray, args->N, i) * RTCHitN_Ng_x(args->hit, args->N, i) +
        RTCRayN_dir_y(args->ray, args->N, i) * RTCHitN_Ng_y(args->hit, args->N, i) +
        RTCRayN_dir_z(args->ray, args->N, i) * RTCHitN_Ng_z(args->hit, args->N, i);
    if (facing > 0) args->valid[i] = 0;
  }
}

RTCRay to_embree(const Ray& ray, unsigned mask) {
  RTCRay r{};
  r.org_x = ray.origin.x;
  r.org_y = ray.origin.y;
  r.org_z = ray.origin.z;
  r.dir_x = ray.direction.x;
  r.dir_y = ray.direction.y;
  r.dir_z = ray.direction.z;
  r.tnear = ray.near;
  r.tfar = ray.far;
  r.time = ray.time;
  r.mask = mask;
  return r;
}

bool moves(const PictureMesh& mesh) {
  return squared_norm(mesh.velocity) > 0 || squared_norm(mesh.angular_velocity) > 0;
}

/// Vertices of a mesh `dt` seconds from the frame's instant.
std::vector<Vec3f> place(const PictureMesh& mesh, double dt) {
  Posed pose = mesh.pose;
  pose.position += mesh.velocity * dt;
  const double turn = norm(mesh.angular_velocity) * dt;
  if (turn != 0)
    pose.rotation = Quatd::from_axis_angle(normalized(mesh.angular_velocity), turn) * pose.rotation;
  std::vector<Vec3f> out;
  out.reserve(mesh.vertices.size());
  for (const Vec3f& p : mesh.vertices) out.emplace_back(pose.to_world(Vec3d(p)));
  return out;
}

}  // namespace

struct Tracer::Parts {
  const PictureScene* scene = nullptr;
  std::atomic<std::int64_t> bytes{0};
  RTCDevice device = nullptr;
  RTCScene tree = nullptr;
  float shutter = 0;
  std::vector<GeometryName> names;  ///< by Embree's geometry number
  std::vector<std::vector<PictureSphere>> open, close;
  std::vector<WorldMesh> meshes;

  ~Parts() {
    if (tree != nullptr) rtcReleaseScene(tree);
    if (device != nullptr) rtcReleaseDevice(device);
  }
  void attach(RTCGeometry geometry, GeometryName name) {
    rtcCommitGeometry(geometry);
    rtcAttachGeometry(tree, geometry);
    rtcReleaseGeometry(geometry);
    names.push_back(name);
  }
  void add_spheres(std::uint32_t index, const Executor& executor);
  void add_rods();
  void add_mesh(std::uint32_t index);
};

void Tracer::Parts::add_spheres(std::uint32_t index, const Executor& executor) {
  const SphereSet& set = scene->spheres[index];
  if (set.spheres.empty()) return;
  const std::size_t n = set.spheres.size();
  RTCGeometry geometry = rtcNewGeometry(device, RTC_GEOMETRY_TYPE_SPHERE_POINT);
  const auto share = [&](unsigned slot, const PictureSphere* data) {
    rtcSetSharedGeometryBuffer(geometry, RTC_BUFFER_TYPE_VERTEX, slot, RTC_FORMAT_FLOAT4, data, 0,
                               sizeof(PictureSphere), n);
  };
  if (shutter > 0 && !set.velocity.empty()) {
    auto& from = open[index];
    auto& to = close[index];
    from.resize(n);
    to.resize(n);
    executor.for_each(n, [&](std::size_t i) {
      const PictureSphere& s = set.spheres[i];
      const Vec3f half = set.velocity[i] * (0.5f * shutter);
      from[i] = {s.centre - half, s.radius};
      to[i] = {s.centre + half, s.radius};
    });
    rtcSetGeometryTimeStepCount(geometry, 2);
    share(0, from.data());
    share(1, to.data());
  } else {
    share(0, set.spheres.data());
  }
  rtcSetGeometryMask(geometry, set.look.opacity < 1 ? veil_mask : solid_mask);
  attach(geometry, {HitKind::sphere, index});
}

void Tracer::Parts::add_rods() {
  const std::size_t n = scene->rods.rods.size();
  if (n == 0) return;
  RTCGeometry geometry = rtcNewGeometry(device, RTC_GEOMETRY_TYPE_ROUND_LINEAR_CURVE);
  static_assert(sizeof(PictureRod) == 2 * sizeof(PictureSphere));
  rtcSetSharedGeometryBuffer(geometry, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT4,
                             scene->rods.rods.data(), 0, sizeof(PictureSphere), 2 * n);
  auto* first = static_cast<std::uint32_t*>(rtcSetNewGeometryBuffer(
      geometry, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT, sizeof(std::uint32_t), n));
  for (std::size_t i = 0; i < n; ++i) first[i] = static_cast<std::uint32_t>(2 * i);
  rtcSetGeometryMask(geometry, solid_mask);
  attach(geometry, {HitKind::rod, 0});
}

void Tracer::Parts::add_mesh(std::uint32_t index) {
  const PictureMesh& mesh = scene->meshes[index];
  if (mesh.triangles.empty()) return;
  WorldMesh& world = meshes[index];
  const bool blurred = shutter > 0 && moves(mesh);
  world.open = place(mesh, blurred ? -0.5 * shutter : 0);
  RTCGeometry geometry = rtcNewGeometry(device, RTC_GEOMETRY_TYPE_TRIANGLE);
  const auto copy = [&](unsigned slot, const std::vector<Vec3f>& vertices) {
    auto* target = static_cast<float*>(rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_VERTEX,
                                                               slot, RTC_FORMAT_FLOAT3,
                                                               3 * sizeof(float), vertices.size()));
    for (const Vec3f& p : vertices) {
      *target++ = p.x;
      *target++ = p.y;
      *target++ = p.z;
    }
  };
  if (blurred) rtcSetGeometryTimeStepCount(geometry, 2);
  copy(0, world.open);
  if (blurred) {
    world.close = place(mesh, 0.5 * shutter);
    copy(1, world.close);
  }
  auto* corners = static_cast<std::uint32_t*>(
      rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3,
                              3 * sizeof(std::uint32_t), mesh.triangles.size()));
  for (const auto& t : mesh.triangles) corners = std::copy(t.begin(), t.end(), corners);
  world.corner_normals = smooth_normals(world.open, mesh.triangles);
  rtcSetGeometryMask(geometry, mesh.surface == MeshSurface::glass ? glass_mask : solid_mask);
  if (mesh.one_sided) {
    rtcSetGeometryIntersectFilterFunction(geometry, reject_back);
    rtcSetGeometryOccludedFilterFunction(geometry, reject_back);
  }
  attach(geometry, {HitKind::mesh, index});
}

Tracer::Tracer(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
Tracer::~Tracer() = default;

Result<std::unique_ptr<Tracer>> Tracer::build(const PictureScene& scene, double shutter,
                                              const Executor& executor) {
  auto parts = std::make_unique<Parts>();
  Parts& p = *parts;
  p.scene = &scene;
  p.shutter = static_cast<float>(shutter);
  p.device = rtcNewDevice(("threads=" + std::to_string(executor.threads())).c_str());
  if (p.device == nullptr) return work_error("the ray tracer (Embree) did not start");
  rtcSetDeviceMemoryMonitorFunction(p.device, count_memory, &p.bytes);
  p.tree = rtcNewScene(p.device);
  rtcSetSceneBuildQuality(p.tree, RTC_BUILD_QUALITY_MEDIUM);
  // A ray that grazes a box must not slip through it: it would depend on the shape of the tree.
  rtcSetSceneFlags(p.tree, RTC_SCENE_FLAG_ROBUST);
  p.open.resize(scene.spheres.size());
  p.close.resize(scene.spheres.size());
  p.meshes.resize(scene.meshes.size());
  for (std::uint32_t i = 0; i < scene.spheres.size(); ++i) p.add_spheres(i, executor);
  p.add_rods();
  for (std::uint32_t i = 0; i < scene.meshes.size(); ++i) p.add_mesh(i);
  // One thread: the order of the leaves, which decides between hits at equal distance, must not
  // depend on the number of threads. It takes about 0.8 s for a million spheres.
  tbb::task_arena alone(1);
  alone.execute([&] { rtcCommitScene(p.tree); });
  if (const RTCError code = rtcGetDeviceError(p.device); code != RTC_ERROR_NONE)
    return work_error(
        "the ray tracer could not take the scene (Embree error {}{})", static_cast<int>(code),
        code == RTC_ERROR_OUT_OF_MEMORY ? ": out of memory; render fewer grains" : "");
  return std::unique_ptr<Tracer>(new Tracer(std::move(parts)));
}

Hit Tracer::intersect(const Ray& ray, RayKind kind) const {
  RTCRayHit r{};
  const unsigned veils = kind == RayKind::camera ? veil_mask : 0;
  r.ray = to_embree(ray, solid_mask | glass_mask | veils);
  r.hit.geomID = RTC_INVALID_GEOMETRY_ID;
  RTCIntersectContext context;
  rtcInitIntersectContext(&context);
  rtcIntersect1(parts_->tree, &context, &r);
  Hit hit;
  if (r.hit.geomID == RTC_INVALID_GEOMETRY_ID) return hit;
  const GeometryName name = parts_->names[r.hit.geomID];
  return {r.ray.tfar, name.kind, name.set, r.hit.primID, r.hit.u, r.hit.v};
}

bool Tracer::occluded(const Ray& ray) const {
  RTCRay r = to_embree(ray, solid_mask);
  RTCIntersectContext context;
  rtcInitIntersectContext(&context);
  rtcOccluded1(parts_->tree, &context, &r);
  return r.tfar < 0;
}

Vec3f Tracer::sphere_centre(const Hit& hit, float time) const {
  const auto& open = parts_->open[hit.set];
  if (open.empty()) return parts_->scene->spheres[hit.set].spheres[hit.primitive].centre;
  const auto& close = parts_->close[hit.set];
  return open[hit.primitive].centre * (1 - time) + close[hit.primitive].centre * time;
}

Vec3f Tracer::mesh_normal(const Hit& hit) const {
  const auto& vertices = parts_->meshes[hit.set].open;
  const auto& t = parts_->scene->meshes[hit.set].triangles[hit.primitive];
  return normalized(cross(vertices[t[1]] - vertices[t[0]], vertices[t[2]] - vertices[t[0]]));
}

Vec3f Tracer::smooth_normal(const Hit& hit) const {
  const Vec3f* n = &parts_->meshes[hit.set].corner_normals[3 * std::size_t(hit.primitive)];
  return normalized(n[0] * (1 - hit.u - hit.v) + n[1] * hit.u + n[2] * hit.v);
}

std::size_t Tracer::bytes() const {
  return static_cast<std::size_t>(std::max<std::int64_t>(0, parts_->bytes.load()));
}

}  // namespace talus
