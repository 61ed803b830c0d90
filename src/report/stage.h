// What stands around the particles in the player: bodies, ground, camera, light.
#pragma once

#include "core/error.h"
#include "geometry/mesh.h"
#include "render/run_source.h"
#include "render/survey.h"

#include <span>
#include <string>

namespace talus::report {

/// At most `triangles` of them: vertices that share a cell of a grid become one.
Mesh simplified(const Mesh& mesh, std::size_t triangles);

// All of the following is JSON, for player.js.

/// Bodies with their shapes; `infos` are the frames of the player, for the poses of those that
/// move.
Result<std::string> bodies_json(const RunSource& run, std::span<const FrameInfo> infos);
/// Floors as they are in the first frame, or one below everything.
std::string ground_json(const RunSource& run, const FrameInfo& first, double lowest);
/// The scene's first camera, or one that frames the action.
std::string camera_json(const RunSource& run, const Survey& survey);

}  // namespace talus::report
