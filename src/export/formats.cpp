#include "export/formats.h"

#include <array>

namespace talus {

namespace {

constexpr std::array<ExportFormat, 8> formats{{
    {"vtk", ".vtp", "ParaView, VTK", 0.9, write_vtp, write_vtp_bodies, write_pvd, nullptr},
    {"ply", ".ply", "MeshLab, CloudCompare", 1.0, write_ply, nullptr, nullptr, nullptr},
    {"bgeo", ".bgeo", "Houdini", 0.9, write_bgeo, nullptr, nullptr, nullptr},
    {"vdb", ".vdb", "Houdini, OpenVDB", 1.0, write_vdb, nullptr, nullptr, nullptr},
    {"npz", ".npz", "numpy", 0.9, write_npz, nullptr, nullptr, nullptr},
    {"blender", ".npz", "integrations/blender/talus_import.py: grains, bodies, camera, sun", 0.9,
     write_npz, nullptr, nullptr, write_blender_scene},
    {"gltf", "", "Blender and most others: bodies with their animation", 0, nullptr, nullptr,
     nullptr, write_gltf},
    {"obj", "", "any mesh program: bodies, a file for each frame", 0, nullptr, write_obj_bodies,
     nullptr, nullptr},
}};

}  // namespace

std::span<const ExportFormat> export_formats() { return formats; }

const ExportFormat* find_export_format(std::string_view name) {
  for (const ExportFormat& format : formats)
    if (format.name == name) return &format;
  return nullptr;
}

std::string file_extension(const ExportFormat& format, const ExportSettings& settings) {
  std::string extension(format.extension);
  if (format.name == "bgeo" && settings.packing == BgeoPacking::gzip) extension += ".gz";
  if (format.name == "bgeo" && settings.packing == BgeoPacking::blocks) extension += ".sc";
  return extension;
}

}  // namespace talus
