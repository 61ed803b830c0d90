// Bodies: distance queries, making of fields and surface samples, and what boundary handling costs
// a step of sand that a blade pushes.

#include "cases.h"
#include "core/random.h"
#include "geometry/mesh_distance.h"
#include "geometry/mesh_shapes.h"
#include "run/simulation.h"
#include "sampling/surface.h"
#include "scene/defaults.h"
#include "sph/sph_solver.h"

#include <algorithm>
#include <cmath>
#include <memory>

namespace talus {

namespace {

Mesh knot(bool quick) { return trefoil(1.0, 0.2, quick ? 100 : 1000, quick ? 20 : 50); }

Result<std::shared_ptr<const MeshField>> knot_field(bool quick) {
  Mesh mesh = knot(quick);
  const Box3d box = mesh.bounds();
  const double voxel = (box.upper.x - box.lower.x) / (quick ? 64 : 256);
  return MeshField::create(std::move(mesh), {voxel, 6 * voxel, "", false});
}

/// Points within a few voxels of the surface, ordered along it as particles are.
std::vector<Vec3f> points_near(const MeshField& field, std::size_t count) {
  std::vector<Vec3f> points;
  const auto reach = static_cast<float>(4 * field.blocks().voxel);
  const Mesh& mesh = field.mesh();
  for (std::size_t i = 0; i < count; ++i) {
    const auto r = random_floats(5, i, Purpose::test);
    points.push_back(mesh.vertices[i * mesh.vertices.size() / count] +
                     reach * Vec3f{2 * r[0] - 1, 2 * r[1] - 1, 2 * r[2] - 1});
  }
  return points;
}

/// ns per query, in batches as long as the whole and one by one, on one thread.
Result<BenchRun> query_run(const std::shared_ptr<const DistanceField>& field,
                           std::vector<Vec3f> points) {
  const auto held = std::make_shared<const std::vector<Vec3f>>(std::move(points));
  return BenchRun([field, held] {
    std::vector<DistanceSample> out(held->size());
    BenchSample sample;
    sample.particles = held->size();
    const double start = seconds_now();
    field->sample(*held, out);
    sample.seconds = seconds_now() - start;
    const double middle = seconds_now();
    for (std::size_t i = 0; i < held->size(); ++i) out[i] = field->sample((*held)[i]);
    const double single = seconds_now() - middle;
    const double scale = 1e9 / static_cast<double>(held->size());
    sample.figures = {{"in batches", "ns/query", sample.seconds * scale},
                      {"one by one", "ns/query", single * scale}};
    return sample;
  });
}

Result<BenchRun> mesh_queries(const BenchContext& context) {
  const auto field = knot_field(context.quick);
  if (!field) return field.error();
  return query_run(*field, points_near(**field, context.quick ? 10000 : 400000));
}

Result<BenchRun> box_queries(const BenchContext& context) {
  const auto field = make_distance_field(default_shape(), 0.01);
  if (!field) return field.error();
  std::vector<Vec3f> points;
  for (std::size_t i = 0; i < (context.quick ? 10000u : 400000u); ++i) {
    const auto r = random_floats(6, i, Purpose::test);
    points.push_back({2 * r[0] - 1, 2 * r[1] - 1, 2 * r[2] - 1});
  }
  return query_run(*field, std::move(points));
}

Result<BenchRun> field_creation(const BenchContext& context) {
  return BenchRun([&context] {
    BenchSample sample;
    sample.particles = knot(context.quick).triangles.size();
    const double start = seconds_now();
    const auto field = knot_field(context.quick);
    sample.seconds = seconds_now() - start;
    TALUS_CHECK(field.ok(), "{}", field.ok() ? "" : field.error().message);
    sample.bytes_per_particle = static_cast<double>((*field)->blocks().memory_bytes()) /
                                static_cast<double>(sample.particles);
    sample.figures = {{"creation", "s", sample.seconds}};
    return sample;
  });
}

Result<BenchRun> surface_sampling(const BenchContext& context) {
  Shape ball = default_shape();
  ball.kind = ShapeKind::sphere;
  ball.radius = 0.5;
  const auto field = make_distance_field(ball, 0.01);
  if (!field) return field.error();
  return BenchRun([field = *field, &context] {
    BenchSample sample;
    const double start = seconds_now();
    const auto made = sample_surface(*field, context.quick ? 0.05 : 0.0057, 1, context.executor);
    sample.seconds = seconds_now() - start;
    TALUS_CHECK(made.ok(), "{}", made.ok() ? "" : made.error().message);
    sample.particles = made->points.size();
    sample.figures = {{"sampling", "s", sample.seconds}};
    return sample;
  });
}

/// A blade pushes sand over a plane.
Scene push_scene(double spacing) {
  Scene scene = default_scene();
  scene.gravity = {0, 0, -9.81};
  scene.duration = 1000;
  scene.sph.spacing = spacing;
  Material sand = default_material();
  sand.density = 1600;
  sand.friction = std::tan(0.58);
  scene.materials = {sand};
  Fill heap = default_fill();
  heap.name = "heap";
  heap.shape.size = {0.8, 0.9, 0.2};
  heap.shape.pose.position = {0.45, 0, 0.1};
  scene.fills = {heap};
  SceneBody ground = default_body();
  ground.name = "ground";
  ground.shape.kind = ShapeKind::plane;
  SceneBody blade = default_body();
  blade.name = "blade";
  blade.shape.size = {0.06, 1.1, 0.42};
  blade.shape.pose.position = {0, 0, 0.21};
  blade.motion = SceneMotion::scripted;
  blade.velocity = {0.8, 0, 0};
  scene.bodies = {ground, blade};
  return scene;
}

/// The same particles without any body, for as many steps.
double seconds_without_bodies(const Simulation& simulation, std::uint64_t steps, double dt,
                              const Executor& executor) {
  std::vector<Body> none;
  auto solver = make_sph_solver(simulation.scene(), none, executor);
  TALUS_CHECK(solver.ok(), "{}", solver.ok() ? "" : solver.error().message);
  const ParticleStore& store = simulation.particles();
  const auto field = [&]<class T>(const char* name, T) {
    return store[Field<T>{static_cast<std::uint32_t>(store.find(name))}];
  };
  (*solver)->add({field("position", Vec3f{}),
                  field("velocity", Vec3f{}),
                  field("id", std::uint64_t{}),
                  field("material", std::uint32_t{}),
                  {}});
  const auto step = [&] {
    const auto report = (*solver)->step(dt);
    TALUS_CHECK(report.ok(), "{}", report.ok() ? "" : report.error().message);
  };
  step();
  const double start = seconds_now();
  for (std::uint64_t k = 0; k < steps; ++k) step();
  return seconds_now() - start;
}

Result<BenchRun> pushed_sand(const BenchContext& context) {
  auto made = Simulation::create(push_scene(context.quick ? 0.05 : 0.016), context.executor);
  if (!made) return made.error();
  std::shared_ptr<Simulation> simulation = std::move(*made);
  while (simulation->time() < (context.quick ? 0.02 : 0.3))
    if (auto report = simulation->step(); !report) return report.error();
  return BenchRun([simulation, &context] {
    simulation->timers().reset();
    BenchSample sample;
    sample.particles = simulation->particles().size();
    sample.steps = context.quick ? 3 : 30;
    double simulated = 0;
    const double start = seconds_now();
    for (std::uint64_t k = 0; k < sample.steps; ++k) {
      const auto report = simulation->step();
      TALUS_CHECK(report.ok(), "{}", report.ok() ? "" : report.error().message);
      simulated += report->dt;
    }
    sample.seconds = seconds_now() - start;
    sample.phases = simulation->timers().phases();
    const double without = seconds_without_bodies(
        *simulation, sample.steps, simulated / static_cast<double>(sample.steps), context.executor);
    sample.figures = {{"added by bodies", "%", 100 * (sample.seconds / without - 1)}};
    return sample;
  });
}

}  // namespace

void register_body_cases(BenchRegistry& registry) {
  registry.add({"geometry/mesh-distance", "signed distance of a mesh, in batches and one by one",
                mesh_queries});
  registry.add({"geometry/box-distance", "the same of a box", box_queries});
  registry.add({"geometry/field-100k", "distance field of 100 K faces at 256^3", field_creation});
  registry.add({"sampling/surface-100k", "100 K particles on a sphere", surface_sampling});
  registry.add({"bodies/blade", "sand pushed by a blade: what boundary handling adds to a step",
                pushed_sand});
}

}  // namespace talus
