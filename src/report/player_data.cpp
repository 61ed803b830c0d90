#include "report/player_data.h"

#include "render/colour_map.h"
#include "render/grain_fields.h"
#include "report/json_text.h"
#include "report/page.h"
#include "report/stage.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace talus::report {

namespace {

/// Rather fewer particles than a film that stutters.
constexpr std::size_t frames_worth_more = 40;
constexpr int map_colours = 17;

std::string script_element(std::string_view kind, const std::string& text) {
  return fmt::format("<script type=\"application/octet-stream\" class=\"{}\">{}</script>\n", kind,
                     text);
}

Status append(AtomicFile& file, std::string_view text) {
  return file.append(std::as_bytes(std::span(text)));
}

/// In a periodic world a particle that moves farther than this has left on one side and entered on
/// the other.
double longest_way(const Scene& scene) {
  double shortest = std::numeric_limits<double>::infinity();
  for (int axis = 0; axis < 3; ++axis)
    if (scene.periodic[static_cast<std::size_t>(axis)])
      shortest = std::min(shortest, scene.domain_upper[axis] - scene.domain_lower[axis]);
  return std::isfinite(shortest) ? 0.5 * shortest : 1e9;
}

}  // namespace

PlayerData::PlayerData(RunSource run, const Manifest& manifest, const CloudLimits& limits)
    : run_(std::move(run)), limits_(limits), filter_(0, 0, 1) {
  for (const ManifestFrame& frame : manifest.frames) {
    most_ = std::max(most_, frame.particles);
    sum_ += frame.particles;
  }
  const std::size_t shown =
      std::clamp<std::size_t>(most_, 1, std::max<std::size_t>(limits.spheres, 1));
  const std::size_t count =
      std::min(limits.frames, std::max(limits.sphere_frames / shown, frames_worth_more));
  run_.frames.clear();
  for (const std::size_t k : spread_evenly(manifest.frames.size(), count)) {
    const std::uint64_t index = manifest.frames[k].index;
    run_.frames.push_back({index, frame_path(run_.folder, index)});
  }
}

void PlayerData::skip(const Error& error, std::vector<std::string>& notes) {
  notes.push_back(error.message + "; the player skips this frame");
  ++damaged_;
}

/// Where the action is. When a frame is damaged, all are tried, and those that can be read remain.
void PlayerData::survey(std::vector<std::string>& notes, const Executor& executor) {
  auto survey = survey_run(run_, "", executor);
  if (!survey) {
    std::erase_if(run_.frames, [&](const FrameEntry& entry) {
      const auto frame = FrameFile::open(entry.path);
      const auto position = frame ? frame->read<Vec3f>("position", executor)
                                  : Result<std::vector<Vec3f>>(frame.error());
      if (!position) skip(position.error(), notes);
      return !position;
    });
    survey = survey_run(run_, "", executor);
  }
  if (survey) survey_ = std::move(*survey);
}

/// How many particles are taken, and how finely their places are kept.
void PlayerData::measure(const Executor& executor) {
  std::uint64_t highest = 0;
  double radius = 0;
  if (const auto frame = FrameFile::open(run_.frames.back().path)) {
    // Ids count up, so the last frame tells how many particles there have been in all.
    if (const auto ids = frame->read<std::uint64_t>("id", executor); ids && !ids->empty())
      highest = ids->back();
    if (const auto radii = frame->read<float>("radius", executor); radii && !radii->empty())
      radius = double{*std::min_element(radii->begin(), radii->end())};
  }
  std::size_t parts = 1;
  for (const GrainShape& shape : run_.shapes) parts = std::max(parts, shape.balls.size());
  const std::size_t limit = std::min(limits_.spheres, limits_.sphere_frames / run_.frames.size());
  filter_ = IdFilter(most_, std::min(highest + 1, std::max(sum_, most_)),
                     std::max<std::size_t>(limit / parts, 1));
  grid_ = grid_around(survey_.points, radius / std::cbrt(std::max(filter_.share(), 1e-9)));
}

