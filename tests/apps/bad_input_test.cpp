// What a user may hand over by mistake, given to the program: a located message and exit code 2 for
// a scene, exit code 1 with the last good state kept for a failure during work.
#include "frames/scratch_folder.h"
#include "program_call.h"

#include <chrono>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <string>

namespace {

namespace fs = std::filesystem;
using talus::ScratchFolder;

const std::string good_scene =
    "[scene]\nduration = 0.04\nframe_rate = 50\n[sph]\nspacing = 0.05\n"
    "[[fill]]\nshape = { type = \"box\", size = [0.3, 0.3, 0.3], position = [0, 0, 0.2] }\n"
    "[[body]]\nshape = { type = \"plane\" }\n";

std::string put(const ScratchFolder& folder, const std::string& name, const std::string& text) {
  std::ofstream(folder / name, std::ios::binary) << text;
  return "'" + (folder / name).string() + "'";
}

struct BadScene {
  const char* what;
  std::string text;
  const char* place;  ///< ":LINE:COLUMN: error"
  const char* says;
};

class BadSceneFile : public testing::TestWithParam<BadScene> {};

TEST_P(BadSceneFile, IsRefusedWithItsPlace) {
  ScratchFolder folder;
  const std::string file = put(folder, "bad.toml", GetParam().text);
  for (const std::string& verb :
       {std::string("check "), "run -o '" + (folder / "out").string() + "' "}) {
    const auto start = std::chrono::steady_clock::now();
    const Outcome outcome = talus_call(verb + file);
    EXPECT_EQ(outcome.code, 2) << outcome.text.substr(0, 2000);
    EXPECT_NE(outcome.text.find(std::string("bad.toml") + GetParam().place), std::string::npos)
        << outcome.text.substr(0, 2000);
    EXPECT_NE(outcome.text.find(GetParam().says), std::string::npos)
        << outcome.text.substr(0, 2000);
    EXPECT_LT(outcome.text.size(), 30000u);
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    EXPECT_LT(seconds.count(), 20);
  }
  EXPECT_FALSE(fs::exists(folder / "out"));
}

const std::string open_mesh =
    "v 0 0 0\nv 0.2 0 0\nv 0 0.2 0\nv 0 0 0.2\nf 1 3 2\nf 1 2 4\nf 1 4 3\n";

/// Files that body, fill and sink may name.
void put_meshes(const ScratchFolder& folder) {
  put(folder, "open.obj", open_mesh);
  put(folder, "empty.obj", "");
  put(folder, "junk.stl", "this is no mesh at all");
  put(folder, "points.obj", "v 0 0 0\nv 1 0 0\n");
  put(folder, "flat.obj",
      "v 0 0 0\nv 0.2 0 0\nv 0 0.2 0\nv 0.05 0.05 0\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n");
  put(folder, "nan.ply",
      "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\n"
      "property float z\nelement face 1\nproperty list uchar int vertex_indices\nend_header\n"
      "0 0 0\n1 0 nan\n0 1 0\n3 0 1 2\n");
}

TEST(BadMesh, MayBeForced) {
  ScratchFolder folder;
  put_meshes(folder);
  const std::string body =
      good_scene +
      "[[body]]\nname = \"tent\"\nshape = { type = \"mesh\", file = \"open.obj\", "
      "position = [1, 0, 0.1]";
  expect_call("check " + put(folder, "tent.toml", body + " }\n"), 2, "force_mesh = true");
  expect_call("check " + put(folder, "tent.toml", body + ", force_mesh = true }\n"), 0, "ok");
}

struct BadBody {
  const char* what;
  std::string tables;     ///< after the nine lines of the good scene
  const char* complaint;  ///< from the line on
};

class BadBodies : public testing::TestWithParam<BadBody> {};

TEST_P(BadBodies, AreRefusedByCheckAndRunWithTheirPlace) {
  ScratchFolder folder;
  put_meshes(folder);
  const std::string file = put(folder, "bad.toml", good_scene + GetParam().tables);
  const std::string place = (folder / "bad.toml").string() + GetParam().complaint;
  for (const std::string& verb :
       {std::string("check "), "run -o '" + (folder / "out").string() + "' "}) {
    const Outcome outcome = talus_call(verb + file);
    EXPECT_EQ(outcome.code, 2) << outcome.text;
    EXPECT_NE(outcome.text.find("\n" + place), std::string::npos) << place << "\n" << outcome.text;
  }
  EXPECT_FALSE(fs::exists(folder / "out"));
}

std::string mesh_body(const std::string& file) {
  return "[[body]]\nname = \"rock\"\nmotion = \"dynamic\"\nshape = { type = \"mesh\", file = \"" +
         file + "\", position = [1, 0, 0.5] }\n";
}

std::string ball(const std::string& name, const std::string& position,
                 const std::string& more = "motion = \"dynamic\"") {
  return "[[body]]\nname = \"" + name + "\"\n" + more +
         "\nshape = { type = \"sphere\", radius = 0.1, position = " + position + " }\n";
}

const BadBody bad_bodies[] = {
    {"EmptyMesh", mesh_body("empty.obj"), ":13:33: error: body 'rock': "},
    {"UnreadableMesh", mesh_body("junk.stl"), ":13:33: error: body 'rock': "},
    {"MeshWithoutFaces", mesh_body("points.obj"), ":13:33: error: body 'rock': "},
    {"MissingMesh", mesh_body("none.obj"), ":13:33: error: body.1.shape.file: "},
    {"NotANumberInMesh", mesh_body("nan.ply"), ":13:33: error: body 'rock': "},
    {"OpenMesh", mesh_body("open.obj"), ":13:33: error: body 'rock': "},
    {"FlatMesh", mesh_body("flat.obj"), ":13:33: error: body 'rock'"},
    {"FlatBox", "[[body]]\nshape = { type = \"box\", size = [1, 1, 0] }\n",
     ":11:39: error: body.1.shape.size"},
    {"InEachOther", ball("a", "[1, 0, 0.15]") + ball("b", "[1.1, 0, 0.15]"),
     ":17:9: error: bodies 'a' and 'b' start inside each other, 0.1 m deep; move one of them, or "
     "connect them by a joint ('a' stands at "},
    {"RopeInBody",
     ball("a", "[1, 0, 0.5]") + "[[rope]]\nname = \"r\"\nfrom = [1, 0, 0.5]\nto = [1, 0, 1]\n",
     ":14:1: error: bodies 'a' and 'r/0' start inside each other"},
    {"InSand", ball("a", "[0, 0, 0.2]", "carve = false"),
     ":13:9: error: body 'a' starts inside material: "},
    {"OpenMeshToFill", "[[fill]]\nshape = { type = \"mesh\", file = \"open.obj\" }\n",
     ":11:33: error: fill 'fill2': "},
    {"OpenMeshAsSink", "[[sink]]\nshape = { type = \"mesh\", file = \"open.obj\" }\n",
     ":11:33: error: sink 'sink1': "},
    {"OpenMeshThatWets",
     "[[wetting]]\nrate = 1\nshape = { type = \"mesh\", file = \"open.obj\" }\n",
     ":12:33: error: wetting 'wetting1': "},
    {"StillAnimation",
     "[[body]]\nname = \"a\"\nmotion = \"scripted\"\nshape = { type = \"sphere\", radius = 0.1 }\n"
     "animation_file = \"open.obj\"\n",
     ":14:18: error: body 'a': "},
    {"KeyframesOutOfOrder",
     ball("a", "[1, 0, 1]", "motion = \"scripted\"") +
         "[[body.keyframe]]\ntime = 1\nposition = [1, 0, 1]\n[[body.keyframe]]\ntime = 0.5\n"
         "position = [2, 0, 1]\n",
     ":18:8: error: keyframes of 'a' are out of order: 0.5 s comes after 1 s"},
    {"JointOfNobody",
     ball("door", "[1, 0, 1]") +
         "[[joint]]\nbody_a = \"dor\"\nanchor = [1, 0, 1]\n[[joint]]\nbody_a = \"door\"\n"
         "body_b = \"wall\"\nanchor = [1, 0, 1]\n",
     ":15:10: error: no body is called 'dor'; did you mean 'door'?"},
    {"RopeOfNobody", "[[rope]]\nfrom = [1, 0, 2]\nto = [1, 0, 1]\nfrom_body = \"crane\"\n",
     ":13:1: error: no body is called 'crane'"},
};

INSTANTIATE_TEST_SUITE_P(All, BadBodies, testing::ValuesIn(bad_bodies),
                         [](const auto& row) { return std::string(row.param.what); });

std::string garbage() {
  std::string bytes(5000, '\0');
  std::uint32_t x = 1;
  for (char& c : bytes) c = static_cast<char>((x = x * 1664525u + 1013904223u) >> 24);
  return bytes;
}

const BadScene bad_scenes[] = {
    {"Empty", "", ":1:1: error", "nothing is in the scene"},
    {"Truncated", good_scene.substr(0, good_scene.size() - 18), ":9:", "end-of-file"},
    {"Garbage", garbage(), ":1:", "not valid TOML"},
    {"HundredMegabytes", std::string(100u << 20, '#'), "", "longer than 16 MiB"},
    {"DeepNesting", "a = " + std::string(200000, '['), ":1:", "error"},
    {"DuplicateKey", "[sph]\nspacing = 0.1\nspacing = 0.2\n", ":3:11: error", "cannot redefine"},
    {"NotANumber", good_scene + "friction_coefficient = nan\n", ":10:24: error", "finite"},
    {"Infinite", good_scene + "friction_coefficient = inf\n", ":10:24: error", "finite"},
    {"NegativeSize", "[[fill]]\nshape = { type = \"sphere\", radius = -1 }\n", ":2:37: error",
     "out of range"},
    {"TooManyParticles",
     "[sph]\nspacing = 0.001\n[[fill]]\nshape = { type = \"sphere\", radius = 7 }\n", ":4:9: error",
     "particles; at most"},
    {"UnknownKey", good_scene + "frction_coefficient = 1\n", ":10:1: error",
     "did you mean 'friction_coefficient'?"},
    {"MissingMesh", "[[body]]\nshape = { type = \"mesh\", file = \"no.obj\" }\n", ":2:33: error",
     "there is no file"},
};

INSTANTIATE_TEST_SUITE_P(All, BadSceneFile, testing::ValuesIn(bad_scenes),
                         [](const auto& row) { return std::string(row.param.what); });

std::size_t times(const std::string& text, const std::string& word) {
  std::size_t count = 0;
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1))
    ++count;
  return count;
}

