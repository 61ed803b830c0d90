#include "detail/detail_job.h"

#include "core/timer.h"
#include "detail/cloud_file.h"
#include "detail/share_file.h"
#include "run/estimate.h"
#include "run/manifest.h"

#include <algorithm>
#include <cmath>
#include <unistd.h>

namespace talus::detail {

namespace fs = std::filesystem;

fs::path share_folder(const fs::path& run, const Share& share) {
  std::string name = fmt::format("slice_{}_of_{}", share.slice + 1, share.slices);
  if (share.parts > 1) name += fmt::format("_part_{}_of_{}", share.part + 1, share.parts);
  return run / "detail" / name;
}

namespace {

constexpr useconds_t follow_pause = 500'000;  // microseconds

fs::path frame_file(const fs::path& folder, std::uint64_t index) {
  return folder / fmt::format("frame_{:06}.tal", index);
}

/// How far the slice as a whole is, for the ETA.
struct Clock {
  double started = 0, work_done = 0, work_total = 0;
  double work_of_part = 0;
  double remaining() const {
    return work_done > 0 ? (seconds_now() - started) / work_done * (work_total - work_done) : -1;
  }
};

class ShareJob {
 public:
  ShareJob(const JobOptions& options, const JobPlan& plan, const Share& share,
           const DetailBodies& bodies, const Executor& executor)
      : options_(options),
        plan_(plan),
        share_(share),
        bodies_(bodies),
        executor_(executor),
        folder_(share_folder(options.run, share)),
        cloud_(plan.cloud, share) {}

  /// Makes the folder, or finds what an earlier job left there; true when nothing is to do.
  Result<bool> open();
  Status go(Clock& clock, const JobProgressCall& progress, const std::function<bool()>& stop,
            JobReport& report);
  const ShareRecord& record() const { return record_; }

 private:
  Status clear_folder();
  Status start();
  Result<bool> wait_for_frame(std::size_t position, const std::function<bool()>& stop);
  Status advance(const JobProgressCall& progress, Clock& clock, const std::function<bool()>& stop,
                 bool& stopped);
  Status write_frame(double step_seconds, JobProgress& p);
  Status finish_writing();
  Status write_checkpoint();
  int steps_in(double interval) const {
    return std::max(1, static_cast<int>(std::ceil(interval / plan_.cloud.detail.time_step - 1e-6)));
  }
  /// Length of the steps after frame `now_`, or of those before it when it is the last.
  double step_seconds() const {
    const double interval = 1 / manifest_.frame_rate;
    return interval / steps_in(interval);
  }

