#include "report/stage.h"

#include "render/auto_camera.h"
#include "render/frame_picture.h"
#include "report/cloud.h"
#include "report/json_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace talus::report {

namespace {

constexpr std::size_t all_triangles = 60'000, triangles_of_body = 15'000, least_triangles = 60;

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
Result<std::string> mesh_json(const Mesh& mesh) {
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
  const auto text = packed_text(bytes);
  if (!text) return text.error();
  return fmt::format("{{\"lower\":{},\"step\":{:.9g},\"vertices\":{},\"data\":\"{}\"}}",
                     json_vector(grid.lower), grid.step, mesh.vertices.size(), *text);
}

std::string pose_json(const Posed& pose) {
  const Vec3d& p = pose.position;
  const Quatd& q = pose.rotation;
  return json_list(std::array{p.x, p.y, p.z, q.w, q.x, q.y, q.z}, json_number);
}

}  // namespace

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
  std::vector<std::vector<Posed>> poses(run.bodies.size());
  for (const FrameInfo& info : infos) {
    PictureScene placed;
    add_stage(placed, run, info, FrameLook{});
    for (std::size_t b = 0; b < run.bodies.size(); ++b)
      if (run.bodies[b].moves || poses[b].empty()) poses[b].push_back(placed.meshes[b].pose);
  }
  const std::size_t limit = std::clamp(all_triangles / std::max<std::size_t>(run.bodies.size(), 1),
                                       least_triangles, triangles_of_body);
  std::vector<std::string> bodies;
  for (const BodyMesh& body : run.bodies) {
    const auto mesh = mesh_json(simplified(body.mesh, limit));
    if (!mesh) return mesh.error();
    bodies.push_back(
        fmt::format("{{\"name\":{},\"colour\":{},\"oneSided\":{},\"mesh\":{},\"poses\":{}}}",
                    json_string(body.name), json_vector(body.colour), body.one_sided, *mesh,
                    json_list(poses[bodies.size()], pose_json)));
  }
  return json_list(bodies, [](const std::string& body) { return body; });
}

std::string ground_json(const RunSource& run, const FrameInfo& first, double lowest) {
  FrameLook look;
  if (std::abs(lowest) < 1e299) look.studio_floor = lowest;
  PictureScene placed;
  add_stage(placed, run, first, look);
  return json_list(placed.planes, [](const PicturePlane& plane) {
    return fmt::format("{{\"point\":{},\"normal\":{},\"colour\":{}}}", json_vector(plane.point),
                       json_vector(plane.normal), json_vector(plane.colour));
  });
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
  return fmt::format("{{\"position\":{},\"target\":{},\"middle\":{},\"halfWidth\":{},\"size\":{}}}",
                     json_vector(camera.position), json_vector(camera.target),
                     json_vector(framing.camera.target), json_number(18 / camera.focal_length_mm),
                     json_number(framing.size));
}

}  // namespace talus::report
