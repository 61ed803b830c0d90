// Reads all sources of Talus and checks the rules of source_rules.h on them. The other tests are
// negative controls: each rule must notice what it forbids.
#include "architecture/source_rules.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>

namespace talus::architecture {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> sources_below(const char* folder) {
  std::vector<fs::path> paths;
  const fs::path root = fs::path(TALUS_SOURCE_DIR) / folder;
  for (const auto& entry : fs::recursive_directory_iterator(root))
    if (entry.path().extension() == ".cpp" || entry.path().extension() == ".h")
      paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  return paths;
}

std::string read(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST(SourceRules, HoldInTheWholeTree) {
  std::size_t files = 0;
  for (const char* folder : {"src", "apps"}) {
    for (const fs::path& path : sources_below(folder)) {
      const std::string relative = fs::relative(path, TALUS_SOURCE_DIR).generic_string();
      for (const std::string& violation : violations(relative, read(path)))
        ADD_FAILURE() << violation;
      ++files;
    }
  }
  EXPECT_GT(files, 20u) << "the sources were not found";
}

TEST(SourceRules, EveryFolderOfTheOrderIsInTheBuild) {
  const std::string cmake = read(fs::path(TALUS_SOURCE_DIR) / "CMakeLists.txt");
  std::size_t last = 0;
  for (const std::string& folder : folder_order) {
    const std::size_t place = cmake.find("talus_library(" + folder);
    ASSERT_NE(place, std::string::npos) << folder;
    EXPECT_GT(place, last) << folder << " stands in another order in CMakeLists.txt";
    last = place;
  }
}

std::size_t count(const std::string& path, const std::string& text) {
  return violations(path, text).size();
}

TEST(SourceRules, NoticeAnIncludeAgainstTheOrder) {
  EXPECT_EQ(count("src/sph/step.cpp", "#include \"frames/frame.h\"\n"), 1u);
  EXPECT_EQ(count("src/core/timer.cpp", "#include \"math/vec.h\"\n"), 1u);
  EXPECT_EQ(count("src/sph/step.cpp", "#include \"dem/contact.h\"\n"), 1u);
  EXPECT_EQ(count("src/sph/step.cpp", "#include \"apps/cli.h\"\n"), 1u);
  EXPECT_EQ(count("src/other/x.cpp", ""), 1u);
  EXPECT_EQ(count("src/sph/step.cpp", "#include \"sph/kernel.h\"\n#include \"core/error.h\"\n"),
            0u);
  EXPECT_EQ(count("apps/run.cpp", "#include \"run/run.h\"\n"), 0u);
}

TEST(SourceRules, NoticeVectorInstructions) {
  EXPECT_EQ(count("src/sph/step.cpp", "#include <immintrin.h>\n"), 1u);
  EXPECT_EQ(count("src/sph/step.cpp", "auto a = _mm256_add_ps(b, c);\n"), 1u);
  EXPECT_EQ(count("src/sph/step.cpp", "__m128i a;\n"), 1u);
  EXPECT_EQ(count("src/math/wide.h", "#pragma once\n#include <immintrin.h>\n"), 0u);
}

TEST(SourceRules, NoticeThreads) {
  for (const char* text :
       {"std::thread t(f);", "std::atomic<int> n;", "std::mutex m;", "tbb::parallel_for(r, f);",
        "#include <tbb/parallel_for.h>", "#pragma omp parallel for", "pthread_create(&t);",
        "thread_local int n;", "std::async(f);", "volatile int n;"})
    EXPECT_EQ(count("src/dem/step.cpp", text), 1u) << text;
  EXPECT_EQ(count("src/core/parallel.cpp", "#include <tbb/parallel_for.h>\n"), 0u);
  EXPECT_EQ(count("src/dem/step.cpp", "int threads = executor.threads();\n"), 0u);
}

TEST(SourceRules, NoticeHeavyHeaders) {
  EXPECT_EQ(count("src/geometry/distance.h", "#pragma once\n#include <openvdb/openvdb.h>\n"), 1u);
  EXPECT_EQ(count("src/sph/walls.cpp", "#include <openvdb/openvdb.h>\n"), 1u);
  EXPECT_EQ(count("src/render/render.cpp", "#include <embree3/rtcore.h>\n"), 1u);
  EXPECT_EQ(count("src/bodies/body.h", "#pragma once\n#include <btBulletDynamicsCommon.h>\n"), 1u);
  EXPECT_EQ(count("src/sph/step.cpp", "#include \"bodies/bullet_math.h\"\n"), 1u);
  EXPECT_EQ(count("src/scene/scene.h", "#pragma once\n#include <toml++/toml.h>\n"), 1u);
  EXPECT_EQ(count("src/sampling/x.cpp", "#include <assimp/Importer.hpp>\n"), 1u);
  EXPECT_EQ(count("apps/run.cpp", "#include <CLI/CLI.hpp>\n"), 1u);
  EXPECT_EQ(count("src/render/png.cpp", "#include <epoxy/gl.h>\n"), 1u);
}

TEST(SourceRules, NoticeAHeaderThatCanBeIncludedTwice) {
  EXPECT_EQ(count("src/core/x.h", "int f();\n"), 1u);
}

TEST(SourceRules, DoNotReadCommentsAndLiterals) {
  EXPECT_EQ(count("src/sph/step.cpp", "// std::thread is not used here\n"), 0u);
  EXPECT_EQ(count("src/sph/step.cpp", "/* tbb::\n _mm_add_ps( */ int a;\n"), 0u);
  EXPECT_EQ(count("src/sph/step.cpp", "auto s = \"a \\\" std::mutex\";\n"), 0u);
  EXPECT_EQ(count("src/sph/step.cpp", "auto s = R\"(std::mutex)\"; char q = '\"';\n"), 0u);
  EXPECT_EQ(count("src/sph/step.cpp", "int n = 1'000; std::mutex m; // '\n"), 1u);
}

TEST(SourceRules, TellTheLine) {
  const auto found = violations("src/sph/step.cpp", "/*\n\n*/\nstd::mutex m;\n");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0], "src/sph/step.cpp:4: threads do not belong here");
}

}  // namespace
}  // namespace talus::architecture
