#include "render/grain_fields.h"

#include "core/random.h"
#include "render/natural_colour.h"
#include "render/sampler.h"

#include <algorithm>
#include <cmath>

namespace talus {

namespace {

/// Particles at the rest distance leave gaps between their spheres; this closes most of them.
constexpr float closing = 1.12f;

template <class T>
Status read_if_there(const FieldSource& source, const char* name, std::vector<T>& out,
                     const Executor& executor) {
  if (!source.has(name)) return {};
  auto items = source.read<T>(name, executor);
  if (!items) return items.error();
  out = std::move(*items);
  return {};
}

/// Rigid grains as the spheres they are made of; all else stays the grain's.
void expand_clumps(const std::vector<GrainShape>& shapes, GrainFields& f) {
  const bool clumps = std::any_of(shapes.begin(), shapes.end(),
                                  [](const GrainShape& s) { return s.balls.size() > 1; });
  if (!clumps || f.rotation.empty() || f.material.empty() || f.radius.empty()) return;
  GrainFields out;
  out.shown.title = f.shown.title;
  out.shown.categories = f.shown.categories;
  const auto copy = [](auto& to, const auto& from, std::size_t i) {
    if (!from.empty()) to.push_back(from[i]);
  };
  for (std::size_t i = 0; i < f.position.size(); ++i) {
    if (f.material[i] >= shapes.size()) continue;
    for (const Ball& ball : shapes[f.material[i]].balls) {
      const float size = 2 * f.radius[i];
      out.position.push_back(f.position[i] + rotate(f.rotation[i], Vec3f(ball.centre)) * size);
      out.radius.push_back(static_cast<float>(ball.radius) * size);
      copy(out.velocity, f.velocity, i);
      copy(out.wetness, f.wetness, i);
      copy(out.material, f.material, i);
      copy(out.shade, f.shade, i);
      copy(out.id, f.id, i);
      copy(out.shown.values, f.shown.values, i);
    }
  }
  f = std::move(out);
}

/// Place of small grain k about its particle, in radii. Each axis follows a tent about as wide as
/// the distance to the neighbours: on a lattice such tents add up to an even density, so that the
/// particles do not show as clods.
Vec3f cluster_offset(std::uint64_t id, std::uint32_t k) {
  constexpr float reach = 1.8f;
  const auto u = random_floats(0, id, Purpose::detail, 2 * k);
  const auto v = random_floats(0, id, Purpose::detail, 2 * k + 1);
  return Vec3f{u[0] + v[0] - 1, u[1] + v[1] - 1, u[2] + v[2] - 1} * reach;
}

}  // namespace

Result<GrainFields> read_grain_fields(const FieldSource& source, const Scene& scene,
                                      const std::vector<GrainShape>& shapes,
                                      const GrainRequest& request, const Executor& executor) {
  GrainFields f;
  auto position = source.read<Vec3f>("position", executor);
  if (!position) return position.error();
  f.position = std::move(*position);
  const auto read = [&](const char* name, auto& out) {
    return read_if_there(source, name, out, executor);
  };
  if (Status s = read("radius", f.radius); !s) return s.error();
  if (Status s = read("id", f.id); !s) return s.error();
  if (request.velocities)
    if (Status s = read("velocity", f.velocity); !s) return s.error();
  if (Status s = read("wetness", f.wetness); !s) return s.error();
  if (Status s = read("material", f.material); !s) return s.error();
  if (Status s = read("shade", f.shade); !s) return s.error();
  if (Status s = read("rotation", f.rotation); !s) return s.error();
  if (f.shade.empty() && !f.id.empty()) {
    f.shade.resize(f.id.size());
    executor.for_each(f.id.size(),
                      [&](std::size_t i) { f.shade[i] = grain_shade(scene.seed, f.id[i]); });
  }
  if (!request.field.empty()) {
    auto values = read_field_values(source, request.field, scene.up, executor);
    if (!values) return values.error();
    f.shown = std::move(*values);
  }
  expand_clumps(shapes, f);
  return f;
}

GrainPlaces::GrainPlaces(const GrainFields& fields, const Scene& scene, int parts)
    : fields_(fields), parts_(static_cast<std::size_t>(std::max(1, parts))) {
  const bool sph = scene.solver == SolverKind::sph;
  const double spacing = sph                       ? scene.sph.spacing
                         : scene.materials.empty() ? 0.01
                                                   : scene.materials[0].grain_diameter;
  default_radius_ = static_cast<float>(0.5 * spacing);
  // The small grains together fill about the share of the volume that sand fills.
  factor_ = parts_ > 1 ? std::cbrt(1.15f / static_cast<float>(parts_)) : sph ? closing : 1.0f;
}

std::uint32_t GrainPlaces::texture(std::size_t item, std::uint32_t part) const {
  const std::uint64_t number = id(item);
  return PixelSampler::mix(static_cast<std::uint32_t>(number) ^
                           static_cast<std::uint32_t>(number >> 32) * 0x9E3779B9u) +
         part;
}

PictureSphere GrainPlaces::sphere(std::size_t item, std::uint32_t part) const {
  const Vec3f& at = fields_.position[item];
  const float radius = fields_.radius.empty() ? default_radius_ : fields_.radius[item];
  if (parts_ == 1) return {at, radius * factor_};
  const float vary = 0.8f + 0.4f * to_unit_float(PixelSampler::mix(texture(item, part)));
  return {at + cluster_offset(id(item), part) * radius, radius * factor_ * vary};
}

PaintedGrain natural_paint(const GrainFields& fields, const std::vector<FrameMaterial>& materials,
                           std::size_t item, std::uint32_t part) {
  const float wetness = fields.wetness.empty() ? 0 : fields.wetness[item];
  const std::uint32_t m = fields.material.empty() ? 0 : fields.material[item];
  if (m >= materials.size()) return paint({0.5f, 0.36f, 0.2f}, wetness);
  const std::uint8_t shade = fields.shade.empty() ? 128 : fields.shade[item];
  const std::uint64_t id = fields.id.empty() ? item : fields.id[item];
  return paint(natural_colour(materials[m], shade, id, part), wetness);
}

}  // namespace talus
