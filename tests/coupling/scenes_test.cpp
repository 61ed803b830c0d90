// The scenes of scenes/bodies are valid and set off without an explosion.
#include "coupling/sand_and_bodies.h"
#include "scene/read_scene.h"

#include <algorithm>
#include <filesystem>

namespace talus::test {
namespace {

TEST(Scenes, AllSetOff) {
  std::size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(TALUS_SOURCE_DIR "/scenes/bodies")) {
    const std::string path = entry.path().string();
    SceneWarnings warnings;
    const Result<Scene> scene = read_scene(path, {}, &warnings);
    ASSERT_TRUE(scene.ok()) << scene.error().message;
    EXPECT_TRUE(warnings.empty()) << path << ": " << warnings.front();
    Sandbox box(*scene);
    box.run(0.01);
    double fastest = 0, at_start = 0;
    for (const SceneBody& b : scene->bodies) at_start = std::max(at_start, norm(b.velocity));
    for (const Body& b : box->bodies()) fastest = std::max(fastest, norm(b.state.velocity));
    for (const Vec3f& v : box.field<Vec3f>("velocity"))
      fastest = std::max(fastest, double{norm(v)});
    EXPECT_LT(fastest, std::max(at_start, 0.0) + 1) << path;
    ++count;
  }
  EXPECT_EQ(count, 6u);
}

}  // namespace
}  // namespace talus::test
