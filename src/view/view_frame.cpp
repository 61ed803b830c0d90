#include "view/view_frame.h"

#include "render/colour_map.h"
#include "render/detail_picture.h"
#include "render/grain_fields.h"

#include <algorithm>

namespace talus::view {

namespace {

void add_body_bounds(ViewFrame& frame) {
  for (const BodyMesh& body : frame.world->bodies) {
    if (!body.moves) continue;
    for (const FrameBody& state : frame.info.bodies)
      if (state.name == body.name)
        for (const Vec3f& v : body.mesh.vertices)
          frame.bounds.include(state.state.pose.to_world(Vec3d(v)));
  }
}

/// Light and depth are fitted to this box: a few grains far away must not spoil it.
void find_bounds(ViewFrame& frame) {
  constexpr std::size_t most = 20'000;
  const std::size_t stride = frame.sprites.size() / most + 1;
  std::vector<float> along[3];
  for (std::size_t i = 0; i < frame.sprites.size(); i += stride) {
    if (!is_finite(frame.sprites[i].centre)) continue;
    for (int axis = 0; axis < 3; ++axis) along[axis].push_back(frame.sprites[i].centre[axis]);
  }
  for (const Sprite& s : frame.sprites) frame.largest = std::max(frame.largest, s.radius);
  if (along[0].empty()) return;
  Vec3d lower, upper;
  for (int axis = 0; axis < 3; ++axis) {
    std::sort(along[axis].begin(), along[axis].end());
    const std::size_t n = along[axis].size(), cut = n / 400;
    const double low = double{along[axis][cut]}, high = double{along[axis][n - 1 - cut]};
    const double more = 0.25 * (high - low) + 2 * double{frame.largest};
    lower[axis] = std::max(double{along[axis].front()} - double{frame.largest}, low - more);
    upper[axis] = std::min(double{along[axis].back()} + double{frame.largest}, high + more);
  }
  frame.bounds.include(lower);
  frame.bounds.include(upper);
}

}  // namespace

Result<std::shared_ptr<ViewFrame>> make_view_frame(const FieldSource& source, FrameInfo info,
                                                   std::shared_ptr<const RunSource> world,
                                                   const ViewRequest& request,
                                                   const Executor& executor) {
  auto out = std::make_shared<ViewFrame>();
  out->fields = shown_fields(source);
  const bool known =
      std::find(out->fields.begin(), out->fields.end(), request.field) != out->fields.end();
  const auto grains = read_grain_fields(source, world->scene, world->shapes,
                                        {false, known ? request.field : ""}, executor);
  if (!grains) return grains.error();
  out->world = std::move(world);
  out->info = std::move(info);
  out->particles = source.count();
  const FieldValues& shown = grains->shown;
  if (known) {
    out->field = request.field;
    out->title = shown.title;
    out->categories = shown.categories;
    if (!shown.categories) out->range = robust_range(shown.values);
  }
  const GrainPlaces places(*grains, out->world->scene, request.grains_per_particle);
  out->sprites.resize(places.count());
  executor.for_each(grains->position.size(), [&](std::size_t i) {
    const float value = shown.values.empty() ? 0 : shown.values[i];
    for (std::uint32_t k = 0; k < places.parts(); ++k) {
      const PictureSphere sphere = places.sphere(i, k);
      const PaintedGrain colour =
          shown.categories ? paint(category_colour(static_cast<std::uint64_t>(value)))
                           : natural_paint(*grains, out->info.materials, i, k);
      out->sprites[i * places.parts() + k] = {sphere.centre, sphere.radius, colour, value};
    }
  });
  find_bounds(*out);
  add_body_bounds(*out);
  return out;
}

namespace {

Result<std::shared_ptr<ViewFrame>> load_detail(const FrameEntry& entry,
                                               std::shared_ptr<const RunSource> world,
                                               const ViewRequest& request,
                                               const Executor& executor) {
  FramePicture picture;
  auto info = load_detail_grains(*world, entry.index, FrameLook{}, picture, executor);
  if (!info) return info.error();
  auto out = std::make_shared<ViewFrame>();
  out->world = std::move(world);
  out->info = std::move(*info);
  out->particles = picture.spheres.size();
  out->fields = {"height"};
  const int up = out->world->scene.up;
  out->sprites.resize(picture.spheres.size());
  executor.for_each(out->sprites.size(), [&](std::size_t i) {
    const PictureSphere& s = picture.spheres[i];
    out->sprites[i] = {s.centre, s.radius, picture.paint[i], s.centre[up]};
  });
  find_bounds(*out);
  add_body_bounds(*out);
  if (request.field == "height") {
    out->field = "height";
    out->title = "height  m";
    out->range = {out->bounds.lower[up], out->bounds.upper[up]};
  }
  return out;
}

}  // namespace

Result<std::shared_ptr<ViewFrame>> load_view_frame(const FrameEntry& entry,
                                                   std::shared_ptr<const RunSource> world,
                                                   const ViewRequest& request,
                                                   const Executor& executor) {
  if (world->detail) return load_detail(entry, std::move(world), request, executor);
  const auto frame = FrameFile::open(entry.path);
  if (!frame) return frame.error();
  return make_view_frame(FrameFields(*frame), frame->info(), std::move(world), request, executor);
}

}  // namespace talus::view