Result<PlayerData::Encoded> PlayerData::encode(const FrameEntry& entry, const Executor& executor) {
  const auto frame = FrameFile::open(entry.path);
  if (!frame) return frame.error();
  const auto thinned = ThinnedFields::open(*frame, filter_, executor);
  if (!thinned) return thinned.error();
  const auto grains = read_grain_fields(*thinned, run_.scene, run_.shapes, {true, ""}, executor);
  if (!grains) return grains.error();
  const GrainPlaces places(*grains, run_.scene, 1);
  std::vector<CloudSphere> spheres(grains->position.size());
  executor.for_each(spheres.size(), [&](std::size_t i) {
    const PictureSphere sphere = places.sphere(i, 0);
    spheres[i] = {grains->id[i], sphere.centre, sphere.radius,
                  grains->velocity.empty() ? 0 : norm(grains->velocity[i]),
                  natural_paint(*grains, frame->info().materials, i, 0)};
  });
  auto text = packed_text(encoder_->encode(spheres));
  if (!text) return text.error();
  return Encoded{frame->info(), std::move(*text)};
}

Status PlayerData::write_frames(AtomicFile& file, std::vector<std::string>& notes,
                                const Executor& executor) {
  survey(notes, executor);
  if (run_.frames.empty()) return {};
  measure(executor);
  encoder_.emplace(grid_);
  for (const FrameEntry& entry : run_.frames) {
    auto encoded = encode(entry, executor);
    if (!encoded) {
      skip(encoded.error(), notes);
      continue;
    }
    if (Status s = append(file, script_element("frame", encoded->text)); !s) return s;
    infos_.push_back(std::move(encoded->info));
  }
  const std::vector<float>& radii = encoder_->radii();
  const std::vector<std::uint8_t>& paint = encoder_->paint();
  std::vector<std::byte> bytes(radii.size() * sizeof(float) + paint.size());
  if (!radii.empty()) {
    std::memcpy(bytes.data(), radii.data(), radii.size() * sizeof(float));
    std::memcpy(bytes.data() + radii.size() * sizeof(float), paint.data(), paint.size());
  }
  const auto text = packed_text(bytes);
  if (!text) return text.error();
  return append(file, script_element("spheres", *text));
}

Result<std::string> PlayerData::json() const {
  if (infos_.empty()) return std::string("null");
  const auto bodies = bodies_json(run_, infos_);
  if (!bodies) return bodies.error();
  Vec3d up{};
  up[run_.scene.up] = 1;
  std::vector<Vec3f> map;
  const ColourMap colours("dune");
  for (int i = 0; i < map_colours; ++i)
    map.push_back(colours(static_cast<float>(i) / (map_colours - 1)));
  std::string out = fmt::format(
      "{{\"up\":{},\"sun\":{},\"lower\":{},\"step\":{:.9g},\"jump\":{},\"spheres\":{},",
      json_vector(up), json_vector(run_.scene.render.sun_direction), json_vector(grid_.lower),
      grid_.step, json_number(longest_way(run_.scene)), spheres());
  out += fmt::format("\"bumps\":{},\"highSpeed\":{},",
                     run_.scene.solver == SolverKind::sph ? 1.1 : 0.35,
                     json_number(double{encoder_->high_speed()}));
  out += "\"frames\":" + json_list(infos_, [](const FrameInfo& info) {
           return fmt::format("{{\"index\":{},\"time\":{}}}", info.index, json_number(info.time));
         });
  out += ",\"materials\":" + json_list(infos_.front().materials, [](const FrameMaterial& m) {
           return fmt::format("{{\"name\":{},\"colour\":\"{}\"}}", json_string(m.name),
                              css_colour(m.colour));
         });
  out += ",\"map\":" + json_list(map, [](const Vec3f& c) {
           return json_string(css_colour({c.x, c.y, c.z}));
         });
  return out + fmt::format(",\"camera\":{},\"ground\":{},\"bodies\":{}}}",
                           camera_json(run_, survey_),
                           ground_json(run_, infos_.front(), survey_.lowest), *bodies);
}

}  // namespace talus::report
