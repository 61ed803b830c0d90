// report.html as a user of the program meets it: left by run and resume, made again by report.
#include "frames/scratch_folder.h"
#include "program_call.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <string>

namespace {

namespace fs = std::filesystem;
using talus::ScratchFolder;

std::string small_run(const fs::path& folder, const std::string& more) {
  return std::string("run '") + TALUS_SOURCE_DIR + "/scenes/demo.toml' -o '" + folder.string() +
         "' --set sph.spacing=0.07 " + more;
}

std::string page(const fs::path& folder) {
  std::ifstream in(folder / "report.html", std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

TEST(ReportProgram, RunLeavesAPageAndResumeMakesItAgain) {
  const ScratchFolder scratch;
  const fs::path run = scratch / "run";
  expect_call(small_run(run, "--frames 2"), 0, "report: " + (run / "report.html").string());
  EXPECT_NE(page(run).find("All particles, 3 frames"), std::string::npos);
  expect_call("resume '" + run.string() + "' --frames 4", 0, "report.html");
  EXPECT_NE(page(run).find("All particles, 5 frames"), std::string::npos);
  const std::string before = page(run);
  expect_call("report '" + run.string() + "' -j 1", 0, "report.html");
  EXPECT_EQ(page(run), before) << "the same folder gives the same page";
  expect_call("report '" + run.string() + "' -o '" + (scratch / "copy.html").string() + "'", 0,
              "copy.html");
  EXPECT_EQ(talus::file_bytes(scratch / "copy.html").size(), before.size());
}

TEST(ReportProgram, IsLeftOutOnRequestAndSilentWhenAskedToBe) {
  const ScratchFolder scratch;
  expect_call(small_run(scratch / "a", "--frames 1 --no-report"), 0, "finished");
  EXPECT_FALSE(fs::exists(scratch / "a" / "report.html"));
  EXPECT_EQ(talus_call(small_run(scratch / "b", "--frames 1 --quiet")).text, "");
  EXPECT_TRUE(fs::exists(scratch / "b" / "report.html"));
  const Outcome json = talus_call(small_run(scratch / "c", "--frames 1 --json"));
  EXPECT_EQ(json.text.find("report"), std::string::npos) << json.text;
  EXPECT_TRUE(fs::exists(scratch / "c" / "report.html"));
}

TEST(ReportProgram, AFailingPageDoesNotFailTheRun) {
  const ScratchFolder scratch;
  const fs::path run = scratch / "run";
  fs::create_directories(run / "report.html.tmp" / "in the way");
  expect_call(small_run(run, "--frames 1"), 0, "warning: no report.html: cannot create");
  expect_call("info '" + run.string() + "' --verify", 0, "are whole");
  expect_call("report '" + run.string() + "'", 1, "cannot create");
}

TEST(ReportProgram, ARefusedRunTouchesNoPage) {
  const ScratchFolder scratch;
  const fs::path run = scratch / "run";
  expect_call(small_run(run, "--frames 1"), 0, "report.html");
  fs::remove(run / "report.html");
  expect_call(small_run(run, "--frames 1"), 2, "already holds a run");
  EXPECT_FALSE(fs::exists(run / "report.html"));
}

TEST(ReportProgram, AnInterruptedRunHasAPage) {
  const ScratchFolder scratch;
  const fs::path run = scratch / "run";
  const std::string command =
      std::string("timeout --preserve-status -s INT 2 '") + TALUS_PROGRAM + "' " +
      small_run(run, "--set sph.spacing=0.02 --set scene.duration=600") + " >/dev/null 2>&1";
  const int status = std::system(command.c_str());
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 130);
  EXPECT_NE(page(run).find("stopped after frame"), std::string::npos);
  EXPECT_NE(page(run).find("<code>talus resume"), std::string::npos);
}

TEST(ReportProgram, SaysWhatIsWrong) {
  const ScratchFolder scratch;
  expect_call("report '" + (scratch / "nothing").string() + "'", 2, "there is no folder");
  fs::create_directory(scratch / "empty");
  expect_call("report '" + (scratch / "empty").string() + "'", 2, "not a run folder");
  const fs::path run = scratch / "run";
  expect_call(small_run(run, "--frames 2"), 0, "report.html");
  fs::resize_file(run / "frames" / "frame_000001.tal", 100);
  expect_call("report '" + run.string() + "'", 1, "frame_000001.tal");
  EXPECT_NE(page(run).find("the player skips this frame"), std::string::npos);
}

}  // namespace