TEST(Check, CountsWhatIsPlacedAndKeepsToTheSizeThatIsAskedFor) {
  ScratchFolder folder;
  const std::string file = put(folder, "s.toml",
                               good_scene +
                                   "[[size]]\nname = \"small\"\nset = [\"sph.spacing=0.1\"]\n"
                                   "[[size]]\nname = \"large\"\nset = [\"sph.spacing=0.03\"]\n");
  for (const char* count : {"216 at the start", "27 at the start", "1000 at the start"})
    expect_call("check " + file, 0, count);
  const Outcome one = talus_call("check " + file + " --set size=small");
  EXPECT_EQ(one.code, 0) << one.text;
  EXPECT_EQ(times(one.text, "at the start"), 1u) << one.text;
  EXPECT_NE(one.text.find(" 27 at the start"), std::string::npos) << one.text;
}

TEST(Check, GrainsOfAFillAreCounted) {
  ScratchFolder folder;
  const std::string file =
      put(folder, "s.toml",
          "[scene]\nsolver = \"dem\"\nduration = 0.04\nframe_rate = 50\n"
          "[[material]]\ngrain_diameter = 0.05\ngrain_shape = \"clump4\"\n"
          "[[fill]]\nshape = { type = \"box\", size = [0.3, 0.3, 0.3], position = [0, 0, 0.2] }\n"
          "[[body]]\nshape = { type = \"plane\" }\n");
  expect_call("check " + file, 0, "216 at the start");
}

