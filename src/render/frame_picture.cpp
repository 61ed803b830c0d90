#include "render/frame_picture.h"

#include "core/random.h"
#include "render/detail_picture.h"
#include "render/natural_colour.h"
#include "render/sampler.h"

#include <algorithm>
#include <cmath>

namespace talus {

namespace {

/// Particles at the rest distance leave gaps between their spheres; this closes most of them.
constexpr float closing = 1.12f;

/// The fields of a frame that a picture needs; those it lacks are empty.
struct GrainFields {
  std::vector<Vec3f> position, velocity;
  std::vector<float> radius, wetness;
  std::vector<std::uint32_t> material;
  std::vector<std::uint8_t> shade;
  std::vector<std::uint64_t> id;
  std::vector<Quatf> rotation;
};

template <class T>
Status read_if_there(const FrameFile& frame, const char* name, std::vector<T>& out,
                     const Executor& executor) {
  if (!frame.has(name)) return {};
  auto items = frame.read<T>(name, executor);
  if (!items) return items.error();
  out = std::move(*items);
  return {};
}

Result<GrainFields> read_fields(const FrameFile& frame, const FrameLook& look,
                                const Executor& executor) {
  GrainFields f;
  auto position = frame.read<Vec3f>("position", executor);
  if (!position) return position.error();
  f.position = std::move(*position);
  const auto read = [&](const char* name, auto& out) {
    return read_if_there(frame, name, out, executor);
  };
  if (Status s = read("radius", f.radius); !s) return s.error();
  if (Status s = read("id", f.id); !s) return s.error();
  if (look.velocities)
    if (Status s = read("velocity", f.velocity); !s) return s.error();
  if (Status s = read("wetness", f.wetness); !s) return s.error();
  if (Status s = read("material", f.material); !s) return s.error();
  if (Status s = read("shade", f.shade); !s) return s.error();
  if (Status s = read("rotation", f.rotation); !s) return s.error();
  return f;
}

/// Rigid grains as the spheres they are made of; all else stays the grain's.
void expand_clumps(const std::vector<GrainShape>& shapes, GrainFields& f,
                   std::vector<float>& values) {
  const bool clumps = std::any_of(shapes.begin(), shapes.end(),
                                  [](const GrainShape& s) { return s.balls.size() > 1; });
  if (!clumps || f.rotation.empty() || f.material.empty() || f.radius.empty()) return;
  GrainFields out;
  std::vector<float> out_values;
  const auto copy = [](auto& to, const auto& from, std::size_t i) {
    if (!from.empty()) to.push_back(from[i]);
  };
  for (std::size_t i = 0; i < f.position.size(); ++i) {
    if (f.material[i] >= shapes.size()) continue;
    for (const Ball& ball : shapes[f.material[i]].balls) {
      const float size = 2 * f.radius[i];
      out.position.push_back(f.position[i] + rotate(f.rotation[i], Vec3f(ball.centre)) * size);
      out.radius.push_back(static_cast<float>(ball.radius) * size);
      copy(out.velocity, f.velocity, i);
      copy(out.wetness, f.wetness, i);
      copy(out.material, f.material, i);
      copy(out.shade, f.shade, i);
      copy(out.id, f.id, i);
      copy(out_values, values, i);
    }
  }
  f = std::move(out);
  values = std::move(out_values);
}

struct Painter {
  const FrameInfo& info;
  const GrainFields& fields;
  const FrameLook& look;
  const std::vector<float>* values;
  bool categories;

