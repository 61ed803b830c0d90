// `talus render` as a user calls it: every mistake gets one clear line, and no work is lost.
#include "apps/program_call.h"
#include "frames/scratch_folder.h"
#include "render/image.h"
#include "render/synthetic_run.h"

#include <cstdlib>
#include <fstream>
#include <gtest/gtest.h>

namespace talus {
namespace {

std::string quoted(const std::filesystem::path& path) { return "'" + path.string() + "'"; }

TEST(RenderProgram, MistakesGetOneClearLine) {
  const ScratchFolder scratch;
  const test::SyntheticRun run(scratch / "run", 2, 20), empty(scratch / "empty", 0, 20);
  const std::string good = "render " + quoted(run.folder) + " --samples 1 --no-film";
  expect_call("render " + quoted(scratch / "none"), 2, "there is no folder");
  expect_call("render " + quoted(empty.folder), 1, "there are no frames");
  expect_call(good + " --size 0x100", 2, "WIDTHxHEIGHT");
  expect_call(good + " --size 100", 2, "WIDTHxHEIGHT");
  expect_call(good + " --frames 5:9", 2, "it has frames 0 to 1");
  expect_call(good + " --frames a", 2, "--frames");
  expect_call(good + " --camera crane", 2, "no camera 'crane'");
  expect_call(good + " --range 2:1 --colour-by speed", 2, "is empty");
  expect_call(good + " --colour-by presure", 2, "pressure");
  expect_call(good + " --slice 3/2", 2, "3/2");
  expect_call(good + " --detail", 1, "'talus detail' makes them");
  expect_call(good + " -o /proc/pictures", 1, "/proc/pictures");
  // With a hyphen too, and with what to do about contacts that are not there.
  expect_call(good + " --colour-by force-chains", 2, "solver = \"dem\"");
}

TEST(RenderProgram, ACameraWithoutATargetIsNamed) {
  const ScratchFolder scratch;
  const test::SyntheticRun run(scratch / "run", 1, 20);
  std::ofstream(run.folder / "scene.toml", std::ios::app)
      << "\n[[camera]]\nname = \"crane\"\nposition = [0.0, -3.0, 1.0]\n";
  expect_call("render " + quoted(run.folder), 2, "target");
}

TEST(RenderProgram, WithoutFfmpegThePicturesAreKept) {
  const ScratchFolder scratch;
  const test::SyntheticRun run(scratch / "run", 2, 20);
  const std::string path = std::getenv("PATH");
  setenv("PATH", "/nonexistent", 1);
  expect_call("render " + quoted(run.folder), 1, "apt install ffmpeg");
  setenv("PATH", path.c_str(), 1);
  EXPECT_TRUE(std::filesystem::exists(run.folder / "pictures" / "frame_000001.png"));
  expect_call("render " + quoted(run.folder), 0, "0 pictures made, 2 kept");
  EXPECT_TRUE(std::filesystem::exists(run.folder / "pictures" / "film.mp4"));
}

}  // namespace
}  // namespace talus