TEST(Check, AThinBodyIsToldOfOnce) {
  ScratchFolder folder;
  const std::string file =
      put(folder, "s.toml",
          good_scene +
              "[[body]]\nshape = { type = \"box\", size = [1, 1, 0.01], position = [0, 0, 2] }\n");
  for (const std::string& verb :
       {std::string("check "), "run --no-report -o '" + (folder / "out").string() + "' "}) {
    const Outcome outcome = talus_call(verb + file);
    EXPECT_EQ(outcome.code, 0) << outcome.text;
    EXPECT_EQ(times(outcome.text, "may pass through"), 1u) << outcome.text;
  }
}

TEST(BadInput, AnUnknownKeyToSetIsNamedWithTheNearest) {
  ScratchFolder folder;
  const std::string file = put(folder, "s.toml", good_scene);
  expect_call("run " + file + " --set sph.spaceing=1 -o '" + (folder / "out").string() + "'", 2,
              "--set 'sph.spaceing=1': error: unknown key 'spaceing' in [sph]; did you mean");
}

TEST(BadInput, FoldersThatCannotBeWrittenOrAreNotThere) {
  ScratchFolder folder;
  const std::string file = put(folder, "s.toml", good_scene);
  put(folder, "a_file", "x");
  for (const std::string& place : {(folder / "a_file").string(), (folder / "a_file/b").string(),
                                   std::string("/proc/nowhere/run")}) {
    const Outcome outcome = talus_call("run " + file + " -o '" + place + "'");
    EXPECT_TRUE(outcome.code == 1 || outcome.code == 2) << outcome.text;
    EXPECT_NE(outcome.text.find(place), std::string::npos) << outcome.text;
  }
  for (const char* verb : {"info", "resume", "render"})
    expect_call(std::string(verb) + " '" + (folder / "missing").string() + "'", 2, "missing");
  expect_call("run '" + (folder / "missing.toml").string() + "'", 2, "missing.toml");
}

