// A row of docs/replication.md as a run folder with fine grains, the way `talus run` and
// `talus detail` make it.
#pragma once

#include "detail/base_motion.h"
#include "detail/detail_job.h"
#include "frames/detail_frame.h"
#include "frames/scratch_folder.h"
#include "run/manifest.h"
#include "run/runner.h"
#include "scene/read_scene.h"
#include "scene/write_scene.h"

#include <cmath>
#include <filesystem>
#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace talus {

class DetailedRow {
 public:
  DetailedRow(const std::string& name, const SceneOverrides& changes) {
    auto scene = read_scene(TALUS_SOURCE_DIR "/scenes/" + name + ".toml", changes);
    EXPECT_TRUE(scene.ok()) << (scene.ok() ? "" : scene.error().message);
    if (!scene.ok()) return;
    RunOptions options;
    options.folder = folder_;
    options.program = "talus test";
    options.progress = ProgressMode::quiet;
    const auto end = start_run(*scene, to_toml(*scene), options, executor_);
    EXPECT_TRUE(end.ok()) << (end.ok() ? "" : end.error().message);
    ok_ = end.ok();
    scene_ = std::move(*scene);
  }
  explicit operator bool() const { return ok_; }

  const Scene& scene() const { return scene_; }
  std::uint64_t last_frame() const {
    return static_cast<std::uint64_t>(std::lround(scene_.duration * scene_.frame_rate));
  }

  /// Fine grains with these settings, instead of any that were there. False, and a failure, when
  /// they cannot be made.
  bool add_detail(const std::vector<std::string>& settings = {}) {
    detail::JobOptions job;
    job.run = folder_;
    job.overrides = settings;
    job.overwrite = true;
    const auto plan = detail::plan_detail(job, executor_);
    EXPECT_TRUE(plan.ok()) << (plan.ok() ? "" : plan.error().message);
    if (!plan.ok()) return false;
    const auto report = detail::run_detail(
        job, *plan, executor_, [](const detail::JobProgress&) {}, [] { return false; });
    EXPECT_TRUE(report.ok()) << (report.ok() ? "" : report.error().message);
    return report.ok();
  }
  std::vector<Vec3f> guides(std::uint64_t frame) const {
    const auto read = detail::read_base_frame(frame_path(folder_, frame), executor_);
    EXPECT_TRUE(read.ok()) << (read.ok() ? "" : read.error().message);
    return read.ok() ? read->position : std::vector<Vec3f>{};
  }
  std::vector<Vec3f> grains(std::uint64_t frame) const {
    std::vector<Vec3f> out;
    for (const auto& path : detail_files(folder_, frame)) {
      const auto file = DetailFrameFile::open(path);
      EXPECT_TRUE(file.ok()) << (file.ok() ? "" : file.error().message);
      if (!file.ok()) continue;
      const auto x = file->positions(executor_);
      EXPECT_TRUE(x.ok()) << (x.ok() ? "" : x.error().message);
      if (x.ok()) out.insert(out.end(), x->begin(), x->end());
    }
    return out;
  }

 private:
  Executor executor_{2};
  ScratchFolder scratch_;
  std::filesystem::path folder_ = scratch_ / "run";
  Scene scene_;
  bool ok_ = false;
};

}  // namespace talus
