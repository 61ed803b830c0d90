#include "lab/settled.h"

#include "frames/scratch_folder.h"
#include "scene/defaults.h"

#include <filesystem>
#include <gtest/gtest.h>

namespace talus::lab {
namespace {

namespace fs = std::filesystem;

/// A few spheres that fall on a plane.
Scene few_grains() {
  Scene scene = default_scene();
  scene.solver = SolverKind::dem;
  scene.duration = 2;
  scene.frame_rate = 20;
  Material m = default_material();
  m.name = "grains";
  m.grain_shape = "sphere";
  m.grain_diameter = 0.02;
  m.young_modulus = 1e6;
  m.restitution = 0.3;
  scene.materials = {m};
  Fill fill = default_fill();
  fill.name = "box";
  fill.shape.kind = ShapeKind::box;
  fill.shape.size = {0.06, 0.06, 0.06};
  fill.shape.pose.position = {0, 0, 0.05};
  scene.fills = {fill};
  SceneBody floor = default_body();
  floor.name = "floor";
  floor.shape.kind = ShapeKind::plane;
  scene.bodies = {floor};
  return scene;
}

class Settled : public testing::Test {
 protected:
  LabContext context() {
    return {executor_,
            "",
            cache_.string(),
            false,
            [this](std::string_view) { ++said_; },
            [this] { return stop_after_ > 0 && said_ >= stop_after_; }};
  }
  Executor executor_{2};
  ScratchFolder folder_;
  fs::path cache_ = folder_.path();
  int said_ = 0, stop_after_ = 0;
};

std::vector<float> heights(const Simulation& s) {
  std::vector<float> out;
  for (const Vec3f& x : s.particles().values<Vec3f>("position")) out.push_back(x.z);
  return out;
}

TEST_F(Settled, ComesToRestOnceAndIsThenUsedAgain) {
  const double rest = 0.01;
  const auto first = settled(context(), few_grains(), "grains", rest);
  ASSERT_TRUE(first.ok());
  EXPECT_LT(mean_speed(**first), rest);
  EXPECT_GT((*first)->time(), 0.1);
  said_ = 0;
  const auto again = settled(context(), few_grains(), "grains", rest);
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(said_, 0);
  EXPECT_EQ(heights(**again), heights(**first));
  Scene other = few_grains();
  other.materials[0].friction = 0.1;
  ASSERT_TRUE(settled(context(), other, "grains", rest).ok());
  EXPECT_GT(said_, 0) << "another scene is another state";
}

TEST_F(Settled, AStoppedOneGoesOnWhereItWas) {
  const double rest = 0.01;
  stop_after_ = 3;
  const auto stopped_one = settled(context(), few_grains(), "grains", rest);
  ASSERT_FALSE(stopped_one.ok());
  stop_after_ = said_ = 0;
  const auto rest_of_it = settled(context(), few_grains(), "grains", rest);
  ASSERT_TRUE(rest_of_it.ok());
  fs::remove_all(cache_);
  const int needed = said_;
  said_ = 0;
  const auto whole = settled(context(), few_grains(), "grains", rest);
  ASSERT_TRUE(whole.ok());
  EXPECT_EQ(said_, needed + 3);
  EXPECT_EQ(heights(**rest_of_it), heights(**whole));
}

TEST_F(Settled, AStateThatCannotBeReadIsMadeAnew) {
  ASSERT_TRUE(settled(context(), few_grains(), "grains", 0.01).ok());
  for (const auto& file : fs::directory_iterator(cache_)) fs::resize_file(file, 100);
  said_ = 0;
  EXPECT_TRUE(settled(context(), few_grains(), "grains", 0.01).ok());
  EXPECT_GT(said_, 2);
}

TEST_F(Settled, ContinuesInASceneWhereABodyMoves) {
  const auto state = settled(context(), few_grains(), "grains", 0.01);
  ASSERT_TRUE(state.ok());
  const auto next = continued(context(), **state, few_grains());
  ASSERT_TRUE(next.ok());
  EXPECT_EQ((*next)->time(), (*state)->time());
  ASSERT_TRUE(step_frame(**next).ok());
  EXPECT_TRUE((*next)->at_frame());
}

}  // namespace
}  // namespace talus::lab
