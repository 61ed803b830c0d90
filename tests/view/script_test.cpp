// The viewer without a window: models of runs and scenes, driven by scripts.
#include "view/script.h"

#include "core/timer.h"
#include "frames/scratch_folder.h"
#include "render/synthetic_run.h"
#include "scene/write_scene.h"
#include "view/bed_scene.h"
#include "view/view_model.h"

#include <chrono>
#include <fstream>
#include <gtest/gtest.h>
#include <thread>

namespace talus::view {
namespace {

std::unique_ptr<ViewModel> open_model(const std::filesystem::path& path, bool paused = true) {
  ViewSettings settings;
  settings.path = path;
  settings.threads = 2;
  settings.paused = paused;
  auto model = ViewModel::open(settings);
  EXPECT_TRUE(model.ok()) << model.error().message;
  return std::move(*model);
}

/// Runs a script as the headless program does; pictures are taken as done.
Status play(ViewModel& model, const std::string& text) {
  auto script = Script::parse(text);
  if (!script) return script.error();
  for (const double start = seconds_now(); !script->finished() && !script->quit();) {
    if (seconds_now() - start > 150) return work_error("the script did not come to an end");
    model.update(0.01);
    if (Status s = script->tick(model, seconds_now()); !s) return s;
    script->take_screenshot();
    script->take_recording();
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return {};
}

std::filesystem::path write_bed(const ScratchFolder& scratch) {
  return test::write_bed(scratch, "0.6, 0.6, 0.18", "0, 0, 0.09");
}

void expect_refused(const std::string& text, const std::string& part) {
  const auto script = Script::parse(text);
  ASSERT_FALSE(script.ok()) << text;
  EXPECT_NE(script.error().message.find(part), std::string::npos) << script.error().message;
  EXPECT_EQ(script.error().kind, ErrorKind::request);
}

TEST(Script, RefusesWhatItDoesNotKnow) {
  expect_refused("fly", "no command 'fly'");
  expect_refused("play; srceenshot a.png", "did you mean 'screenshot'");
  expect_refused("frame", "is not 'frame N'");
  expect_refused("frame x", "is not 'frame N'");
  expect_refused("push 1 2 3", "is not 'push");
  expect_refused("drop ball 1 2", "is not 'drop");
  expect_refused("wait nan", "is not 'wait");
  EXPECT_TRUE(Script::parse("").ok());
  EXPECT_TRUE(Script::parse(" ; play ;\n\n pause").ok());
}

TEST(Script, GoesThroughARun) {
  const ScratchFolder scratch;
  const test::SyntheticRun run(scratch / "run", 6, 200);
  const auto model = open_model(run.folder);
  ASSERT_TRUE(play(*model, "frame 4").ok());
  EXPECT_EQ(model->frame()->info.index, 4u);
  ASSERT_TRUE(play(*model, "step; step").ok());
  EXPECT_EQ(model->frame()->info.index, 5u) << "there is no sixth";
  ASSERT_TRUE(play(*model, "colour pressure; clip y 0.1; orbit 10 5; zoom 2").ok());
  EXPECT_EQ(model->frame()->field, "pressure");
  EXPECT_TRUE(model->look.clip.on);
  ASSERT_TRUE(play(*model, "colour natural; clip off; grains 3").ok());
  EXPECT_EQ(model->frame()->sprites.size(), 600u);
  const Status none = play(*model, "frame 77");
  ASSERT_FALSE(none.ok());
  EXPECT_NE(none.error().message.find("0 to 5"), std::string::npos) << none.error().message;
  const Status taste = play(*model, "colour taste");
  ASSERT_FALSE(taste.ok());
  EXPECT_NE(taste.error().message.find("pressure"), std::string::npos);
  EXPECT_FALSE(play(*model, "drop ball").ok()) << "a run cannot be poked";
}

TEST(Script, PlaysARunToItsEnd) {
  const ScratchFolder scratch;
  const test::SyntheticRun run(scratch / "run", 5, 50);
  const auto model = open_model(run.folder);
  ASSERT_TRUE(play(*model, "frame 0").ok());
  model->timeline().loop = false;
  model->timeline().set_playing(true);
  for (int i = 0; i < 3000 && model->timeline().playing(); ++i) {
    model->update(0.02);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  EXPECT_EQ(model->timeline().current(), 4u);
}

TEST(Script, DrivesALiveScene) {
  const ScratchFolder scratch;
  const auto model = open_model(write_bed(scratch));
  ASSERT_TRUE(play(*model, "frames 3").ok());
  EXPECT_EQ(model->status().frame, 3u);
  ASSERT_TRUE(play(*model, "step 2").ok());
  EXPECT_GT(model->status().time, 0.06);
  ASSERT_TRUE(play(*model, "drop ball 0 0 0.4; frames 20").ok());
  ASSERT_EQ(model->frame()->info.bodies.size(), 2u);
  EXPECT_LT(model->frame()->info.bodies[1].state.pose.position.z, 0.39);
  ASSERT_TRUE(play(*model, "drop box; push 0 0 0.1 0 0 1; friction 20; tilt 10 0; frames 2").ok());
  EXPECT_EQ(model->status().bodies, 3u);
  EXPECT_NEAR(model->status().materials[0].friction, 0.364, 0.001);
  EXPECT_GT(std::abs(model->status().gravity.x) + std::abs(model->status().gravity.y), 1);
  const std::size_t before = model->frame()->particles;
  ASSERT_TRUE(play(*model, "pour 0 0 0.9; frames 12; close").ok());
  EXPECT_GT(model->frame()->particles, before);
  EXPECT_FALSE(model->pouring());
  ASSERT_TRUE(play(*model, "reset; frames 1").ok());
  EXPECT_EQ(model->status().frame, 1u);
  EXPECT_EQ(model->status().bodies, 1u);
  EXPECT_EQ(model->status().gravity.x, 0);
  EXPECT_FALSE(play(*model, "frame 3").ok()) << "that is for runs";
}

TEST(ViewModel, ToolsSuitTheSizeOfTheScene) {
  const ScratchFolder scratch;
  const auto model = open_model(write_bed(scratch));
  ASSERT_TRUE(play(*model, "frames 1").ok());
  EXPECT_GT(model->tools.drop_size, 0.05);
  EXPECT_LT(model->tools.drop_size, 0.5);
  EXPECT_GT(model->tools.push_radius, 0.06);
  EXPECT_LT(norm(model->camera.target() - Vec3d{0, 0, 0.1}), 0.3);
}

TEST(ViewModel, SaysWhatIsWrongWithThePath) {
  const ScratchFolder scratch;
  ViewSettings settings;
  settings.path = scratch / "nothing";
  EXPECT_NE(ViewModel::open(settings).error().message.find("run folder or a scene"),
            std::string::npos);
  settings.path = scratch.path();
  EXPECT_NE(ViewModel::open(settings).error().message.find("no scene.toml"), std::string::npos);
  settings.path = scratch / "bad.toml";
  std::ofstream(settings.path) << "[scene]\nnmae = 3\n";
  EXPECT_NE(ViewModel::open(settings).error().message.find("bad.toml:2"), std::string::npos);
  settings.path = write_bed(scratch);
  settings.camera = "crane";
  EXPECT_NE(ViewModel::open(settings).error().message.find("no camera 'crane'"), std::string::npos);
  settings.camera = "";
  settings.detail = true;
  EXPECT_NE(ViewModel::open(settings).error().message.find("is a scene"), std::string::npos);
}

}  // namespace
}  // namespace talus::view
