// manifest.json: what a run folder contains, for people and for programs that are not Talus.
#pragma once

#include "core/error.h"
#include "particles/store.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace talus {

inline constexpr std::uint64_t run_folder_version = 1;

struct ManifestFrame {
  std::uint64_t index = 0;
  double time = 0;  ///< s
  std::uint64_t particles = 0;
  std::uint64_t bytes = 0;
};

struct Manifest {
  std::string program;  ///< "talus 0.1.0"
  std::string scene;
  std::string solver;
  std::uint64_t seed = 0;
  double frame_rate = 0;           ///< 1/s
  std::uint64_t frames_total = 0;  ///< the last frame the run aims at
  std::string state;               ///< "running", "finished", "interrupted", "failed"
  std::string message;             ///< why it failed
  std::uint32_t scene_crc = 0;     ///< of scene.toml: a changed scene cannot be resumed
  std::vector<FieldInfo> fields;
  std::vector<ManifestFrame> frames;
};

Status write_manifest(const std::filesystem::path& folder, const Manifest& manifest);
/// Explains when the folder is missing, is no run folder, or comes from a newer program.
Result<Manifest> read_manifest(const std::filesystem::path& folder);

}  // namespace talus
