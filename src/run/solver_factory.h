// Which solver a scene gets: the one place that knows them all.
#pragma once

#include "bodies/body.h"
#include "core/error.h"
#include "core/parallel.h"
#include "scene/scene.h"
#include "solver/solver.h"

#include <functional>
#include <memory>
#include <vector>

namespace talus {

/// Makes a solver that reads `bodies` (their states are set before each step) and writes their
/// loads. Scene, bodies and executor outlive the solver.
using SolverFactory = std::function<Result<std::unique_ptr<Solver>>(
    const Scene& scene, std::vector<Body>& bodies, const Executor& executor)>;

Result<std::unique_ptr<Solver>> make_solver(const Scene& scene, std::vector<Body>& bodies,
                                            const Executor& executor);

}  // namespace talus
