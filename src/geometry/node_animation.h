// The motion of a node of a scene file (glTF, FBX, ...) as rigid poses over time.
#pragma once

#include "core/error.h"
#include "math/quat.h"

#include <string>
#include <vector>

namespace talus {

struct NodePose {
  double time = 0;  ///< s
  Posed pose;       ///< node to the axes of the file, m
};

struct NodeAnimation {
  std::string node;
  std::vector<NodePose> poses;  ///< in ascending order of time; between them, linear
  Posed rest;                   ///< pose of the node outside of the animation
};

/// The first animation that moves `node`, or one of those above it; an empty name means the first
/// node that is animated. Refuses, with the names there are, a node that is not there or does not
/// move, and one that changes its size, which a rigid body cannot.
/// @param scale metres per unit of the file
Result<NodeAnimation> read_node_animation(const std::string& path, const std::string& node,
                                          double scale);

}  // namespace talus
