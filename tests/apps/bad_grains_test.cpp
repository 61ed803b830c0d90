// Grains that a user gives by mistake, handed to the program: a message that names the file, the
// material and what to do, before a folder is made; and what a run says and counts.
#include "frames/scratch_folder.h"
#include "program_call.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;
using talus::ScratchFolder;

std::string put(const ScratchFolder& folder, const std::string& name, const std::string& text) {
  std::ofstream(folder / name, std::ios::binary) << text;
  return "'" + (folder / name).string() + "'";
}

/// 27 grains above a floor; `material` and `more` are lines of the material and of the scene.
std::string grains(const std::string& material, const std::string& more = "") {
  return "[scene]\nsolver = \"dem\"\nduration = 0.04\nframe_rate = 50\n"
         "[[material]]\nname = \"stones\"\ngrain_diameter = 0.05\ngrain_size_spread = 0.1\n" +
         material +
         "\n[[fill]]\nmaterial = \"stones\"\n"
         "shape = { type = \"box\", size = [0.15, 0.15, 0.15], position = [0, 0, 0.12] }\n"
         "[[body]]\nname = \"floor\"\nshape = { type = \"plane\" }\n" +
         more;
}

/// Both verbs refuse it with the same words, and nothing is left behind.
void expect_refused(const ScratchFolder& folder, const std::string& scene,
                    const std::vector<std::string>& says) {
  const std::string file = put(folder, "s.toml", scene);
  const std::string out = (folder / "out").string();
  for (const std::string& verb : {std::string("check "), "run -o '" + out + "' "}) {
    const Outcome outcome = talus_call(verb + file);
    EXPECT_EQ(outcome.code, 2) << verb << outcome.text;
    for (const std::string& part : says)
      EXPECT_NE(outcome.text.find(part), std::string::npos)
          << verb << "does not say '" << part << "' but\n"
          << outcome.text;
  }
  EXPECT_FALSE(fs::exists(out));
}

TEST(BadGrains, FilesOfSpheresAreRefusedWithTheirLine) {
  ScratchFolder folder;
  for (const char* radius : {"0", "-1", "nan", "", "one"}) {
    put(folder, "stone.txt", std::string("# a stone\n0 0 0 1\n1 0 0 ") + radius + "\n");
    expect_refused(folder, grains("grain_shape = \"stone.txt\""),
                   {"s.toml: material 'stones': ", "stone.txt:3: "});
  }
  put(folder, "stone.txt", "# nothing\n");
  expect_refused(folder, grains("grain_shape = \"stone.txt\""), {"has no spheres"});
}

TEST(BadGrains, AMeshThatLeaksIsToldWhereAndWhatToDo) {
  ScratchFolder folder;
  put(folder, "open.obj", "v 0 0 0\nv 0.2 0 0\nv 0 0.2 0\nv 0 0 0.2\nf 1 3 2\nf 1 2 4\nf 1 4 3\n");
  const std::string scene = grains("grain_shape = \"open.obj\"");
  expect_refused(folder, scene,
                 {"s.toml: material 'stones': ", "open.obj: the mesh is no solid",
                  "1 hole with 3 open edges", "mend it"});
  EXPECT_EQ(talus_call("check '" + (folder / "s.toml").string() + "'").text.find("force"),
            std::string::npos);
}

TEST(BadGrains, ValuesOutOfRangeAreRefusedWithTheirPlace) {
  ScratchFolder folder;
  struct {
    const char *line, *says;
  } const rows[] = {
      {"young_modulus = 0", "s.toml:9:17: error: material.young_modulus: 0 is out of range"},
      {"young_modulus = -5e7", "s.toml:9:17: error"},
      {"restitution = 0", "s.toml:9:15: error: material.restitution: 0 is out of range"},
      {"restitution = 1.2", "s.toml:9:15: error"},
      {"poisson_ratio = 0.5", "s.toml:9:17: error"},
      {"grain_density = 0", "s.toml:9:17: error"},
      {"friction_coefficient = -0.1", "s.toml:9:24: error"},
      {"grain_spheres = 0", "s.toml:9:17: error"},
      {"capillary_force = -1", "s.toml:9:19: error"},
  };
  for (const auto& row : rows) expect_refused(folder, grains(row.line), {row.says});
  for (const char* d : {"0", "-0.01"}) {
    std::string scene = grains("");
    scene.replace(scene.find("0.05"), 4, d);
    expect_refused(folder, scene, {"s.toml:7:18: error", "must be above 0"});
  }
}

