// A stored frame -> a PictureScene that owns its grains and rods.
#pragma once

#include "render/colour_map.h"
#include "render/field_values.h"
#include "render/picture.h"
#include "render/run_source.h"

#include <optional>
#include <string>
#include <vector>

namespace talus {

struct FieldColours {
  std::string field;  ///< or force_chains_name
  ColourMap map{"dune"};
  ValueRange range;

  PaintedGrain operator()(float value, bool category) const;
};

/// How frames are turned into pictures; the same for all frames of a film.
struct FrameLook {
  int grains_per_particle = 1;  ///< > 1: each particle is drawn as that many small grains
  std::optional<FieldColours> colours;
  std::vector<std::string> hidden, glass;  ///< names of bodies
  double size = 1;                         ///< m, extent of the action
  std::optional<double> studio_floor;      ///< m along up: a floor where the scene has none
  bool velocities = false;                 ///< needed for motion blur
};

/// `scene` refers to the other members and to the meshes of the RunSource, which must stay.
struct FramePicture {
  double time = 0;
  std::vector<PictureSphere> spheres;
  std::vector<PaintedGrain> paint;
  std::vector<std::uint32_t> texture;
  std::vector<Vec3f> velocity;
  std::vector<PictureRod> rods;
  std::vector<PaintedGrain> rod_paint;
  PictureScene scene;
  std::string title;  ///< of the field shown, with its unit
};

Result<FramePicture> load_frame_picture(const RunSource& run, const FrameEntry& entry,
                                        const FrameLook& look, const Executor& executor);

/// Bodies where the frame has them, and floors.
void add_stage(PictureScene& scene, const RunSource& run, const FrameInfo& info,
               const FrameLook& look);

/// Sun and sky as the scene wants them; white for pictures coloured by a field.
Lighting scene_lighting(const Scene& scene, bool white);

}  // namespace talus
