// A run folder as a source of pictures: its scene, its frames, its bodies as meshes.
#pragma once

#include "core/error.h"
#include "dem/grain_shape.h"
#include "frames/frame.h"
#include "geometry/mesh.h"
#include "scene/scene.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <span>
#include <vector>

namespace talus {

struct FrameEntry {
  std::uint64_t index = 0;
  std::filesystem::path path;
};

/// A body of the scene, ready to be placed.
struct BodyMesh {
  std::string name;
  Mesh mesh;  ///< about the centre of mass, along the shape's axes
  Vec3f colour{};
  bool one_sided = false;
  bool moves = false;
  Posed pose;  ///< at the start
};

struct Floor {
  std::string name;
  Posed pose;  ///< the plane is local z = 0
  Vec3f colour{};
};

struct RunSource {
  std::filesystem::path folder;
  bool detail = false;  ///< frames are those of detail/
  Scene scene;
  std::vector<FrameEntry> frames;  ///< ascending
  std::vector<BodyMesh> bodies;
  std::vector<Floor> floors;
  std::vector<GrainShape> shapes;  ///< of grains, one for each material; none for continuum sand
};

/// The frames that are there now, ascending; a run that is being written gets more.
std::vector<FrameEntry> list_run_frames(const std::filesystem::path& folder, bool detail);

/// The scene of a run folder, its bodies and grain shapes, without any frames: for who waits for
/// them.
Result<RunSource> open_run_stage(const std::filesystem::path& folder, bool detail);

/// `detail` takes the frames of detail/ instead of frames/. Explains what is missing: the folder,
/// its scene, its frames.
Result<RunSource> open_run_source(const std::filesystem::path& folder, bool detail);

/// Bodies as meshes and floors.
Status add_body_meshes(std::span<const SceneBody> bodies, RunSource& source);
/// A scene without a run: for the live view, tests and previews.
Result<RunSource> make_scene_source(Scene scene);

}  // namespace talus
