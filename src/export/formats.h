// The table of formats. A format writes one file for the grains of a frame; some also write the
// bodies of each frame, or one file for the whole run.
#pragma once

#include "core/error.h"
#include "core/parallel.h"
#include "export/cloud.h"
#include "render/run_source.h"

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace talus {

enum class BgeoPacking { none, gzip, blocks };  ///< .bgeo, .bgeo.gz, .bgeo.sc

struct ExportSettings {
  bool density = false;  ///< vdb: also a density volume
  BgeoPacking packing = BgeoPacking::gzip;
};

/// A body where it is in one frame.
struct PlacedBody {
  const BodyMesh* body = nullptr;
  Posed pose;
};

/// One file of grains that was written, for the index of the run.
struct WrittenFile {
  std::filesystem::path name;  ///< below the output folder
  double time = 0;             ///< s
  bool bodies = false;
};

struct ExportFormat {
  std::string_view name;
  std::string_view extension;  ///< of the grains, e.g. ".vtp"; empty when only bodies are written
  std::string_view program;    ///< who reads it
  double packed_share;         ///< of the raw bytes, to estimate sizes

  Status (*write_grains)(const Cloud& cloud, const std::filesystem::path& path,
                         const ExportSettings& settings, const Executor& executor);
  /// Bodies of one frame; null when the format keeps them elsewhere.
  Status (*write_bodies)(std::span<const PlacedBody> bodies, double time,
                         const std::filesystem::path& path, const Executor& executor);
  /// Once, at the end: an index of the files. Null when there is none.
  Status (*write_index)(std::span<const WrittenFile> files, const std::filesystem::path& folder);
  /// Once: the bodies, and whatever else lasts, over all frames. Null when there is none.
  Status (*write_animation)(const RunSource& run, std::span<const FrameInfo> frames,
                            const std::filesystem::path& folder);
};

std::span<const ExportFormat> export_formats();
const ExportFormat* find_export_format(std::string_view name);
/// ".bgeo", ".bgeo.gz" or ".bgeo.sc", ".vtp", ...
std::string file_extension(const ExportFormat& format, const ExportSettings& settings);

// The writers, one file each.
Status write_vtp(const Cloud&, const std::filesystem::path&, const ExportSettings&,
                 const Executor&);
Status write_vtp_bodies(std::span<const PlacedBody>, double time, const std::filesystem::path&,
                        const Executor&);
Status write_pvd(std::span<const WrittenFile>, const std::filesystem::path& folder);
Status write_ply(const Cloud&, const std::filesystem::path&, const ExportSettings&,
                 const Executor&);
Status write_npz(const Cloud&, const std::filesystem::path&, const ExportSettings&,
                 const Executor&);
Status write_bgeo(const Cloud&, const std::filesystem::path&, const ExportSettings&,
                  const Executor&);
Status write_vdb(const Cloud&, const std::filesystem::path&, const ExportSettings&,
                 const Executor&);
Status write_gltf(const RunSource&, std::span<const FrameInfo>,
                  const std::filesystem::path& folder);
Status write_blender_scene(const RunSource&, std::span<const FrameInfo>,
                           const std::filesystem::path& folder);
Status write_obj_bodies(std::span<const PlacedBody>, double time, const std::filesystem::path&,
                        const Executor&);

}  // namespace talus
