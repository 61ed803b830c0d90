// Continuum sand: a dense bed in a box, at rest and stirred; particles x steps per second.

#include "cases.h"
#include "core/random.h"
#include "scene/defaults.h"
#include "solver_steps.h"
#include "sph/sph_solver.h"

#include <cmath>
#include <memory>

namespace talus {

namespace {

struct Bed {
  std::vector<Body> bodies;
  std::unique_ptr<Solver> solver;
};

struct BedKind {
  int side;               ///< particles along each edge of the cube
  bool stirred;           ///< has a vortex
  bool three_passes;      ///< steps as long as three passes bear, instead of 1 ms
  bool sleeping = false;  ///< may rest, and has lain for a second
};

/// A cube of sand in a box with 20 % of room above.
Result<std::shared_ptr<Bed>> make_bed(const BedKind& kind, const Executor& executor) {
  const int side = kind.side;
  auto bed = std::make_shared<Bed>();
  const double a = 0.02, length = side * a;
  Scene scene = default_scene();
  scene.gravity = {0, 0, -9.81};
  scene.sph.spacing = a;
  scene.sph.time_step = 1e-3;
  if (kind.three_passes) scene.sph.max_iterations = 3;
  scene.sph.sleeping = kind.sleeping;
  Material sand = default_material();
  sand.density = 1600;
  sand.friction = std::tan(0.6);
  scene.materials = {sand};
  Body box;
  box.name = "box";
  box.shape = default_shape();
  box.shape.kind = ShapeKind::box;
  box.shape.size = {length, length, 1.2 * length};
  box.shape.inside_out = true;
  auto field = make_distance_field(box.shape, a);
  if (!field) return field.error();
  box.field = *field;
  box.state.pose.position = {0, 0, 0.6 * length};
  bed->bodies.push_back(std::move(box));
  auto solver = make_sph_solver(scene, bed->bodies, executor);
  if (!solver) return solver.error();
  bed->solver = std::move(*solver);

  std::vector<Vec3f> x, v;
  std::vector<std::uint64_t> id;
  std::vector<std::uint32_t> material;
  for (int k = 0; k < side * side * side; ++k) {
    const auto r = random_floats(1, static_cast<std::uint64_t>(k), Purpose::test);
    const auto at = [&](int n, float noise) {
      return static_cast<float>((n + 0.5 + 0.05 * (noise - 0.5)) * a);
    };
    const Vec3f p{at(k % side, r[0]) - static_cast<float>(length / 2),
                  at(k / side % side, r[1]) - static_cast<float>(length / 2),
                  at(k / side / side, r[2])};
    x.push_back(p);
    v.push_back(kind.stirred ? cross(Vec3f{0, 0, 2}, p) : Vec3f{});
    id.push_back(static_cast<std::uint64_t>(k));
    material.push_back(0);
  }
  bed->solver->add({x, v, id, material, {}});
  for (int k = 0; k < (kind.sleeping ? 1000 : 10); ++k)
    if (auto report = bed->solver->step(1e-3); !report) return report.error();
  return bed;
}

std::function<Result<BenchRun>(const BenchContext&)> bed_case(BedKind kind) {
  return [kind](const BenchContext& context) -> Result<BenchRun> {
    BedKind used = kind;
    if (context.quick) used.side = 20;
    auto bed = make_bed(used, context.executor);
    if (!bed) return bed.error();
    return BenchRun([bed = *bed, &context] {
      Solver& solver = *bed->solver;
      const std::uint64_t steps =
          context.quick ? 5 : std::max<std::uint64_t>(5, 3'000'000 / solver.particles().size());
      double passes = 0, simulated = 0;
      BenchSample sample = time_steps(solver, steps, 1e-3, [&](const StepReport& report) {
        passes += report.pressure_iterations;
        simulated += report.dt;
      });
      const auto count = static_cast<double>(steps);
      sample.figures = {{"passes of a step", "1", passes / count},
                        {"length of a step", "s", simulated / count}};
      return sample;
    });
  };
}

}  // namespace

void register_sph_cases(BenchRegistry& registry) {
  // Three passes of pressure and friction whatever the depth, so that sizes can be compared ...
  registry.add({"sph/bed-10k", "bed of 10 K particles", bed_case({22, false, true})});
  registry.add({"sph/bed-60k", "bed of 60 K particles", bed_case({39, false, true})});
  registry.add({"sph/bed-1m", "bed of 1 M particles", bed_case({100, false, true})});
  registry.add({"sph/stirred-60k", "flowing bed of 60 K particles: new neighbours every few steps",
                bed_case({39, true, true})});
  // ... and what a scene with the usual step has: the deeper, the more passes.
  registry.add(
      {"sph/ms-60k", "bed of 60 K particles, steps of 1 ms", bed_case({39, false, false})});
  registry.add({"sph/asleep-60k", "the same with sph.sleeping, a second after it was filled",
                bed_case({39, false, false, true})});
  registry.add({"sph/ms-1m", "bed of 1 M particles, steps of 1 ms", bed_case({100, false, false})});
}

}  // namespace talus
