#include "report/stage.h"

#include "frames/json.h"
#include "render/auto_camera.h"
#include "render/frame_picture.h"
#include "report/cloud.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>

namespace talus::report {

namespace {

using json_read::json;

constexpr std::size_t all_triangles = 60'000, triangles_of_body = 15'000, least_triangles = 60;

template <class V>
json short_vector(const V& v) {
  return {short_number(double{v.x}), short_number(double{v.y}), short_number(double{v.z})};
}

Mesh clustered(const Mesh& mesh, double cell) {
  const Box3d box = mesh.bounds();
  std::map<std::array<std::int64_t, 3>, std::uint32_t> cells;
  std::vector<Vec3d> sums;
  std::vector<double> counts;
  std::vector<std::uint32_t> now;
  for (const Vec3f& v : mesh.vertices) {
    const Vec3d at = (Vec3d(v) - box.lower) / cell;
    const std::array<std::int64_t, 3> key{std::llround(at.x), std::llround(at.y),
                                          std::llround(at.z)};
    const auto [place, added] = cells.try_emplace(key, static_cast<std::uint32_t>(sums.size()));
    if (added) {
      sums.emplace_back();
      counts.push_back(0);
    }
    sums[place->second] += Vec3d(v);
    ++counts[place->second];
    now.push_back(place->second);
  }
  Mesh out;
  for (std::size_t i = 0; i < sums.size(); ++i) out.vertices.push_back(Vec3f(sums[i] / counts[i]));
  for (const Mesh::Triangle& t : mesh.triangles) {
    const Mesh::Triangle kept{now[t[0]], now[t[1]], now[t[2]]};
    if (kept[0] != kept[1] && kept[1] != kept[2] && kept[2] != kept[0])
      out.triangles.push_back(kept);
  }
  return out;
}

double largest_extent(const Mesh& mesh) {
  const Box3d box = mesh.bounds();
  if (box.empty()) return 0;
  const Vec3d extent = box.upper - box.lower;
  return std::max({extent.x, extent.y, extent.z});
}

/// Vertices as places of 16 bits, then corners, both little-endian.
Result<json> mesh_json(const Mesh& mesh) {
  const PlaceGrid grid{mesh.bounds().lower, std::max(largest_extent(mesh), 1e-9) / 65535};
  std::vector<std::byte> bytes;
  const auto put = [&](std::uint32_t word) {
    bytes.push_back(static_cast<std::byte>(word & 255));
    bytes.push_back(static_cast<std::byte>(word >> 8 & 255));
  };
  for (const Vec3f& v : mesh.vertices)
    for (const std::uint16_t word : grid.code(v).value_or(std::array<std::uint16_t, 3>{}))
      put(word);
  for (const Mesh::Triangle& t : mesh.triangles)
    for (const std::uint32_t corner : t) put(corner);
  auto text = packed_text(bytes);
  if (!text) return text.error();
  return json{{"lower", short_vector(grid.lower)},
              {"step", grid.step},
              {"vertices", mesh.vertices.size()},
              {"data", std::move(*text)}};
}

json pose_json(const Posed& pose) {
  json out = short_vector(pose.position);
  for (const double q : {pose.rotation.w, pose.rotation.x, pose.rotation.y, pose.rotation.z})
    out.push_back(short_number(q));
  return out;
}

}  // namespace

double short_number(double value) {
  if (!std::isfinite(value)) return value;
  const std::string text = fmt::format("{:.6g}", value);
  double out = 0;
  std::from_chars(text.data(), text.data() + text.size(), out);
  return out;
}

Mesh simplified(const Mesh& mesh, std::size_t triangles) {
  if (mesh.triangles.size() <= triangles) return mesh;
  const double extent = largest_extent(mesh);
  Mesh out;
  for (double cells = 192; cells >= 1; cells *= 0.8) {
    out = clustered(mesh, extent / cells);
    if (out.triangles.size() <= triangles) break;
  }
  return out;
}

Result<std::string> bodies_json(const RunSource& run, std::span<const FrameInfo> infos) {
  json out = json::array();
  if (run.bodies.empty()) return out.dump();
  const std::size_t limit =
      std::clamp(all_triangles / run.bodies.size(), least_triangles, triangles_of_body);
  for (const BodyMesh& body : run.bodies) {
    auto mesh = mesh_json(simplified(body.mesh, limit));
    if (!mesh) return mesh.error();
    out.push_back({{"name", body.name},
                   {"colour", short_vector(body.colour)},
                   {"oneSided", body.one_sided},
                   {"mesh", std::move(*mesh)},
                   {"poses", json::array()}});
  }
  for (const FrameInfo& info : infos) {
    PictureScene placed;
    add_stage(placed, run, info, FrameLook{});
    for (std::size_t b = 0; b < run.bodies.size(); ++b)
      if (run.bodies[b].moves || out[b]["poses"].empty())
        out[b]["poses"].push_back(pose_json(placed.meshes[b].pose));
  }
  return json_read::dump(out);
}

std::string ground_json(const RunSource& run, const FrameInfo& first, double lowest) {
  FrameLook look;
  if (std::abs(lowest) < 1e299) look.studio_floor = lowest;
  PictureScene placed;
  add_stage(placed, run, first, look);
  json out = json::array();
  for (const PicturePlane& plane : placed.planes)
    out.push_back({{"point", short_vector(plane.point)},
                   {"normal", short_vector(plane.normal)},
                   {"colour", short_vector(plane.colour)}});
  return out.dump();
}

std::string camera_json(const RunSource& run, const Survey& survey) {
  FramingInput input;
  input.points = survey.points;
  input.anchors = survey.anchors;
  input.up = {};
  input.up[run.scene.up] = 1;
  input.to_sun = Vec3f(run.scene.render.sun_direction);
  const Framing framing = frame_action(input);
  PictureCamera camera = framing.camera;
  if (!run.scene.cameras.empty())
    if (const auto own = scene_camera(run.scene, "", 0)) camera = *own;
  return json{{"position", short_vector(camera.position)},
              {"target", short_vector(camera.target)},
              {"middle", short_vector(framing.camera.target)},
              {"halfWidth", short_number(18 / camera.focal_length_mm)},
              {"size", short_number(framing.size)}}
      .dump();
}

}  // namespace talus::report
