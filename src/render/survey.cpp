#include "render/survey.h"

#include "render/force_chains.h"

#include <algorithm>

namespace talus {

namespace {

constexpr std::size_t frames_looked_at = 7;
constexpr std::size_t points_per_frame = 20'000;

Box3d bounds_of(const BodyMesh& body, const Posed& pose) {
  Box3d box;
  for (const Vec3f& v : body.mesh.vertices) box.include(pose.to_world(Vec3d(v)));
  return box;
}

void add_corners(const Box3d& box, std::vector<Vec3f>& out) {
  for (int i = 0; i < 8; ++i)
    out.push_back(Vec3f(Vec3d{(i & 1) != 0 ? box.upper.x : box.lower.x,
                              (i & 2) != 0 ? box.upper.y : box.lower.y,
                              (i & 4) != 0 ? box.upper.z : box.lower.z}));
}

/// Adds some of the numbers that will be shown as colours.
Status add_values(const FrameFile& frame, const RunSource& run, const std::string& field,
                  std::vector<float>& values, Survey& out, const Executor& executor) {
  const auto add = [&](const std::vector<float>& all) {
    const std::size_t stride = all.size() / points_per_frame + 1;
    for (std::size_t i = 0; i < all.size(); i += stride) values.push_back(all[i]);
  };
  if (field == force_chains_name) {
    const auto chains = read_force_chains(frame, run, executor);
    if (!chains) return chains.error();
    add(chains->strength);
    return {};
  }
  const auto shown = read_field_values(FrameFields(frame), field, run.scene.up, executor);
  if (!shown) return shown.error();
  out.categories = shown->categories;
  add(shown->values);
  return {};
}

}  // namespace

Result<Survey> survey_run(const RunSource& run, const std::string& field,
                          const Executor& executor) {
  Survey out;
  out.lowest = 1e300;
  std::vector<float> values;
  const std::size_t count = std::min(frames_looked_at, run.frames.size());
  for (std::size_t k = 0; k < count; ++k) {
    const std::size_t index = count == 1 ? 0 : k * (run.frames.size() - 1) / (count - 1);
    const auto frame = FrameFile::open(run.frames[index].path);
    if (!frame) return frame.error();
    const auto position = frame->read<Vec3f>("position", executor);
    if (!position) return position.error();
    out.most_particles = std::max(out.most_particles, frame->count());
    const std::size_t stride = position->size() / points_per_frame + 1;
    for (std::size_t i = 0; i < position->size(); i += stride) {
      const Vec3f& p = (*position)[i];
      if (!is_finite(p)) continue;
      out.points.push_back(p);
      out.lowest = std::min(out.lowest, static_cast<double>(p[run.scene.up]));
    }
    if (!field.empty())
      if (Status s = add_values(*frame, run, field, values, out, executor); !s) return s.error();
    for (const FrameBody& state : frame->info().bodies)
      for (const BodyMesh& body : run.bodies)
        if (body.name == state.name && body.moves)
          add_corners(bounds_of(body, state.state.pose), out.anchors);
  }
  for (const BodyMesh& body : run.bodies)
    if (!body.moves)
      out.lowest = std::min(out.lowest, bounds_of(body, body.pose).lower[run.scene.up]);
  if (out.lowest > 1e299) out.lowest = 0;
  out.range = robust_range(std::move(values));
  if (field == force_chains_name) out.range.lower = std::min(out.range.lower, 0.0);
  return out;
}

}  // namespace talus
