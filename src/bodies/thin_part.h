// Where a mesh is thinner than the particles that it shall keep apart.
#pragma once

#include "geometry/mesh_distance.h"

#include <optional>

namespace talus {

/// How thin the solid is at its thinnest, m, when more than a twentieth of its surface has the
/// other side nearer than `spacing`; else nothing. Tips and edges of thick bodies are no reason to
/// complain; bounds would tell nothing about a bowl, or about a plate that stands askew.
std::optional<double> thin_part(const MeshField& field, double spacing);

}  // namespace talus
