// What a job will do and take, found out before it starts.
#include "detail/cloud_file.h"
#include "detail/detail_job.h"
#include "detail/grain_samples.h"
#include "run/estimate.h"
#include "run/manifest.h"
#include "run/run_folder.h"
#include "scene/read_scene.h"

#include <cmath>

namespace talus::detail {

namespace fs = std::filesystem;

namespace {

// Measured on moving sand (docs/numerics.md): position, id and shade.
constexpr double disk_bytes_per_grain = 8.5, disk_bytes_velocity = 6;
// State with its pages, the frame that is being written, and what moves between tiles.
constexpr double memory_bytes_per_grain = 40;
constexpr double memory_bytes_per_particle = 300;
constexpr std::uint64_t memory_beside = std::uint64_t{120} << 20;

Status check_frames(const fs::path& run, const Manifest& manifest, std::uint64_t last) {
  if (manifest.frames.empty())
    return work_error("{} has no frames yet; 'talus resume {}' goes on with a run that was stopped",
                      run.string(), run.string());
  for (const ManifestFrame& frame : manifest.frames) {
    if (frame.index > last) break;
    const fs::path path = frame_path(run, frame.index);
    std::error_code code;
    if (!fs::exists(path, code))
      return work_error(
          "frame {} is missing: there is no {}. Run the scene again, or give an "
          "earlier last frame with --frames",
          frame.index, path.string());
    if (const auto file = FrameFile::open(path); !file) return file.error();
  }
  return {};
}

/// Radius of the base particles: mean over the first frame that has any.
Result<double> mean_radius(const fs::path& run, const Manifest& manifest,
                           const Executor& executor) {
  for (const ManifestFrame& frame : manifest.frames) {
    if (frame.particles == 0) continue;
    const auto file = FrameFile::open(frame_path(run, frame.index));
    if (!file) return file.error();
    const auto radius = file->read<float>("radius", executor);
    if (!radius) return radius.error();
    double sum = 0;
    for (const float r : *radius) sum += static_cast<double>(r);
    return sum / static_cast<double>(radius->size());
  }
  return work_error("no frame of {} has a particle, so there is nothing to refine", run.string());
}

const char* name_of(DetailMethod m) {
  return m == DetailMethod::blend ? "blend" : m == DetailMethod::split ? "split" : "fixed";
}
const char* name_of(SparseRule r) {
  return r == SparseRule::support ? "support" : r == SparseRule::printed ? "printed" : "never";
}

std::string settings_text(const CloudSettings& c, const Manifest& manifest) {
  const DetailSettings& d = c.detail;
  return fmt::format(
      "factor {}, method {}, sampling {}, sparse rule {}, step {} s, interpolate every {}, "
      "separation {}, velocity {}, seed {}, base radius {} m, scene {:08x}",
      d.factor, name_of(d.method), d.sampling == DetailSampling::cubes ? "cubes" : "sphere",
      name_of(d.sparse_rule), d.time_step, d.interpolate_every, d.separation, d.write_velocity,
      c.seed, c.base_radius, manifest.scene_crc);
}

Status check_scene(const Scene& scene) {
  if (scene.detail.factor != std::floor(scene.detail.factor))
    return request_error("detail.factor is {}; it must be a whole number from 1 to {}",
                         scene.detail.factor, max_factor);
  if (scene.periodic[0] || scene.periodic[1] || scene.periodic[2])
    return request_error(
        "'{}' is periodic; 'talus detail' cannot follow grains across the seam "
        "yet, so it takes scenes with free or walled sides only",
        scene.name);
  return {};
}

Status check_running(const JobOptions& o, const Manifest& manifest, JobPlan& plan) {
  if (manifest.state != "running") return {};
  if (is_being_written(o.run)) {
    if (o.follow) return {};
    return request_error(
        "{} is still being written ({} of {} frames). Add --follow to make grains as its frames "
        "come, wait for it, or take what is there with --frames {}",
        o.run.string(), manifest.frames.size(), manifest.frames_total + 1,
        manifest.frames.empty() ? 0 : manifest.frames.back().index);
  }
  plan.notes.push_back(fmt::format("the run was stopped after {} of {} frames; refining those",
                                   manifest.frames.size(), manifest.frames_total + 1));
  return {};
}

void estimate(const JobOptions& o, const Manifest& manifest, JobPlan& plan) {
  const double factor = plan.cloud.detail.factor, slices = o.slices;
  double most = 0, all = 0;
  for (const ManifestFrame& frame : manifest.frames) {
    if (frame.index > o.last_frame) break;
    const auto n = static_cast<double>(frame.particles);
    most = std::max(most, n);
    all += n;
    ++plan.frames;
  }
  const double per_grain =
      disk_bytes_per_grain + (plan.cloud.detail.write_velocity ? disk_bytes_velocity : 0);
  plan.base_particles = static_cast<std::uint64_t>(most / slices);
  plan.grains = static_cast<std::uint64_t>(most * factor / slices);
  plan.disk_bytes = static_cast<std::uint64_t>(all * factor / slices * per_grain);
  const Room room = room_for(o.run);
  plan.disk_free = room.disk_bytes;
  plan.memory_limit = o.memory_bytes > 0 ? o.memory_bytes : room.memory_bytes * 6 / 10;
  const double beside = static_cast<double>(memory_beside) + memory_bytes_per_particle * most;
  const double grains_fit =
      (static_cast<double>(plan.memory_limit) - beside) / memory_bytes_per_grain;
  // Shares are whole blocks of particles; a block is the least that must fit.
  const double least = static_cast<double>(Share::block) * factor;
  plan.parts =
      static_cast<int>(std::ceil(static_cast<double>(plan.grains) / std::max(grains_fit, least)));
  plan.parts = std::max(plan.parts, 1);
  plan.memory_bytes = static_cast<std::uint64_t>(
      beside + memory_bytes_per_grain * static_cast<double>(plan.grains) / plan.parts);
}

Status check_plan(const JobOptions& o, const JobPlan& plan) {
  if (o.memory_bytes > 0 && plan.memory_bytes > 2 * o.memory_bytes)
    return request_error("--memory {} is too little: even the smallest share needs about {}",
                         human_bytes(o.memory_bytes), human_bytes(plan.memory_bytes));
  if (!o.force && plan.disk_free > 0 && plan.disk_bytes > plan.disk_free)
    return work_error(
        "{} grains over {} frames need about {} of disk, {} has {} free. Choose a smaller "
        "detail.factor or fewer frames (--frames), or start it all the same with --force",
        plan.grains, plan.frames, human_bytes(plan.disk_bytes), o.run.string(),
        human_bytes(plan.disk_free));
  return {};
}

}  // namespace

Result<JobPlan> plan_detail(const JobOptions& o, const Executor& executor) {
  if (o.slices < 1 || o.slice < 1 || o.slice > o.slices)
    return request_error("slice {}/{} does not exist; --slice takes k/n with k from 1 to n",
                         o.slice, o.slices);
  const auto manifest = read_manifest(o.run);
  if (!manifest) return manifest.error();
  JobPlan plan;
  auto scene = read_scene((o.run / "scene.toml").string(), o.overrides);
  if (!scene) return scene.error();
  plan.scene = std::move(*scene);
  if (Status s = check_scene(plan.scene); !s) return s.error();
  if (Status s = check_running(o, *manifest, plan); !s) return s.error();
  if (Status s = check_frames(o.run, *manifest, o.last_frame); !s) return s.error();
  const auto radius = mean_radius(o.run, *manifest, executor);
  if (!radius) return radius.error();
  plan.cloud = {plan.scene.detail, plan.scene.seed, *radius, plan.scene.gravity};
  plan.settings = settings_text(plan.cloud, *manifest);
  estimate(o, *manifest, plan);
  if (Status s = check_plan(o, plan); !s) return s.error();
  return plan;
}

}  // namespace talus::detail
