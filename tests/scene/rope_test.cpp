#include "scene/rope.h"

#include "scene/write_scene.h"
#include "scene_text.h"

#include <gtest/gtest.h>

namespace talus {
namespace {

const std::string rope_text =
    "[[rope]]\nname = \"r\"\nfrom = [0, 0, 2]\nto = [0, 0, 1]\nradius = 0.02\nlinks = 4\n"
    "from_body = \"world\"\nrelease_time = 3\nbreak_force = 50\n";

TEST(Rope, BecomesLinksAndJoints) {
  const auto scene = parse_scene(valid_scene + rope_text, "s.toml");
  ASSERT_TRUE(scene.ok()) << scene.error().message;
  ASSERT_EQ(scene->bodies.size(), 5u);
  ASSERT_EQ(scene->joints.size(), 4u);
  EXPECT_EQ(scene->bodies[1].name, "r/0");
  EXPECT_EQ(scene->bodies[4].name, "r/3");
  EXPECT_NEAR(scene->bodies[1].shape.pose.position.z, 1.875, 1e-12);
  EXPECT_NEAR(scene->bodies[1].shape.height + 2 * 0.02, 0.25, 1e-12);
  EXPECT_EQ(scene->joints.back().body_b, "") << "held by the world";
  EXPECT_EQ(scene->joints.back().release_time, 3);
  EXPECT_EQ(scene->joints.front().release_time, -1);
  for (const Joint& joint : scene->joints) EXPECT_EQ(joint.break_force, 50);
}

TEST(Rope, JointsMayNameItsLinks) {
  const auto scene = parse_scene(
      valid_scene + rope_text +
          "[[body]]\nname = \"bell\"\nmotion = \"dynamic\"\nshape = { type = \"sphere\", radius = "
          "0.1, position = [0, 0, 0.8] }\n[[joint]]\nbody_a = \"bell\"\nbody_b = \"r/3\"\nanchor "
          "= [0, 0, 1]\n",
      "s.toml");
  EXPECT_TRUE(scene.ok()) << scene.error().message;
}

TEST(Rope, IsWrittenAsBodiesAndReadBack) {
  const auto scene = parse_scene(valid_scene + rope_text, "s.toml");
  ASSERT_TRUE(scene.ok());
  const auto again = parse_scene(to_toml(*scene), "s.toml");
  ASSERT_TRUE(again.ok()) << again.error().message;
  EXPECT_EQ(again->bodies, scene->bodies);
  EXPECT_EQ(again->joints, scene->joints);
}

TEST(Rope, LinksAreSixRadiiLongWhenNotCounted) {
  Rope rope;
  rope.radius = 0.01;
  rope.to = {0.6, 0, 0};
  EXPECT_EQ(rope_links(rope), 10);
}

}  // namespace
}  // namespace talus
