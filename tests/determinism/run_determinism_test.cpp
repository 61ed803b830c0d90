// The promise of the program, tested on the program: the same scene and seed give the same bytes
// for any number of threads, and for runs that were stopped and resumed.
#include "determinism/program.h"
#include "frames/frame.h"
#include "run/same_run.h"

#include <fstream>
#include <gtest/gtest.h>

namespace talus {
namespace {

namespace fs = std::filesystem;

// A block on a floor with a moving paddle, a falling ball, a pour and a sink: everything that
// could depend on the order of threads or on where a run was stopped.
constexpr const char* scene_text = R"(
[scene]
name = "everything"
duration = 0.4
frame_rate = 25
seed = 3
[sph]
spacing = 0.04
[output]
checkpoint_every = 0.0
[[material]]
name = "sand"
preset = "dry sand"
[[fill]]
name = "block"
shape = { type = "box", size = [0.48, 0.48, 0.48], position = [0, 0, 0.3] }
arrangement = "jittered"
[[pour]]
name = "tap"
position = [0.2, 0, 0.9]
direction = [0, 0, -1]
radius = 0.1
rate = 20
speed = 1.5
[[sink]]
name = "hole"
shape = { type = "sphere", radius = 0.1, position = [0, 0, 0.05] }
[[body]]
name = "floor"
shape = { type = "plane" }
[[body]]
name = "paddle"
shape = { type = "box", size = [0.1, 0.6, 0.3], position = [-0.45, 0, 0.15] }
motion = "scripted"
velocity = [0.5, 0, 0]
[[body]]
name = "ball"
shape = { type = "sphere", radius = 0.08, position = [-0.1, 0, 0.7] }
motion = "dynamic"
density = 900
)";

class Program : public ::testing::Test {
 protected:
  void SetUp() override {
    std::ofstream(scratch / "scene.toml") << scene_text;
    ASSERT_EQ(run({"check", scene()}), 0) << said();
  }
  std::string scene() const { return (scratch / "scene.toml").string(); }
  std::string folder(const std::string& name) const { return (scratch / name).string(); }
  int run(const std::vector<std::string>& words) { return run_program(words, scratch / "out"); }
  std::string said() const { return text_of(scratch / "out"); }

  ScratchFolder scratch;
};

TEST_F(Program, GivesTheSameBytesForAnyNumberOfThreads) {
  for (const char* threads : {"1", "2", "3", "8"})
    ASSERT_EQ(run({"run", scene(), "-o", folder(threads), "-j", threads}), 0) << said();
  for (const char* threads : {"2", "3", "8"}) expect_same_run(folder(threads), folder("1"));
  auto frame = FrameFile::open(frame_path(folder("1"), 10));
  ASSERT_TRUE(frame.ok());
  EXPECT_GT(frame->count(), 1000u);
}

TEST_F(Program, ResumesAfterKillAndInterruptToTheSameBytes) {
  ASSERT_EQ(run({"run", scene(), "-o", folder("whole"), "-j", "1"}), 0) << said();
  const auto catch_at = [&](const std::vector<std::string>& words, std::uint64_t frame,
                            int signal) {
    const pid_t child = start_program(words, scratch / "out");
    while (!fs::exists(frame_path(folder("cut"), frame)) && ::waitpid(child, nullptr, WNOHANG) == 0)
      ::usleep(500);
    ::kill(child, signal);
    return end_of(child);
  };
  EXPECT_EQ(catch_at({"run", scene(), "-o", folder("cut"), "-j", "3"}, 2, SIGKILL), -SIGKILL);
  EXPECT_EQ(catch_at({"resume", folder("cut"), "-j", "2"}, 5, SIGINT), 130) << said();
  EXPECT_NE(said().find("talus resume " + folder("cut")), std::string::npos) << said();
  EXPECT_EQ(run({"resume", folder("cut"), "-j", "1"}), 0) << said();
  expect_same_run(folder("cut"), folder("whole"));
}

TEST_F(Program, ExitCodesAndMessagesForWrongCommands) {
  EXPECT_EQ(run({"run", folder("none.toml")}), 2) << said();
  EXPECT_EQ(run({"run", scene(), "--set", "sph.spacin=0.1"}), 2);
  EXPECT_NE(said().find("spacing"), std::string::npos) << said();
  EXPECT_EQ(run({"resume", folder("none")}), 2);
  EXPECT_EQ(run({"info", folder("none")}), 2);
  EXPECT_EQ(run({"run", scene(), "-o", scene() + "/below"}), 1) << said();
  ASSERT_EQ(run({"run", scene(), "-o", folder("a"), "--frames", "1", "--json"}), 0) << said();
  EXPECT_EQ(said().find("{\"cundall\":"), 0u) << said();
  EXPECT_EQ(run({"run", scene(), "-o", folder("a")}), 2);
  EXPECT_NE(said().find("--overwrite"), std::string::npos) << said();
  EXPECT_EQ(run({"run", scene(), "-o", folder("a"), "--overwrite", "--frames", "1", "--quiet"}), 0);
  EXPECT_EQ(said(), "");
  EXPECT_EQ(run({"info", folder("a"), "--verify"}), 0);
  EXPECT_NE(said().find("all 2 frames and the checkpoint are whole"), std::string::npos) << said();
  fs::resize_file(frame_path(folder("a"), 1), 100);
  EXPECT_EQ(run({"info", folder("a"), "--verify"}), 1);
  EXPECT_NE(said().find("frame_000001.tal is damaged"), std::string::npos) << said();
}

}  // namespace
}  // namespace talus
