#include "run/runner.h"

#include "core/timer.h"
#include "run/run_folder.h"

namespace talus {

namespace {

class Run {
 public:
  Run(RunFolder& folder, Simulation& simulation, const RunOptions& options,
      const Executor& executor)
      : folder_(folder),
        simulation_(simulation),
        options_(options),
        executor_(executor),
        printer_(options.progress, options.out),
        last_frame_(folder.manifest().frames_total) {}

  void announce();
  Result<RunEnd> go(bool resumed);

 private:
  void tell_notes();
  Status advance_frame(bool& interrupted);
  Status write_frame(double seconds);
  Status write_checkpoint();
  Result<RunEnd> fail(const Error& error);
  RunEnd end(RunEnd how, double started);
  double remaining(double elapsed) const;

  RunFolder& folder_;
  Simulation& simulation_;
  const RunOptions& options_;
  const Executor& executor_;
  ProgressPrinter printer_;
  std::uint64_t last_frame_;
  std::uint64_t first_frame_ = 0;
  std::uint64_t checkpoint_frame_ = 0;
  bool has_checkpoint_ = false;
  std::size_t told_notes_ = 0;
  double started_ = 0, last_checkpoint_ = 0;
};

void Run::tell_notes() {
  const std::vector<std::string>& notes = simulation_.notes();
  for (; told_notes_ < notes.size(); ++told_notes_) {
    printer_.say("note: " + notes[told_notes_]);
    folder_.log("note: " + notes[told_notes_]);
  }
}

void Run::announce() {
  tell_notes();
  const Estimate e = estimate_run(simulation_, last_frame_);
  const Room room = room_for(folder_.path());
  const std::string line = fmt::format(
      "{}: {} particles now, {} at the end; {} frames; about {} of memory (of {}) and {} of disk "
      "({} free); {} threads",
      folder_.path().string(), simulation_.particles().size(), e.particles, e.frames,
      human_bytes(e.memory_bytes), human_bytes(room.memory_bytes), human_bytes(e.disk_bytes),
      human_bytes(room.disk_bytes), executor_.threads());
  printer_.say(line);
  folder_.log(line);
}

Status Run::write_checkpoint() {
  if (Status status = folder_.write_checkpoint(simulation_, executor_); !status.ok()) return status;
  has_checkpoint_ = true;
  checkpoint_frame_ = simulation_.frame();
  last_checkpoint_ = seconds_now();
  return {};
}

double Run::remaining(double elapsed) const {
  const std::uint64_t done = simulation_.frame() - first_frame_;
  if (done == 0) return -1;
  return elapsed / static_cast<double>(done) *
         static_cast<double>(last_frame_ - simulation_.frame());
}

Status Run::write_frame(double seconds) {
  if (Status status = folder_.write_frame(simulation_, seconds, executor_); !status.ok())
    return status;
  const double elapsed = seconds_now() - started_;
  const FrameProgress p =
      frame_progress(simulation_, last_frame_, elapsed, remaining(elapsed), seconds);
  printer_.frame(p);
  folder_.log(progress_line(p));
  tell_notes();
  return {};
}

Status Run::advance_frame(bool& interrupted) {
  const double start = seconds_now();
  do {
    const auto report = simulation_.step();
    if (!report) return report.error();
    interrupted = options_.interrupted();
  } while (!simulation_.at_frame() && !interrupted);
  return simulation_.at_frame() ? write_frame(seconds_now() - start) : Status();
}

Result<RunEnd> Run::go(bool resumed) {
  started_ = last_checkpoint_ = seconds_now();
  first_frame_ = checkpoint_frame_ = simulation_.frame();
  has_checkpoint_ = resumed;
  if (!resumed) {
    if (Status status = write_frame(0); !status.ok()) return fail(status.error());
    if (Status status = write_checkpoint(); !status.ok()) return fail(status.error());
  }
  bool interrupted = options_.interrupted();
  while (!interrupted && simulation_.frame() < last_frame_) {
    if (Status status = advance_frame(interrupted); !status.ok()) return fail(status.error());
    const bool due =
        seconds_now() - last_checkpoint_ >= simulation_.scene().output.checkpoint_every;
    if (interrupted || due || simulation_.frame() == last_frame_)
      if (Status status = write_checkpoint(); !status.ok()) return fail(status.error());
  }
  const bool stopped_early = interrupted && simulation_.frame() < last_frame_;
  const RunEnd how = stopped_early ? RunEnd::interrupted : RunEnd::finished;
  if (Status status = folder_.set_state(stopped_early ? "interrupted" : "finished"); !status.ok())
    return fail(status.error());
  return end(how, started_);
}

RunEnd Run::end(RunEnd how, double started) {
  const std::string path = folder_.path().string();
  const std::string line =
      how == RunEnd::finished
          ? fmt::format("finished {} frames in {}: {}", last_frame_,
                        human_seconds(seconds_now() - started), path)
          : fmt::format(
                "interrupted after frame {} of {}; a checkpoint was written. Continue with: "
                "talus resume {}",
                simulation_.frame(), last_frame_, path);
  printer_.end(how == RunEnd::finished ? "finished" : "interrupted", path, line);
  folder_.log(line);
  return how;
}

Result<RunEnd> Run::fail(const Error& error) {
  std::string message = error.message;
  if (has_checkpoint_)
    message += fmt::format(
        "\nThe frames written so far and the checkpoint at frame {} are intact. "
        "When the cause is removed, continue with: talus resume {}",
        checkpoint_frame_, folder_.path().string());
  folder_.log("failed: " + message);
  // On a full disk this fails too, and the manifest keeps saying "running"; resume does not mind.
  const Status ignored = folder_.set_state("failed", error.message);
  static_cast<void>(ignored);
  printer_.end("failed", folder_.path().string(), "");
  return Error{error.kind, message};
}

Status check_room(const Simulation& simulation, std::uint64_t frames, const RunOptions& options) {
  if (options.force) return {};
  return check_room(estimate_run(simulation, frames), room_for(options.folder), options.folder);
}

Result<RunEnd> drive(RunFolder& folder, Simulation& simulation,
                     const std::optional<State>& checkpoint, const RunOptions& options,
                     const Executor& executor) {
  Run run(folder, simulation, options, executor);
  run.announce();
  if (Status status = folder.begin(checkpoint ? &*checkpoint : nullptr); !status.ok())
    return status.error();
  return run.go(checkpoint.has_value());
}

}  // namespace

Manifest new_manifest(const Scene& scene, const RunOptions& options) {
  Manifest m;
  m.program = options.program;
  m.scene = scene.name;
  m.solver = scene.solver == SolverKind::sph ? "sph" : "dem";
  m.seed = scene.seed;
  m.frame_rate = scene.frame_rate;
  m.frames_total = options.frames.value_or(
      static_cast<std::uint64_t>(std::llround(scene.duration * scene.frame_rate)));
  m.state = "running";
  return m;
}

Result<RunEnd> start_run(const Scene& scene, const std::string& scene_text,
                         const RunOptions& options, const Executor& executor) {
  // The folder last: a scene that is refused must neither leave one nor take the place of a run.
  if (Status status = RunFolder::may_create(options.folder, options.overwrite); !status.ok())
    return status.error();
  auto simulation = Simulation::create(scene, executor, options.factory);
  if (!simulation) return simulation.error();
  Manifest manifest = new_manifest(scene, options);
  if (Status s = check_room(**simulation, manifest.frames_total, options); !s.ok())
    return s.error();
  auto folder =
      RunFolder::create(options.folder, scene_text, std::move(manifest), options.overwrite);
  if (!folder) return folder.error();
  folder->log(fmt::format("{} starts '{}'", options.program, scene.name));
  return drive(*folder, **simulation, std::nullopt, options, executor);
}

Result<RunEnd> resume_run(const Scene& scene, const RunOptions& options, const Executor& executor) {
  auto folder = RunFolder::open(options.folder);
  if (!folder) return folder.error();
  if (options.frames) folder->manifest().frames_total = *options.frames;
  const auto checkpoint = folder->read_checkpoint(executor);
  if (!checkpoint) return checkpoint.error();
  folder->log(fmt::format("{} resumes '{}'", options.program, scene.name));
  auto simulation = Simulation::create(scene, executor, options.factory);
  if (!simulation) return simulation.error();
  if (*checkpoint) {
    if (Status status = (*simulation)->load(**checkpoint); !status.ok())
      return work_error("{}: {}", (folder->path() / "checkpoint.tal").string(),
                        status.error().message);
  }
  if (Status s = check_room(**simulation, folder->manifest().frames_total, options); !s.ok())
    return s.error();
  return drive(*folder, **simulation, *checkpoint, options, executor);
}

}  // namespace talus
