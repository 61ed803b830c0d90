// Continuum sand. See sph/README.md.
#pragma once

#include "bodies/body.h"
#include "core/parallel.h"
#include "scene/scene.h"
#include "solver/solver.h"
#include "sph/model.h"

#include <memory>
#include <vector>

namespace talus {

/// `bodies` is owned by the caller, who moves them between steps; the solver writes their loads.
Result<std::unique_ptr<Solver>> make_sph_solver(const Scene& scene, std::vector<Body>& bodies,
                                                const Executor& executor);

namespace sph {
/// For experiments with the numerical constants.
Result<std::unique_ptr<Solver>> make_solver(const Scene& scene, const ModelConstants& constants,
                                            std::vector<Body>& bodies, const Executor& executor);
}  // namespace sph

}  // namespace talus
