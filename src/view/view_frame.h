// What the window shows at one instant, ready to be drawn: one vertex for each sphere, made on
// whichever thread has the particles, drawn by the thread that has the window.
#pragma once

#include "core/error.h"
#include "core/parallel.h"
#include "geometry/distance.h"
#include "render/field_source.h"
#include "render/field_values.h"
#include "render/picture.h"
#include "render/run_source.h"

#include <memory>
#include <string>
#include <vector>

namespace talus::view {

/// A vertex as it is uploaded. Both colours are in it, so that the window switches between them, and
/// changes map and range, without touching the particles again.
struct Sprite {
  Vec3f centre;
  float radius;
  PaintedGrain paint;  ///< natural, or that of a category
  float value;         ///< of the field shown
};
static_assert(sizeof(Sprite) == 24);

struct ViewFrame {
  std::shared_ptr<const RunSource> world;  ///< scene, meshes of bodies, floors
  FrameInfo info;
  std::vector<Sprite> sprites;
  std::size_t particles = 0;
  std::string field;               ///< that `value` belongs to; empty: none
  std::string title;               ///< "speed  m/s"
  ValueRange range;                ///< of the values, without outliers
  bool categories = false;         ///< colours have no order and are in `paint`
  std::vector<std::string> fields; ///< that could be shown
  Box3d bounds;                    ///< of nearly all sprites and of bodies that move
  float largest = 0;               ///< m, radius
};

/// What the window wants to see.
struct ViewRequest {
  std::string field;              ///< empty: natural colours
  int grains_per_particle = 1;

  friend bool operator==(const ViewRequest&, const ViewRequest&) = default;
};

/// A field that the source does not have leaves the colours natural.
Result<std::shared_ptr<ViewFrame>> make_view_frame(const FieldSource& source, FrameInfo info,
                                                   std::shared_ptr<const RunSource> world,
                                                   const ViewRequest& request,
                                                   const Executor& executor);

/// A stored frame, of fine grains when the world is that of detail/.
Result<std::shared_ptr<ViewFrame>> load_view_frame(const FrameEntry& entry,
                                                   std::shared_ptr<const RunSource> world,
                                                   const ViewRequest& request,
                                                   const Executor& executor);

}  // namespace talus::view
