// Loading, checking and mending of meshes. Files are written here, by hand or with the exporter of
// the library that reads them.
#include "geometry/mesh.h"

#include "geometry/binary_fbx.h"
#include "geometry/mass_properties.h"
#include "geometry/mesh_shapes.h"

#include <assimp/Exporter.hpp>
#include <assimp/Importer.hpp>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <limits>

namespace talus {
namespace {

using Kind = MeshDefect::Kind;

std::string temporary(const std::string& name) { return testing::TempDir() + "talus_mesh_" + name; }

void write_text(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

std::string obj_text(const Mesh& mesh) {
  std::string text;
  for (const Vec3f& v : mesh.vertices) text += fmt::format("v {} {} {}\n", v.x, v.y, v.z);
  for (const auto& t : mesh.triangles)
    text += fmt::format("f {} {} {}\n", t[0] + 1, t[1] + 1, t[2] + 1);
  return text;
}

const MeshDefect* find(const std::vector<MeshDefect>& defects, Kind kind) {
  for (const MeshDefect& d : defects)
    if (d.kind == kind) return &d;
  return nullptr;
}

TEST(MeshFile, ReadsEveryPromisedFormat) {
  const Mesh box = box_mesh({1, 2, 3}, 2);
  const std::string obj = temporary("box.obj");
  write_text(obj, obj_text(box));
  Assimp::Importer importer;
  const aiScene* scene = importer.ReadFile(obj, 0);
  ASSERT_NE(scene, nullptr);
  Assimp::Exporter exporter;
  const std::pair<const char*, const char*> formats[] = {
      {"obj", "obj"},  {"stl", "stl"},    {"stlb", "stl"}, {"ply", "ply"},
      {"plyb", "ply"}, {"gltf2", "gltf"}, {"glb2", "glb"}, {"fbxa", "fbx"}};
  for (const auto& [id, extension] : formats) {
    const std::string path = temporary(std::string(id) + "_box." + extension);
    ASSERT_EQ(exporter.Export(scene, id, path), AI_SUCCESS) << id;
    const auto mesh = load_mesh(path, 0.5);
    ASSERT_TRUE(mesh.ok()) << id << ": " << mesh.error().message;
    EXPECT_EQ(mesh->triangles.size(), box.triangles.size()) << id;
    EXPECT_EQ(mesh->vertices.size(), box.vertices.size()) << id;
    const double unit = std::string(extension) == "fbx" ? 0.01 : 1;  // FBX files are in centimetres
    EXPECT_NEAR(mass_properties(*mesh, 1).volume / std::pow(unit, 3), 6 * 0.125, 1e-5) << id;
  }
}

TEST(MeshFile, ReadsBinaryFbxInItsUnits) {
  const Mesh box = box_mesh({1, 2, 3}, 2);
  for (const double centimetres : {100.0, 1.0}) {
    const std::string path = temporary("binary.fbx");
    write_text(path, BinaryFbx::of(box, centimetres));
    const auto mesh = load_mesh(path);
    ASSERT_TRUE(mesh.ok()) << mesh.error().message;
    EXPECT_EQ(mesh->triangles.size(), box.triangles.size());
    EXPECT_NEAR(mass_properties(*mesh, 1).volume / std::pow(centimetres / 100, 3), 6, 1e-4);
  }
}

TEST(MeshFile, OwnPlyIsReadBack) {
  const Mesh mesh = icosphere(0.5, 2);
  const std::string path = temporary("sphere.ply");
  ASSERT_TRUE(write_mesh(path, mesh).ok());
  const auto read = load_mesh(path);
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(read->vertices.size(), mesh.vertices.size());
  EXPECT_EQ(read->triangles.size(), mesh.triangles.size());
}

TEST(MeshFile, BadFilesAreNamed) {
  const std::string empty = temporary("empty.obj"), junk = temporary("junk.stl"),
                    points = temporary("points.obj"), nan = temporary("nan.ply");
  write_text(empty, "");
  write_text(junk, "this is no mesh at all");
  write_text(points, "v 0 0 0\nv 1 0 0\n");
  for (const std::string& path :
       {empty, junk, points, temporary("missing.obj"), testing::TempDir()}) {
    const auto mesh = load_mesh(path);
    ASSERT_FALSE(mesh.ok()) << path;
    EXPECT_EQ(mesh.error().kind, ErrorKind::request);
    EXPECT_NE(mesh.error().message.find(path), std::string::npos) << mesh.error().message;
  }
  EXPECT_FALSE(load_mesh(empty, -1).ok());
  Mesh broken = box_mesh({1, 1, 1});
  broken.vertices[3].y = std::numeric_limits<float>::quiet_NaN();
  ASSERT_TRUE(write_mesh(nan, broken).ok());
  const auto no_number = load_mesh(nan);
  ASSERT_FALSE(no_number.ok());
  EXPECT_NE(no_number.error().message.find("faces with corners that are no numbers, the first is"),
            std::string::npos)
      << no_number.error().message;
  EXPECT_NE(no_number.error().message.find("5) m"), std::string::npos)
      << "place: " << no_number.error().message;
  EXPECT_FALSE(load_mesh(nan, 1, true).ok());  // nothing can force this
  broken = box_mesh({1, 1, 1});
  broken.vertices.push_back({std::numeric_limits<float>::quiet_NaN(), 0, 0});
  ASSERT_TRUE(write_mesh(nan, broken).ok());
  EXPECT_TRUE(load_mesh(nan).ok()) << "no face knows the bad vertex";
}

TEST(MeshCheck, GoodMeshesHaveNoDefects) {
  for (const Mesh& mesh :
       {icosphere(1, 3), box_mesh({1, 2, 3}, 3), torus(1, 0.3, 40, 20), trefoil(1, 0.15, 200, 16),
        spiky_star(0.3, 1, 2), uneven_blob(1, 40, 30)}) {
    const auto defects = check_mesh(mesh);
    EXPECT_TRUE(defects.empty()) << describe(defects.front());
    EXPECT_GT(mass_properties(mesh, 1).volume, 0);
  }
}

TEST(MeshCheck, HolesAreCountedAndPlaced) {
  Mesh mesh = box_mesh({2, 2, 2}, 4);
  mesh.triangles.erase(mesh.triangles.begin() + 5);
  mesh.triangles.pop_back();
  const auto defects = check_mesh(mesh);
  const MeshDefect* hole = find(defects, Kind::hole);
  ASSERT_NE(hole, nullptr);
  EXPECT_EQ(hole->count, 6u);
  EXPECT_EQ(hole->loops, 2u);
  EXPECT_NEAR(std::max({std::abs(hole->place.x), std::abs(hole->place.y), std::abs(hole->place.z)}),
              1, 1e-6);
  const std::string path = temporary("open.obj");
  write_text(path, obj_text(mesh));
  const auto refused = load_mesh(path);
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.error().message.find("2 holes with 6 open edges"), std::string::npos)
      << refused.error().message;
  EXPECT_TRUE(load_mesh(path, 1, true).ok());
}

Mesh two_boxes(const Vec3f& shift) {
  Mesh both = box_mesh({1, 1, 1});
  const Mesh other = both;
  for (auto t : other.triangles) {
    for (auto& v : t) v += static_cast<std::uint32_t>(other.vertices.size());
    both.triangles.push_back(t);
  }
  for (const Vec3f& v : other.vertices) both.vertices.push_back(v + shift);
  return both;
}

TEST(MeshCheck, FindsPartsThatOverlapHoweverTheyLie) {
  // Edges through diagonals of faces; faces in common planes; one part wholly in the other.
  for (const Vec3f& shift : {Vec3f{0.5f, 0.5f, 0.5f}, Vec3f{0.5f, 0, 0}, Vec3f{0.5f, 0.5f, 0},
                             Vec3f{0.13f, 0.41f, 0.7f}})
    EXPECT_NE(find(check_mesh(two_boxes(shift)), Kind::self_crossing), nullptr) << shift.x;
  for (const Vec3f& shift : {Vec3f{2, 0, 0}, Vec3f{1, 0.3f, 0.2f}, Vec3f{1.5f, 1.5f, 0}})
    EXPECT_TRUE(check_mesh(two_boxes(shift)).empty()) << "side by side, " << shift.x;
}

TEST(MeshCheck, FindsEachKindOfDamage) {
  Mesh flipped = box_mesh({1, 1, 1}, 2);
  std::swap(flipped.triangles[4][0], flipped.triangles[4][1]);
  EXPECT_NE(find(check_mesh(flipped), Kind::inconsistent), nullptr);

  Mesh inverted = icosphere(1, 1);
  for (auto& t : inverted.triangles) std::swap(t[0], t[1]);
  EXPECT_NE(find(check_mesh(inverted), Kind::inverted), nullptr);

  Mesh doubled = icosphere(1, 1);
  doubled.triangles.push_back(doubled.triangles[7]);
  EXPECT_NE(find(check_mesh(doubled), Kind::duplicate), nullptr);
  EXPECT_NE(find(check_mesh(doubled), Kind::non_manifold), nullptr);

  Mesh thin = icosphere(1, 1);
  thin.triangles.push_back({0, 1, 1});
  EXPECT_NE(find(check_mesh(thin), Kind::degenerate), nullptr);

  Mesh crossing = box_mesh({1, 1, 1});
  Mesh other = box_mesh({0.2, 0.2, 3});
  for (auto t : other.triangles) {
    for (auto& v : t) v += static_cast<std::uint32_t>(crossing.vertices.size());
    crossing.triangles.push_back(t);
  }
  crossing.vertices.insert(crossing.vertices.end(), other.vertices.begin(), other.vertices.end());
  const auto defects = check_mesh(crossing);
  const MeshDefect* cross = find(defects, Kind::self_crossing);
  ASSERT_NE(cross, nullptr);
  EXPECT_EQ(find(defects, Kind::inverted), nullptr);
}

TEST(MeshRepair, MergesDropsAndTurns) {
  const Mesh good = icosphere(1, 2);
  Mesh soup;  // as an STL: no shared vertices; some faces turned, one doubled, one collapsed
  for (std::size_t t = 0; t < good.triangles.size(); ++t) {
    const auto n = static_cast<std::uint32_t>(soup.vertices.size());
    for (std::uint32_t v : good.triangles[t]) soup.vertices.push_back(good.vertices[v]);
    soup.triangles.push_back({n, n + 1, n + 2});
    if (t % 3 == 0) std::swap(soup.triangles.back()[0], soup.triangles.back()[1]);
  }
  soup.triangles.push_back(soup.triangles[5]);
  soup.triangles.push_back({0, 0, 1});
  const auto repairs = repair_mesh(soup);
  EXPECT_GE(repairs.size(), 4u);
  EXPECT_TRUE(check_mesh(soup).empty());
  EXPECT_EQ(soup.vertices.size(), good.vertices.size());
  EXPECT_EQ(soup.triangles.size(), good.triangles.size());
  EXPECT_NEAR(mass_properties(soup, 1).volume, mass_properties(good, 1).volume, 1e-6);
}

TEST(MeshRepair, TurnsInsideOutBodiesButKeepsCavities) {
  Mesh shell = icosphere(1, 2);
  Mesh cavity = icosphere(0.5, 2);
  for (auto t : cavity.triangles) {
    std::swap(t[0], t[1]);
    for (auto& v : t) v += static_cast<std::uint32_t>(shell.vertices.size());
    shell.triangles.push_back(t);
  }
  shell.vertices.insert(shell.vertices.end(), cavity.vertices.begin(), cavity.vertices.end());
  const double volume = mass_properties(shell, 1).volume;
  EXPECT_TRUE(check_mesh(shell).empty());
  Mesh turned = shell;
  for (auto& t : turned.triangles) std::swap(t[0], t[1]);
  EXPECT_NE(find(check_mesh(turned), Kind::inverted), nullptr);
  repair_mesh(turned);
  EXPECT_NEAR(mass_properties(turned, 1).volume, volume, 1e-9);
  EXPECT_TRUE(check_mesh(turned).empty());
}

TEST(MeshRepair, DoesNotInventFaces) {
  Mesh open = box_mesh({1, 1, 1}, 1);
  open.triangles.pop_back();
  const std::size_t before = open.triangles.size();
  repair_mesh(open);
  EXPECT_EQ(open.triangles.size(), before);
  EXPECT_NE(find(check_mesh(open), Kind::hole), nullptr);
}

}  // namespace
}  // namespace talus
