#include "render/run_source.h"

#include "frames/detail_frame.h"
#include "geometry/mass_properties.h"
#include "geometry/mesh_shapes.h"
#include "scene/read_scene.h"

#include <algorithm>
#include <charconv>
#include <system_error>

namespace talus {

namespace {

namespace fs = std::filesystem;

/// frame_000123.tal -> 123; -1 for other names.
std::int64_t frame_number(const fs::path& path) {
  const std::string name = path.filename().string();
  if (!name.starts_with("frame_") || !name.ends_with(".tal")) return -1;
  std::int64_t number = -1;
  const char* end = name.data() + name.size() - 4;
  const auto [stop, code] = std::from_chars(name.data() + 6, end, number);
  return code == std::errc() && stop == end ? number : -1;
}

std::vector<FrameEntry> list_frames(const fs::path& folder) {
  std::vector<FrameEntry> out;
  std::error_code code;
  for (const auto& entry : fs::directory_iterator(folder, code)) {
    const std::int64_t number = frame_number(entry.path());
    if (number >= 0) out.push_back({static_cast<std::uint64_t>(number), entry.path()});
  }
  std::sort(out.begin(), out.end(),
            [](const FrameEntry& a, const FrameEntry& b) { return a.index < b.index; });
  return out;
}

Result<BodyMesh> make_body_mesh(const SceneBody& body) {
  auto mesh = tessellate(body.shape, 96);
  if (!mesh) return mesh.error();
  BodyMesh out;
  out.name = body.name;
  out.mesh = std::move(*mesh);
  out.colour = {body.colour[0], body.colour[1], body.colour[2]};
  out.one_sided = body.shape.inside_out;
  out.moves = body.motion != SceneMotion::fixed;
  out.pose = body.shape.pose;
  if (body.motion == SceneMotion::dynamic) {
    // Frames tell where the centre of mass is, not the shape's origin.
    const auto mass = mass_properties(body.shape, 1);
    if (!mass) return mass.error();
    const Vec3f centre(mass->centre);
    for (Vec3f& v : out.mesh.vertices) v -= centre;
    out.pose.position = body.shape.pose.to_world(mass->centre);
  }
  return out;
}

}  // namespace

Status add_body_meshes(std::span<const SceneBody> bodies, RunSource& source) {
  for (const SceneBody& body : bodies) {
    if (body.shape.kind == ShapeKind::plane) {
      source.floors.push_back(
          {body.name, body.shape.pose, {body.colour[0], body.colour[1], body.colour[2]}});
      continue;
    }
    auto mesh = make_body_mesh(body);
    if (!mesh) return Error{mesh.error().kind, "body '" + body.name + "': " + mesh.error().message};
    source.bodies.push_back(std::move(*mesh));
  }
  return {};
}

Result<RunSource> make_scene_source(Scene scene) {
  RunSource source;
  source.scene = std::move(scene);
  if (source.scene.solver == SolverKind::dem) {
    auto shapes = grain_shapes(source.scene);
    if (!shapes) return shapes.error();
    source.shapes = std::move(*shapes);
  }
  if (const Status ok = add_body_meshes(source.scene.bodies, source); !ok) return ok.error();
  return source;
}

std::vector<FrameEntry> list_run_frames(const fs::path& folder, bool detail) {
  if (!detail) return list_frames(folder / "frames");
  std::vector<FrameEntry> out;
  for (const std::uint64_t number : detail_frame_numbers(folder))
    out.push_back({number, detail_files(folder, number).back()});
  return out;
}

Result<RunSource> open_run_stage(const fs::path& folder, bool detail) {
  std::error_code code;
  if (!fs::is_directory(folder, code))
    return request_error("there is no folder {}; 'talus run SCENE -o {}' makes one",
                         folder.string(), folder.string());
  const fs::path scene_path = folder / "scene.toml";
  if (!fs::exists(scene_path, code))
    return request_error(
        "{} is no run folder: it has no scene.toml. Give the folder that 'talus run' "
        "wrote",
        folder.string());
  auto scene = read_scene(scene_path.string());
  if (!scene) return scene.error();
  auto source = make_scene_source(std::move(*scene));
  if (!source) return source.error();
  source->folder = folder;
  source->detail = detail;
  return source;
}

Result<RunSource> open_run_source(const fs::path& folder, bool detail) {
  auto source = open_run_stage(folder, detail);
  if (!source) return source.error();
  source->frames = list_run_frames(folder, detail);
  if (source->frames.empty())
    return work_error("there are no frames in {}; {}",
                      (folder / (detail ? "detail" : "frames")).string(),
                      detail
                          ? "'talus detail' makes them"
                          : "the run wrote none yet, or they were removed: 'talus resume' goes on "
                            "with a run that was stopped");
  return source;
}

}  // namespace talus
