// `talus detail`: the frames of a run -> files of fine grains, share by share, each share through
// all frames. Folder and format: docs/run-folder.md.
#pragma once

#include "core/error.h"
#include "core/parallel.h"
#include "detail/grain_cloud.h"
#include "scene/scene.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace talus::detail {

struct JobOptions {
  std::filesystem::path run;
  std::vector<std::string> overrides;  ///< "detail.factor=250"
  int slice = 1, slices = 1;           ///< from 1
  std::uint64_t memory_bytes = 0;      ///< 0: 60 % of what is free
  std::uint64_t last_frame = UINT64_MAX;
  bool follow = false;     ///< wait for frames of a run that is still being written
  bool overwrite = false;  ///< replace grains made with other settings
  bool force = false;      ///< start although the disk seems too small
};

struct JobPlan {
  Scene scene;
  CloudSettings cloud;
  std::string settings;  ///< text that tells grains of different settings apart
  int parts = 1;         ///< of the slice, one after the other
  std::uint64_t base_particles = 0, grains = 0;  ///< of the slice, at most
  std::uint64_t frames = 0;
  std::uint64_t memory_bytes = 0, memory_limit = 0, disk_bytes = 0, disk_free = 0;
  std::vector<std::string> notes;
};

struct JobProgress {
  std::uint64_t frame = 0, frames = 0;  ///< of the share under way
  int part = 1, parts = 1;
  bool kept = false;  ///< the whole share was there already
  std::uint64_t grains = 0, steps = 0;
  double seconds = 0;    ///< for this frame, packing included, writing not
  double remaining = 0;  ///< s, of the whole slice; negative when unknown
  std::uint64_t memory_bytes = 0;
  double bytes_per_grain = 0;  ///< on disk
};

struct JobReport {
  std::uint64_t frames = 0, grains = 0;
  std::uint64_t disk_bytes = 0;
  bool interrupted = false;
};

using JobProgressCall = std::function<void(const JobProgress&)>;

/// What the job will take; refuses what cannot be done.
Result<JobPlan> plan_detail(const JobOptions& options, const Executor& executor);
Result<JobReport> run_detail(const JobOptions& options, const JobPlan& plan,
                             const Executor& executor, const JobProgressCall& progress,
                             const std::function<bool()>& stop);

/// Checks that all slices are there, made with the same settings, with the same frames.
Result<std::string> join_detail(const std::filesystem::path& run);

/// detail/slice_2_of_4_part_1_of_3 below the run folder; without parts when there is one.
std::filesystem::path share_folder(const std::filesystem::path& run, const Share& share);

}  // namespace talus::detail
