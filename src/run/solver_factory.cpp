#include "run/solver_factory.h"

#include "dem/dem_solver.h"
#include "sph/sph_solver.h"

namespace talus {

Result<std::unique_ptr<Solver>> make_solver(const Scene& scene, std::vector<Body>& bodies,
                                            const Executor& executor) {
  switch (scene.solver) {
    case SolverKind::sph: return make_sph_solver(scene, bodies, executor);
    case SolverKind::dem: return make_dem_solver(scene, bodies, executor);
  }
  return request_error("unknown solver");
}

}  // namespace talus
