#include "render/detail_picture.h"

#include "frames/detail_frame.h"
#include "render/natural_colour.h"
#include "render/sampler.h"

namespace talus {

namespace {

/// The columns of one file that a picture needs; those it lacks are empty.
struct ShareGrains {
  std::vector<Vec3f> position, velocity;
  std::vector<std::uint64_t> id;
  std::vector<std::uint8_t> shade, material;
  std::vector<float> radius, shown;
};

template <class T>
Status take(Result<std::vector<T>> from, std::vector<T>& to) {
  if (!from) return from.error();
  to = std::move(*from);
  return {};
}

Status find_shown(const std::string& field, int up, ShareGrains& g) {
  g.shown.resize(g.position.size());
  for (std::size_t i = 0; i < g.shown.size(); ++i) {
    if (field == "height")
      g.shown[i] = g.position[i][up];
    else if (field == "speed" && !g.velocity.empty())
      g.shown[i] = norm(g.velocity[i]);
    else if (field == "id")
      g.shown[i] = static_cast<float>(g.id[i] & 0xffffff);
    else
      return request_error(
          "cannot colour fine grains by '{}': there are height, id and, when 'talus detail "
          "--velocity' made them, speed",
          field);
  }
  return {};
}

Result<ShareGrains> read_share(const DetailFrameFile& file, const FrameLook& look, int up,
                               const Executor& executor) {
  ShareGrains g;
  const bool speed = look.colours && look.colours->field == "speed";
  if (Status s = take(file.positions(executor), g.position); !s) return s.error();
  if (Status s = take(file.ids(executor), g.id); !s) return s.error();
  if (Status s = take(file.shades(executor), g.shade); !s) return s.error();
  if (Status s = take(file.materials(executor), g.material); !s) return s.error();
  if (Status s = take(file.radii(executor), g.radius); !s) return s.error();
  if (look.velocities || speed)
    if (Status s = take(file.velocities(executor), g.velocity); !s) return s.error();
  if (look.colours)
    if (Status s = find_shown(look.colours->field, up, g); !s) return s.error();
  return g;
}

PaintedGrain paint_grain(const DetailFrameInfo& info, const FrameLook& look, const ShareGrains& g,
                         std::size_t i) {
  if (look.colours) {
    if (look.colours->field == "id")
      return paint(category_colour(static_cast<std::uint64_t>(g.shown[i])));
    const ValueRange& range = look.colours->range;
    const double t = (static_cast<double>(g.shown[i]) - range.lower) / (range.upper - range.lower);
    return paint(look.colours->map(static_cast<float>(t)));
  }
  const std::size_t m = g.material.empty() ? 0 : g.material[i];
  if (m >= info.frame.materials.size()) return paint({0.5f, 0.36f, 0.2f});
  const std::uint8_t shade = g.shade.empty() ? 128 : g.shade[i];
  return paint(natural_colour(info.frame.materials[m], shade, g.id[i], 0));
}

void add_share(const DetailFrameInfo& info, const FrameLook& look, const ShareGrains& g,
               FramePicture& out, const Executor& executor) {
  const std::size_t first = out.spheres.size(), n = g.position.size();
  out.spheres.resize(first + n);
  out.paint.resize(first + n);
  out.texture.resize(first + n);
  if (look.velocities) out.velocity.resize(first + n);
  executor.for_each(n, [&](std::size_t i) {
    const std::size_t j = first + i;
    const std::uint32_t seed =
        PixelSampler::mix(static_cast<std::uint32_t>(g.id[i]) ^
                          static_cast<std::uint32_t>(g.id[i] >> 32) * 0x9E3779B9u);
    const float radius = g.radius.empty() ? static_cast<float>(info.radius) : g.radius[i];
    const float vary = 0.8f + 0.4f * to_unit_float(PixelSampler::mix(seed));
    out.spheres[j] = {g.position[i], radius * vary};
    out.paint[j] = paint_grain(info, look, g, i);
    out.texture[j] = seed;
    if (look.velocities && !g.velocity.empty()) out.velocity[j] = g.velocity[i];
  });
}

}  // namespace

Result<FrameInfo> load_detail_grains(const RunSource& run, std::uint64_t frame,
                                     const FrameLook& look, FramePicture& out,
                                     const Executor& executor) {
  FrameInfo info;
  std::string settings;
  for (const auto& path : detail_files(run.folder, frame)) {
    const auto file = DetailFrameFile::open(path);
    if (!file) return file.error();
    if (!settings.empty() && file->info().settings != settings)
      return work_error(
          "{} was made with other settings than the files beside it; 'talus detail {} --join' "
          "tells "
          "which do not belong together",
          path.string(), run.folder.string());
    settings = file->info().settings;
    info = file->info().frame;
    const auto grains = read_share(*file, look, run.scene.up, executor);
    if (!grains) return grains.error();
    add_share(file->info(), look, *grains, out, executor);
  }
  if (look.colours) out.title = look.colours->field;
  return info;
}

}  // namespace talus
