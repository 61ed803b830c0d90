// `talus view` as a user calls it: pictures without a display, a real window under Xvfb, mistakes.
#include "apps/program_call.h"
#include "frames/scratch_folder.h"
#include "render/image.h"
#include "render/synthetic_run.h"
#include "view/bed_scene.h"

#include <algorithm>
#include <fstream>
#include <gtest/gtest.h>

namespace talus {
namespace {

std::string quoted(const std::filesystem::path& path) { return "'" + path.string() + "'"; }

std::filesystem::path write_scene(const ScratchFolder& scratch) {
  return test::write_bed(scratch, "0.7, 0.7, 0.15", "0, 0, 0.075", R"([[camera]]
position = [0.0, -2.2, 1.0]
target = [0.0, 0.0, 0.2]
focal_length_mm = 40
)");
}

ScreenImage picture(const std::filesystem::path& path) {
  auto image = read_png(path.string());
  EXPECT_TRUE(image.ok()) << image.error().message;
  return image.ok() ? *image : ScreenImage(1, 1);
}

/// Pixels of the colour of dropped balls.
int ball_pixels(const ScreenImage& image) {
  int count = 0;
  for (const Rgb8& c : image.pixels) count += c.b > 1.25 * c.r && c.b > 70;
  return count;
}

TEST(ViewProgram, DrawsAFrameWithoutADisplay) {
  const ScratchFolder scratch;
  const test::SyntheticRun run(scratch / "run", 4, 400);
  const auto out = scratch / "two words.png";
  expect_call("view " + quoted(run.folder) + " --headless --frame 3 --size 320x200 --screenshot " +
                  quoted(out),
              0, "picture: ");
  const ScreenImage image = picture(out);
  EXPECT_EQ(image.width, 320);
  EXPECT_EQ(image.height, 200);
  int darkest = 255, brightest = 0;
  for (const Rgb8& c : image.pixels) {
    darkest = std::min<int>(darkest, c.g);
    brightest = std::max<int>(brightest, c.g);
  }
  EXPECT_GT(brightest - darkest, 80) << "the picture shows nothing";
}

TEST(ViewProgram, SimulatesAndDropsABallWithoutADisplay) {
  const ScratchFolder scratch;
  const auto scene = write_scene(scratch);
  const auto before = scratch / "before.png", after = scratch / "after.png";
  expect_call("view " + quoted(scene) + " --headless --size 320x200 --do 'frames 3; screenshot " +
                  before.string() + "; drop ball 0 0 0.6; frames 8; screenshot " + after.string() +
                  "; quit'",
              0, "after.png");
  EXPECT_GT(ball_pixels(picture(after)), ball_pixels(picture(before)) + 150);
}

TEST(ViewProgram, RecordsAFilmOfEveryFrame) {
  const ScratchFolder scratch;
  const auto scene = write_scene(scratch);
  const auto folder = scratch / "film";
  expect_call("view " + quoted(scene) + " --headless --size 160x100 --do 'record " +
                  folder.string() + "; frames 6; cut; quit'",
              0, "film of");
  EXPECT_TRUE(std::filesystem::exists(folder / "film.mp4"));
  std::size_t pictures = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    pictures += entry.path().extension() == ".png";
  EXPECT_GE(pictures, 6u);
  EXPECT_LE(pictures, 8u);
}

/// `talus view` with a real window.
Outcome window_call(const ScratchFolder& scratch, const std::string& arguments) {
  const std::string command = "cd " + quoted(scratch.path()) +
                              " && xvfb-run -a -s '-screen 0 800x600x24' '" + TALUS_PROGRAM +
                              "' view " + arguments + " 2>&1";
  Outcome outcome;
  std::FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return outcome;
  std::array<char, 4096> buffer{};
  while (const std::size_t n = std::fread(buffer.data(), 1, buffer.size(), pipe))
    outcome.text.append(buffer.data(), n);
  const int status = pclose(pipe);
  outcome.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return outcome;
}

TEST(ViewProgram, ARealWindowOpensPlaysDropsABallAndTakesAPicture) {
  const ScratchFolder scratch;
  const auto scene = write_scene(scratch);
  const auto out = scratch / "window.png";
  const Outcome outcome =
      window_call(scratch, quoted(scene) +
                               " --size 480x320 --paused --do 'frames 2; drop ball 0 0 0.6; "
                               "frames 8; screenshot " +
                               out.string() + "; quit'");
  ASSERT_EQ(outcome.code, 0) << outcome.text;
  const ScreenImage image = picture(out);
  EXPECT_EQ(image.width, 480);
  EXPECT_GT(ball_pixels(image), 200) << outcome.text;
}

TEST(ViewProgram, WithoutADisplayItSuggestsHeadless) {
  const ScratchFolder scratch;
  const test::SyntheticRun run(scratch / "run", 1, 10);
  unsetenv("DISPLAY");
  unsetenv("WAYLAND_DISPLAY");
  expect_call("view " + quoted(run.folder), 1, "--headless");
}

TEST(ViewProgram, ADriverThatIsTooOldIsNamed) {
  const ScratchFolder scratch;
  const test::SyntheticRun run(scratch / "run", 1, 10);
  setenv("MESA_GL_VERSION_OVERRIDE", "2.1", 1);
  expect_call(
      "view " + quoted(run.folder) + " --headless --screenshot " + quoted(scratch / "a.png"), 1,
      "OpenGL 3.3");
  const Outcome window = window_call(scratch, quoted(run.folder) + " --do quit");
  EXPECT_EQ(window.code, 1) << window.text;
  EXPECT_NE(window.text.find("OpenGL 3.3"), std::string::npos) << window.text;
  unsetenv("MESA_GL_VERSION_OVERRIDE");
}

TEST(ViewProgram, MistakesGetOneClearLine) {
  const ScratchFolder scratch;
  const test::SyntheticRun run(scratch / "run", 2, 10), empty(scratch / "empty", 0, 10);
  const std::string shot = " --headless --smooth 1 --screenshot " + quoted(scratch / "a.png");
  expect_call("view " + quoted(scratch / "none") + shot, 2, "there is no");
  expect_call("view " + quoted(empty.folder) + shot, 1, "there are no frames");
  expect_call("view " + quoted(run.folder) + shot + " --size 0x100", 2, "WIDTHxHEIGHT");
  expect_call("view " + quoted(run.folder) + shot + " --frame 9", 2, "there is no frame 9");
  expect_call("view " + quoted(run.folder) + shot + " --camera crane", 2, "no camera 'crane'");
  expect_call("view " + quoted(run.folder) + shot + " --range 5:1", 2, "A:B");
  expect_call("view " + quoted(run.folder) + shot + " --colour-by presure", 2,
              "cannot colour by 'presure'");
  expect_call("view " + quoted(run.folder) + shot + " --do 'jump'", 2, "no command 'jump'");
  expect_call("view " + quoted(run.folder) + " --headless", 2, "would draw nothing");
  expect_call(
      "view " + quoted(run.folder) + " --headless --size 64x36 --screenshot /nonexistent/a.png", 1,
      "cannot write");
  std::ofstream(frame_path(run.folder, 1), std::ios::binary) << "damaged";
  expect_call("view " + quoted(run.folder) + shot + " --frame 1", 1, "frame_000001.tal");
  std::ofstream(frame_path(run.folder, 0), std::ios::binary) << "damaged";
  expect_call("view " + quoted(run.folder) + shot + " --colour-by speed", 1, "frame_000000.tal");
}

}  // namespace
}  // namespace talus
