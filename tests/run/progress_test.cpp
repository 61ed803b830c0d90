#include "run/progress.h"

#include "frames/scratch_folder.h"
#include "run/bouncing_scene.h"
#include "run/bouncing_solver.h"

#include <gtest/gtest.h>

namespace talus {
namespace {

FrameProgress sample() {
  FrameProgress p;
  p.frame = 12;
  p.frames = 240;
  p.remaining = 200;
  p.steps = 8;
  p.mean_dt = 0.0012;
  p.dt_reason = "speed";
  p.pressure_iterations = 3.5;
  p.friction_iterations = 2;
  p.max_speed = 4.25;
  p.particles = 1000000;
  p.memory_bytes = 1500000000;
  p.cundall = 2.5e6;
  return p;
}

std::string printed(ProgressMode mode, const std::vector<FrameProgress>& frames) {
  ScratchFolder folder;
  std::FILE* out = std::fopen((folder / "out").c_str(), "w");
  ProgressPrinter printer(mode, out);
  printer.say("hello");
  for (const FrameProgress& p : frames) printer.frame(p);
  printer.end("finished", "out/x", "done");
  std::fclose(out);
  const auto bytes = file_bytes(folder / "out");
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

TEST(Progress, TheLineHasEverythingPromised) {
  EXPECT_EQ(progress_line(sample()),
            "frame 12/240  ETA 3 min 20 s  8 steps of 1.2 ms (speed)  iterations 3.5+2.0  fastest "
            "4.25 m/s  1000000 particles  1.5 GB  2.5e+06 grains x steps/s");
}

TEST(Progress, ModesDifferInForm) {
  const std::vector<FrameProgress> two{sample(), sample()};
  const std::string lines = printed(ProgressMode::lines, two);
  EXPECT_EQ(std::count(lines.begin(), lines.end(), '\n'), 4);
  EXPECT_EQ(lines.find('\r'), std::string::npos);
  const std::string terminal = printed(ProgressMode::terminal, two);
  EXPECT_EQ(std::count(terminal.begin(), terminal.end(), '\r'), 2);
  EXPECT_EQ(std::count(terminal.begin(), terminal.end(), '\n'), 3);
  EXPECT_EQ(printed(ProgressMode::quiet, two), "");
  const std::string json = printed(ProgressMode::json, two);
  EXPECT_EQ(json.find("hello"), std::string::npos);
  EXPECT_EQ(std::count(json.begin(), json.end(), '\n'), 3);
  EXPECT_NE(json.find("\"frame\":12"), std::string::npos);
  EXPECT_NE(json.find("{\"folder\":\"out/x\",\"state\":\"finished\"}"), std::string::npos);
}

TEST(Progress, HumanNumbers) {
  EXPECT_EQ(human_seconds(59.4), "59 s");
  EXPECT_EQ(human_seconds(3599.6), "1 h 0 min");
  EXPECT_EQ(human_bytes(999), "999 B");
  EXPECT_EQ(human_bytes(1500), "1.5 kB");
  EXPECT_EQ(human_bytes(999600), "1 MB");
  EXPECT_EQ(human_bytes(23400000000000), "23.4 TB");
}

TEST(Estimate, CountsPouringAndRefusesWithNumbers) {
  Executor executor(1);
  auto simulation = Simulation::create(bouncing_scene(), executor, bouncing_factory());
  ASSERT_TRUE(simulation.ok());
  const Estimate e = estimate_run(**simulation, 10);
  EXPECT_EQ(e.particles, 1109u);
  EXPECT_EQ(e.frames, 11u);
  EXPECT_NEAR(static_cast<double>(e.frame_bytes), 1054.5 * 41 * 0.8, 100);
  EXPECT_TRUE(check_room(e, room_for("/tmp/not/there/yet"), "/tmp/not/there/yet").ok());
  const Status memory = check_room(e, {1000, 1u << 30}, "out/x");
  ASSERT_FALSE(memory.ok());
  EXPECT_NE(memory.error().message.find("this machine has 1 kB"), std::string::npos);
  const Status disk = check_room(e, {std::uint64_t{1} << 40, 1000}, "out/x");
  ASSERT_FALSE(disk.ok());
  EXPECT_NE(disk.error().message.find("out/x has 1 kB free"), std::string::npos);
  EXPECT_NE(disk.error().message.find("--force"), std::string::npos);
  EXPECT_TRUE(check_room(e, {}, "out/x").ok()) << "unknown room is no reason to refuse";
  EXPECT_GT(resident_bytes(), 1000000u);
}

}  // namespace
}  // namespace talus
