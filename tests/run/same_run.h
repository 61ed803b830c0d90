// Two run folders that must hold the same simulation, byte by byte.
#pragma once

#include "frames/scratch_folder.h"

#include <algorithm>
#include <filesystem>
#include <gtest/gtest.h>
#include <set>
#include <string>

namespace talus {

inline std::set<std::string> names_in(const std::filesystem::path& folder) {
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    names.insert(entry.path().filename().string());
  return names;
}

/// Frames and tables; timings.csv and log.txt tell the time of day and may differ.
inline void expect_same_run(const std::filesystem::path& a, const std::filesystem::path& b) {
  EXPECT_EQ(names_in(a), names_in(b)) << "a temporary file left behind?";
  const auto frames = names_in(a / "frames");
  ASSERT_EQ(frames, names_in(b / "frames"));
  ASSERT_FALSE(frames.empty());
  for (const std::string& name : frames)
    EXPECT_TRUE(file_bytes(a / "frames" / name) == file_bytes(b / "frames" / name))
        << a / "frames" / name;
  for (const char* name : {"statistics.csv", "forces.csv", "bodies.csv", "manifest.json"})
    EXPECT_TRUE(file_bytes(a / name) == file_bytes(b / name)) << a / name;
}

}  // namespace talus
