// Grains as rigid bodies: the solver `dem`.
#pragma once

#include "bodies/body.h"
#include "core/error.h"
#include "core/parallel.h"
#include "scene/scene.h"
#include "solver/solver.h"

#include <memory>
#include <vector>

namespace talus {

/// Reads `bodies` and writes their loads. Scene, bodies and executor outlive the solver.
Result<std::unique_ptr<Solver>> make_dem_solver(const Scene& scene, std::vector<Body>& bodies,
                                                const Executor& executor);

}  // namespace talus
