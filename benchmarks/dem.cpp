// Grains: a settled dense bed, periodic in x and y, on a floor; grains x steps per second. The same
// bed as benchmarks/peers gives to LAMMPS, LIGGGHTS and Yade.

#include "bodies/body_world.h"
#include "cases.h"
#include "core/random.h"
#include "dem/dem_solver.h"
#include "scene/defaults.h"
#include "solver_steps.h"

#include <algorithm>
#include <cmath>
#include <memory>

namespace talus {

namespace {

struct GrainBed {
  explicit GrainBed(BodyWorld w) : world(std::move(w)) {}
  BodyWorld world;
  std::unique_ptr<Solver> solver;
};

struct BedKind {
  const char* shape;
  const char* tangential_law;
};

Scene bed_scene(const BedKind& kind, double side) {
  Scene scene = default_scene();
  scene.solver = SolverKind::dem;
  scene.gravity = {0, 0, -9.81};
  scene.dem.tangential_law = kind.tangential_law;
  Material m = default_material();
  m.grain_shape = kind.shape;
  m.grain_diameter = 0.01;
  m.grain_size_spread = 0;
  m.grain_density = 2500;
  m.young_modulus = 1e7;
  m.poisson_ratio = 0.25;
  m.restitution = 0.5;
  m.friction = 0.5;
  m.rolling_friction = 0;
  scene.materials = {m};
  scene.periodic = {true, true, false};
  scene.domain_upper = {side, side, 10};
  SceneBody floor = default_body();
  floor.name = "floor";
  floor.shape.kind = ShapeKind::plane;
  floor.friction = m.friction;
  floor.restitution = m.restitution;
  scene.bodies = {floor};
  return scene;
}

Result<std::shared_ptr<GrainBed>> empty_bed(const BedKind& kind, double side,
                                            const Executor& executor) {
  const Scene scene = bed_scene(kind, side);
  auto world = make_body_world(scene, executor, scene.materials[0].grain_diameter);
  if (!world) return world.error();
  auto bed = std::make_shared<GrainBed>(std::move(*world));
  auto solver = make_dem_solver(scene, bed->world.bodies(), executor);
  if (!solver) return solver.error();
  bed->solver = std::move(*solver);
  return bed;
}

constexpr int layers = 16, tile_across = 16;
constexpr double spacing = 0.01;

/// 16 x 16 x 16 grains fall on the floor and come to rest, periodic in x and y.
Result<std::shared_ptr<GrainBed>> settled_tile(const BedKind& kind, const Executor& executor) {
  auto bed = empty_bed(kind, tile_across * spacing, executor);
  if (!bed) return bed;
  std::vector<Vec3f> x, v;
  std::vector<std::uint64_t> id;
  std::vector<std::uint32_t> material;
  for (int k = 0; k < layers * tile_across * tile_across; ++k) {
    const auto at = [&](int n) { return static_cast<float>((n + 0.5) * spacing); };
    const auto r = random_floats(1, static_cast<std::uint64_t>(k), Purpose::test);
    x.push_back({at(k % tile_across), at(k / tile_across % tile_across),
                 at(k / tile_across / tile_across)});
    v.push_back({0.4f * (r[0] - 0.5f), 0.4f * (r[1] - 0.5f), -0.3f * r[2]});
    id.push_back(static_cast<std::uint64_t>(k));
    material.push_back(0);
  }
  (*bed)->solver->add({x, v, id, material, {}});
  for (constexpr double rest = 0.35; (*bed)->solver->time() < rest;)
    if (auto report = (*bed)->solver->step(rest - (*bed)->solver->time()); !report)
      return report.error();
  return bed;
}

/// Copies of a settled tile side by side, settled once more for a moment.
Result<std::shared_ptr<GrainBed>> make_bed(const BedKind& kind, int copies,
                                           const Executor& executor) {
  const auto tile = settled_tile(kind, executor);
  if (!tile) return tile.error();
  const int across = static_cast<int>(std::lround(std::sqrt(copies)));
  const double side = tile_across * spacing;
  auto bed = empty_bed(kind, across * side, executor);
  if (!bed) return bed;
  const ParticleStore& store = (*tile)->solver->particles();
  const auto at = store.values<Vec3f>("position"), speed = store.values<Vec3f>("velocity");
  const auto turn = store.values<Quatf>("rotation");
  std::vector<Vec3f> x, v;
  std::vector<Quatf> q;
  std::vector<std::uint64_t> id;
  for (int c = 0; c < across * across; ++c) {
    const Vec3f shift(Vec3d{c % across * side, c / across * side, 0});
    for (std::size_t i = 0; i < store.size(); ++i) {
      x.push_back(at[i] + shift);
      v.push_back(speed[i]);
      q.push_back(turn[i]);
      id.push_back(id.size());
    }
  }
  const std::vector<std::uint32_t> material(x.size(), 0);
  (*bed)->solver->add({x, v, id, material, {}, q});
  for (int k = 0; k < 200; ++k)
    if (auto report = (*bed)->solver->step(1.0); !report) return report.error();
  return bed;
}

std::function<Result<BenchRun>(const BenchContext&)> bed_case(const BedKind& kind, int copies) {
  return [kind, copies](const BenchContext& context) -> Result<BenchRun> {
    auto bed = make_bed(kind, context.quick ? 1 : copies, context.executor);
    if (!bed) return bed.error();
    return BenchRun([bed = *bed, &context] {
      Solver& solver = *bed->solver;
      // Long enough for lists to be made twice, whatever the size: they are part of the cost.
      const std::uint64_t steps =
          context.quick ? 20 : std::max<std::uint64_t>(250, 8'000'000 / solver.particles().size());
      std::uint64_t contacts = 0;
      BenchSample sample = time_steps(
          solver, steps, 1.0, [&](const StepReport& report) { contacts = report.contacts; });
      std::uint64_t rebuilds = 0;
      for (const Phase& phase : sample.phases)
        if (phase.name == "new lists") rebuilds = phase.calls;
      sample.figures = {{"contacts per grain", "1",
                         2 * static_cast<double>(contacts) / static_cast<double>(sample.particles)},
                        {"new lists", "1", static_cast<double>(rebuilds)}};
      return sample;
    });
  };
}

constexpr BedKind tetrahedra{"clump4", "viscous"};
constexpr BedKind spheres{"sphere", "mindlin"};

}  // namespace

void register_dem_cases(BenchRegistry& registry) {
  registry.add({"dem/clumps-4k", "settled bed of 4 K tetrahedral grains (16 K spheres)",
                bed_case(tetrahedra, 1)});
  registry.add({"dem/clumps-16k", "settled bed of 16 K tetrahedral grains (64 K spheres)",
                bed_case(tetrahedra, 4)});
  registry.add({"dem/clumps-64k", "settled bed of 64 K tetrahedral grains (256 K spheres)",
                bed_case(tetrahedra, 16)});
  registry.add({"dem/clumps-256k", "settled bed of 256 K tetrahedral grains (1 M spheres)",
                bed_case(tetrahedra, 64)});
  registry.add({"dem/spheres-64k", "settled bed of 64 K spheres, stored displacement",
                bed_case(spheres, 16)});
}

}  // namespace talus
