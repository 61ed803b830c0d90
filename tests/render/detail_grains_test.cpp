// Fine grains in colours: their own values, and those of the particles they belong to.
#include "render/detail_grains.h"

#include "frames/scratch_folder.h"
#include "render/sequence.h"
#include "render/synthetic_detail.h"

#include <algorithm>
#include <map>

namespace talus {
namespace {

constexpr std::size_t particles = 40;

struct Fine {
  RunSource run;
  std::map<std::uint64_t, float> value;  ///< by id of the grain
  std::string title;
  std::string problem;
};

Fine read(const std::filesystem::path& folder, const std::string& field) {
  Fine out;
  auto run = open_run_source(folder, true);
  EXPECT_TRUE(run.ok()) << run.error().message;
  out.run = std::move(*run);
  const Executor executor(2);
  const auto info =
      read_detail_grains(out.run, 1, {false, field}, executor, [&](const DetailGrains& grains) {
        for (std::size_t i = 0; i < grains.id.size(); ++i)
          out.value[grains.id[i]] = grains.shown.values[i];
        out.title = grains.shown.title;
      });
  if (!info) out.problem = info.error().message;
  return out;
}

TEST(DetailGrains, TakeFieldsOfTheirParticles) {
  const ScratchFolder scratch;
  const test::SyntheticRun run(scratch / "run", 2, particles);
  const test::SyntheticDetail detail(run, 1, true);
  const Executor executor(1);
  const auto base = FrameFile::open(frame_path(run.folder, 1));
  const auto pressure = base->read<float>("pressure", executor);
  const Fine fine = read(run.folder, "pressure");
  ASSERT_EQ(fine.problem, "");
  EXPECT_EQ(fine.title, "pressure  Pa");
  ASSERT_EQ(fine.value.size(), particles * test::SyntheticDetail::factor);
  for (const auto& [id, value] : fine.value)
    EXPECT_EQ(value, (*pressure)[id / test::SyntheticDetail::factor]) << id;
}

TEST(DetailGrains, HaveTheirOwnSpeedWhenItIsStored) {
  const ScratchFolder scratch;
  const test::SyntheticRun run(scratch / "run", 2, particles);
  {
    const test::SyntheticDetail detail(run, 1, true);
    const Fine fine = read(run.folder, "speed");
    ASSERT_EQ(fine.problem, "");
    EXPECT_EQ(fine.title, "speed  m/s");
    for (const auto& [id, value] : fine.value)
      EXPECT_NEAR(value, id % 2 == 0 ? 0.1f : 0.2f, 1e-6f) << id;
  }
  const test::SyntheticDetail without(run, 1, false);
  const Executor executor(1);
  const auto base = FrameFile::open(frame_path(run.folder, 1));
  const auto velocity = base->read<Vec3f>("velocity", executor);
  const Fine fine = read(run.folder, "speed");
  ASSERT_EQ(fine.problem, "");
  for (const auto& [id, value] : fine.value) EXPECT_FLOAT_EQ(value, norm((*velocity)[id / 2]));
}

TEST(DetailGrains, ListTheirFieldsAndExplainWhatIsNotThere) {
  const ScratchFolder scratch;
  const test::SyntheticRun run(scratch / "run", 2, particles);
  const test::SyntheticDetail detail(run, 1, true);
  const Fine fine = read(run.folder, "taste");
  EXPECT_NE(fine.problem.find("cannot colour by 'taste'"), std::string::npos) << fine.problem;
  EXPECT_NE(fine.problem.find("pressure"), std::string::npos) << fine.problem;
  const auto fields = detail_fields(fine.run, 1);
  for (const char* name : {"speed", "height", "id", "pressure", "stress"})
    EXPECT_NE(std::find(fields.begin(), fields.end(), name), fields.end()) << name;
  std::filesystem::remove(frame_path(run.folder, 1));
  const Fine alone = read(run.folder, "pressure");
  EXPECT_NE(alone.problem.find("frames of the run"), std::string::npos) << alone.problem;
  EXPECT_EQ(detail_fields(alone.run, 1), (std::vector<std::string>{"height", "id", "speed"}));
  EXPECT_EQ(read(run.folder, "height").problem, "");
}

TEST(DetailGrains, ArePaintedByAFieldInPictures) {
  const ScratchFolder scratch;
  const test::SyntheticRun run(scratch / "run", 2, particles);
  const test::SyntheticDetail first(run, 0, false), second(run, 1, false);
  const Executor executor(2);
  SequenceOptions o;
  o.run = run.folder;
  o.detail = true;
  o.film = false;
  for (const char* field : {"speed", "pressure", "id", "material"}) {
    o.colour_by = field;
    const auto report = render_sequence(
        o, executor, [](const PictureProgress&) {}, [] { return false; });
    ASSERT_TRUE(report.ok()) << report.error().message;
    EXPECT_EQ(report->rendered, 2u);
    EXPECT_TRUE(std::filesystem::exists(report->folder / "frame_000001.png"));
  }
}

}  // namespace
}  // namespace talus
