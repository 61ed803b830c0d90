#include "scene/keys.h"

#include "scene/diagnostics.h"

#include <fstream>
#include <gtest/gtest.h>
#include <set>
#include <sstream>

namespace talus {
namespace {

TEST(Keys, ReferencePageIsUpToDate) {
  std::ifstream file(TALUS_SOURCE_DIR "/docs/scene-reference.md");
  std::stringstream page;
  page << file.rdbuf();
  EXPECT_TRUE(page.str() == keys_markdown())
      << "docs/scene-reference.md is stale; run: talus keys --markdown > docs/scene-reference.md";
}

TEST(Keys, EveryKeyIsDeclaredInFull) {
  std::set<std::string> paths;
  for (const Section& section : scene_sections()) {
    EXPECT_FALSE(section.meaning.empty()) << section.name;
    for (const Key& key : section.keys) {
      const std::string path = section.name + "." + key.name;
      EXPECT_TRUE(paths.insert(path).second) << path << " is declared twice";
      EXPECT_FALSE(key.meaning.empty()) << path;
      EXPECT_TRUE(key.has_default_value || !key.default_words.empty()) << path;
      EXPECT_TRUE(key.type == KeyType::preset || key.member != nullptr) << path;
      if (!key.only_if_key.empty()) {
        const Key* deciding = section.find(key.only_if_key);
        ASSERT_NE(deciding, nullptr) << path;
        for (const std::string& value : key.only_if_values)
          EXPECT_NE(std::find(deciding->choices.begin(), deciding->choices.end(), value),
                    deciding->choices.end())
              << path << ": " << value;
      }
    }
  }
  EXPECT_GT(paths.size(), 120u);
}

TEST(Keys, NumericDefaultsLieInTheirRange) {
  for (const Section& section : scene_sections())
    for (const Key& key : section.keys) {
      const bool numeric = key.type == KeyType::number || key.type == KeyType::integer ||
                           key.type == KeyType::fraction;
      if (numeric && key.has_default_value && std::isfinite(key.default_value.number)) {
        EXPECT_TRUE(key.range.contains(key.default_value.number))
            << section.name << "." << key.name;
      }
    }
}

TEST(Keys, TextListsByPrefix) {
  const std::string text = keys_text("sph.spac");
  EXPECT_NE(text.find("sph.spacing [m]"), std::string::npos);
  EXPECT_NE(text.find("default: 0.02"), std::string::npos);
  EXPECT_EQ(text.find("sph.model"), std::string::npos);
  EXPECT_TRUE(keys_text("nothing").empty());
}

TEST(NearestWord, FindsWhatWasMeant) {
  const std::vector<std::string> words{"spacing", "time_step", "adaptive", "up"};
  EXPECT_EQ(nearest_word("spacng", words), "spacing");
  EXPECT_EQ(nearest_word("sapcing", words), "spacing");
  EXPECT_EQ(nearest_word("timestep", words), "time_step");
  EXPECT_EQ(nearest_word("zzzzzz", words), "");
  EXPECT_EQ(nearest_word("", words), "");
  EXPECT_EQ(nearest_word(std::string(1000, 'a'), words), "");
}

}  // namespace
}  // namespace talus
