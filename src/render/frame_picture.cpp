#include "render/frame_picture.h"

#include "render/detail_grains.h"
#include "render/force_chains.h"
#include "render/grain_fields.h"

#include <algorithm>
#include <cmath>

namespace talus {

namespace {

/// Colour of a sphere: natural, or that of the field shown.
struct Painter {
  const FrameInfo& info;
  const GrainFields& fields;
  const FieldColours* colours;  ///< may be none

  PaintedGrain operator()(std::size_t i, std::uint32_t part) const {
    if (colours == nullptr) return natural_paint(fields, info.materials, i, part);
    return (*colours)(fields.shown.values[i], fields.shown.categories);
  }
};

bool shows_chains(const FrameLook& look) {
  return look.colours && look.colours->field == force_chains_name;
}

void fill_grains(FramePicture& out, const GrainFields& f, const GrainPlaces& places,
                 const Painter& painter, const Executor& executor) {
  out.spheres.resize(places.count());
  out.paint.resize(places.count());
  out.texture.resize(places.count());
  if (!f.velocity.empty()) out.velocity.resize(places.count());
  executor.for_each(f.position.size(), [&](std::size_t i) {
    for (std::uint32_t k = 0; k < places.parts(); ++k) {
      const std::size_t j = i * places.parts() + k;
      out.spheres[j] = places.sphere(i, k);
      out.paint[j] = painter(i, k);
      out.texture[j] = places.texture(i, k);
      if (!f.velocity.empty()) out.velocity[j] = f.velocity[i];
    }
  });
}

void add_detail(FramePicture& out, const DetailGrains& grains, const FrameLook& look,
                const Executor& executor) {
  const std::size_t first = out.spheres.size(), n = grains.position.size();
  out.spheres.resize(first + n);
  out.paint.resize(first + n);
  out.texture.resize(first + n);
  if (look.velocities) out.velocity.resize(first + n);
  executor.for_each(n, [&](std::size_t i) {
    const std::size_t j = first + i;
    out.spheres[j] = grains.sphere(i);
    out.paint[j] = look.colours ? (*look.colours)(grains.shown.values[i], grains.shown.categories)
                                : grains.natural_paint(i);
    out.texture[j] = grains.texture(i);
    if (look.velocities && !grains.velocity.empty()) out.velocity[j] = grains.velocity[i];
  });
  out.title = grains.shown.title;
}

/// The network in the colours of its forces, the grains as a pale mist around it. A range that
/// starts above zero leaves out what is weaker: deep inside a bed the weak hide the strong.
Status add_chains(FramePicture& out, const FrameFile& frame, const RunSource& run,
                  const FrameLook& look, const Executor& executor) {
  const auto chains = read_force_chains(frame, run, executor);
  if (!chains) return chains.error();
  for (std::size_t i = 0; i < chains->rods.size(); ++i) {
    const float strength = chains->strength[i];
    if (std::abs(double{strength}) < look.colours->range.lower) continue;
    out.rods.push_back(chains->rods[i]);
    out.rod_paint.push_back((*look.colours)(strength, false));
  }
  out.paint.assign(out.spheres.size(), paint({0.62f, 0.66f, 0.72f}));
  out.velocity.clear();  // rods stand still
  out.title = "normal force / mean";
  return {};
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

/// So that one sees through all of the spheres, however many lie behind each other: their layers
/// are counted along the thinnest side, taken for evenly filled (sqrt(12) standard deviations).
float mist_opacity(const std::vector<PictureSphere>& spheres) {
  Vec3d sum{}, squares{};
  double count = 0, radii = 0;
  for (const PictureSphere& s : spheres) {
    if (!is_finite(s.centre)) continue;
    for (int axis = 0; axis < 3; ++axis) {
      sum[axis] += double{s.centre[axis]};
      squares[axis] += double{s.centre[axis]} * double{s.centre[axis]};
    }
    radii += double{s.radius};
    count += 1;
  }
  constexpr double densest = 0.06, whole = 0.15;
  if (!(radii > 0)) return static_cast<float>(densest);
  double thinnest = 1e300;
  for (int axis = 0; axis < 3; ++axis) {
    const double mean = sum[axis] / count;
    thinnest = std::min(thinnest, std::max(0.0, 12 * (squares[axis] / count - mean * mean)));
  }
  const double layers = 1 + std::sqrt(thinnest) / (2 * radii / count);
  return static_cast<float>(std::min(densest, whole / layers));
}

GrainLook grain_look(const Scene& scene, const FrameLook& look,
                     const std::vector<PictureSphere>& spheres) {
  GrainLook out;
  out.bumps = scene.solver == SolverKind::dem ? 0.35f : 0.8f;
  if (look.colours) out.bumps = 0.25f;
  if (shows_chains(look)) {
    out.bumps = 0;
    out.opacity = mist_opacity(spheres);
  }
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

void add_stage(PictureScene& scene, const RunSource& run, const FrameInfo& info,
               const FrameLook& look) {
  add_bodies(scene, run, info, look);
  add_floors(scene, run, info, look);
}

namespace {

void finish_scene(FramePicture& out, const RunSource& run, const FrameInfo& info,
                  const FrameLook& look) {
  out.time = info.time;
  out.scene.size = look.size;
  out.scene.light = scene_lighting(run.scene, look.colours.has_value());
  add_stage(out.scene, run, info, look);
  out.scene.spheres.push_back({out.spheres, out.paint, out.texture, out.velocity,
                               grain_look(run.scene, look, out.spheres)});
  out.scene.rods = {out.rods, out.rod_paint};
}

}  // namespace

PaintedGrain FieldColours::operator()(float value, bool category) const {
  if (category && std::isfinite(value))
    return paint(category_colour(static_cast<std::uint64_t>(value)));
  const double t = (double{value} - range.lower) / (range.upper - range.lower);
  return paint(map(static_cast<float>(t)));
}

Result<FramePicture> load_frame_picture(const RunSource& run, const FrameEntry& entry,
                                        const FrameLook& look, const Executor& executor) {
  FramePicture out;
  const bool chains = shows_chains(look);
  const FieldColours* colours = look.colours && !chains ? &*look.colours : nullptr;
  const GrainRequest request{look.velocities, colours != nullptr ? colours->field : ""};
  if (run.detail) {
    const auto info = read_detail_grains(
        run, entry.index, request, executor,
        [&](const DetailGrains& grains) { add_detail(out, grains, look, executor); });
    if (!info) return info.error();
    finish_scene(out, run, *info, look);
    return out;
  }
  const auto frame = FrameFile::open(entry.path);
  if (!frame) return frame.error();
  const auto fields =
      read_grain_fields(FrameFields(*frame), run.scene, run.shapes, request, executor);
  if (!fields) return fields.error();
  out.title = fields->shown.title;
  const GrainPlaces places(*fields, run.scene, look.grains_per_particle);
  fill_grains(out, *fields, places, {frame->info(), *fields, colours}, executor);
  if (chains)
    if (Status s = add_chains(out, *frame, run, look, executor); !s) return s.error();
  finish_scene(out, run, frame->info(), look);
  return out;
}

}  // namespace talus
