// Trilinear value and the gradient of that interpolant (Longmore 2009 Eq. 6.3), normalised. Beyond
// the band the coarse grid answers, with at least the band's width: the gradient still leads to the
// surface, so that whatever got deep inside finds its way out.

#include "geometry/mesh_distance.h"

#include "core/parallel.h"
#include "geometry/field_cache.h"
#include "math/wide.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace talus {
namespace {

constexpr int coarse_nodes = 40;  // along the longest side
constexpr double voxels_per_resolution = 3;
constexpr double band_per_resolution = 2;  // what the sand feels of a body
constexpr double most_voxels = 80e6;       // 450 MB

template <class T>
struct Cell {
  T value;
  Vec3<T> slope;  ///< per cell
};

/// Trilinear interpolation at (x, y, z) in [0, 1]^3 between the corners of a cell; corner(i) is the
/// value at bit 0 of i along x, bit 1 along y, bit 2 along z.
template <class T, class Corner>
inline Cell<T> interpolate(Corner&& corner, T x, T y, T z) {
  const T v0 = corner(0), v2 = corner(2), v4 = corner(4), v6 = corner(6);
  const T d00 = corner(1) - v0, d10 = corner(3) - v2, d01 = corner(5) - v4, d11 = corner(7) - v6;
  const T a00 = v0 + x * d00, a10 = v2 + x * d10, a01 = v4 + x * d01, a11 = v6 + x * d11;
  const T e0 = a10 - a00, e1 = a11 - a01;
  const T b0 = a00 + y * e0, b1 = a01 + y * e1;
  const T g0 = d00 + y * (d10 - d00), g1 = d01 + y * (d11 - d01);
  return {b0 + z * (b1 - b0), {g0 + z * (g1 - g0), e0 + z * (e1 - e0), b1 - b0}};
}

/// The same in a dense array; strides of y and z.
inline Cell<float> interpolate(const float* v, std::ptrdiff_t sy, std::ptrdiff_t sz, float x,
                               float y, float z) {
  return interpolate<float>([&](int i) { return v[(i & 1) + (i >> 1 & 1) * sy + (i >> 2) * sz]; },
                            x, y, z);
}

void make_coarse_grid(const TriangleTree& tree, DistanceBlocks& blocks, const Executor& executor) {
  const Box3d box = tree.mesh().bounds();
  const Vec3d extent = box.upper - box.lower;
  const double longest = std::max({extent.x, extent.y, extent.z});
  blocks.coarse_step = longest / (coarse_nodes - 3);
  blocks.coarse_origin = box.lower - Vec3d{1, 1, 1} * blocks.coarse_step;
  for (int axis = 0; axis < 3; ++axis)
    blocks.coarse_size[axis] = static_cast<int>(std::ceil(extent[axis] / blocks.coarse_step)) + 3;
  const auto nx = static_cast<std::size_t>(blocks.coarse_size.x),
             ny = static_cast<std::size_t>(blocks.coarse_size.y),
             nz = static_cast<std::size_t>(blocks.coarse_size.z);
  blocks.coarse.resize(nx * ny * nz);
  executor.for_range(blocks.coarse.size(), 256, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const Vec3d node{static_cast<double>(i % nx), static_cast<double>(i / nx % ny),
                       static_cast<double>(i / nx / ny)};
      blocks.coarse[i] = static_cast<float>(
          tree.nearest(blocks.coarse_origin + blocks.coarse_step * node).distance);
    }
  });
}

double area(const Mesh& mesh) {
  double sum = 0;
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
    const auto c = mesh.corners(t);
    sum += norm(cross(c[1] - c[0], c[2] - c[0])) / 2;
  }
  return sum;
}

}  // namespace

Result<std::shared_ptr<const MeshField>> MeshField::create(Mesh mesh,
                                                           const MeshFieldOptions& options) {
  auto field = std::make_shared<MeshField>();
  field->tree_ = std::make_shared<const TriangleTree>(std::move(mesh));
  const FieldCache cache(options.cache_folder, field->mesh(), options.voxel, options.band);
  if (std::optional<DistanceBlocks> kept = cache.read()) {
    field->blocks_ = *std::move(kept);
    field->from_cache_ = true;
  } else {
    const Executor executor;
    Result<DistanceBlocks> made = voxelise(*field->tree_, options.voxel, options.band, executor);
    if (!made) return made.error();
    field->blocks_ = *std::move(made);
    make_coarse_grid(*field->tree_, field->blocks_, executor);
    cache.write(field->blocks_);
  }
  const DistanceBlocks& b = field->blocks_;
  field->bounds_ = field->mesh().bounds();
  field->origin_ = Vec3f(b.origin);
  field->cells_ = Vec3f(Vec3d{double(b.blocks.x), double(b.blocks.y), double(b.blocks.z)} *
                        double(DistanceBlocks::side));
  field->per_voxel_ = static_cast<float>(1 / b.voxel);
  field->sign_ = options.inside_out ? -1.f : 1.f;
  return std::shared_ptr<const MeshField>(field);
}

