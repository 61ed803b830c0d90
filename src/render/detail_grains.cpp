#include "render/detail_grains.h"

#include "render/natural_colour.h"
#include "render/sampler.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

namespace talus {

namespace {

template <class T>
Status take(Result<std::vector<T>> from, std::vector<T>& to) {
  if (!from) return from.error();
  to = std::move(*from);
  return {};
}

/// Values of a field of the base, by id.
struct BaseValues {
  FieldValues shown;
  std::vector<std::uint64_t> id;  ///< ascending

  float of(std::uint64_t wanted) const {
    // Ids that start at 0 without gaps, as those of most runs, are their own places.
    if (wanted < id.size() && id[wanted] == wanted) return shown.values[wanted];
    const auto at = std::lower_bound(id.begin(), id.end(), wanted);
    if (at == id.end() || *at != wanted) return std::numeric_limits<float>::quiet_NaN();
    return shown.values[static_cast<std::size_t>(at - id.begin())];
  }
};

Result<BaseValues> read_base(const RunSource& run, std::uint64_t frame, const std::string& field,
                             const Executor& executor) {
  const auto file = FrameFile::open(frame_path(run.folder, frame));
  if (!file)
    return Error{file.error().kind, "fine grains get their '" + field +
                                        "' from the frames of the run: " + file.error().message};
  BaseValues out;
  auto shown = read_field_values(FrameFields(*file), field, run.scene.up, executor);
  if (!shown) return shown.error();
  out.shown = std::move(*shown);
  if (Status s = take(file->read<std::uint64_t>("id", executor), out.id); !s) return s.error();
  return out;
}

bool has_own(const DetailFrameFile& file, const std::string& field) {
  return field == "height" || field == "id" || (field == "speed" && file.has("velocity"));
}

FieldValues own_values(const DetailGrains& g, const std::string& field, int up,
                       const Executor& executor) {
  FieldValues out{field == "speed"    ? "speed  m/s"
                  : field == "height" ? "height  m"
                                      : field,
                  std::vector<float>(g.position.size()), field == "id"};
  executor.for_each(out.values.size(), [&](std::size_t i) {
    out.values[i] = field == "speed"    ? norm(g.velocity[i])
                    : field == "height" ? g.position[i][up]
                                        : static_cast<float>(g.id[i] & 0xffffff);
  });
  return out;
}

FieldValues base_values(const DetailGrains& g, const BaseValues& base, const Executor& executor) {
  FieldValues out{base.shown.title, std::vector<float>(g.id.size()), base.shown.categories};
  const std::uint64_t factor = std::max<std::uint64_t>(1, g.info.factor);
  executor.for_each(out.values.size(),
                    [&](std::size_t i) { out.values[i] = base.of(g.id[i] / factor); });
  return out;
}

Result<DetailGrains> read_share(const DetailFrameFile& file, const GrainRequest& request, int up,
                                const Executor& executor) {
  DetailGrains g;
  g.info = file.info();
  const bool own = has_own(file, request.field);
  if (Status s = take(file.positions(executor), g.position); !s) return s.error();
  if (Status s = take(file.ids(executor), g.id); !s) return s.error();
  if (Status s = take(file.shades(executor), g.shade); !s) return s.error();
  if (Status s = take(file.materials(executor), g.material); !s) return s.error();
  if (Status s = take(file.radii(executor), g.radius); !s) return s.error();
  if (request.velocities || (own && request.field == "speed"))
    if (Status s = take(file.velocities(executor), g.velocity); !s) return s.error();
  if (own) g.shown = own_values(g, request.field, up, executor);
  return g;
}

Error mixed_settings(const std::filesystem::path& path, const RunSource& run) {
  return work_error(
      "{} was made with other settings than the files beside it; 'talus detail {} --join' tells "
      "which do not belong together",
      path.string(), run.folder.string());
}

}  // namespace

PictureSphere DetailGrains::sphere(std::size_t i) const {
  const float mean = radius.empty() ? static_cast<float>(info.radius) : radius[i];
  return {position[i], mean * (0.8f + 0.4f * to_unit_float(PixelSampler::mix(texture(i))))};
}

std::uint32_t DetailGrains::texture(std::size_t i) const {
  return PixelSampler::mix(static_cast<std::uint32_t>(id[i]) ^
                           static_cast<std::uint32_t>(id[i] >> 32) * 0x9E3779B9u);
}

PaintedGrain DetailGrains::natural_paint(std::size_t i) const {
  const std::size_t m = material.empty() ? 0 : material[i];
  if (m >= info.frame.materials.size()) return paint({0.5f, 0.36f, 0.2f});
  return paint(natural_colour(info.frame.materials[m], shade.empty() ? 128 : shade[i], id[i], 0));
}

Result<FrameInfo> read_detail_grains(const RunSource& run, std::uint64_t frame,
                                     const GrainRequest& request, const Executor& executor,
                                     const std::function<void(const DetailGrains&)>& share) {
  FrameInfo info;
  std::string settings;
  std::optional<BaseValues> base;
  for (const auto& path : detail_files(run.folder, frame)) {
    const auto file = DetailFrameFile::open(path);
    if (!file) return file.error();
    if (!settings.empty() && file->info().settings != settings) return mixed_settings(path, run);
    settings = file->info().settings;
    info = file->info().frame;
    auto grains = read_share(*file, request, run.scene.up, executor);
    if (!grains) return grains.error();
    if (!request.field.empty() && !has_own(*file, request.field)) {
      if (!base) {
        auto values = read_base(run, frame, request.field, executor);
        if (!values) return values.error();
        base = std::move(*values);
      }
      grains->shown = base_values(*grains, *base, executor);
    }
    share(*grains);
  }
  return info;
}

std::vector<std::string> detail_fields(const RunSource& run, std::uint64_t frame) {
  const auto base = FrameFile::open(frame_path(run.folder, frame));
  if (base.ok()) return shown_fields(FrameFields(*base));
  std::vector<std::string> out{"height", "id"};
  const auto files = detail_files(run.folder, frame);
  if (files.empty()) return out;
  const auto first = DetailFrameFile::open(files.front());
  if (first.ok() && first->has("velocity")) out.emplace_back("speed");
  return out;
}

}  // namespace talus
