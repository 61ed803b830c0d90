#include "geometry/node_animation.h"

#include <assimp/Exporter.hpp>
#include <assimp/Importer.hpp>
#include <assimp/scene.h>
#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <fstream>
#include <gtest/gtest.h>
#include <numbers>
#include <utility>

namespace talus {
namespace {

std::string base64(const std::vector<float>& values) {
  static const char* letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::vector<unsigned char> bytes(values.size() * sizeof(float));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const auto byte = [&](std::size_t k) { return k < bytes.size() ? bytes[k] : 0u; };
    const unsigned word = byte(i) << 16 | byte(i + 1) << 8 | byte(i + 2);
    for (std::size_t k = 0; k < 4; ++k)
      text += i + k > bytes.size() ? '=' : letters[word >> (18 - 6 * k) & 63];
  }
  return text;
}

/// A glTF file with a node `arm` below `base`: base stands at (0, 1, 0), arm at (1, 0, 0) at rest,
/// and within two seconds `channels` of arm run through the values.
std::string write_gltf(const std::string& name, const std::string& path_of_channel,
                       const std::vector<float>& values) {
  const std::vector<float> times{0, 1, 2};
  std::vector<float> all = times;
  all.insert(all.end(), values.begin(), values.end());
  const char* type = values.size() == 12 ? "VEC4" : "VEC3";
  const std::string text = fmt::format(
      R"({{"asset": {{"version": "2.0"}}, "scene": 0, "scenes": [{{"nodes": [0]}}],
"nodes": [{{"name": "base", "translation": [0, 1, 0], "children": [1]}},
          {{"name": "arm", "translation": [1, 0, 0]}}],
"buffers": [{{"byteLength": {0}, "uri": "data:application/octet-stream;base64,{1}"}}],
"bufferViews": [{{"buffer": 0, "byteOffset": 0, "byteLength": 12}},
                {{"buffer": 0, "byteOffset": 12, "byteLength": {2}}}],
"accessors": [{{"bufferView": 0, "componentType": 5126, "count": 3, "type": "SCALAR",
               "min": [0], "max": [2]}},
              {{"bufferView": 1, "componentType": 5126, "count": 3, "type": "{3}"}}],
"animations": [{{"channels": [{{"sampler": 0, "target": {{"node": 1, "path": "{4}"}}}}],
                "samplers": [{{"input": 0, "output": 1, "interpolation": "LINEAR"}}]}}]}})",
      4 * all.size(), base64(all), 4 * values.size(), type, path_of_channel);
  const std::string path = testing::TempDir() + "talus_animation_" + name + ".gltf";
  std::ofstream(path) << text;
  return path;
}

TEST(NodeAnimation, FollowsANodeThroughItsParents) {
  const std::string path = write_gltf("slide", "translation", {1, 0, 0, 3, 0, 0, 3, 2, 0});
  for (const char* node : {"arm", ""}) {
    const auto animation = read_node_animation(path, node, 0.5);
    ASSERT_TRUE(animation.ok()) << animation.error().message;
    EXPECT_EQ(animation->node, "arm");
    ASSERT_EQ(animation->poses.size(), 3u);
    EXPECT_NEAR(animation->poses[1].time, 1, 1e-6);
    EXPECT_LT(norm(animation->rest.position - Vec3d{0.5, 0.5, 0}), 1e-6);
    EXPECT_LT(norm(animation->poses[0].pose.position - Vec3d{0.5, 0.5, 0}), 1e-6);
    EXPECT_LT(norm(animation->poses[2].pose.position - Vec3d{1.5, 1.5, 0}), 1e-6);
  }
}

TEST(NodeAnimation, Turns) {
  const float h = std::sqrt(0.5f);  // quarter turns about z; glTF writes x, y, z, w
  const std::string path = write_gltf("turn", "rotation", {0, 0, 0, 1, 0, 0, h, h, 0, 0, 1, 0});
  const auto animation = read_node_animation(path, "arm", 1);
  ASSERT_TRUE(animation.ok()) << animation.error().message;
  const Vec3d x = rotate(animation->poses[1].pose.rotation, Vec3d{1, 0, 0});
  EXPECT_LT(norm(x - Vec3d{0, 1, 0}), 1e-5);
}

TEST(NodeAnimation, AlsoInFbxFiles) {
  const std::string gltf = write_gltf("to_fbx", "translation", {1, 0, 0, 3, 0, 0, 3, 2, 0});
  Assimp::Importer importer;
  const aiScene* scene = importer.ReadFile(gltf, 0);
  ASSERT_NE(scene, nullptr);
  // The exporter takes the times of keys for seconds, whatever the file says.
  aiAnimation& motion = *scene->mAnimations[0];
  const double seconds = 1 / std::exchange(motion.mTicksPerSecond, 1.0);
  motion.mDuration *= seconds;
  aiNodeAnim& channel = *motion.mChannels[0];
  for (unsigned k = 0; k < channel.mNumPositionKeys; ++k) channel.mPositionKeys[k].mTime *= seconds;
  const std::string path = testing::TempDir() + "talus_animation.fbx";
  Assimp::Exporter exporter;
  ASSERT_EQ(exporter.Export(scene, "fbxa", path), AI_SUCCESS);
  const auto animation = read_node_animation(path, "arm", 1);
  ASSERT_TRUE(animation.ok()) << animation.error().message;
  const Vec3d way = animation->poses.back().pose.position - animation->poses.front().pose.position;
  EXPECT_LT(norm(way - Vec3d{0.02, 0.02, 0}), 1e-5) << "FBX files are in centimetres";
  EXPECT_NEAR(animation->poses.back().time, 2, 1e-3);
}

TEST(NodeAnimation, SaysWhatIsWrong) {
  const std::string path = write_gltf("still", "translation", {1, 0, 0, 1, 0, 0, 1, 0, 0});
  const auto says = [](const std::string& file, const std::string& node, double scale,
                       const std::string& part) {
    const auto animation = read_node_animation(file, node, scale);
    ASSERT_FALSE(animation.ok());
    EXPECT_NE(animation.error().message.find(part), std::string::npos) << animation.error().message;
    EXPECT_NE(animation.error().message.find(file), std::string::npos);
  };
  says(path, "leg", 1, "no node 'leg'; these move: 'arm'");
  says(path, "base", 1, "'base' does not move");
  says(path, "arm", 0, "above 0");
  says(testing::TempDir() + "talus_nothing.gltf", "", 1, "no such animation file");
  says(write_gltf("growing", "scale", {1, 1, 1, 2, 2, 2, 1, 1, 1}), "arm", 1, "changes its size");
  const std::string broken = testing::TempDir() + "talus_broken.gltf";
  std::ofstream(broken) << "{ \"asset\": ";
  says(broken, "", 1, "cannot be read");
  const std::string triangle = testing::TempDir() + "talus_triangle.obj";
  std::ofstream(triangle) << "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
  says(triangle, "", 1, "no animation");
}

}  // namespace
}  // namespace talus