inline DistanceSample MeshField::in_band(const Vec3f& p) const {
  constexpr int side = DistanceBlocks::side, line = DistanceBlocks::values_side;
  const Vec3f g = (p - origin_) * per_voxel_;
  if (!(g.x >= 0 && g.y >= 0 && g.z >= 0 && g.x < cells_.x && g.y < cells_.y && g.z < cells_.z))
    return beyond_band(p);
  const int x = static_cast<int>(g.x), y = static_cast<int>(g.y), z = static_cast<int>(g.z);
  const std::ptrdiff_t entry =
      (std::ptrdiff_t{z / side} * blocks_.blocks.y + y / side) * blocks_.blocks.x + x / side;
  const std::int32_t block = blocks_.table[static_cast<std::size_t>(entry)];
  if (block < 0) return beyond_band(p);
  const float* values = blocks_.values.data() +
                        static_cast<std::size_t>(block) * DistanceBlocks::block_values +
                        ((z % side) * line + y % side) * line + x % side;
  const Cell<float> cell = interpolate(values, line, line * line, g.x - static_cast<float>(x),
                                       g.y - static_cast<float>(y), g.z - static_cast<float>(z));
  const float slope2 = squared_norm(cell.slope);
  if (!(slope2 > 0)) return beyond_band(p);
  return {cell.value, cell.slope * (1 / std::sqrt(slope2))};
}

DistanceSample MeshField::beyond_band(const Vec3f& p) const {
  const DistanceBlocks& b = blocks_;
  const Vec3d top{b.coarse_size.x - 1.0, b.coarse_size.y - 1.0, b.coarse_size.z - 1.0};
  const Vec3d g = (Vec3d(p) - b.coarse_origin) / b.coarse_step;
  const Vec3d inside = max(Vec3d{}, min(g, top - Vec3d{1e-6, 1e-6, 1e-6}));
  const int x = static_cast<int>(inside.x), y = static_cast<int>(inside.y),
            z = static_cast<int>(inside.z);
  const std::ptrdiff_t sy = b.coarse_size.x, sz = sy * b.coarse_size.y;
  const Cell<float> cell =
      interpolate(b.coarse.data() + z * sz + y * sy + x, sy, sz, static_cast<float>(inside.x - x),
                  static_cast<float>(inside.y - y), static_cast<float>(inside.z - z));
  const Vec3d out = (g - inside) * b.coarse_step;
  // From the place in the grid on to the point itself: the surface point is the same.
  const Vec3d away = Vec3d(normalized(cell.slope)) * static_cast<double>(cell.value) + out;
  const float band = static_cast<float>(b.band);
  if (squared_norm(out) > 0)
    return {std::max(band, static_cast<float>(norm(away))), Vec3f(normalized(away))};
  const float value = std::copysign(std::max(std::abs(cell.value), band), cell.value);
  return {value, normalized(cell.slope)};
}

