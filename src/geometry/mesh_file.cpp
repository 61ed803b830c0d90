// The only file that sees Assimp.

#include "geometry/mesh.h"

#include <assimp/Importer.hpp>
#include <assimp/config.h>
#include <assimp/postprocess.h>
#include <assimp/scene.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>

namespace talus {
namespace {

constexpr unsigned dropped_components =
    aiComponent_NORMALS | aiComponent_TANGENTS_AND_BITANGENTS | aiComponent_COLORS |
    aiComponent_TEXCOORDS | aiComponent_BONEWEIGHTS | aiComponent_ANIMATIONS |
    aiComponent_TEXTURES | aiComponent_LIGHTS | aiComponent_CAMERAS | aiComponent_MATERIALS;

/// Scales in double before rounding: millimetres to metres should not cost a digit twice.
void append(const aiMesh& part, double scale, Mesh& mesh) {
  const auto first = static_cast<std::uint32_t>(mesh.vertices.size());
  for (unsigned i = 0; i < part.mNumVertices; ++i) {
    const aiVector3D& v = part.mVertices[i];
    mesh.vertices.push_back(Vec3f(scale * Vec3d{v.x, v.y, v.z}));
  }
  for (unsigned i = 0; i < part.mNumFaces; ++i) {
    const aiFace& face = part.mFaces[i];
    if (face.mNumIndices != 3) continue;  // points and lines have no surface
    mesh.triangles.push_back(
        {first + face.mIndices[0], first + face.mIndices[1], first + face.mIndices[2]});
  }
}

}  // namespace

Result<Mesh> read_mesh_file(const std::string& path, double scale) {
  if (!(std::isfinite(scale) && scale > 0))
    return request_error("{}: the scale must be above 0; it is {}", path, scale);
  std::error_code code;
  if (!std::filesystem::is_regular_file(path, code))
    return request_error("{}: no such mesh file", path);
  if (std::filesystem::file_size(path, code) == 0)
    return request_error("{}: the mesh file is empty", path);

  Assimp::Importer importer;
  importer.SetPropertyInteger(AI_CONFIG_PP_RVC_FLAGS, static_cast<int>(dropped_components));
  importer.SetPropertyInteger(AI_CONFIG_PP_SBP_REMOVE,
                              aiPrimitiveType_POINT | aiPrimitiveType_LINE);
  const aiScene* scene = importer.ReadFile(path, aiProcess_Triangulate | aiProcess_RemoveComponent |
                                                     aiProcess_PreTransformVertices |
                                                     aiProcess_SortByPType | aiProcess_GlobalScale);
  if (scene == nullptr)
    return request_error("{}: cannot be read as a mesh: {}", path, importer.GetErrorString());

  Mesh mesh;
  for (unsigned i = 0; i < scene->mNumMeshes; ++i) append(*scene->mMeshes[i], scale, mesh);
  if (mesh.triangles.empty()) return request_error("{}: there is no face in this mesh file", path);
  return mesh;
}

Status write_mesh(const std::string& path, const Mesh& mesh) {
  std::ofstream file(path, std::ios::binary);
  file << "ply\nformat binary_little_endian 1.0\nelement vertex " << mesh.vertices.size()
       << "\nproperty float x\nproperty float y\nproperty float z\nelement face "
       << mesh.triangles.size() << "\nproperty list uchar int vertex_indices\nend_header\n";
  file.write(reinterpret_cast<const char*>(mesh.vertices.data()),
             static_cast<std::streamsize>(mesh.vertices.size() * sizeof(Vec3f)));
  for (const Mesh::Triangle& t : mesh.triangles) {
    char row[13];
    row[0] = 3;
    std::memcpy(row + 1, t.data(), 12);
    file.write(row, sizeof row);
  }
  file.close();
  if (!file) return work_error("{}: cannot be written (disk full, or no right to?)", path);
  return {};
}

Result<LoadedMesh> load_mesh_with_report(const std::string& path, double scale, bool force) {
  Result<Mesh> mesh = read_mesh_file(path, scale);
  if (!mesh) return mesh.error();
  LoadedMesh loaded;
  loaded.mesh = *std::move(mesh);
  loaded.repairs = repair_mesh(loaded.mesh);
  loaded.defects = check_mesh(loaded.mesh);
  for (const MeshDefect& defect : loaded.defects)
    // Distances to a vertex that is nowhere do not exist: no force can help.
    if (defect.kind == MeshDefect::Kind::not_finite)
      return request_error("{}: the mesh has {}; remove such faces in the program that made it",
                           path, describe(defect));
  const std::string reasons = describe_breaks(loaded.defects);
  if (!reasons.empty() && !force)
    return request_error(
        "{}: the mesh is no solid:{}\n  mend it there, or take it as it is (talus sample --force; "
        "in "
        "a scene force_mesh = true): inside and outside may then be wrong near these places",
        path, reasons);
  return loaded;
}

Result<Mesh> load_mesh(const std::string& path, double scale, bool force) {
  Result<LoadedMesh> loaded = load_mesh_with_report(path, scale, force);
  if (!loaded) return loaded.error();
  return std::move(loaded->mesh);
}

}  // namespace talus
