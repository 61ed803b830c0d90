// The run folder as a user finds it: contents, refusals, resume.
#include "run/runner.h"

#include "frames/checkpoint.h"
#include "frames/frame.h"
#include "frames/scratch_folder.h"
#include "run/bouncing_scene.h"
#include "run/bouncing_solver.h"
#include "run/manifest.h"
#include "run/same_run.h"

#include <gtest/gtest.h>

namespace talus {
namespace {

namespace fs = std::filesystem;

RunOptions options_for(const fs::path& folder) {
  RunOptions options;
  options.folder = folder;
  options.program = "talus test";
  options.progress = ProgressMode::quiet;
  options.factory = bouncing_factory();
  return options;
}

std::function<bool()> after_steps(int steps) {
  return [left = std::make_shared<int>(steps)] { return --*left < 0; };
}

std::string text_of(const fs::path& path) {
  const auto bytes = file_bytes(path);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

void put_text(const fs::path& path, const std::string& text) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << text;
}

long lines_of(const fs::path& path) {
  const std::string text = text_of(path);
  return std::count(text.begin(), text.end(), '\n');
}

class Runner : public ::testing::Test {
 protected:
  Result<RunEnd> start(const std::string& name) {
    return start_run(scene, "name = \"bouncing\"\n", options_for(folder / name), executor);
  }
  Result<RunEnd> resume(const std::string& name) {
    return resume_run(scene, options_for(folder / name), executor);
  }
  void expect_refusal(const Result<RunEnd>& result, const std::string& words, ErrorKind kind) {
    ASSERT_FALSE(result.ok());
    EXPECT_NE(result.error().message.find(words), std::string::npos) << result.error().message;
    EXPECT_EQ(static_cast<int>(result.error().kind), static_cast<int>(kind));
  }
  ScratchFolder folder;
  Scene scene = bouncing_scene();
  Executor executor{2};
};

TEST_F(Runner, WritesACompleteFolder) {
  const auto end = start("a");
  ASSERT_TRUE(end.ok()) << end.error().message;
  EXPECT_EQ(*end, RunEnd::finished);
  const auto manifest = read_manifest(folder / "a");
  ASSERT_TRUE(manifest.ok()) << manifest.error().message;
  EXPECT_EQ(manifest->state, "finished");
  EXPECT_EQ(manifest->program, "talus test");
  EXPECT_EQ(manifest->seed, 5u);
  ASSERT_EQ(manifest->frames.size(), 11u);
  for (std::uint64_t f = 0; f <= 10; ++f) {
    auto frame = FrameFile::open(frame_path(folder / "a", f));
    ASSERT_TRUE(frame.ok()) << frame.error().message;
    EXPECT_EQ(frame->info().index, f);
    EXPECT_EQ(frame->count(), manifest->frames[f].particles);
    EXPECT_EQ(frame->info().time, manifest->frames[f].time);
    EXPECT_EQ(frame->info().bodies.size(), 1u);
  }
  EXPECT_EQ(lines_of(folder / "a/statistics.csv"), 12);
  EXPECT_EQ(lines_of(folder / "a/forces.csv"), 12);
  EXPECT_EQ(lines_of(folder / "a/bodies.csv"), 12);
  EXPECT_NE(text_of(folder / "a/forces.csv").find("\"paddle, \"\"left\"\"\""), std::string::npos);
  EXPECT_NE(text_of(folder / "a/log.txt").find("finished"), std::string::npos);
  EXPECT_EQ(text_of(folder / "a/scene.toml"), "name = \"bouncing\"\n");
}

TEST_F(Runner, RefusesToOverwriteUnlessAsked) {
  ASSERT_TRUE(start("a").ok());
  expect_refusal(start("a"), "talus resume", ErrorKind::request);
  RunOptions options = options_for(folder / "a");
  options.overwrite = true;
  options.frames = 3;
  ASSERT_TRUE(start_run(scene, "x = 1\n", options, executor).ok());
  EXPECT_EQ(read_manifest(folder / "a")->frames.size(), 4u);
  EXPECT_FALSE(fs::exists(frame_path(folder / "a", 4))) << "a frame of the old run";
}

TEST_F(Runner, ASceneThatIsRefusedLeavesNoFolderAndReplacesNoRun) {
  ASSERT_TRUE(start("a").ok());
  const std::string manifest = text_of(folder / "a/manifest.json");
  scene.bodies[0].shape.kind = ShapeKind::mesh;
  scene.bodies[0].shape.file = "no_such_mesh.obj";
  RunOptions options = options_for(folder / "a");
  options.overwrite = true;
  expect_refusal(start_run(scene, "x = 1\n", options, executor), "no_such_mesh.obj",
                 ErrorKind::request);
  EXPECT_EQ(text_of(folder / "a/manifest.json"), manifest);
  EXPECT_TRUE(fs::exists(frame_path(folder / "a", 10)));
  expect_refusal(start("b"), "no_such_mesh.obj", ErrorKind::request);
  EXPECT_FALSE(fs::exists(folder / "b"));
}

TEST_F(Runner, InterruptedAnywhereAndResumedEqualsNeverStopped) {
  ASSERT_TRUE(start("whole").ok());
  for (int steps : {0, 1, 7, 20, 33, 60}) {
    const std::string name = "cut" + std::to_string(steps);
    RunOptions options = options_for(folder / name);
    options.interrupted = after_steps(steps);
    auto end = start_run(scene, "name = \"bouncing\"\n", options, executor);
    ASSERT_TRUE(end.ok());
    ASSERT_EQ(*end, RunEnd::interrupted);
    EXPECT_EQ(read_manifest(folder / name)->state, "interrupted");
    options.interrupted = after_steps(11);  // and a second time
    ASSERT_EQ(*resume_run(scene, options, executor), RunEnd::interrupted);
    ASSERT_EQ(*resume(name), RunEnd::finished);
    expect_same_run(folder / name, folder / "whole");
  }
}

TEST_F(Runner, ResumeCanGoFurther) {
  RunOptions options = options_for(folder / "a");
  options.frames = 4;
  ASSERT_TRUE(start_run(scene, "name = \"bouncing\"\n", options, executor).ok());
  options.frames = 10;
  ASSERT_TRUE(resume_run(scene, options, executor).ok());
  ASSERT_TRUE(start("whole").ok());
  expect_same_run(folder / "a", folder / "whole");
  ASSERT_EQ(*resume("a"), RunEnd::finished) << "nothing left to do is no error";
  expect_same_run(folder / "a", folder / "whole");
}

TEST_F(Runner, WithoutACheckpointResumeStartsAgain) {
  ASSERT_TRUE(start("whole").ok());
  ASSERT_TRUE(start("a").ok());
  fs::remove(folder / "a/checkpoint.tal");
  ASSERT_EQ(*resume("a"), RunEnd::finished);
  expect_same_run(folder / "a", folder / "whole");
}

TEST_F(Runner, BadFoldersAreExplained) {
  expect_refusal(resume("none"), "there is no folder", ErrorKind::request);
  fs::create_directory(folder / "empty");
  expect_refusal(resume("empty"), "not a run folder", ErrorKind::request);
  put_text(folder / "file", "");
  expect_refusal(start("file/run"), "cannot create the folder", ErrorKind::work);
  expect_refusal(resume("file"), "there is no folder", ErrorKind::request);
}

TEST_F(Runner, DamageIsExplained) {
  ASSERT_TRUE(start("a").ok());
  const std::string manifest = text_of(folder / "a/manifest.json");
  const std::string scene_text = text_of(folder / "a/scene.toml");
  const auto checkpoint = file_bytes(folder / "a/checkpoint.tal");

  std::string newer = manifest;
  newer.replace(newer.find("\"format_version\": 1"), 19, "\"format_version\": 2");
  put_text(folder / "a/manifest.json", newer);
  expect_refusal(resume("a"), "newer program", ErrorKind::work);
  for (std::size_t size = 0; size + 2 < manifest.size(); size += 97) {
    put_text(folder / "a/manifest.json", manifest.substr(0, size));
    expect_refusal(resume("a"), "manifest.json is damaged", ErrorKind::work);
  }
  put_text(folder / "a/manifest.json", manifest);

  put_text(folder / "a/scene.toml", scene_text + "seed = 2\n");
  expect_refusal(resume("a"), "was changed after the run began", ErrorKind::work);
  put_text(folder / "a/scene.toml", scene_text);

  auto cut = checkpoint;
  cut.resize(cut.size() / 2);
  put_bytes(folder / "a/checkpoint.tal", cut);
  expect_refusal(resume("a"), "checkpoint.tal is damaged", ErrorKind::work);
  put_bytes(folder / "a/checkpoint.tal", checkpoint);

  put_text(folder / "a/statistics.csv", "frame\n");
  expect_refusal(resume("a"), "statistics.csv has 6 bytes", ErrorKind::work);
}

TEST_F(Runner, ACheckpointOfAnotherSceneIsRefused) {
  ASSERT_TRUE(start("a").ok());
  scene.bodies.clear();
  const auto end = resume("a");
  ASSERT_FALSE(end.ok());
  EXPECT_NE(end.error().message.find("checkpoint"), std::string::npos) << end.error().message;
}

TEST_F(Runner, TwoProgramsCannotShareAFolder) {
  RunOptions options = options_for(folder / "a");
  std::string message;
  options.interrupted = [&] {
    const auto second = resume("a");
    if (!second.ok()) message = second.error().message;
    return true;
  };
  ASSERT_TRUE(start_run(scene, "name = \"bouncing\"\n", options, executor).ok());
  EXPECT_NE(message.find("another talus is writing"), std::string::npos) << message;
}

TEST_F(Runner, RefusesWhatCannotFit) {
  scene.duration = 1e10;
  expect_refusal(start("a"), "of disk", ErrorKind::work);
  RunOptions options = options_for(folder / "b");
  options.force = true;
  options.interrupted = after_steps(3);
  EXPECT_TRUE(start_run(scene, "x = 1\n", options, executor).ok());
}

}  // namespace
}  // namespace talus
