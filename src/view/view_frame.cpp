#include "view/view_frame.h"

#include "render/colour_map.h"
#include "render/detail_grains.h"
#include "render/grain_fields.h"

#include <algorithm>
#include <cmath>

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
  out->request = request;
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
      const PaintedGrain colour = shown.categories && std::isfinite(value)
                                      ? paint(category_colour(static_cast<std::uint64_t>(value)))
                                      : natural_paint(*grains, out->info.materials, i, k);
      out->sprites[i * places.parts() + k] = {sphere.centre, sphere.radius, colour, value};
    }
  });
  find_bounds(*out);
  add_body_bounds(*out);
  return out;
}

namespace {

void add_sprites(ViewFrame& out, const DetailGrains& grains, const Executor& executor) {
  const FieldValues& shown = grains.shown;
  const std::size_t first = out.sprites.size();
  out.sprites.resize(first + grains.position.size());
  executor.for_each(grains.position.size(), [&](std::size_t i) {
    const PictureSphere sphere = grains.sphere(i);
    const float value = shown.values.empty() ? 0 : shown.values[i];
    const PaintedGrain colour = shown.categories && std::isfinite(value)
                                    ? paint(category_colour(static_cast<std::uint64_t>(value)))
                                    : grains.natural_paint(i);
    out.sprites[first + i] = {sphere.centre, sphere.radius, colour, value};
  });
  out.title = shown.title;
  out.categories = shown.categories;
}

/// Between the values of a sample of the sprites.
ValueRange sampled_range(const std::vector<Sprite>& sprites) {
  constexpr std::size_t most = 200'000;
  std::vector<float> values;
  for (std::size_t i = 0; i < sprites.size(); i += sprites.size() / most + 1)
    values.push_back(sprites[i].value);
  return robust_range(std::move(values));
}

Result<std::shared_ptr<ViewFrame>> load_detail(const FrameEntry& entry,
                                               std::shared_ptr<const RunSource> world,
                                               const ViewRequest& request,
                                               const Executor& executor) {
  auto out = std::make_shared<ViewFrame>();
  out->request = request;
  out->fields = detail_fields(*world, entry.index);
  const bool known =
      std::find(out->fields.begin(), out->fields.end(), request.field) != out->fields.end();
  auto info =
      read_detail_grains(*world, entry.index, {false, known ? request.field : ""}, executor,
                         [&](const DetailGrains& grains) { add_sprites(*out, grains, executor); });
  if (!info) return info.error();
  out->world = std::move(world);
  out->info = std::move(*info);
  out->particles = out->sprites.size();
  if (known) {
    out->field = request.field;
    if (!out->categories) out->range = sampled_range(out->sprites);
  }
  find_bounds(*out);
  add_body_bounds(*out);
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
