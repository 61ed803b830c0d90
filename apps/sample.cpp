// talus sample MESH: mesh -> signed distance field -> evenly spaced surface particles, with figures
// and pictures.

#include "cli.h"
#include "core/parallel.h"
#include "core/timer.h"
#include "geometry/mass_properties.h"
#include "geometry/mesh_distance.h"
#include "geometry/png_image.h"
#include "sampling/picture.h"
#include "sampling/point_file.h"
#include "sampling/surface.h"
#include "verbs.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace talus {
namespace {

namespace fs = std::filesystem;

constexpr double default_samples_along = 60;  // the longest side
constexpr int film_every = 2;                 // iterations for each frame
constexpr int film_rate = 15;                 // frames per second

struct Request {
  std::string mesh, output;
  double spacing = 0, scale = 1;
  std::uint64_t seed = 1;
  int threads = 0, width = 1280, height = 960;
  bool force = false, no_film = false;
};

void print_mesh(const LoadedMesh& loaded) {
  const Box3d b = loaded.mesh.bounds();
  const MassProperties mass = mass_properties(loaded.mesh, 1);
  fmt::print("mesh: {} faces, {} vertices, {:.4g} x {:.4g} x {:.4g} m, {:.4g} m^3\n",
             loaded.mesh.triangles.size(), loaded.mesh.vertices.size(), b.upper.x - b.lower.x,
             b.upper.y - b.lower.y, b.upper.z - b.lower.z, mass.volume);
  for (const std::string& repair : loaded.repairs) fmt::print("  mended: {}\n", repair);
  for (const MeshDefect& defect : loaded.defects)
    fmt::print("  {}: {}\n", defect.breaks_solid() ? "forced although it has" : "note",
               describe(defect));
}

Status write_picture(const fs::path& path, const Picture& picture) {
  return write_png(path.string(), picture.width, picture.height, picture.rgb);
}

Status write_quality(const fs::path& path, const SurfaceSamples& s) {
  const SurfaceQuality& q = s.quality;
  std::ofstream file(path);
  file << fmt::format(
      "{{\n  \"samples\": {},\n  \"area_m2\": {},\n  \"spacing_m\": {},\n  \"farthest_m\": {},\n"
      "  \"mean_nearest_m\": {},\n  \"nearest_deviation_m\": {},\n  \"largest_hole_m\": {},\n"
      "  \"iterations\": {},\n  \"removed\": {},\n  \"inserted\": {}\n}}\n",
      s.points.size(), s.area, q.spacing, q.farthest, q.mean_nearest, q.nearest_deviation,
      q.largest_hole, s.iterations, s.removed, s.inserted);
  file.close();
  if (!file) return work_error("{}: cannot be written", path.string());
  return {};
}

/// Frames of the relaxation; joined to a film when ffmpeg is there.
class Film {
 public:
  Film(const fs::path& folder, const DistanceField& field, float radius, const Executor& executor)
      : folder_(folder / "relaxation"), picture_(field, 640, 480, executor), radius_(radius) {
    std::error_code code;
    fs::remove_all(folder_, code);
    fs::create_directories(folder_, code);
  }

  void add(std::span<const Vec3f> points) {
    if (!status_) return;
    status_ = write_picture(folder_ / fmt::format("{:04}.png", frames_++),
                            picture_.with_particles(points, radius_));
  }

  Status finish() const {
    if (!status_) return status_;
    const fs::path film = folder_.parent_path() / "relaxation.mp4";
    const std::string command = fmt::format(
        "ffmpeg -loglevel error -y -framerate {} -i '{}/%04d.png' -vf tpad=stop_mode=clone:"
        "stop_duration=1.5 -pix_fmt yuv420p -crf 20 '{}' > /dev/null 2>&1",
        film_rate, folder_.string(), film.string());
    const bool quotable = folder_.string().find('\'') == std::string::npos;
    if (quotable && std::system("ffmpeg -version > /dev/null 2>&1") == 0 &&
        std::system(command.c_str()) == 0) {
      std::error_code code;
      fs::remove_all(folder_, code);
      fmt::print("wrote {}\n", film.string());
    } else {
      fmt::print("wrote {} frames to {} (no film: ffmpeg is missing or failed)\n", frames_,
                 folder_.string());
    }
    return {};
  }

