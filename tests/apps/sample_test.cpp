// talus sample: files, figures, and what it says about meshes that are no solids.
#include "frames/scratch_folder.h"
#include "program_call.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>
#include <string>

namespace {

namespace fs = std::filesystem;
using talus::ScratchFolder;

/// A unit cube; without its last face when `open`.
std::string cube(bool open) {
  std::string text;
  for (int i = 0; i < 8; ++i)
    text += "v " + std::to_string(i & 1) + " " + std::to_string(i >> 1 & 1) + " " +
            std::to_string(i >> 2) + "\n";
  text += "f 1 3 4 2\nf 5 6 8 7\nf 1 2 6 5\nf 3 7 8 4\nf 1 5 7 3\n";
  if (!open) text += "f 2 4 8 6\n";
  return text;
}

struct Sampling : testing::Test {
  ScratchFolder folder;
  std::string put(const std::string& name, const std::string& text) {
    std::ofstream(folder / name, std::ios::binary) << text;
    return "'" + (folder / name).string() + "'";
  }
  std::string out() { return "'" + (folder / "out").string() + "'"; }
};

TEST_F(Sampling, WritesFieldParticlesFiguresAndPictures) {
  const std::string mesh = put("cube.obj", cube(false));
  const Outcome outcome =
      talus_call("sample " + mesh + " --spacing 0.1 --width 320 --height 240 -o " + out());
  EXPECT_EQ(outcome.code, 0) << outcome.text;
  for (const char* name :
       {"field.vdb", "particles.ply", "quality.json", "surface.png", "field.png"}) {
    EXPECT_TRUE(fs::exists(folder / "out" / name)) << name;
    EXPECT_GT(fs::file_size(folder / "out" / name), 100u) << name;
  }
  EXPECT_TRUE(fs::exists(folder / "out" / "relaxation.mp4") ||
              fs::exists(folder / "out" / "relaxation" / "0000.png"));
  std::ifstream file(folder / "out" / "quality.json");
  std::stringstream json;
  json << file.rdbuf();
  for (const char* key : {"\"samples\"", "\"farthest_m\"", "\"nearest_deviation_m\"",
                          "\"largest_hole_m\"", "\"area_m2\": 5.9"})
    EXPECT_NE(json.str().find(key), std::string::npos) << key << "\n" << json.str();
}

TEST_F(Sampling, SaysWhatIsWrongWithAMeshAndWhere) {
  expect_call("sample '" + (folder / "none.obj").string() + "'", 2, "none.obj: no such mesh file");
  expect_call("sample " + put("empty.obj", ""), 2, "empty.obj: the mesh file is empty");
  expect_call("sample " + put("words.obj", "hello\n"), 2, "words.obj: ");
  const std::string open = put("open.obj", cube(true));
  expect_call("sample " + open + " -o " + out(), 2, "open.obj: the mesh is no solid");
  expect_call("sample " + open + " -o " + out(), 2, "1 hole");
  expect_call("sample " + open + " -o " + out(), 2, "(1, ");
  expect_call(
      "sample " + open + " --force --no-film --spacing 0.2 --width 64 --height 48 -o " + out(), 0,
      "forced although it has");
  expect_call("sample " +
                  put("nan.ply",
                      "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\n"
                      "property float y\nproperty float z\nelement face 1\nproperty list "
                      "uchar int vertex_indices\nend_header\n0 0 0\n1 0 nan\n0 1 0\n3 0 1 "
                      "2\n") +
                  " --force",
              2, "nan.ply");
}

}  // namespace
