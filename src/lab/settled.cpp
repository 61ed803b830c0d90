#include "lab/settled.h"

#include "frames/atomic_file.h"
#include "frames/checkpoint.h"
#include "scene/write_scene.h"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>

namespace talus::lab {

namespace {

namespace fs = std::filesystem;

constexpr double seconds_between_saves = 60;

/// FNV-1a: tells scenes apart, not more.
std::uint64_t fingerprint(const std::string& text) {
  std::uint64_t h = 0xCBF29CE484222325ull;
  for (const char c : text) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001B3ull;
  return h;
}

Result<fs::path> cache_file(const LabContext& context, const Scene& scene,
                            const std::string& name) {
  std::error_code code;
  fs::create_directories(context.cache, code);
  if (code) return file_error("create folder", context.cache, code.value());
  return fs::path(context.cache) / fmt::format("{}-{:016x}.tal", name, fingerprint(to_toml(scene)));
}

Status save(const fs::path& path, const Simulation& simulation, const Executor& executor) {
  State state;
  simulation.save(state);
  return write_checkpoint(path, state, executor);
}

/// The scene in the state of the file; nothing when there is none of any use.
std::unique_ptr<Simulation> loaded(const LabContext& context, const fs::path& file,
                                   const Scene& scene) {
  std::error_code code;
  if (!fs::exists(file, code)) return nullptr;
  auto created = Simulation::create(scene, context.executor);
  if (!created) return nullptr;  // told by who makes it anew
  const auto state = read_checkpoint(file, context.executor);
  const Status status = state ? (*created)->load(*state) : Status(state.error());
  if (status) return std::move(*created);
  context.say(
      fmt::format("{} is of no use ({}); making it anew", file.string(), status.error().message));
  return nullptr;
}

}  // namespace

Error stopped() { return work_error("stopped; the same command goes on with what has settled"); }

double mean_speed(const Simulation& simulation) {
  const auto v = simulation.particles().values<Vec3f>("velocity");
  double sum = 0;
  for (const Vec3f& u : v) sum += double{norm(u)};
  return v.empty() ? 0 : sum / static_cast<double>(v.size());
}

double grain_speed(const Scene& scene) {
  return std::sqrt(norm(scene.gravity) * scene.materials[0].grain_diameter);
}

Result<std::unique_ptr<Simulation>> started(const LabContext& context, const std::string& file,
                                            const SceneOverrides& changes) {
  auto scene = read_scene(context.folder + "/" + file, changes);
  if (!scene) return scene.error();
  return Simulation::create(std::move(*scene), context.executor);
}

Status step_frame(Simulation& simulation) {
  do {
    if (Result<StepReport> report = simulation.step(); !report) return report.error();
  } while (!simulation.at_frame());
  return {};
}

Status run_to_end(const LabContext& context, Simulation& simulation, const std::string& name,
                  const std::function<void()>& look) {
  while (simulation.frame() < simulation.frame_count()) {
    if (context.stop()) return stopped();
    context.say(fmt::format("{}: {:.1f} of {:.1f} s", name, simulation.time(),
                            simulation.scene().duration));
    if (Status s = step_frame(simulation); !s) return s;
    if (look) look();
  }
  return {};
}

Result<std::unique_ptr<Simulation>> settled(const LabContext& context, const Scene& scene,
                                            const std::string& name, double rest_speed) {
  const auto file = cache_file(context, scene, name);
  if (!file) return file.error();
  std::unique_ptr<Simulation> created = loaded(context, *file, scene);
  if (!created) {
    auto fresh = Simulation::create(scene, context.executor);
    if (!fresh) return fresh.error();
    created = std::move(*fresh);
  }
  Simulation& simulation = *created;
  double last_save = seconds_now();
  while (simulation.frame() < simulation.frame_count()) {
    // The first fall has not begun when everything stands still.
    if (simulation.time() > 0.1 && mean_speed(simulation) < rest_speed) return created;
    if (context.stop()) return stopped();
    if (Status s = step_frame(simulation); !s) return s.error();
    context.say(fmt::format("{}: {:.2f} s, mean speed {:.2g} m/s (at rest below {:.2g})", name,
                            simulation.time(), mean_speed(simulation), rest_speed));
    const bool there =
        mean_speed(simulation) < rest_speed || simulation.frame() == simulation.frame_count();
    if (there || context.stop() || seconds_now() - last_save > seconds_between_saves) {
      if (Status s = save(*file, simulation, context.executor); !s) return s.error();
      last_save = seconds_now();
    }
  }
  return created;
}

Status come_to_rest(const LabContext& context, Simulation& simulation, const std::string& name,
                    double rest_speed) {
  while (simulation.frame() < simulation.frame_count() && !(mean_speed(simulation) < rest_speed)) {
    if (context.stop()) return stopped();
    if (Status s = step_frame(simulation); !s) return s;
    context.say(fmt::format("{}: {:.2f} s, mean speed {:.2g} m/s (at rest below {:.2g})", name,
                            simulation.time(), mean_speed(simulation), rest_speed));
  }
  return {};
}

Result<std::unique_ptr<Simulation>> kept(
    const LabContext& context, const Scene& scene, const std::string& name,
    const std::function<Result<std::unique_ptr<Simulation>>()>& make) {
  const auto file = cache_file(context, scene, name);
  if (!file) return file.error();
  if (auto found = loaded(context, *file, scene)) return found;
  auto made = make();
  if (!made) return made;
  if (Status s = save(*file, **made, context.executor); !s) return s.error();
  return made;
}

Result<std::unique_ptr<Simulation>> continued(const LabContext& context, const Simulation& from,
                                              Scene scene) {
  auto created = Simulation::create(std::move(scene), context.executor);
  if (!created) return created.error();
  State state;
  from.save(state);
  if (Status s = (*created)->load(state); !s) return s.error();
  return created;
}

Status side_by_side(const LabContext& context, std::size_t count,
                    FunctionRef<Status(const LabContext&, std::size_t)> run) {
  std::vector<Status> results(count);
  const Executor alone(1);
  const LabContext each{alone,        context.folder, context.cache,
                        context.full, context.say,    context.stop};
  context.executor.run_chunks(count, [&](std::size_t k) { results[k] = run(each, k); });
  for (Status& s : results)
    if (!s) return std::move(s);
  return {};
}

}  // namespace talus::lab
