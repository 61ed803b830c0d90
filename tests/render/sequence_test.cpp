// From a run folder to pictures and film, as `talus render` does it.
#include "render/sequence.h"

#include "render/film.h"
#include "render/image.h"
#include "render/synthetic_run.h"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <unistd.h>

namespace talus {
namespace {

namespace fs = std::filesystem;

class Sequence : public testing::Test {
 protected:
  void SetUp() override {
    folder_ =
        fs::temp_directory_path() / ("talus_sequence_" + std::to_string(::getpid()) + "_" +
                                     testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::create_directories(folder_);
  }
  void TearDown() override {
    fs::permissions(folder_, fs::perms::owner_all);
    fs::remove_all(folder_);
  }

  SequenceOptions options() const {
    SequenceOptions o;
    o.run = folder_ / "run";
    o.grains_per_particle = 1;
    return o;
  }
  Result<SequenceReport> go(const SequenceOptions& o) const {
    return render_sequence(
        o, executor_, [](const PictureProgress&) {}, [] { return false; });
  }
  std::string failure(const SequenceOptions& o) const {
    const auto report = go(o);
    return report.ok() ? std::string() : report.error().message;
  }

  fs::path folder_;
  Executor executor_{2};
};

std::string output_of(const std::string& command) {
  std::string out;
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), pclose);
  std::array<char, 256> buffer{};
  while (pipe && std::fgets(buffer.data(), buffer.size(), pipe.get()) != nullptr)
    out += buffer.data();
  return out;
}

TEST_F(Sequence, MakesPicturesAndAFilmOfTheRightLength) {
  const test::SyntheticRun run(folder_ / "run", 5);
  const auto report = go(options());
  ASSERT_TRUE(report.ok()) << report.error().message;
  EXPECT_EQ(report->rendered, 5u);
  ASSERT_FALSE(report->film.empty()) << report->film_note;
  for (int i = 0; i < 5; ++i) {
    const auto picture =
        read_png((report->folder / ("frame_00000" + std::to_string(i) + ".png")).string());
    ASSERT_TRUE(picture.ok());
    EXPECT_EQ(picture->width, 64);
    EXPECT_EQ(picture->height, 36);
  }
  const std::string probe = output_of(
      "ffprobe -v error -count_frames -select_streams v -show_entries "
      "stream=nb_read_frames,duration,codec_name,pix_fmt -of default=nw=1 '" +
      report->film.string() + "'");
  EXPECT_NE(probe.find("nb_read_frames=5"), std::string::npos) << probe;
  EXPECT_NE(probe.find("duration=0.200000"), std::string::npos) << probe;
  EXPECT_NE(probe.find("codec_name=h264"), std::string::npos) << probe;
  EXPECT_NE(probe.find("pix_fmt=yuv420p"), std::string::npos) << probe;
}

TEST_F(Sequence, GoesOnWhereItStopped) {
  const test::SyntheticRun run(folder_ / "run");
  SequenceOptions o = options();
  o.film = false;
  int asked = 0;
  auto report = render_sequence(
      o, executor_, [](const PictureProgress&) {}, [&] { return ++asked > 2; });
  ASSERT_TRUE(report.ok());
  EXPECT_TRUE(report->interrupted);
  EXPECT_EQ(report->rendered, 2u);
  report = go(o);
  ASSERT_TRUE(report.ok());
  EXPECT_EQ(report->kept, 2u);
  EXPECT_EQ(report->rendered, 2u);
  // Other settings: nothing may be kept, or a film would mix two looks.
  o.samples = 3;
  report = go(o);
  ASSERT_TRUE(report.ok());
  EXPECT_EQ(report->kept, 0u);
  EXPECT_EQ(report->rendered, 4u);
  // A frame that was simulated again is rendered again.
  fs::last_write_time(frame_path(folder_ / "run", 2),
                      fs::file_time_type::clock::now() + std::chrono::seconds(5));
  report = go(o);
  ASSERT_TRUE(report.ok());
  EXPECT_EQ(report->rendered, 1u);
}

TEST_F(Sequence, SlicesShareTheWorkAndTheLastMakesTheFilm) {
  const test::SyntheticRun run(folder_ / "run");
  SequenceOptions o = options();
  o.slices = 2;
  o.slice = 2;
  auto report = go(o);
  ASSERT_TRUE(report.ok());
  EXPECT_EQ(report->rendered, 2u);
  EXPECT_TRUE(report->film.empty());
  EXPECT_FALSE(report->film_note.empty());
  o.slice = 1;
  report = go(o);
  ASSERT_TRUE(report.ok());
  EXPECT_EQ(report->rendered, 2u);
  EXPECT_FALSE(report->film.empty());
}

TEST_F(Sequence, PreviewIsOnePictureOfTheLastFrame) {
  const test::SyntheticRun run(folder_ / "run");
  SequenceOptions o = options();
  o.preview = true;
  const auto report = go(o);
  ASSERT_TRUE(report.ok());
  EXPECT_EQ(report->rendered, 1u);
  const auto picture = read_png((folder_ / "run" / "preview.png").string());
  ASSERT_TRUE(picture.ok());
  EXPECT_EQ(picture->width, 640);
  EXPECT_EQ(picture->height, 360);
}

TEST_F(Sequence, ColoursByFieldsAndPutsRunsBesideEachOther) {
  const test::SyntheticRun run(folder_ / "run", 2);
  const test::SyntheticRun other(folder_ / "other", 2);
  for (const char* field : {"speed", "pressure", "stress", "id", "height", "material"}) {
    SequenceOptions o = options();
    o.colour_by = field;
    o.film = false;
    const auto report = go(o);
    ASSERT_TRUE(report.ok()) << report.error().message;
  }
  SequenceOptions o = options();
  o.beside = folder_ / "other";
  const auto report = go(o);
  ASSERT_TRUE(report.ok()) << report.error().message;
  const auto picture = read_png((report->folder / "frame_000001.png").string());
  ASSERT_TRUE(picture.ok());
  EXPECT_EQ(picture->width, 2 * 64 + 4);
  EXPECT_FALSE(report->film.empty()) << report->film_note;
}

TEST_F(Sequence, ExrIsTheLightOfThePngBeforeTheToneCurve) {
  const test::SyntheticRun run(folder_ / "run", 1);
  SequenceOptions o = options();
  o.exr = true;
  o.exposure = 0.5;
  const auto report = go(o);
  ASSERT_TRUE(report.ok()) << report.error().message;
  const auto light = read_exr((report->folder / "frame_000000.exr").string());
  const auto screen = read_png((report->folder / "frame_000000.png").string());
  ASSERT_TRUE(light.ok() && screen.ok());
  ToneSettings tone;
  tone.exposure = 0.5f;
  const ScreenImage again = to_screen(*light, tone);
  for (std::size_t i = 0; i < again.pixels.size(); ++i) {
    ASSERT_LE(std::abs(again.pixels[i].r - screen->pixels[i].r), 1) << i;
    ASSERT_LE(std::abs(again.pixels[i].b - screen->pixels[i].b), 1) << i;
  }
}

TEST_F(Sequence, KeepsThePicturesWhenFfmpegIsMissing) {
  const test::SyntheticRun run(folder_ / "run", 2);
  SequenceOptions o = options();
  o.ffmpeg = "ffmpeg-that-is-not-there";
  const auto report = go(o);
  ASSERT_TRUE(report.ok());
  EXPECT_TRUE(report->film_failed);
  EXPECT_NE(report->film_note.find("apt install ffmpeg"), std::string::npos) << report->film_note;
  EXPECT_TRUE(fs::exists(report->folder / "frame_000001.png"));
}

TEST_F(Sequence, ExplainsBadRequests) {
  EXPECT_NE(failure(options()).find("there is no folder"), std::string::npos);
  fs::create_directories(folder_ / "run");
  EXPECT_NE(failure(options()).find("no run folder"), std::string::npos);
  {
    const test::SyntheticRun none(folder_ / "run", 0);
    EXPECT_NE(failure(options()).find("no frames"), std::string::npos);
  }
  const test::SyntheticRun run(folder_ / "run", 2);
  SequenceOptions o = options();
  o.first = 7;
  o.last = 9;
  EXPECT_NE(failure(o).find("it has frames 0 to 1"), std::string::npos);
  o = options();
  o.colour_by = "presure";
  EXPECT_NE(failure(o).find("pressure"), std::string::npos);
  o = options();
  o.camera = "front";
  EXPECT_NE(failure(o).find("no camera 'front'"), std::string::npos);
  o = options();
  o.hidden = {"bal"};
  EXPECT_NE(failure(o).find("ball"), std::string::npos);
  o = options();
  o.slice = 3;
  o.slices = 2;
  EXPECT_NE(failure(o).find("3/2"), std::string::npos);
  o = options();
  o.output = "/proc/pictures";
  EXPECT_NE(failure(o).find("/proc/pictures"), std::string::npos);
  o = options();
  o.width = -1;
  o.height = 10;
  EXPECT_NE(failure(o).find("at least 1"), std::string::npos);
}

TEST_F(Sequence, NamesADamagedFrame) {
  const test::SyntheticRun run(folder_ / "run", 2);
  fs::resize_file(frame_path(folder_ / "run", 1), 100);
  EXPECT_NE(failure(options()).find("frame_000001.tal"), std::string::npos);
}

TEST_F(Sequence, FilmNeedsPictures) {
  EXPECT_FALSE(make_film({}, folder_ / "a.mp4", {}).ok());
  const Status broken = make_film({folder_ / "none.png"}, folder_ / "a.mp4", {});
  ASSERT_FALSE(broken.ok());
  EXPECT_FALSE(fs::exists(folder_ / "a.mp4"));
  EXPECT_FALSE(fs::exists(folder_ / "a.mp4.part.mp4"));
}

}  // namespace
}  // namespace talus