  PaintedGrain operator()(std::size_t i, std::uint32_t part) const {
    const float wetness = fields.wetness.empty() ? 0 : fields.wetness[i];
    if (values != nullptr) {
      if (categories)
        return talus::paint(category_colour(static_cast<std::uint64_t>((*values)[i])));
      const ValueRange& range = look.colours->range;
      const double t = ((*values)[i] - range.lower) / (range.upper - range.lower);
      return talus::paint(look.colours->map(static_cast<float>(t)));
    }
    const std::uint32_t m = fields.material.empty() ? 0 : fields.material[i];
    if (m >= info.materials.size()) return talus::paint({0.5f, 0.36f, 0.2f}, wetness);
    const std::uint8_t shade = fields.shade.empty() ? 128 : fields.shade[i];
    const std::uint64_t id = fields.id.empty() ? i : fields.id[i];
    return talus::paint(natural_colour(info.materials[m], shade, id, part), wetness);
  }
};

/// Place of small grain k about its particle, in radii. Each axis follows a tent about as wide as
/// the distance to the neighbours: on a lattice such tents add up to an even density, so that the
/// particles do not show as clods.
Vec3f cluster_offset(std::uint64_t id, std::uint32_t k) {
  constexpr float reach = 1.8f;
  const auto u = random_floats(0, id, Purpose::detail, 2 * k);
  const auto v = random_floats(0, id, Purpose::detail, 2 * k + 1);
  return Vec3f{u[0] + v[0] - 1, u[1] + v[1] - 1, u[2] + v[2] - 1} * reach;
}

void fill_grains(FramePicture& out, const GrainFields& f, const FrameLook& look,
                 const Painter& painter, float default_radius, float radius_factor,
                 const Executor& executor) {
  const std::size_t parts = static_cast<std::size_t>(std::max(1, look.grains_per_particle));
  const std::size_t n = f.position.size();
  // The small grains together fill about the share of the volume that sand fills.
  const float small = parts > 1 ? std::cbrt(1.15f / static_cast<float>(parts)) : radius_factor;
  out.spheres.resize(n * parts);
  out.paint.resize(n * parts);
  out.texture.resize(n * parts);
  if (!f.velocity.empty()) out.velocity.resize(n * parts);
  executor.for_each(n, [&](std::size_t i) {
    const std::uint64_t id = f.id.empty() ? i : f.id[i];
    const float radius = f.radius.empty() ? default_radius : f.radius[i];
    const std::uint32_t seed = PixelSampler::mix(
        static_cast<std::uint32_t>(id) ^ static_cast<std::uint32_t>(id >> 32) * 0x9E3779B9u);
    for (std::size_t k = 0; k < parts; ++k) {
      const std::size_t j = i * parts + k;
      const std::uint32_t grain_seed = seed + static_cast<std::uint32_t>(k);
      const float vary =
          parts > 1 ? 0.8f + 0.4f * to_unit_float(PixelSampler::mix(grain_seed)) : 1.0f;
      const Vec3f offset = parts > 1 ? cluster_offset(id, static_cast<std::uint32_t>(k)) : Vec3f{};
      out.spheres[j] = {f.position[i] + offset * radius, radius * small * vary};
      out.paint[j] = painter(i, static_cast<std::uint32_t>(k));
      out.texture[j] = grain_seed;
      if (!f.velocity.empty()) out.velocity[j] = f.velocity[i];
    }
  });
}

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

void add_bodies(PictureScene& scene, const RunSource& run, const FrameInfo& info,
                const FrameLook& look) {
  for (const BodyMesh& body : run.bodies) {
    if (contains(look.hidden, body.name)) continue;
    PictureMesh mesh;
    mesh.vertices = body.mesh.vertices;
    mesh.triangles = body.mesh.triangles;
    mesh.pose = body.pose;
    mesh.colour = body.colour;
    mesh.one_sided = body.one_sided;
    if (contains(look.glass, body.name)) mesh.surface = MeshSurface::glass;
    for (const FrameBody& state : info.bodies) {
      if (state.name != body.name || !body.moves) continue;
      mesh.pose = state.state.pose;
      mesh.velocity = state.state.velocity;
      mesh.angular_velocity = state.state.angular_velocity;
    }
    scene.meshes.push_back(mesh);
  }
}

void add_floors(PictureScene& scene, const RunSource& run, const FrameInfo& info,
                const FrameLook& look) {
  Vec3d up{};
  up[run.scene.up] = 1;
  for (const Floor& floor : run.floors) {
    Posed pose = floor.pose;
    for (const FrameBody& state : info.bodies)
      if (state.name == floor.name) pose = state.state.pose;
    const Vec3d normal = rotate(pose.rotation, Vec3d{0, 0, 1});
    // Endless walls would hide everything behind them, and the sun.
    if (dot(normal, up) < 0.3 || contains(look.hidden, floor.name)) continue;
    PicturePlane plane;
    plane.point = Vec3f(pose.position);
    plane.normal = Vec3f(normal);
    plane.colour = floor.colour;
    scene.planes.push_back(plane);
  }
  if (scene.planes.empty() && look.studio_floor) {
    PicturePlane plane;
    plane.point = Vec3f(up * *look.studio_floor);
    plane.normal = Vec3f(up);
    scene.planes.push_back(plane);
  }
}

GrainLook grain_look(const Scene& scene, const FrameLook& look) {
  GrainLook out;
  out.bumps = scene.solver == SolverKind::dem ? 0.35f : 0.8f;
  if (look.colours) out.bumps = 0.25f;
  return out;
}

}  // namespace

Lighting scene_lighting(const Scene& scene, bool white) {
  Vec3f up{};
  up[scene.up] = 1;
  // The scene's 3 : 1 of sun to sky is the natural mix, which sun_and_sky calls 1 : 1.
  Lighting light = sun_and_sky(Vec3f(scene.render.sun_direction), up,
                               static_cast<float>(scene.render.sun_strength / 3),
                               static_cast<float>(scene.render.sky_strength));
  if (!white) return light;
  const auto grey = [](Vec3f& c) {
    const float l = luminance(c);
    c = {l, l, l};
  };
  grey(light.sun_irradiance);
  for (Vec3f& c : light.sky_table) grey(c);
  return light;
}

namespace {

void finish_scene(FramePicture& out, const RunSource& run, const FrameInfo& info,
                  const FrameLook& look) {
  out.time = info.time;
  out.scene.size = look.size;
  out.scene.light = scene_lighting(run.scene, look.colours.has_value());
  out.scene.spheres.push_back(
      {out.spheres, out.paint, out.texture, out.velocity, grain_look(run.scene, look)});
  add_bodies(out.scene, run, info, look);
  add_floors(out.scene, run, info, look);
}

}  // namespace

Result<FramePicture> load_frame_picture(const RunSource& run, const FrameEntry& entry,
                                        const FrameLook& look, const Executor& executor) {
  FramePicture out;
  if (run.detail) {
    const auto info = load_detail_grains(run, entry.index, look, out, executor);
    if (!info) return info.error();
    finish_scene(out, run, *info, look);
    return out;
  }
  const auto frame = FrameFile::open(entry.path);
  if (!frame) return frame.error();
  auto fields = read_fields(*frame, look, executor);
  if (!fields) return fields.error();
  FieldValues shown;
  if (look.colours) {
    auto values = read_field_values(*frame, look.colours->field, run.scene.up, executor);
    if (!values) return values.error();
    shown = std::move(*values);
  }
  expand_clumps(run.shapes, *fields, shown.values);
  const bool sph = run.scene.solver == SolverKind::sph;
  const float spacing =
      static_cast<float>(sph                           ? run.scene.sph.spacing
                         : run.scene.materials.empty() ? 0.01
                                                       : run.scene.materials[0].grain_diameter);
  out.title = shown.title;
  const Painter painter{frame->info(), *fields, look, look.colours ? &shown.values : nullptr,
                        shown.categories};
  fill_grains(out, *fields, look, painter, 0.5f * spacing, sph ? closing : 1.0f, executor);
  finish_scene(out, run, frame->info(), look);
  return out;
}

}  // namespace talus
