// Sprites from stored frames and from solvers, and the loader that reads a run beside the window.
#include "core/timer.h"
#include "frames/scratch_folder.h"
#include "render/grain_fields.h"
#include "render/synthetic_detail.h"
#include "run/manifest.h"
#include "view/frame_loader.h"
#include "view/sky_light.h"
#include "view/view_frame.h"

#include <cmath>
#include <fstream>
#include <gtest/gtest.h>

namespace talus::view {
namespace {

std::shared_ptr<const RunSource> open_world(const std::filesystem::path& folder) {
  auto world = open_run_stage(folder, false);
  EXPECT_TRUE(world.ok()) << world.error().message;
  return std::make_shared<RunSource>(std::move(*world));
}

TEST(ViewFrame, HasOneSpriteForEachParticleWithColourAndValue) {
  const ScratchFolder scratch;
  const test::SyntheticRun run(scratch / "run", 2, 300);
  const Executor executor(1);
  const auto world = open_world(run.folder);
  const auto entries = list_run_frames(run.folder, false);
  ASSERT_EQ(entries.size(), 2u);
  const auto frame = load_view_frame(entries[1], world, {"speed", 1}, executor);
  ASSERT_TRUE(frame.ok()) << frame.error().message;
  const ViewFrame& f = **frame;
  ASSERT_EQ(f.sprites.size(), 300u);
  EXPECT_EQ(f.particles, 300u);
  EXPECT_EQ(f.title, "speed  m/s");
  const auto file = FrameFile::open(entries[1].path);
  const auto x = file->read<Vec3f>("position", executor);
  const auto v = file->read<Vec3f>("velocity", executor);
  for (std::size_t i = 0; i < 300; i += 17) {
    EXPECT_EQ(f.sprites[i].centre, (*x)[i]);
    EXPECT_FLOAT_EQ(f.sprites[i].value, norm((*v)[i]));
    EXPECT_GT(f.sprites[i].radius, 0);
  }
  EXPECT_NE(std::find(f.fields.begin(), f.fields.end(), "pressure"), f.fields.end());
  EXPECT_LE(f.range.lower, f.range.upper);
  EXPECT_TRUE(std::isfinite(norm(f.bounds.upper - f.bounds.lower)));
}

TEST(ViewFrame, AnUnknownFieldLeavesNaturalColours) {
  const ScratchFolder scratch;
  const test::SyntheticRun run(scratch / "run", 1, 50);
  const Executor executor(1);
  const auto entries = list_run_frames(run.folder, false);
  const auto frame = load_view_frame(entries[0], open_world(run.folder), {"taste", 1}, executor);
  ASSERT_TRUE(frame.ok());
  EXPECT_EQ((*frame)->field, "");
  EXPECT_EQ((*frame)->request.field, "taste");
}

TEST(ViewFrame, CategoriesArePainted) {
  const ScratchFolder scratch;
  const test::SyntheticRun run(scratch / "run", 1, 50);
  const Executor executor(1);
  const auto entries = list_run_frames(run.folder, false);
  const auto frame = load_view_frame(entries[0], open_world(run.folder), {"id", 3}, executor);
  ASSERT_TRUE(frame.ok());
  EXPECT_TRUE((*frame)->categories);
  ASSERT_EQ((*frame)->sprites.size(), 150u) << "three small grains each";
  const auto colour = [&](std::size_t i) {
    const PaintedGrain& p = (*frame)->sprites[i].paint;
    return p.red * 65536 + p.green * 256 + p.blue;
  };
  EXPECT_EQ(colour(0), colour(2));
  EXPECT_NE(colour(0), colour(3));
}

TEST(ViewFrame, FineGrainsHaveTheFieldsOfTheirParticles) {
  const ScratchFolder scratch;
  const test::SyntheticRun run(scratch / "run", 1, 50);
  const test::SyntheticDetail detail(run, 0, true);
  const Executor executor(1);
  auto world = open_run_stage(run.folder, true);
  ASSERT_TRUE(world.ok()) << world.error().message;
  const auto shared = std::make_shared<const RunSource>(std::move(*world));
  const auto entries = list_run_frames(run.folder, true);
  ASSERT_EQ(entries.size(), 1u);
  const auto speed = load_view_frame(entries[0], shared, {"speed", 1}, executor);
  ASSERT_TRUE(speed.ok()) << speed.error().message;
  ASSERT_EQ((*speed)->sprites.size(), 100u);
  EXPECT_EQ((*speed)->title, "speed  m/s");
  EXPECT_NEAR((*speed)->sprites[0].value, 0.1f, 1e-6f) << "its own";
  EXPECT_NEAR((*speed)->sprites[1].value, 0.2f, 1e-6f);
  const auto pressure = load_view_frame(entries[0], shared, {"pressure", 1}, executor);
  ASSERT_TRUE(pressure.ok()) << pressure.error().message;
  const auto file = FrameFile::open(frame_path(run.folder, 0));
  const auto base = file->read<float>("pressure", executor);
  for (std::size_t i = 0; i < 100; i += 7)
    EXPECT_EQ((*pressure)->sprites[i].value, (*base)[i / 2]) << i;
  EXPECT_GT((*pressure)->range.upper, (*pressure)->range.lower);
  const auto plain = load_view_frame(entries[0], shared, {"taste", 1}, executor);
  ASSERT_TRUE(plain.ok());
  EXPECT_EQ((*plain)->field, "");
}

/// Until the loader has told what `done` waits for.
template <class Done>
LoaderReport wait_for(FrameLoader& loader, Done done) {
  LoaderReport last;
  for (const double start = seconds_now(); seconds_now() - start < 100;)
    if (const auto report = loader.take()) {
      last = *report;
      if (done(last)) return last;
    }
  ADD_FAILURE() << "the loader did not answer";
  return last;
}

TEST(FrameLoader, ServesWhatIsWantedAndSeesNewFrames) {
  const ScratchFolder scratch;
  const test::SyntheticRun run(scratch / "run", 3, 100);
  FrameLoader loader(open_world(run.folder), {1 << 20, 0.02, 1});
  loader.want(1, {});
  const auto first =
      wait_for(loader, [](const LoaderReport& r) { return r.frame && r.place == 1; });
  ASSERT_TRUE(first.frame);
  EXPECT_EQ(first.frame->info.index, 1u);
  EXPECT_EQ(first.entries.size(), 3u);
  run.write(3, 100);
  const auto later = wait_for(loader, [](const LoaderReport& r) { return r.entries.size() == 4; });
  EXPECT_EQ(later.frame, first.frame) << "what is shown stays";
  loader.want(3, {"speed", 1});
  const auto last = wait_for(loader, [](const LoaderReport& r) { return r.place == 3; });
  ASSERT_TRUE(last.frame);
  EXPECT_EQ(last.frame->field, "speed");
  EXPECT_EQ(last.request, (ViewRequest{"speed", 1}));
}

TEST(FrameLoader, DamagedAndMissingFramesAreMessages) {
  const ScratchFolder scratch;
  const test::SyntheticRun run(scratch / "run", 20, 20);
  std::ofstream(frame_path(run.folder, 1), std::ios::binary) << "not a frame at all";
  FrameLoader loader(open_world(run.folder), {1 << 20, 1000, 1});
  loader.want(0, {});
  const auto good = wait_for(loader, [](const LoaderReport& r) { return r.frame != nullptr; });
  loader.want(1, {});
  const auto bad = wait_for(loader, [](const LoaderReport& r) { return r.place == 1; });
  EXPECT_NE(bad.problem.find("frame_000001.tal"), std::string::npos) << bad.problem;
  EXPECT_EQ(bad.frame, good.frame) << "the last good one stays";
  std::filesystem::remove(frame_path(run.folder, 19));  // too far ahead to have been read
  loader.want(19, {});
  const auto missing = wait_for(loader, [](const LoaderReport& r) { return r.place == 19; });
  EXPECT_FALSE(missing.problem.empty());
  loader.want(0, {});
  const auto again =
      wait_for(loader, [](const LoaderReport& r) { return r.place == 0 && r.problem.empty(); });
  EXPECT_EQ(again.frame->info.index, 0u);
}

TEST(FrameLoader, AFolderWithoutFramesIsWaitedFor) {
  const ScratchFolder scratch;
  const test::SyntheticRun run(scratch / "run", 0, 10);
  FrameLoader loader(open_world(run.folder), {1 << 20, 0.02, 1});
  loader.want(0, {});
  const auto empty = wait_for(loader, [](const LoaderReport&) { return true; });
  EXPECT_TRUE(empty.entries.empty());
  EXPECT_EQ(empty.frame, nullptr);
  run.write(0, 10);
  const auto frame = wait_for(loader, [](const LoaderReport& r) { return r.frame != nullptr; });
  EXPECT_EQ(frame.frame->sprites.size(), 10u);
}

TEST(SkyLight, HarmonicsMatchTheIntegralOfTheSky) {
  const Lighting light = sun_and_sky({0.4f, 0.3f, 0.6f}, {0, 0, 1}, 0, 1);
  const Ambient ambient = ambient_of(light, {0, 0, 0});
  for (const Vec3f& n : {Vec3f{0, 0, 1}, Vec3f{1, 0, 0}, normalized(Vec3f{-1, 2, 1})}) {
    Vec3f sum{};
    constexpr int rows = 60, columns = 120;
    for (int r = 0; r < rows; ++r)
      for (int c = 0; c < columns; ++c) {
        const float z = (static_cast<float>(r) + 0.5f) / rows;
        const float phi = 2 * pi_f * (static_cast<float>(c) + 0.5f) / columns;
        const float level = std::sqrt(1 - z * z);
        const Vec3f d{level * std::cos(phi), level * std::sin(phi), z};
        sum += light.sky(d) * (std::max(0.0f, dot(n, d)) * 2 * pi_f / (rows * columns));
      }
    const Vec3f found = irradiance(ambient, n);
    for (int k = 0; k < 3; ++k) EXPECT_NEAR(found[k], sum[k], 0.09f * luminance(sum)) << k;
  }
}

}  // namespace
}  // namespace talus::view
