// Runs that are really stopped: the test program starts itself as a child that runs a slow
// simulation, and kills it, interrupts it, or gives it a file system that fills up.
#include "frames/frame.h"
#include "frames/scratch_folder.h"
#include "run/bouncing_scene.h"
#include "run/bouncing_solver.h"
#include "run/interrupt.h"
#include "run/manifest.h"
#include "run/runner.h"
#include "run/same_run.h"

#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <random>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

namespace talus {
namespace {

namespace fs = std::filesystem;

Scene crash_scene(const std::string& kind) {
  Scene scene = bouncing_scene();
  if (kind == "large") {  // frames of about 250 kB
    scene.sph.spacing = 0.025;
    scene.pours.clear();
  }
  return scene;
}

struct ChildRun {
  std::string verb = "start";
  std::string kind = "small";
  std::string sleep = "0.002";  ///< s for each step
};

/// Starts the child; it writes its messages to FOLDER.out.
pid_t spawn(const fs::path& folder, const ChildRun& run) {
  const std::string program = fs::read_symlink("/proc/self/exe").string();
  const pid_t child = ::fork();
  if (child != 0) return child;
  const int out = ::open((folder.string() + ".out").c_str(), O_WRONLY | O_CREAT | O_APPEND, 0644);
  ::dup2(out, 1);
  ::dup2(out, 2);
  ::setenv("TALUS_CRASH_FOLDER", folder.c_str(), 1);
  ::setenv("TALUS_CRASH_VERB", run.verb.c_str(), 1);
  ::setenv("TALUS_CRASH_KIND", run.kind.c_str(), 1);
  ::setenv("TALUS_CRASH_SLEEP", run.sleep.c_str(), 1);
  ::execl(program.c_str(), program.c_str(), "--gtest_filter=CrashChild.DISABLED_Run",
          "--gtest_also_run_disabled_tests", static_cast<char*>(nullptr));
  std::_Exit(99);
}

int wait_for(pid_t child) {
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

std::string output_of(const fs::path& folder) {
  const auto bytes = file_bytes(folder.string() + ".out");
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// Every file under its final name must be whole, at any moment.
void expect_whole_frames(const fs::path& folder) {
  Executor executor(1);
  if (!fs::exists(folder / "frames")) return;
  for (const std::string& name : names_in(folder / "frames")) {
    if (name.ends_with(".tmp")) continue;
    auto frame = FrameFile::open(folder / "frames" / name);
    ASSERT_TRUE(frame.ok()) << frame.error().message;
    for (std::size_t f = 0; f < frame->fields().size(); ++f)
      ASSERT_TRUE(frame->read_bytes(f, executor).ok());
  }
}

/// A file system of a few kilobytes; gone when the test ends, however it ends.
class SmallDisk {
 public:
  SmallDisk(const fs::path& path, std::uintmax_t bytes) : path_(path) {
    fs::create_directory(path);
    const std::string size = fmt::format("size={}", bytes);
    mounted_ = ::mount("none", path.c_str(), "tmpfs", 0, size.c_str()) == 0;
  }
  ~SmallDisk() {
    if (mounted_) ::umount2(path_.c_str(), MNT_DETACH);
  }
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;
  bool mounted() const { return mounted_; }
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
  bool mounted_ = false;
};

TEST(CrashChild, DISABLED_Run) {
  const char* folder = std::getenv("TALUS_CRASH_FOLDER");
  if (folder == nullptr) GTEST_SKIP() << "for the tests below";
  const Scene scene = crash_scene(std::getenv("TALUS_CRASH_KIND"));
  InterruptWatch watch;
  RunOptions options;
  options.folder = folder;
  options.program = "talus test";
  options.factory = bouncing_factory(std::atof(std::getenv("TALUS_CRASH_SLEEP")));
  options.interrupted = [&] { return watch.interrupted(); };
  options.force = true;
  Executor executor(2);
  const auto end = std::string(std::getenv("TALUS_CRASH_VERB")) == "start"
                       ? start_run(scene, "crash\n", options, executor)
                       : resume_run(scene, options, executor);
  if (!end.ok()) {
    fmt::print("{}\n", end.error().message);
    std::fflush(stdout);
    std::_Exit(static_cast<int>(end.error().kind));
  }
  std::_Exit(*end == RunEnd::finished ? 0 : 130);
}

TEST(Crash, KilledAtRandomMomentsAndResumedEqualsNeverStopped) {
  ScratchFolder scratch;
  ASSERT_EQ(wait_for(spawn(scratch / "whole", {.sleep = "0"})), 0) << output_of(scratch / "whole");
  const unsigned seed = std::random_device{}();
  RecordProperty("seed", static_cast<int>(seed));
  std::mt19937 random(seed);
  int killed = 0;
  for (int round = 0; round < 4; ++round) {
    const fs::path folder = scratch / ("run" + std::to_string(round));
    // Until the manifest exists there is nothing to resume.
    pid_t child = spawn(folder, {});
    while (!fs::exists(folder / "manifest.json")) ::usleep(1000);
    for (int attempt = 0; attempt < 6; ++attempt) {
      ::usleep(static_cast<useconds_t>(random() % 400000));
      ::kill(child, SIGKILL);
      const int code = wait_for(child);
      ASSERT_TRUE(code == 0 || code == -SIGKILL) << output_of(folder);
      killed += code != 0;
      expect_whole_frames(folder);
      child = spawn(folder, {.verb = "resume"});
    }
    ASSERT_EQ(wait_for(child), 0) << output_of(folder);
    EXPECT_EQ(read_manifest(folder)->state, "finished");
    expect_same_run(folder, scratch / "whole");
  }
  EXPECT_GT(killed, 4) << "seed " << seed;
}

TEST(Crash, SignalsLeaveACheckpointAndExit130) {
  ScratchFolder scratch;
  ASSERT_EQ(wait_for(spawn(scratch / "whole", {.sleep = "0"})), 0);
  for (int signal : {SIGINT, SIGTERM}) {
    const fs::path folder = scratch / ("signal" + std::to_string(signal));
    const pid_t child = spawn(folder, {.sleep = "0.01"});
    while (!fs::exists(frame_path(folder, 2))) ::usleep(1000);
    ::kill(child, signal);
    EXPECT_EQ(wait_for(child), 130);
    EXPECT_NE(output_of(folder).find("talus resume " + folder.string()), std::string::npos)
        << output_of(folder);
    EXPECT_EQ(read_manifest(folder)->state, "interrupted");
    EXPECT_EQ(wait_for(spawn(folder, {.verb = "resume", .sleep = "0"})), 0) << output_of(folder);
    expect_same_run(folder, scratch / "whole");
  }
}

TEST(Crash, AFullDiskKeepsTheLastFrameAndCheckpoint) {
  ScratchFolder scratch;
  const ChildRun large{.kind = "large", .sleep = "0"};
  ASSERT_EQ(wait_for(spawn(scratch / "whole", large)), 0) << output_of(scratch / "whole");
  std::uintmax_t whole_bytes = 0;
  for (const auto& entry : fs::recursive_directory_iterator(scratch / "whole"))
    if (entry.is_regular_file()) whole_bytes += entry.file_size();
  const SmallDisk disk(scratch / "disk", whole_bytes * 6 / 10);
  if (!disk.mounted()) GTEST_SKIP() << "no right to mount a small file system here";
  // Through a link, so that the child's messages lie beside the full disk and can be read.
  const fs::path link = scratch / "run";
  fs::create_directory_symlink(disk.path(), link);
  const int code = wait_for(spawn(link, large));
  const std::string said = output_of(link);
  const fs::path copy = scratch / "copy";
  fs::copy(disk.path(), copy, fs::copy_options::recursive);
  EXPECT_EQ(code, 1) << said;
  EXPECT_NE(said.find("No space left on device"), std::string::npos) << said;
  EXPECT_NE(said.find("are intact"), std::string::npos) << said;
  EXPECT_NE(said.find("talus resume " + link.string()), std::string::npos) << said;
  expect_whole_frames(copy);
  EXPECT_TRUE(fs::exists(frame_path(copy, 1)));
  EXPECT_FALSE(fs::exists(frame_path(copy, 10)));
  // More room was found: here, by moving the folder to a larger disk.
  EXPECT_EQ(wait_for(spawn(copy, {.verb = "resume", .kind = "large", .sleep = "0"})), 0)
      << output_of(copy);
  expect_same_run(copy, scratch / "whole");
}

TEST(Crash, AFullDiskFromTheStartIsAClearMessage) {
  ScratchFolder scratch;
  const SmallDisk disk(scratch / "disk", 65536);
  if (!disk.mounted()) GTEST_SKIP() << "no right to mount a small file system here";
  const fs::path folder = scratch / "run";
  fs::create_directory_symlink(disk.path(), folder);
  const int code = wait_for(spawn(folder, {.kind = "large", .sleep = "0"}));
  EXPECT_EQ(code, 1);
  EXPECT_NE(output_of(folder).find("No space left on device; free some space"), std::string::npos)
      << output_of(folder);
}

}  // namespace
}  // namespace talus