/// Up to eight points at once, one in each lane.
void MeshField::sample_batch(const Vec3f* points, int count, DistanceSample* out) const {
  constexpr int side = DistanceBlocks::side, line = DistanceBlocks::values_side;
  WideVec3 g;
  for (int k = 0; k < wide_width; ++k) {
    const Vec3f& p = points[std::min(k, count - 1)];
    g.x.set(k, p.x);
    g.y.set(k, p.y);
    g.z.set(k, p.z);
  }
  const WideFloat zero(0.0f);
  for (int axis = 0; axis < 3; ++axis)
    g[axis] = (g[axis] - WideFloat(origin_[axis])) * WideFloat(per_voxel_);
  const WideMask inside = (g.x >= zero) & (g.y >= zero) & (g.z >= zero) &
                          (g.x < WideFloat(cells_.x)) & (g.y < WideFloat(cells_.y)) &
                          (g.z < WideFloat(cells_.z));
  std::int32_t x[wide_width], y[wide_width], z[wide_width];
  WideVec3 whole;
  whole.x = truncate(select(inside, g.x, zero), x);
  whole.y = truncate(select(inside, g.y, zero), y);
  whole.z = truncate(select(inside, g.z, zero), z);
  unsigned known = bits(inside);
  std::uint32_t first[wide_width];
  for (int k = 0; k < wide_width; ++k) {
    const std::ptrdiff_t entry =
        (std::ptrdiff_t{z[k] / side} * blocks_.blocks.y + y[k] / side) * blocks_.blocks.x +
        x[k] / side;
    const std::int32_t block = blocks_.table[static_cast<std::size_t>(entry)];
    if (block < 0) known &= ~(1u << k);
    first[k] =
        static_cast<std::uint32_t>(std::max(block, 0)) * DistanceBlocks::block_values +
        static_cast<std::uint32_t>(((z[k] % side) * line + y[k] % side) * line + x[k] % side);
  }
  const float* values = blocks_.values.data();
  const Cell<WideFloat> cell = interpolate<WideFloat>(
      [&](int i) {
        return gather(values + (i & 1) + (i >> 1 & 1) * line + (i >> 2) * line * line, first);
      },
      g.x - whole.x, g.y - whole.y, g.z - whole.z);
  const WideFloat slope2 = squared_norm(cell.slope);
  known &= bits(slope2 > zero);
  const WideFloat sign(sign_);
  const WideVec3 normal = cell.slope * (sign / sqrt(slope2));
  const WideFloat distance = sign * cell.value;
  for (int k = 0; k < count; ++k) {
    out[k] = {distance[k], {normal.x[k], normal.y[k], normal.z[k]}};
    if ((known >> k & 1) != 0) continue;
    const DistanceSample far = beyond_band(points[k]);
    out[k] = {sign_ * far.distance, sign_ * far.gradient};
  }
}

void MeshField::sample(std::span<const Vec3f> points, std::span<DistanceSample> out) const {
  TALUS_CHECK(points.size() == out.size(), "{} points, {} results", points.size(), out.size());
  if (points.size() == 1) {
    const DistanceSample s = in_band(points[0]);
    out[0] = {sign_ * s.distance, sign_ * s.gradient};
    return;
  }
  for (std::size_t i = 0; i < points.size(); i += wide_width)
    sample_batch(&points[i], static_cast<int>(std::min<std::size_t>(points.size() - i, wide_width)),
                 &out[i]);
}

void MeshField::project(std::span<Vec3f> points) const {
  for (Vec3f& p : points) {
    // The interpolated distance bounds the search; its error is below a voxel.
    const double guess = std::abs(in_band(p).distance) + 2 * blocks_.voxel + blocks_.coarse_step;
    const SurfacePoint s = tree_->nearest(Vec3d(p), guess);
    p = Vec3f(std::isfinite(s.distance) ? s.point : tree_->nearest(Vec3d(p)).point);
  }
}

std::string default_cache_folder() {
  if (const char* own = std::getenv("TALUS_CACHE")) return own;
  if (const char* xdg = std::getenv("XDG_CACHE_HOME"); xdg != nullptr && *xdg != '\0')
    return std::string(xdg) + "/talus";
  if (const char* home = std::getenv("HOME"); home != nullptr && *home != '\0')
    return std::string(home) + "/.cache/talus";
  return {};
}

Result<MeshFieldOptions> choose_voxels(const Mesh& mesh, double resolution) {
  if (!(std::isfinite(resolution) && resolution > 0))
    return request_error("the resolution of a distance field must be above 0 m; it is {}",
                         resolution);
  MeshFieldOptions options;
  options.band = band_per_resolution * resolution;
  options.cache_folder = default_cache_folder();
  const double shell = 2 * options.band * area(mesh);
  options.voxel = std::max(resolution / voxels_per_resolution, std::cbrt(shell / most_voxels));
  if (options.voxel > resolution)
    return request_error(
        "a mesh of {:.4g} m^2 is too large for a spacing of {:.4g} m: its distance field would "
        "take "
        "{:.3g} voxels of at most {:.3g}; use a spacing of at least {:.3g} m or a smaller mesh",
        area(mesh), resolution, shell / std::pow(resolution / voxels_per_resolution, 3),
        most_voxels, std::sqrt(2 * band_per_resolution * area(mesh) / most_voxels));
  return options;
}

}  // namespace talus