 private:
  fs::path folder_;
  FieldPicture picture_;
  float radius_;
  int frames_ = 0;
  Status status_;
};

Status write_results(const fs::path& folder, const MeshField& field, const SurfaceSamples& samples,
                     const Request& request, float radius, const Executor& executor) {
  if (Status s = write_vdb((folder / "field.vdb").string(), field.blocks()); !s) return s;
  if (Status s = write_points((folder / "particles.ply").string(), samples.points, samples.normals);
      !s)
    return s;
  if (Status s = write_quality(folder / "quality.json", samples); !s) return s;
  const FieldPicture picture(field, request.width, request.height, executor);
  if (Status s =
          write_picture(folder / "surface.png", picture.with_particles(samples.points, radius));
      !s)
    return s;
  const Picture slice =
      field_slice(field, request.spacing, request.width, request.height, executor);
  return write_picture(folder / "field.png", slice);
}

Status sample(Request request) {
  const Executor executor(request.threads);
  Result<LoadedMesh> loaded = load_mesh_with_report(request.mesh, request.scale, request.force);
  if (!loaded) return loaded.error();
  print_mesh(*loaded);

  const Box3d b = loaded->mesh.bounds();
  const double longest =
      std::max({b.upper.x - b.lower.x, b.upper.y - b.lower.y, b.upper.z - b.lower.z});
  if (request.spacing == 0) request.spacing = longest / default_samples_along;
  Result<MeshFieldOptions> options = choose_voxels(loaded->mesh, request.spacing);
  if (!options) return options.error();
  double start = seconds_now();
  const auto field = MeshField::create(std::move(loaded->mesh), *options);
  if (!field) return field.error();
  fmt::print("field: voxels of {:.3g} m within {:.3g} m of the surface, {:.1f} MB, {:.2f} s{}\n",
             options->voxel, options->band,
             static_cast<double>((*field)->blocks().memory_bytes()) * 1e-6, seconds_now() - start,
             (*field)->came_from_cache() ? " (from the cache)" : "");

  const fs::path folder = request.output;
  std::error_code code;
  fs::create_directories(folder, code);
  if (code) return work_error("{}: cannot be made: {}", folder.string(), code.message());
  const float radius = static_cast<float>(0.34 * request.spacing);
  start = seconds_now();
  const auto samples = sample_surface(**field, request.spacing, request.seed, executor);
  if (!samples) return samples.error();
  fmt::print("{}\n  in {:.2f} s\n", describe(*samples), seconds_now() - start);
  if (Status s = write_results(folder, **field, *samples, request, radius, executor); !s) return s;
  fmt::print("wrote field.vdb, particles.ply, quality.json, surface.png, field.png to {}\n",
             folder.string());
  if (request.no_film) return {};

  // The same once more, watched: the figures above are then those of the work alone.
  Film film(folder, **field, radius, executor);
  const auto watched = sample_surface(**field, request.spacing, request.seed, executor,
                                      [&](int iteration, std::span<const Vec3f> points) {
                                        if (iteration % film_every == 0) film.add(points);
                                      });
  if (!watched) return watched.error();
  return film.finish();
}

}  // namespace

int verb_sample(VerbArguments args) {
  Request request;
  Cli cli("sample", "mesh -> signed distance field -> evenly spaced surface particles");
  cli.word("MESH", request.mesh, "OBJ, STL, PLY, glTF, FBX or another format Assimp reads");
  cli.option("-a,--spacing", request.spacing, 0, 1e6,
             "distance between particles, m; 0 = a sixtieth of the longest side");
  cli.option("-o,--output", request.output, "folder for the results; default out/sample-NAME");
  cli.option("--scale", request.scale, 1e-9, 1e9, "metres per unit of the file");
  cli.option("--seed", request.seed, "another seed, another arrangement");
  cli.option("-j,--threads", request.threads, 0, 1024, "threads; 0 = all cores");
  cli.option("--width", request.width, 16, 8192, "of the pictures, pixels");
  cli.option("--height", request.height, 16, 8192, "of the pictures, pixels");
  cli.flag("--force", request.force, "take a mesh that is no proper solid");
  cli.flag("--no-film", request.no_film, "leave out the film of the relaxation");
  if (const auto stop = cli.parse(args)) return *stop;
  if (request.output.empty())
    request.output = "out/sample-" + fs::path(request.mesh).stem().string();
  const Status status = sample(request);
  return status ? 0 : report_error(status.error());
}

}  // namespace talus
