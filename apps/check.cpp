// talus check SCENE: reads a scene and says everything that is wrong or doubtful about it.
#include "bodies/body_world.h"
#include "cli.h"
#include "run/fills.h"
#include "run/grain_scale.h"
#include "run/region.h"
#include "run/simulation.h"
#include "run/solver_factory.h"
#include "scene/estimate.h"
#include "scene/read_scene.h"
#include "scene/write_scene.h"
#include "verbs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <optional>

namespace talus {
namespace {

constexpr double count_by_placing = 3e5;  // particles

std::string count_text(double count) {
  if (count < 1e4) return fmt::format("{:.0f}", count);
  if (count < 1e6) return fmt::format("{:.1f} K", count / 1e3);
  return fmt::format("{:.1f} M", count / 1e6);
}

std::string particles_text(const Scene& scene, const std::optional<double>& at_start) {
  const ParticleEstimate estimate = estimate_particles(scene);
  std::string text = (at_start ? "" : "about ") + count_text(at_start.value_or(estimate.at_start)) +
                     " at the start";
  if (estimate.poured > 0) text += ", " + count_text(estimate.poured) + " poured";
  if (estimate.meshes_left_out) text += ", plus what fills meshes";
  return text;
}

void print_summary(const Scene& scene, const std::optional<double>& at_start) {
  const bool sph = scene.solver == SolverKind::sph;
  fmt::print("{}: ok\n", scene.file);
  fmt::print("  name       {}\n", scene.name);
  fmt::print("  solver     {}{}\n", sph ? "sph" : "dem",
             sph ? fmt::format(", spacing {} m", scene.sph.spacing) : std::string());
  fmt::print("  gravity    [{}, {}, {}] m/s^2, up is {}\n", scene.gravity.x, scene.gravity.y,
             scene.gravity.z, "xyz"[scene.up]);
  fmt::print("  time       {} s, {:.0f} frames\n", scene.duration,
             std::round(scene.duration * scene.frame_rate));
  fmt::print("  particles  {}\n", particles_text(scene, at_start));
  fmt::print("  contents   {} materials, {} fills, {} pours, {} sinks, {} bodies, {} joints\n",
             scene.materials.size(), scene.fills.size(), scene.pours.size(), scene.sinks.size(),
             scene.bodies.size(), scene.joints.size());
}

struct Checked {
  std::optional<double> at_start;  ///< particles, where they were counted
  std::vector<std::string> warnings;
};

/// What a solver says when it is made: files of grain shapes, laws, fields of frames. That of
/// continuum sand has nothing to say but takes long.
Status check_solver(const Scene& scene, std::vector<Body>& bodies, const Executor& executor,
                    std::vector<std::string>& warnings) {
  if (scene.solver != SolverKind::dem) return {};
  const auto solver = make_solver(scene, bodies, executor);
  if (!solver) return solver.error();
  if (Status status = check_output_fields(scene, **solver); !status.ok()) return status;
  for (const std::string& note : (*solver)->notes())
    warnings.push_back(fmt::format("{}: warning: {}", scene.file, note));
  return {};
}

/// What places nothing here, but has a mesh that may be no solid.
Status check_regions(const Scene& scene) {
  for (const Fill& fill : scene.fills) {
    const auto field =
        located_field(scene, fill.shape, fill.place, fmt::format("fill '{}'", fill.name),
                      particle_size(scene, fill.material));
    if (!field) return field.error();
  }
  for (const Sink& sink : scene.sinks)
    if (const auto region = Region::create(scene, sink); !region) return region.error();
  for (const Wetting& wetting : scene.wettings)
    if (const auto region = Region::create(scene, wetting); !region) return region.error();
  return {};
}

/// What only geometry tells: meshes that are no solids, bodies that start inside each other or,
/// where they may not carve it, inside material; how many particles find room, unless counting
/// would take longer than a reader waits.
Result<Checked> check_contents(const Scene& scene) {
  const Executor executor;
  Result<BodyWorld> world = make_body_world(scene, executor, finest_spacing(scene));
  if (!world) return world.error();
  if (const Status status = check_regions(scene); !status) return status.error();
  Checked checked{{}, world->warnings()};
  if (Status status = check_solver(scene, world->bodies(), executor, checked.warnings); !status)
    return status.error();
  const ParticleEstimate estimate = estimate_particles(scene);
  const bool soon = !estimate.meshes_left_out && estimate.at_start <= count_by_placing;
  const bool may_refuse = std::any_of(scene.bodies.begin(), scene.bodies.end(),
                                      [](const SceneBody& body) { return !body.carve; });
  if (!soon && !may_refuse) return checked;
  const auto filled = sample_fills(scene, world->bodies(), executor);
  if (!filled) return filled.error();
  checked.at_start = static_cast<double>(filled->particles.size());
  return checked;
}

/// Every size of the scene in a line; the exit code.
int check_sizes(const std::string& path, const SceneOverrides& overrides) {
  int code = 0;
  for (const std::string& size : scene_sizes(path)) {
    SceneOverrides with_size{"size=" + size};
    with_size.insert(with_size.end(), overrides.begin(), overrides.end());
    const Result<Scene> scene = read_scene(path, with_size);
    const Result<Checked> checked = scene ? check_contents(*scene) : scene.error();
    if (!checked) {
      code = report_error(checked.error());
      continue;
    }
    fmt::print("  --size {:<10} particles {}, {} s\n", size,
               particles_text(*scene, checked->at_start), scene->duration);
  }
  return code;
}

}  // namespace

int verb_check(VerbArguments args) {
  std::string path, size;
  SceneOverrides overrides;
  bool resolved = false;
  Cli cli("check", "read a scene and report everything that is wrong or doubtful");
  cli.word("SCENE", path, "scene file");
  cli.option("--size", size, "only this one of the scene's sizes; default the scene and all sizes");
  cli.option("--set", overrides, "change a key: sph.spacing=0.01, material.NAME.density=1600");
  cli.flag("--resolved", resolved, "print the complete scene, defaults included");
  cli.footer("exit code: 0 the scene can run (there may be warnings), 2 it cannot");
  if (const auto stop = cli.parse(args)) return *stop;

  if (!size.empty()) overrides.insert(overrides.begin(), "size=" + size);
  SceneWarnings warnings;
  const Result<Scene> scene = read_scene(path, overrides, &warnings);
  for (const std::string& warning : warnings) fmt::print(stderr, "{}\n", warning);
  if (!scene) return report_error(scene.error());
  const Result<Checked> checked = check_contents(*scene);
  if (!checked) return report_error(checked.error());
  for (const std::string& warning : checked->warnings) fmt::print(stderr, "{}\n", warning);
  if (resolved)
    fmt::print("{}", to_toml(*scene));
  else
    print_summary(*scene, checked->at_start);
  const bool one_size = std::any_of(overrides.begin(), overrides.end(), [](const std::string& set) {
    return set.starts_with("size=") || set.starts_with("size =");
  });
  return one_size || resolved ? 0 : check_sizes(path, overrides);
}

}  // namespace talus
