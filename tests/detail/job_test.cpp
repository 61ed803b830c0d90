// `talus detail` on a small run folder: resume, slices, join, and what it answers to bad input.
#include "detail/cloud_file.h"
#include "detail/detail_job.h"
#include "frames/atomic_file.h"
#include "run/manifest.h"
#include "synthetic_base.h"

#include <fcntl.h>
#include <filesystem>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <unistd.h>

namespace talus::detail {
namespace {

namespace fs = std::filesystem;

constexpr int run_frames = 5;
constexpr std::size_t run_particles = 5000;  // three blocks of ids

const char* scene_text = R"toml(
[scene]
name = "small"
duration = 0.1
frame_rate = 50
[sph]
spacing = 0.02
[[material]]
name = "sand"
preset = "dry sand"
[[fill]]
name = "heap"
material = "sand"
shape = { type = "box", size = [0.3, 0.3, 0.3], position = [0, 0, 0.2] }
[[body]]
name = "floor"
shape = { type = "plane" }
[detail]
factor = 6
)toml";

Moving fountain(std::size_t i, double t) {
  const auto k = static_cast<int>(i);
  const Vec3d x0 = Vec3d{k % 20 - 9.5, k / 20 % 20 - 9.5, k / 400 + 1.0} * 0.02;
  const Vec3d v{8 * x0.x, 8 * x0.y, 2 * x0.z};
  return {x0 + v * t - Vec3d{0, 0, 4.905 * t * t}, v - Vec3d{0, 0, 9.81 * t}};
}

class DetailJob : public testing::Test {
 protected:
  void SetUp() override {
    run_ =
        fs::temp_directory_path() / ("talus_detail_" + std::to_string(::getpid()) + "_" +
                                     testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::remove_all(run_);
    fs::create_directories(run_ / "frames");
    ASSERT_TRUE(write_text_file(run_ / "scene.toml", scene_text).ok());
    ASSERT_TRUE(write_text_file(run_ / "log.txt", "").ok());
    manifest_.program = "talus test";
    manifest_.scene = "small";
    manifest_.solver = "sph";
    manifest_.frame_rate = 50;
    manifest_.frames_total = run_frames;
    manifest_.state = "finished";
    for (int k = 0; k <= run_frames; ++k) add_frame(k);
    ASSERT_TRUE(write_manifest(run_, manifest_).ok());
  }
  void TearDown() override { fs::remove_all(run_); }

  void add_frame(int k) {
    const BaseFrame f = make_frame(run_particles, fountain, k);
    const auto bytes = [](const auto& v) { return std::as_bytes(std::span(v)); };
    const FrameColumn columns[] = {
        {{"id", "1", FieldType::u64, FieldUse::frame, ""}, bytes(f.id)},
        {{"position", "m", FieldType::vec3f, FieldUse::frame, ""}, bytes(f.position)},
        {{"velocity", "m/s", FieldType::vec3f, FieldUse::frame, ""}, bytes(f.velocity)},
        {{"radius", "m", FieldType::f32, FieldUse::frame, ""}, bytes(f.radius)},
        {{"material", "1", FieldType::u32, FieldUse::frame, ""}, bytes(f.material)}};
    ASSERT_TRUE(
        write_frame(frame_path(run_, static_cast<std::uint64_t>(k)), f.info, columns, executor_)
            .ok());
    manifest_.frames.push_back({static_cast<std::uint64_t>(k), f.info.time, run_particles, 1});
  }

  JobOptions options() const {
    JobOptions o;
    o.run = run_;
    return o;
  }
  Result<JobReport> go(
      const JobOptions& o, const std::function<bool()>& stop = [] { return false; }) {
    const auto plan = plan_detail(o, executor_);
    if (!plan) return plan.error();
    return run_detail(
        o, *plan, executor_, [](const JobProgress&) {}, stop);
  }
  std::string failure(const JobOptions& o) {
    const auto report = go(o);
    return report.ok() ? "" : report.error().message;
  }
  std::string bytes_of(const fs::path& path) const {
    const auto text = read_text_file(path, 1 << 30);
    EXPECT_TRUE(text.ok()) << path;
    return text.ok() ? *text : "";
  }
  /// Positions by id of all shares of a frame.
  std::map<std::uint64_t, std::array<float, 3>> grains(std::uint64_t frame) const {
    std::map<std::uint64_t, std::array<float, 3>> out;
    for (const fs::path& path : detail_files(run_, frame)) {
      const auto file = DetailFrameFile::open(path);
      EXPECT_TRUE(file.ok());
      const auto id = file->ids(executor_);
      const auto x = file->positions(executor_);
      EXPECT_TRUE(id.ok() && x.ok());
      for (std::size_t i = 0; i < id->size(); ++i)
        out[(*id)[i]] = {(*x)[i].x, (*x)[i].y, (*x)[i].z};
    }
    return out;
  }

  fs::path run_;
  Manifest manifest_;
  Executor executor_{2};
};

TEST_F(DetailJob, MakesEveryFrame) {
  const auto report = go(options());
  ASSERT_TRUE(report.ok()) << report.error().message;
  EXPECT_EQ(report->grains, run_particles * 6);
  EXPECT_EQ(detail_frame_numbers(run_).size(), 6u);
  EXPECT_EQ(grains(3).size(), run_particles * 6);
  const auto joined = join_detail(run_);
  EXPECT_TRUE(joined.ok()) << joined.error().message;
  // A second job keeps all of it.
  const auto before = fs::last_write_time(detail_files(run_, 3)[0]);
  ASSERT_TRUE(go(options()).ok());
  EXPECT_EQ(fs::last_write_time(detail_files(run_, 3)[0]), before);
}

TEST_F(DetailJob, AStoppedJobGoesOnBitForBit) {
  ASSERT_TRUE(go(options()).ok());
  const fs::path file = detail_files(run_, run_frames)[0];
  const std::string whole = bytes_of(file);
  fs::remove_all(run_ / "detail");
  int questions = 0;
  const auto stopped = go(options(), [&] { return ++questions == 3; });
  ASSERT_TRUE(stopped.ok()) << stopped.error().message;
  EXPECT_TRUE(stopped->interrupted);
  EXPECT_FALSE(fs::exists(file));
  const auto resumed = go(options());
  ASSERT_TRUE(resumed.ok()) << resumed.error().message;
  EXPECT_EQ(bytes_of(file), whole);
  EXPECT_TRUE(join_detail(run_).ok());
}

TEST_F(DetailJob, SlicesAndPartsGiveTheSameGrains) {
  ASSERT_TRUE(go(options()).ok());
  const auto whole = grains(run_frames);
  fs::remove_all(run_ / "detail");
  JobOptions o = options();
  o.slices = 2;
  for (o.slice = 1; o.slice <= 2; ++o.slice) ASSERT_TRUE(go(o).ok());
  EXPECT_EQ(grains(run_frames), whole);
  EXPECT_TRUE(join_detail(run_).ok());
  fs::remove_all(run_ / "detail");
  o = options();
  o.memory_bytes = 121'600'000 + 20'000 * 40 + (120 << 20) - 120'000'000;  // about 20 000 grains
  const auto plan = plan_detail(o, executor_);
  ASSERT_TRUE(plan.ok()) << plan.error().message;
  EXPECT_GT(plan->parts, 1);
  ASSERT_TRUE(go(o).ok());
  EXPECT_EQ(grains(run_frames), whole);
}

TEST_F(DetailJob, PositionsAreExactToAHundredthOfARadius) {
  CloudSettings settings = cloud_settings(100);
  GrainCloud cloud(settings, {});
  const BaseFrame frame = make_frame(500, fountain, 0);
  cloud.enter_frame(frame, {}, 0.01, executor_);
  const auto file = pack_frame(cloud, frame.info, "test", 0.01, executor_);
  const fs::path path = run_ / "one.tal";
  ASSERT_TRUE(write_packed(path, file).ok());
  const auto back = DetailFrameFile::open(path);
  ASSERT_TRUE(back.ok());
  const auto id = back->ids(executor_);
  const auto x = back->positions(executor_);
  ASSERT_TRUE(id.ok() && x.ok());
  const Grains wanted = grains_of(cloud);
  ASSERT_EQ(id->size(), wanted.size());
  for (std::size_t i = 0; i < id->size(); ++i)
    EXPECT_LT(norm(Vec3d((*x)[i]) - wanted.at((*id)[i]).position), 0.01 * settings.radius());
  EXPECT_LT(static_cast<double>(back->compressed_bytes("position")),
            8.0 * static_cast<double>(id->size()));
}

TEST_F(DetailJob, VelocitiesOnRequest) {
  JobOptions o = options();
  o.overrides = {"detail.write_velocity=true"};
  ASSERT_TRUE(go(o).ok());
  const auto file = DetailFrameFile::open(detail_files(run_, 2)[0]);
  ASSERT_TRUE(file.ok()) << file.error().message;
  const auto v = file->velocities(executor_);
  ASSERT_TRUE(v.ok());
  ASSERT_EQ(v->size(), file->count());
  double fastest = 0;
  for (const Vec3f& u : *v) fastest = std::max(fastest, static_cast<double>(norm(u)));
  EXPECT_GT(fastest, 0.5);
  EXPECT_LT(fastest, 5);
}

TEST_F(DetailJob, OtherSettingsAreRefused) {
  ASSERT_TRUE(go(options()).ok());
  JobOptions o = options();
  o.overrides = {"detail.factor=7"};
  EXPECT_NE(failure(o).find("other settings"), std::string::npos);
  o.overwrite = true;
  EXPECT_EQ(failure(o), "");
  EXPECT_EQ(grains(1).size(), run_particles * 7);
}

TEST_F(DetailJob, JoinNamesWhatIsMissing) {
  EXPECT_NE(join_detail(run_).error().message.find("no fine grains"), std::string::npos);
  JobOptions o = options();
  o.slices = 2;
  o.slice = 1;
  ASSERT_TRUE(go(o).ok());
  EXPECT_NE(join_detail(run_).error().message.find("slice 2/2 is missing"), std::string::npos);
  o.slice = 2;
  o.overrides = {"detail.factor=7"};
  ASSERT_TRUE(go(o).ok());
  EXPECT_NE(join_detail(run_).error().message.find("different settings"), std::string::npos);
}

TEST_F(DetailJob, BadInputIsExplained) {
  JobOptions o = options();
  o.slice = 3;
  o.slices = 2;
  EXPECT_NE(failure(o).find("3/2"), std::string::npos);
  o = options();
  o.overrides = {"detail.factor=2.5"};
  EXPECT_NE(failure(o).find("whole number"), std::string::npos);
  o.overrides = {"detail.factor=5000"};
  EXPECT_NE(failure(o).find("1000"), std::string::npos);
  o.run = run_ / "nowhere";
  EXPECT_NE(failure(o).find("no folder"), std::string::npos);

  const fs::path third = frame_path(run_, 3);
  fs::resize_file(third, fs::file_size(third) / 2);
  EXPECT_NE(failure(options()).find("frame_000003.tal"), std::string::npos);
  fs::remove(third);
  EXPECT_NE(failure(options()).find("frame 3 is missing"), std::string::npos);
  JobOptions before = options();
  before.last_frame = 2;
  EXPECT_EQ(failure(before), "");  // as the message says

  Manifest empty = manifest_;
  empty.frames.clear();
  ASSERT_TRUE(write_manifest(run_, empty).ok());
  EXPECT_NE(failure(options()).find("no frames"), std::string::npos);
}

TEST_F(DetailJob, ARunThatIsStillWrittenIsFollowedOrNamed) {
  manifest_.state = "running";
  manifest_.frames.resize(3);
  ASSERT_TRUE(write_manifest(run_, manifest_).ok());
  const int log = ::open((run_ / "log.txt").c_str(), O_RDWR);
  ASSERT_EQ(::flock(log, LOCK_EX), 0);
  EXPECT_NE(failure(options()).find("still being written"), std::string::npos);
  JobOptions o = options();
  o.follow = true;
  // The run ends when the job asks for the second time whether to stop.
  int questions = 0;
  const auto report = go(o, [&] {
    if (++questions == 2) {
      manifest_.state = "finished";
      for (std::uint64_t k = 3; k <= run_frames; ++k)
        manifest_.frames.push_back({k, static_cast<double>(k) * frame_time, run_particles, 1});
      EXPECT_TRUE(write_manifest(run_, manifest_).ok());
    }
    return false;
  });
  ::close(log);
  ASSERT_TRUE(report.ok()) << report.error().message;
  EXPECT_EQ(report->frames, 6u);
}

TEST_F(DetailJob, AFullDiskIsForeseen) {
  for (ManifestFrame& f : manifest_.frames) f.particles = 1'000'000'000'000;
  ASSERT_TRUE(write_manifest(run_, manifest_).ok());
  JobOptions o = options();
  o.overrides = {"detail.factor=1000"};
  const std::string message = failure(o);
  EXPECT_NE(message.find("of disk"), std::string::npos) << message;
  EXPECT_NE(message.find("PB"), std::string::npos) << message;
}

}  // namespace
}  // namespace talus::detail
