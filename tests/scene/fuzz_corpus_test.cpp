// The corpus of tests/fuzz/fuzz_scene.cpp, run on every build: no input may crash or hang, and
// every refusal has a message.
#include "fuzz/scene_complaint.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>

namespace talus {
namespace {

TEST(SceneFuzz, Corpus) {
  int files = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(TALUS_SOURCE_DIR "/tests/fuzz/corpus/scene")) {
    std::ifstream file(entry.path(), std::ios::binary);
    std::stringstream text;
    text << file.rdbuf();
    EXPECT_EQ(scene_complaint(text.str()), "") << entry.path();
    ++files;
  }
  EXPECT_GT(files, 10);
}

}  // namespace
}  // namespace talus
