// Lattice: n = floor(extent / a) points along each axis of the shape's bounds, centred.
//
// Relaxed: the lattice points in the whole solid, so that their number is its volume / a^3; those
// nearer to the surface than a/2 are moved back to that depth, and sweeps of Gaussian repulsion
//   x_i += w sum_j exp(-r_ij^2 / 2 sigma^2) (x_i - x_j) / r_ij,  then back to depth a/2
// even the density out. It is the repulsion of Longmore 2009 Eq. 6.2 with the field used as a wall
// instead of an attractor. All points move at once from the old positions, so the result does not
// depend on the number of threads. Distances in metres.

#include "sampling/volume.h"

#include "core/random.h"
#include "sampling/near_points.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <unistd.h>

namespace talus {
namespace {

constexpr double bytes_per_particle = 256;  // state, neighbours and frame buffers of a solver
constexpr int relaxation_sweeps = 40;
constexpr float repulsion_width = 0.45f;  // sigma / a
constexpr float repulsion_reach = 1.6f;   // cut-off / a: the kernel is below 0.2 % there
constexpr float repulsion_step = 0.12f;   // w / a
constexpr float largest_move = 0.1f;      // / a

/// Exact multiples of the spacing must not lose a layer to rounding.
constexpr double slack = 1e-4;

struct Lattice {
  Vec3d first;
  double spacing;
  std::array<std::size_t, 3> count;