/// A finished small run.
class DamagedRun : public testing::Test {
 protected:
  void SetUp() override {
    run_ = folder_ / "run";
    const std::string file = put(folder_, "s.toml", good_scene);
    expect_call("run " + file + " -o '" + run_.string() + "'", 0, "");
  }
  void cut(const std::string& name) {
    fs::resize_file(run_ / name, fs::file_size(run_ / name) * 2 / 3);
  }
  std::string quoted() const { return "'" + run_.string() + "'"; }

  ScratchFolder folder_;
  fs::path run_;
};

TEST_F(DamagedRun, ATruncatedFrameIsNamed) {
  cut("frames/frame_000001.tal");
  expect_call("info --verify " + quoted(), 1, "frame_000001.tal");
  const Outcome outcome =
      talus_call("render " + quoted() + " --size 64x36 --samples 1 --no-film --frames 1:1");
  EXPECT_EQ(outcome.code, 1) << outcome.text;
  EXPECT_NE(outcome.text.find("frame_000001.tal"), std::string::npos) << outcome.text;
}

TEST_F(DamagedRun, ATruncatedCheckpointIsNamedAndNothingIsTouched) {
  cut("checkpoint.tal");
  const auto before = talus::file_bytes(run_ / "frames/frame_000002.tal");
  expect_call("resume " + quoted() + " --frames 4", 1, "checkpoint.tal");
  EXPECT_EQ(talus::file_bytes(run_ / "frames/frame_000002.tal"), before);
}

TEST_F(DamagedRun, AFolderOfANewerVersionIsRefused) {
  std::ifstream in(run_ / "manifest.json");
  std::string manifest{std::istreambuf_iterator<char>(in), {}};
  const std::string mark = "\"format_version\": ";
  manifest.replace(manifest.find(mark) + mark.size(), 1, "9");
  std::ofstream(run_ / "manifest.json") << manifest;
  for (const char* verb : {"info ", "resume "}) {
    const Outcome outcome = talus_call(verb + quoted());
    EXPECT_EQ(outcome.code, 1) << outcome.text;
    EXPECT_NE(outcome.text.find("newer"), std::string::npos) << outcome.text;
  }
}

}  // namespace
