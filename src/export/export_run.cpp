#include "export/export_run.h"

#include "frames/atomic_file.h"
#include "frames/detail_frame.h"
#include "run/estimate.h"
#include "scene/diagnostics.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <system_error>

namespace talus {

namespace {

namespace fs = std::filesystem;

/// One file to be written.
struct Task {
  enum class Kind { grains, bodies };
  Kind kind = Kind::grains;
  std::uint64_t frame = 0;
  fs::path source;  ///< grains: their file; bodies: the base frame that tells the poses
  fs::path name;    ///< below the output folder
  std::uint64_t grains = 0;
  // Filled in by the work.
  bool done = false, kept = false;
  double time = 0;
  std::string failure;
};

struct Job {
  const ExportFormat* format = nullptr;
  RunSource run;
  std::vector<FrameEntry> frames;  ///< chosen
  std::vector<Task> tasks;
  fs::path output;
  ExportPlan plan;
};

std::string known_formats() {
  std::string text;
  for (const ExportFormat& format : export_formats())
    text += fmt::format("\n  {:<5} {}", format.name, format.program);
  return text;
}

Result<const ExportFormat*> choose_format(const std::string& name) {
  if (const ExportFormat* format = find_export_format(name)) return format;
  if (name.empty()) return request_error("--to FORMAT is missing. There are:{}", known_formats());
  std::vector<std::string> names;
  for (const ExportFormat& format : export_formats()) names.emplace_back(format.name);
  const std::string guess = nearest_word(name, names);
  return request_error("there is no format '{}'{} There are:{}", name,
                       guess.empty() ? "." : fmt::format("; did you mean '{}'?", guess),
                       known_formats());
}

std::vector<FrameEntry> detail_entries(const fs::path& run) {
  std::vector<FrameEntry> out;
  for (const std::uint64_t number : detail_frame_numbers(run))
    out.push_back({number, frame_path(run, number)});
  return out;
}

Status choose_frames(const ExportOptions& options, Job& job) {
  const auto all = options.detail ? detail_entries(options.run) : job.run.frames;
  if (all.empty())
    return work_error("there are no detail frames in {}; 'talus detail' makes them",
                      options.run.string());
  for (const FrameEntry& frame : all)
    if (frame.index >= options.first && frame.index <= options.last &&
        (frame.index - options.first) % options.stride == 0)
      job.frames.push_back(frame);
  if (job.frames.empty())
    return request_error("none of the frames asked for is there; {} has {} to {}",
                         options.run.string(), all.front().index, all.back().index);
  return {};
}

void add_grain_tasks(const ExportOptions& options, const FrameEntry& frame, Job& job) {
  if (job.format->write_grains == nullptr) return;
  const std::string end = file_extension(*job.format, options.settings);
  std::vector<fs::path> sources{frame.path};
  if (options.detail) sources = detail_files(options.run, frame.index);
  for (std::size_t part = 0; part < sources.size(); ++part) {
    Task task;
    task.frame = frame.index;
    task.source = sources[part];
    const std::string share =
        sources.size() > 1 ? fmt::format("_share{:03}", part + 1) : std::string();
    task.name =
        fmt::format("{}{}.{:06}{}", options.detail ? "detail" : "grains", share, frame.index, end);
    // A file whose header cannot be read is reported when its turn comes.
    if (const auto size = cloud_size(task.source, options.detail)) {
      task.grains = size->count;
      job.plan.grains += size->count;
      job.plan.bytes += static_cast<std::uint64_t>(
          job.format->packed_share * static_cast<double>(size->count * size->item_bytes));
    }
    job.tasks.push_back(std::move(task));
  }
}

std::uint64_t body_bytes(const RunSource& run) {
  std::uint64_t bytes = 0;
  for (const BodyMesh& body : run.bodies)
    bytes += body.mesh.vertices.size() * 40 + body.mesh.triangles.size() * 30;
  return bytes;
}

void add_body_task(const ExportOptions& options, const FrameEntry& frame, Job& job) {
  if (job.format->write_bodies == nullptr || !options.bodies || job.run.bodies.empty()) return;
  const std::string end =
      job.format->extension.empty() ? ".obj" : std::string(job.format->extension);
  Task task;
  task.kind = Task::Kind::bodies;
  task.frame = frame.index;
  task.source = frame.path;
  task.name = fmt::format("bodies.{:06}{}", frame.index, end);
  job.plan.bytes += body_bytes(job.run);
  job.tasks.push_back(std::move(task));
}

Result<Job> prepare(const ExportOptions& options) {
  Job job;
  const auto format = choose_format(options.format);
  if (!format) return format.error();
  job.format = *format;
  auto run = open_run_source(options.run, false);
  if (!run) return run.error();
  job.run = std::move(*run);
  if (Status s = choose_frames(options, job); !s) return s.error();
  job.output = options.output;
  if (job.output.empty())
    job.output =
        options.run / fmt::format("export_{}{}", job.format->name, options.detail ? "_detail" : "");
  for (const FrameEntry& frame : job.frames) {
    add_grain_tasks(options, frame, job);
    add_body_task(options, frame, job);
  }
  if (job.format->write_grains == nullptr && job.run.bodies.empty())
    return work_error("{} has no bodies besides planes, and {} holds nothing else",
                      options.run.string(), job.format->name);
  job.plan.frames = job.frames.size();
  job.plan.files = job.tasks.size();
  job.plan.output = job.output;
  return job;
}

Status check_disk(const ExportOptions& options, const Job& job) {
  const std::uint64_t free = room_for(job.output).disk_bytes;
  if (options.force || free == 0 || job.plan.bytes <= free) return {};
  return work_error(
      "the export needs about {} of disk, {} has {} free. Choose another folder with -o or fewer "
      "frames with --frames, or start it all the same with --force",
      human_bytes(job.plan.bytes), job.output.string(), human_bytes(free));
}

/// A whole file that is newer than what it was made from.
bool up_to_date(const Task& task, const fs::path& target) {
  std::error_code code, other;
  const auto made = fs::last_write_time(target, code);
  const auto source = fs::last_write_time(task.source, other);
  return !code && !other && made >= source;
}

std::vector<PlacedBody> placed_bodies(const RunSource& run, const FrameInfo& frame) {
  std::vector<PlacedBody> out;
  for (const BodyMesh& body : run.bodies) {
    PlacedBody placed{&body, body.pose};
    for (const FrameBody& state : frame.bodies)
      if (state.name == body.name) placed.pose = state.state.pose;
    out.push_back(placed);
  }
  return out;
}

Status do_task(const ExportOptions& options, const Job& job, Task& task, const Executor& executor) {
  const fs::path target = job.output / task.name;
  task.kept = up_to_date(task, target);
  if (task.kind == Task::Kind::bodies) {
    const auto frame = FrameFile::open(task.source);
    if (!frame) return frame.error();
    task.time = frame->info().time;
    if (task.kept) return {};
    return job.format->write_bodies(placed_bodies(job.run, frame->info()), task.time, target,
                                    executor);
  }
  if (task.kept) {
    if (options.detail) {
      const auto file = DetailFrameFile::open(task.source);
      if (!file) return file.error();
      task.time = file->info().frame.time;
    } else {
      const auto file = FrameFile::open(task.source);
      if (!file) return file.error();
      task.time = file->info().time;
    }
    return {};
  }
  const auto cloud = read_cloud(task.source, options.detail, executor);
  if (!cloud) return cloud.error();
  task.time = cloud->info.time;
  return job.format->write_grains(*cloud, target, options.settings, executor);
}

/// Small frames go several at a time, large ones use all cores for themselves: memory stays bounded
/// by about 16 M grains.
std::size_t batch_size(const Job& job, const Executor& executor) {
  std::uint64_t largest = 1;
  for (const Task& task : job.tasks) largest = std::max(largest, task.grains);
  return std::clamp<std::size_t>(std::size_t{16'000'000} / largest, 1,
                                 static_cast<std::size_t>(executor.threads()));
}

using Clock = std::chrono::steady_clock;
double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

void add_to_report(const Task& task, const fs::path& output, ExportReport& report) {
  if (!task.failure.empty()) {
    report.failures.push_back(task.failure);
    return;
  }
  std::error_code code;
  const auto bytes = fs::file_size(output / task.name, code);
  if (!code) report.bytes += bytes;
  if (task.kept) {
    ++report.kept;
  } else {
    ++report.written;
    report.grains += task.grains;
  }
}

void do_tasks(const ExportOptions& options, Job& job, const Executor& executor,
              const ExportTalk& talk, ExportReport& report) {
  const auto start = Clock::now();
  const std::size_t batch = batch_size(job, executor);
  for (std::size_t begin = 0; begin < job.tasks.size(); begin += batch) {
    if (talk.interrupted && talk.interrupted()) {
      report.interrupted = true;
      break;
    }
    const std::size_t n = std::min(batch, job.tasks.size() - begin);
    executor.run_chunks(n, [&](std::size_t k) {
      Task& task = job.tasks[begin + k];
      if (Status s = do_task(options, job, task, executor); !s) task.failure = s.error().message;
      task.done = true;
    });
    for (std::size_t k = 0; k < n; ++k) {
      const Task& task = job.tasks[begin + k];
      add_to_report(task, job.output, report);
      report.seconds = seconds_since(start);
      const double done = static_cast<double>(begin + k + 1);
      const double left = static_cast<double>(job.tasks.size()) - done;
      if (talk.progress)
        talk.progress({begin + k + 1, job.tasks.size(), task.frame, task.kept,
                       static_cast<double>(report.grains) / std::max(report.seconds, 1e-9),
                       report.seconds * left / done});
    }
  }
}

Status write_closing_files(const ExportOptions& options, const Job& job) {
  if (job.format->write_index != nullptr) {
    std::vector<WrittenFile> files;
    for (const Task& task : job.tasks)
      if (task.done && task.failure.empty())
        files.push_back({task.name, task.time, task.kind == Task::Kind::bodies});
    std::stable_sort(files.begin(), files.end(),
                     [](const WrittenFile& a, const WrittenFile& b) { return a.time < b.time; });
    if (Status s = job.format->write_index(files, job.output); !s) return s;
  }
  if (job.format->write_animation == nullptr || !options.bodies) return {};
  std::vector<FrameInfo> frames;
  for (const FrameEntry& entry : job.frames) {
    const auto frame = FrameFile::open(entry.path);
    if (!frame) return frame.error();
    frames.push_back(frame->info());
  }
  return job.format->write_animation(job.run, frames, job.output);
}

}  // namespace

Result<ExportReport> export_run(const ExportOptions& options, const Executor& executor,
                                const ExportTalk& talk) {
  auto job = prepare(options);
  if (!job) return job.error();
  if (Status s = check_disk(options, *job); !s) return s.error();
  std::error_code code;
  fs::create_directories(job->output, code);
  if (code) return file_error("make", job->output, code.value());
  if (talk.plan) talk.plan(job->plan);
  ExportReport report;
  do_tasks(options, *job, executor, talk, report);
  if (!report.interrupted)
    if (Status s = write_closing_files(options, *job); !s)
      report.failures.push_back(s.error().message);
  return report;
}

}  // namespace talus
