// What integrations/blender/talus_import.py needs besides the grains: bodies.gltf, and scene.json
// with times, camera, sun, sky and floors.
#include "export/formats.h"
#include "frames/atomic_file.h"
#include "frames/json.h"
#include "render/auto_camera.h"

namespace talus {

namespace {

using nlohmann::json;

template <class V>
json list(const V& v) {
  return {v.x, v.y, v.z};
}

json frame_json(const RunSource& run, const FrameInfo& frame) {
  json out{{"frame", frame.index}, {"time", frame.time}};
  // Without a camera in the scene the script frames the grains itself.
  if (run.scene.cameras.empty()) return out;
  if (const auto camera = scene_camera(run.scene, "", frame.time))
    out["camera"] = {{"position", list(camera->position)},
                     {"target", list(camera->target)},
                     {"focal_length_mm", camera->focal_length_mm}};
  return out;
}

json floor_json(const Floor& floor) {
  const Quatd& q = floor.pose.rotation;
  return {{"name", floor.name},
          {"position", list(floor.pose.position)},
          {"rotation", {q.w, q.x, q.y, q.z}},
          {"colour", list(floor.colour)}};
}

}  // namespace

Status write_blender_scene(const RunSource& run, std::span<const FrameInfo> frames,
                           const std::filesystem::path& folder) {
  json document{{"talus", 1},
                {"scene", run.scene.name},
                {"up", run.scene.up},
                {"frame_rate", run.scene.frame_rate},
                {"width", run.scene.render.width},
                {"height", run.scene.render.height},
                {"sun_direction", list(run.scene.render.sun_direction)},
                {"sun_strength", run.scene.render.sun_strength},
                {"sky_strength", run.scene.render.sky_strength},
                {"floors", json::array()},
                {"frames", json::array()}};
  for (const Floor& floor : run.floors) document["floors"].push_back(floor_json(floor));
  for (const FrameInfo& frame : frames) document["frames"].push_back(frame_json(run, frame));
  if (!run.bodies.empty())
    if (Status s = write_gltf(run, frames, folder); !s) return s;
  return write_text_file(folder / "scene.json", document.dump(1));
}

}  // namespace talus