  const JobOptions& options_;
  const JobPlan& plan_;
  Share share_;
  const DetailBodies& bodies_;
  const Executor& executor_;
  fs::path folder_;
  GrainCloud cloud_;
  Manifest manifest_;
  ShareRecord record_;
  BaseFrame now_;
  std::size_t at_ = 0;  ///< place of now_ in the manifest's list
  double last_checkpoint_ = 0;
  PackedFile packed_;
  Status written_;
  std::uint64_t disk_bytes_ = 0;
  BackgroundWork background_;  // last: its work uses the members above
};

Result<bool> ShareJob::open() {
  auto manifest = read_manifest(options_.run);
  if (!manifest) return manifest.error();
  manifest_ = std::move(*manifest);
  std::erase_if(manifest_.frames,
                [&](const ManifestFrame& f) { return f.index > options_.last_frame; });
  auto found = read_share(folder_);
  if (!found && !options_.overwrite) return found.error();
  const auto number = [](int k) { return static_cast<std::uint64_t>(k); };
  record_ = {plan_.settings,
             number(share_.slices),
             number(share_.slice) + 1,
             number(share_.parts),
             number(share_.part) + 1,
             false,
             {},
             {}};
  if (found && *found) {
    if ((**found).settings == plan_.settings) {
      record_ = std::move(**found);
    } else if (!options_.overwrite) {
      return request_error(
          "{} holds grains made with other settings:\n  there: {}\n  now:   {}\n--overwrite "
          "replaces them",
          folder_.string(), (**found).settings, plan_.settings);
    } else if (Status s = clear_folder(); !s) {
      return s.error();
    }
  }
  std::error_code code;
  fs::create_directories(folder_, code);
  if (code) return file_error("create the folder", folder_, code.value());
  const bool all = !record_.frames.empty() && !options_.follow &&
                   record_.frames.back() >= manifest_.frames.back().index;
  if (all)
    for (const ManifestFrame& f : manifest_.frames)
      if (!fs::exists(frame_file(folder_, f.index), code)) return false;
  return all;
}

Status ShareJob::clear_folder() {
  std::error_code code;
  fs::remove_all(folder_, code);
  return code ? Status(file_error("remove", folder_, code.value())) : Status();
}

/// From the checkpoint of a stopped job, or from the first frame.
Status ShareJob::start() {
  const fs::path checkpoint = folder_ / "checkpoint.tal";
  std::error_code code;
  std::uint64_t index = manifest_.frames.front().index;
  bool resumed = false;
  if (fs::exists(checkpoint, code)) {
    const auto frame = read_checkpoint_into(checkpoint, plan_.settings, cloud_, executor_);
    if (!frame) return frame.error();
    index = *frame;
    resumed = true;
  }
  const auto it = std::find_if(manifest_.frames.begin(), manifest_.frames.end(),
                               [&](const ManifestFrame& f) { return f.index == index; });
  if (it == manifest_.frames.end())
    return work_error(
        "{} continues from frame {}, which the run does not have; --overwrite starts "
        "the grains anew",
        checkpoint.string(), index);
  at_ = static_cast<std::size_t>(it - manifest_.frames.begin());
  auto frame = read_base_frame(frame_path(options_.run, index), executor_);
  if (!frame) return frame.error();
  now_ = std::move(*frame);
  while (!record_.frames.empty() && (!resumed || record_.frames.back() > index)) {
    record_.frames.pop_back();
    record_.grains.pop_back();
  }
  record_.finished = false;
  last_checkpoint_ = seconds_now();
  if (!resumed) cloud_.enter_frame(now_, bodies_, step_seconds(), executor_);
  return {};
}

/// True when the frame is there; false when the run ended before it or the job was stopped.
Result<bool> ShareJob::wait_for_frame(std::size_t position, const std::function<bool()>& stop) {
  while (position >= manifest_.frames.size()) {
    if (!options_.follow || manifest_.state != "running" || stop()) return false;
    ::usleep(follow_pause);
    auto manifest = read_manifest(options_.run);
    if (!manifest) return manifest.error();
    manifest_ = std::move(*manifest);
    std::erase_if(manifest_.frames,
                  [&](const ManifestFrame& f) { return f.index > options_.last_frame; });
  }
  return true;
}

Status ShareJob::finish_writing() {
  background_.wait();
  return written_;
}

Status ShareJob::write_frame(double step, JobProgress& p) {
  PackedFile file = pack_frame(cloud_, now_.info, plan_.settings, step, executor_);
  if (Status s = finish_writing(); !s) return s;
  packed_ = std::move(file);
  disk_bytes_ += packed_.bytes();
  p.grains = cloud_.store().size();
  p.bytes_per_grain =
      p.grains > 0 ? static_cast<double>(packed_.bytes()) / static_cast<double>(p.grains) : 0;
  record_.frames.push_back(now_.info.index);
  record_.grains.push_back(p.grains);
  // The record is copied: the next frame changes it while this one is written.
  background_.start([this, record = record_, path = frame_file(folder_, now_.info.index)] {
    written_ = write_packed(path, packed_);
    if (written_.ok()) written_ = write_share(folder_, record);
    packed_ = {};
  });
  return {};
}

Status ShareJob::write_checkpoint() {
  if (Status s = finish_writing(); !s) return s;
  last_checkpoint_ = seconds_now();
  return write_packed(folder_ / "checkpoint.tal",
                      pack_checkpoint(cloud_, now_.info.index, plan_.settings, executor_));
}

/// To the next frame, unless the job is stopped on the way.
Status ShareJob::advance(const JobProgressCall& progress, Clock& clock,
                         const std::function<bool()>& stop, bool& stopped) {
  const double started = seconds_now();
  auto next = read_base_frame(frame_path(options_.run, manifest_.frames[at_ + 1].index), executor_);
  if (!next) return next.error();
  BaseInterval interval(now_, *next, bodies_, plan_.cloud.base_radius,
                        steps_in(next->info.time - now_.info.time), executor_);
  const double step = interval.step_seconds();
  for (int k = 0; k < interval.steps(); ++k) {
    interval.enter_step(k, executor_);
    cloud_.step(now_, interval, executor_);
  }
  cloud_.enter_frame(*next, bodies_, step_seconds(), executor_);
  now_ = std::move(*next);
  ++at_;
  JobProgress p;
  if (Status s = write_frame(step, p); !s) return s;
  clock.work_done += static_cast<double>(p.grains) * interval.steps();
  p.frame = now_.info.index;
  p.frames = std::min(manifest_.frames_total, options_.last_frame);
  p.part = share_.part + 1;
  p.parts = share_.parts;
  p.steps = static_cast<std::uint64_t>(interval.steps());
  p.seconds = seconds_now() - started;
  p.remaining = clock.remaining();
  p.memory_bytes = resident_bytes();
  progress(p);
  stopped = stop();
  const double every = plan_.scene.output.checkpoint_every;
  if (stopped || (every > 0 && seconds_now() - last_checkpoint_ >= every))
    return write_checkpoint();
  return {};
}

Status ShareJob::go(Clock& clock, const JobProgressCall& progress,
                    const std::function<bool()>& stop, JobReport& report) {
  if (Status s = start(); !s) return s;
  if (at_ > 0)
    clock.work_total -=
        clock.work_of_part * static_cast<double>(at_) / static_cast<double>(plan_.frames - 1);
  JobProgress first;
  if (record_.frames.empty()) {
    if (Status s = write_frame(step_seconds(), first); !s) return s;
    first.frame = now_.info.index;
    first.frames = std::min(manifest_.frames_total, options_.last_frame);
    first.part = share_.part + 1;
    first.parts = share_.parts;
    first.remaining = -1;
    first.memory_bytes = resident_bytes();
    progress(first);
  }
  bool stopped = stop();
  if (stopped)
    if (Status s = write_checkpoint(); !s) return s;
  while (!stopped) {
    const auto there = wait_for_frame(at_ + 1, stop);
    if (!there) return there.error();
    if (!*there) {
      stopped = stop();
      if (stopped)
        if (Status s = write_checkpoint(); !s) return s;
      break;
    }
    if (Status s = advance(progress, clock, stop, stopped); !s) return s;
  }
  if (Status s = finish_writing(); !s) return s;
  report.disk_bytes += disk_bytes_;
  report.interrupted = stopped && at_ + 1 < manifest_.frames.size();
  if (report.interrupted) return {};
  record_.finished = true;
  std::error_code code;
  // A longer base run may go on from here; a checkpoint that nobody needs is large.
  fs::remove(folder_ / "checkpoint.tal", code);
  return write_share(folder_, record_);
}

}  // namespace

Result<JobReport> run_detail(const JobOptions& options, const JobPlan& plan,
                             const Executor& executor, const JobProgressCall& progress,
                             const std::function<bool()>& stop) {
  auto bodies = make_detail_bodies(plan.scene, plan.cloud.base_radius, executor);
  if (!bodies) return bodies.error();
  JobReport report;
  const int steps =
      std::max(1, static_cast<int>(
                      std::ceil(1 / (plan.scene.frame_rate * plan.cloud.detail.time_step) - 1e-6)));
  Clock clock;
  clock.started = seconds_now();
  clock.work_total = static_cast<double>(plan.grains) *
                     static_cast<double>(std::max<std::uint64_t>(plan.frames, 1) - 1) * steps;
  clock.work_of_part = clock.work_total / plan.parts;
  for (int part = 0; part < plan.parts; ++part) {
    const Share share{options.slice - 1, options.slices, part, plan.parts};
    ShareJob job(options, plan, share, *bodies, executor);
    const auto done = job.open();
    if (!done) return done.error();
    if (*done) {
      JobProgress p;
      p.kept = true;
      p.part = part + 1;
      p.parts = plan.parts;
      p.frame = p.frames = job.record().frames.back();
      clock.work_total -= clock.work_of_part;
      progress(p);
    } else if (Status s = job.go(clock, progress, stop, report); !s) {
      return s.error();
    }
    report.frames = std::max<std::uint64_t>(report.frames, job.record().frames.size());
    report.grains += job.record().grains.empty() ? 0 : job.record().grains.back();
    if (report.interrupted) break;
  }
  return report;
}

}  // namespace talus::detail