  Vec3d at(std::size_t x, std::size_t y, std::size_t z) const {
    return first +
           spacing * Vec3d{static_cast<double>(x), static_cast<double>(y), static_cast<double>(z)};
  }
  double total() const {
    return static_cast<double>(count[0]) * static_cast<double>(count[1]) *
           static_cast<double>(count[2]);
  }
};

Lattice lattice_in(const Box3d& bounds, double spacing) {
  Lattice lattice{{}, spacing, {}};
  for (int axis = 0; axis < 3; ++axis) {
    const double extent = bounds.upper[axis] - bounds.lower[axis];
    const double n = std::floor(extent / spacing + slack);
    lattice.count[static_cast<std::size_t>(axis)] = static_cast<std::size_t>(n);
    lattice.first[axis] = bounds.lower[axis] + (extent - (n - 1) * spacing) / 2;
  }
  return lattice;
}

/// Lattice points whose distance is at most `limit`, in lattice order.
std::vector<Vec3f> collect(const DistanceField& field, const Lattice& lattice, float limit,
                           const Executor& executor) {
  const std::size_t layers = lattice.count[2];
  std::vector<std::vector<Vec3f>> found(layers);
  executor.run_chunks(layers, [&](std::size_t z) {
    std::vector<Vec3f> row(lattice.count[0]);
    std::vector<DistanceSample> samples(lattice.count[0]);
    for (std::size_t y = 0; y < lattice.count[1]; ++y) {
      for (std::size_t x = 0; x < row.size(); ++x) row[x] = Vec3f(lattice.at(x, y, z));
      field.sample(row, samples);
      for (std::size_t x = 0; x < row.size(); ++x)
        if (samples[x].distance <= limit) found[z].push_back(row[x]);
    }
  });
  std::vector<Vec3f> points;
  for (const auto& layer : found) points.insert(points.end(), layer.begin(), layer.end());
  return points;
}

/// Moves points that are nearer to the surface than `depth` back in, along the gradient.
void keep_inside(const DistanceField& field, std::span<Vec3f> points, float depth,
                 const Executor& executor) {
  executor.for_range(
      points.size(), Executor::default_grain, [&](std::size_t begin, std::size_t end) {
        std::array<DistanceSample, Executor::default_grain> samples;
        const auto part = points.subspan(begin, end - begin);
        for (int pass = 0; pass < 4; ++pass) {  // corners and edges need one pass for each face
          field.sample(part, std::span(samples).first(part.size()));
          for (std::size_t i = 0; i < part.size(); ++i) {
            const float out = samples[i].distance + depth;
            if (out > 0) part[i] -= out * samples[i].gradient;
          }
        }
      });
}

void jitter_points(std::span<Vec3f> points, float amount, std::uint64_t seed,
                   const Executor& executor) {
  executor.for_each(points.size(), [&](std::size_t i) {
    const auto r = random_floats(seed, i, Purpose::jitter);
    points[i] += 2 * amount * Vec3f{r[0] - 0.5f, r[1] - 0.5f, r[2] - 0.5f};
  });
}

void relax(const DistanceField& field, std::vector<Vec3f>& points, float spacing,
           const Executor& executor) {
  const float reach = repulsion_reach * spacing;
  const float sharpness = 1 / (2 * repulsion_width * repulsion_width * spacing * spacing);
  NearPoints near;
  for (int sweep = 0; sweep < relaxation_sweeps; ++sweep) {
    near.build(points, reach, executor);
    executor.for_each(points.size(), [&](std::size_t k) {
      const Vec3f p = near.sorted()[k];
      Vec3f push{};
      near.for_near(p, reach, [&](std::uint32_t, const Vec3f& q, float d2) {
        if (d2 > 0) push += std::exp(-d2 * sharpness) / std::sqrt(d2) * (p - q);
      });
      push *= repulsion_step * spacing;
      const float length = norm(push), limit = largest_move * spacing;
      points[near.order()[k]] = p + (length > limit ? push * (limit / length) : push);
    });
    keep_inside(field, points, spacing / 2, executor);
  }
}

Status check_request(const DistanceField& field, double spacing, double jitter) {
  if (!(std::isfinite(spacing) && spacing > 0))
    return request_error("the particle spacing must be above 0 m; it is {}", spacing);
  if (!(jitter >= 0 && jitter <= 0.5))
    return request_error("jitter must lie in 0 .. 0.5 spacings; it is {}", jitter);
  const Box3d b = field.bounds();
  if (b.empty() || !std::isfinite(norm(b.upper - b.lower)))
    return request_error("a shape without bounds (a plane) cannot be filled; use a box");
  return {};
}

std::size_t points_in_memory() {
  const double bytes =
      static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
  const double most = static_cast<double>(std::numeric_limits<std::uint32_t>::max());
  return static_cast<std::size_t>(std::min(bytes / bytes_per_particle, most));
}

/// Refuses what does not fit, before any time is spent on it.
Status check_count(const DistanceField& field, double spacing, std::size_t max_points,
                   const Executor& executor) {
  const Result<double> volume = estimate_volume(field, executor);
  if (!volume) return volume.error();
  const double count = *volume / (spacing * spacing * spacing);
  const double most = static_cast<double>(max_points);
  if (count <= most) return {};
  return request_error(
      "filling {:.4g} m^3 at a spacing of {:.4g} m takes {:.3g} particles ({:.3g} GB); at most "
      "{:.3g} ({:.3g} GB) fit; use a spacing of at least {:.3g} m",
      *volume, spacing, count, count * bytes_per_particle * 1e-9, most,
      most * bytes_per_particle * 1e-9, std::cbrt(*volume / most));
}

}  // namespace

Result<Arrangement> parse_arrangement(std::string_view name) {
  if (name == "lattice") return Arrangement::lattice;
  if (name == "jittered") return Arrangement::jittered;
  if (name == "relaxed") return Arrangement::relaxed;
  return request_error("no arrangement is called \"{}\"; there are lattice, jittered and relaxed",
                       name);
}

Result<double> estimate_volume(const DistanceField& field, const Executor& executor,
                               int cells_per_axis) {
  const Box3d b = field.bounds();
  const Vec3d extent = b.upper - b.lower;
  const double longest = std::max({extent.x, extent.y, extent.z});
  if (b.empty() || !std::isfinite(longest))
    return request_error("a shape without bounds (a plane) has no volume");
  const double cell = longest / cells_per_axis;
  std::array<std::size_t, 3> n;
  Vec3d size;
  for (int axis = 0; axis < 3; ++axis) {
    const double cells = std::max(1.0, std::ceil(extent[axis] / cell));
    n[static_cast<std::size_t>(axis)] = static_cast<std::size_t>(cells);
    size[axis] = extent[axis] / cells;
  }
  const auto layer_part = [&](std::size_t begin, std::size_t end) {
    double filled = 0;
    std::vector<Vec3f> row(n[0]);
    std::vector<DistanceSample> samples(n[0]);
    for (std::size_t yz = begin; yz < end; ++yz) {
      for (std::size_t x = 0; x < n[0]; ++x)
        row[x] = Vec3f(b.lower + Vec3d{(static_cast<double>(x) + 0.5) * size.x,
                                       (static_cast<double>(yz % n[1]) + 0.5) * size.y,
                                       (static_cast<double>(yz / n[1]) + 0.5) * size.z});
      field.sample(row, samples);
      for (const DistanceSample& s : samples) {
        // Share of the cell below a plane at this distance, taken linear across the cell.
        const double width = std::abs(s.gradient.x) * size.x + std::abs(s.gradient.y) * size.y +
                             std::abs(s.gradient.z) * size.z;
        filled += std::clamp(0.5 - s.distance / width, 0.0, 1.0);
      }
    }
    return filled;
  };
  const double filled =
      executor.reduce(n[1] * n[2], 0.0, layer_part, [](double a, double c) { return a + c; });
  return filled * size.x * size.y * size.z;
}

Result<std::vector<Vec3f>> fill_volume(const DistanceField& field, const Posed& pose,
                                       double spacing, Arrangement arrangement, double jitter,
                                       std::uint64_t seed, const Executor& executor,
                                       std::size_t max_points) {
  if (Status status = check_request(field, spacing, jitter); !status) return status.error();
  if (max_points == 0) max_points = points_in_memory();
  if (Status status = check_count(field, spacing, max_points, executor); !status)
    return status.error();

  const Lattice lattice = lattice_in(field.bounds(), spacing);
  if (lattice.total() > 64.0 * static_cast<double>(max_points))
    return request_error(
        "the bounds of the shape hold {:.3g} points at a spacing of {:.4g} m, nearly all of them "
        "outside it: use a coarser spacing",
        lattice.total(), spacing);
  const float a = static_cast<float>(spacing);
  const bool relaxed = arrangement == Arrangement::relaxed;
  const double depth = relaxed ? 0.0 : 0.5;
  const float limit = static_cast<float>(spacing * (slack - depth));
  std::vector<Vec3f> points = collect(field, lattice, limit, executor);

  if (arrangement == Arrangement::jittered) {
    jitter_points(points, static_cast<float>(jitter) * a, seed, executor);
    keep_inside(field, points, a / 2, executor);
  }
  if (relaxed) {
    // A perfect lattice is a stationary point of the repulsion; a small push leaves it.
    jitter_points(points, 0.05f * a, seed, executor);
    relax(field, points, a, executor);
  }
  std::erase_if(points, [&](const Vec3f& p) {
    return !(field.sample(p).distance <= static_cast<float>(spacing * (0.01 - 0.5)));
  });
  if (points.empty())
    return request_error(
        "no particle of spacing {:.4g} m fits into the shape ({:.3g} x {:.3g} x {:.3g} m): it is "
        "thinner than the spacing, or solid outside (inside_out)",
        spacing, field.bounds().upper.x - field.bounds().lower.x,
        field.bounds().upper.y - field.bounds().lower.y,
        field.bounds().upper.z - field.bounds().lower.z);
  executor.for_each(points.size(),
                    [&](std::size_t i) { points[i] = Vec3f(pose.to_world(Vec3d(points[i]))); });
  return points;
}

}  // namespace talus