TEST(BadGrains, FieldsThatGrainsDoNotHaveAreRefusedByBothVerbs) {
  ScratchFolder folder;
  expect_refused(folder, grains("", "[output]\nfields = [\"pressure\"]\n"),
                 {"the solver dem has no 'pressure'", "coordination"});
}

/// Allowed, but said, by both verbs; a run logs it too.
void expect_said(const std::string& scene, const std::string& says) {
  ScratchFolder folder;
  put(folder, "two.txt", "0 0 0 1\n3 0 0 1\n");
  const std::string file = put(folder, "s.toml", scene), out = (folder / "out").string();
  expect_call("check " + file, 0, says);
  expect_call("run --no-report " + file + " -o '" + out + "'", 0, says);
  std::ifstream log(folder / "out/log.txt");
  const std::string text{std::istreambuf_iterator<char>(log), {}};
  EXPECT_NE(text.find(says), std::string::npos) << text;
}

TEST(DoubtfulGrains, SpheresThatDoNotHangTogetherAreSaid) {
  expect_said(grains("grain_shape = \"two.txt\""),
              "material 'stones': the grain shape falls into 2 pieces");
}

TEST(DoubtfulGrains, AForcedStepAboveTheLimitIsSaid) {
  expect_said(grains("", "[dem]\ntime_step = 0.002\n"), "above the automatic step of");
}

/// Sizes from 0.1 to 1.9 diameters on a lattice of one: neighbours start inside each other.
TEST(DoubtfulGrains, OverlapsAtTheStartAreRelaxedAndSaid) {
  ScratchFolder folder;
  std::string scene = grains("");
  scene.replace(scene.find("grain_size_spread = 0.1"), 23, "grain_size_spread = 0.9");
  const std::string file = put(folder, "s.toml", scene), out = (folder / "out").string();
  expect_call("run --no-report " + file + " -o '" + out + "'", 0, "grains overlapped others");
  std::ifstream table(folder / "out/statistics.csv");
  std::string header, line, cell;
  std::getline(table, header);
  while (std::getline(table, line)) {
    std::istringstream cells(line);
    for (int k = 0; k < 13; ++k) std::getline(cells, cell, ',');
    EXPECT_LT(std::stod(cell), 1) << line;  // m/s: they only begin to fall
  }
}

/// Rows of statistics.csv: particles and drained, the third and the last but one column.
std::vector<std::pair<int, int>> counts(const fs::path& folder) {
  std::ifstream table(folder / "statistics.csv");
  std::string line;
  std::getline(table, line);
  std::vector<std::pair<int, int>> rows;
  while (std::getline(table, line)) {
    std::istringstream cells(line);
    std::vector<std::string> row;
    for (std::string cell; std::getline(cells, cell, ',');) row.push_back(cell);
    rows.emplace_back(std::stoi(row.at(2)), std::stoi(row.at(row.size() - 2)));
  }
  return rows;
}

/// Thrown into the void: kept without a sink, removed and counted with one.
TEST(LostGrains, AreKeptOrDrainedAndCounted) {
  for (const bool sink : {false, true}) {
    ScratchFolder folder;
    const std::string file =
        put(folder, "s.toml",
            grains("",
                   "[[fill]]\nname = \"shot\"\nmaterial = \"stones\"\nvelocity = [1e3, 0, 0]\n"
                   "shape = { type = \"box\", size = [0.05, 0.05, 0.05], position = [0, 0, 9] }\n" +
                       std::string(sink ? "[[sink]]\nshape = { type = \"sphere\", radius = 20, "
                                          "inside_out = true }\n"
                                        : "")));
    const std::string out = (folder / "out").string();
    expect_call("run --no-report " + file + " -o '" + out + "'", 0, "finished");
    const auto rows = counts(folder / "out");
    ASSERT_EQ(rows.size(), 3u);
    EXPECT_EQ(rows[0], (std::pair{28, 0}));
    EXPECT_EQ(rows[2].first, sink ? 27 : 28);
    EXPECT_EQ(rows[1].second + rows[2].second, sink ? 1 : 0);
    expect_call("info --verify '" + out + "'", 0, "whole");
  }
}

}  // namespace
