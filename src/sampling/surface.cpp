// Longmore 2009 section 6.3 after Bell, Yu & Mucha 2005: particles move with v = v_f + v_r,
//   v_f = -s(p) d(p)                                    to the zero level of the field   (Eq. 6.1)
//   v_r = sum_i phi(|p - p_i|) (p - p_i) / |p - p_i|    away from each other             (Eq. 6.2)
//   phi(r) = A exp(-r^2 / 2 sigma^2), cut off at r_c with phi(r_c) = f: sigma = r_c / sqrt(2
//   ln(A/f))
//                                                                                  (Theorem A.2.1)
// a = spacing; the hexagonal pattern of spacing a has 2 / (sqrt(3) a^2) samples per area.
//
// Where we deviate: v_r acts in the tangent plane and v_f as a full Newton step, so that repulsion
// cannot lift samples off the surface; samples start as a Poisson-disc subset of an even cover
// instead of anywhere; and what the thesis leaves open is decided here: excess samples (crowded by
// a neighbour) are removed, and gaps, found at the points of the cover, get a new sample each. All
// samples move at once from the old positions: the result does not depend on the threads.

#include "sampling/surface.h"

#include "core/random.h"
#include "sampling/near_points.h"
#include "sampling/surface_cover.h"

#include <algorithm>
#include <cmath>

namespace talus {
namespace {

constexpr float disc_radius = 0.74f;  // / a, of the start: gives about the hexagonal number
constexpr float reach = 1.8f;         // r_c / a
constexpr float cut_off = 1e-3f;      // f / A
constexpr float step = 0.28f;         // A dt / a: half of what is stable in a hexagonal pattern
constexpr float largest_step = 0.2f;  // / a and iteration
constexpr float crowded = 0.68f;      // / a: nearer than this, one of two samples is too many
constexpr float gap_radius = 0.72f;   // / a: a surface point farther than this from all is a gap
constexpr float affected = 5;         // / a: how far around a change samples move again
constexpr int first_iterations = 36, later_iterations = 14, rounds = 8;

/// Places in the order of a random key: the order in which candidates are taken.
std::vector<std::uint32_t> random_order(std::size_t n, std::uint64_t seed, std::uint32_t index) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> keys(n);
  for (std::size_t i = 0; i < n; ++i)
    keys[i] = {random_words(seed, i, Purpose::surface, index)[0], static_cast<std::uint32_t>(i)};
  std::sort(keys.begin(), keys.end());
  std::vector<std::uint32_t> order(n);
  for (std::size_t i = 0; i < n; ++i) order[i] = keys[i].second;
  return order;
}

/// A subset, as large as possible, with no two points on the same side nearer than `radius`.
std::vector<std::uint32_t> choose_apart(const OrientedPoints& from, float radius,
                                        std::uint64_t seed, std::uint32_t index,
                                        const Executor& executor) {
  NearPoints near;
  near.build(from.points, radius, executor);
  std::vector<std::uint8_t> blocked(from.size(), 0);
  std::vector<std::uint32_t> chosen;
  for (std::uint32_t i : random_order(from.size(), seed, index)) {
    if (blocked[i]) continue;
    chosen.push_back(i);
    near.for_near(from.points[i], radius, [&](std::uint32_t k, const Vec3f&, float) {
      const std::uint32_t other = near.order()[k];
      if (same_side(from.normals[i], from.normals[other])) blocked[other] = 1;
    });
  }
  std::sort(chosen.begin(), chosen.end());
  return chosen;
}

/// Nearest sample on the same side within `radius`; `self` is left out. Squared distance.
struct Nearest {
  float d2;
  std::uint32_t k;  ///< sorted place
};
Nearest nearest_of(const NearPoints& near, std::span<const Vec3f> sorted_normals, const Vec3f& p,
                   const Vec3f& normal, float radius, std::uint32_t self) {
  Nearest best{radius * radius, self};
  near.for_near(p, radius, [&](std::uint32_t k, const Vec3f&, float d2) {
    if (k != self && d2 < best.d2 && same_side(normal, sorted_normals[k])) best = {d2, k};
  });
  return best;
}

constexpr std::uint32_t nobody = 0xFFFFFFFFu;

class Relaxation {
 public:
  Relaxation(const DistanceField& field, float spacing, const Executor& executor)
      : field_(field), a_(spacing), executor_(executor) {}

  OrientedPoints samples;

  /// v_r in the tangent plane, then v_f.
  void iterate() {
    index();
    const float radius = reach * a_;
    const float sharpness = std::log(1 / cut_off) / (radius * radius);
    executor_.for_range(samples.size(), 256, [&](std::size_t b, std::size_t e) {
      for (std::size_t k = b; k < e; ++k) {
        if (!moving_.empty() && !moving_[near_.order()[k]]) continue;
        const Vec3f p = near_.sorted()[k], n = normals_[k];
        Vec3f push{};
        near_.for_near(p, radius, [&](std::uint32_t other, const Vec3f& q, float d2) {
          if (d2 > 0 && same_side(n, normals_[other]))
            push += std::exp(-sharpness * d2) / std::sqrt(d2) * (p - q);
        });
        push = (push - dot(push, n) * n) * (step * a_);
        const float length = norm(push), limit = largest_step * a_;
        samples.points[near_.order()[k]] = p + (length > limit ? push * (limit / length) : push);
      }
    });
    attract(field_, samples.points, samples.normals, executor_);
  }

  /// Takes away the younger of two samples that crowd each other. Returns how many.
  std::size_t remove_excess() {
    index();
    std::vector<std::uint8_t> drop(samples.size(), 0);
    const float radius = crowded * a_;
    for (std::uint32_t k = 0; k < samples.size(); ++k) {
      if (drop[k]) continue;
      near_.for_near(near_.sorted()[k], radius, [&](std::uint32_t other, const Vec3f&, float) {
        if (other > k && same_side(normals_[k], normals_[other])) drop[other] = 1;
      });
    }
    std::vector<std::uint8_t> drop_sample(samples.size(), 0);
    for (std::uint32_t k = 0; k < samples.size(); ++k) drop_sample[near_.order()[k]] = drop[k];
    return erase(drop_sample);
  }

  /// Puts samples where a point of the cover has none within the gap radius. Returns how many.
  std::size_t fill_gaps(const OrientedPoints& cover, std::uint64_t seed, std::uint32_t round) {
    OrientedPoints open;
    const std::vector<float> clear = clearance(cover);
    for (std::size_t i = 0; i < cover.size(); ++i)
      if (clear[i] > gap_radius * a_) {
        open.points.push_back(cover.points[i]);
        open.normals.push_back(cover.normals[i]);
      }
    const std::vector<std::uint32_t> chosen =
        choose_apart(open, crowded * a_, seed, round + 1, executor_);
    for (std::uint32_t i : chosen) {
      samples.points.push_back(open.points[i]);
      samples.normals.push_back(open.normals[i]);
      changed_.push_back(open.points[i]);
    }
    return chosen.size();
  }

  /// From now on only samples near the places changed since the last call move: what is even
  /// stays, and a round costs what its changes cost.
  void settle_changes() {
    moving_.assign(samples.size(), 0);
    NearPoints places;
    places.build(changed_, affected * a_, executor_);
    executor_.for_range(samples.size(), 256, [&](std::size_t b, std::size_t e) {
      for (std::size_t i = b; i < e; ++i)
        places.for_near(samples.points[i], affected * a_,
                        [&](std::uint32_t, const Vec3f&, float) { moving_[i] = 1; });
    });
    changed_.clear();
  }

  /// For each point of the cover, how far the nearest sample is; 2 a when it is farther.
  std::vector<float> clearance(const OrientedPoints& cover) {
    index();
    std::vector<float> clear(cover.size());
    executor_.for_range(cover.size(), 256, [&](std::size_t b, std::size_t e) {
      for (std::size_t i = b; i < e; ++i) {
        // Most points have a sample nearby: look there first.
        Nearest n =
            nearest_of(near_, normals_, cover.points[i], cover.normals[i], 0.6f * a_, nobody);
        if (n.k == nobody)
          n = nearest_of(near_, normals_, cover.points[i], cover.normals[i], 2 * a_, nobody);
        clear[i] = std::sqrt(n.d2);
      }
    });
    return clear;
  }

  /// Distance of each sample to its nearest neighbour.
  std::vector<float> nearest_distances() {
    index();
    std::vector<float> nearest(samples.size());
    executor_.for_range(samples.size(), 256, [&](std::size_t b, std::size_t e) {
      for (std::size_t k = b; k < e; ++k)
        nearest[k] = std::sqrt(nearest_of(near_, normals_, near_.sorted()[k], normals_[k], 2 * a_,
                                          static_cast<std::uint32_t>(k))
                                   .d2);
    });
    return nearest;
  }

  /// Lays the samples exactly onto the surface.
  void finish() {
    executor_.for_range(samples.size(), 256, [&](std::size_t b, std::size_t e) {
      field_.project(std::span(samples.points).subspan(b, e - b));
    });
  }

 private:
  void index() {
    near_.build(samples.points, reach * a_, executor_);
    normals_.resize(samples.size());
    executor_.for_each(samples.size(),
                       [&](std::size_t k) { normals_[k] = samples.normals[near_.order()[k]]; });
  }

  std::size_t erase(const std::vector<std::uint8_t>& drop) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < drop.size(); ++i) {
      if (drop[i]) {
        changed_.push_back(samples.points[i]);
        continue;
      }
      samples.points[kept] = samples.points[i];
      samples.normals[kept++] = samples.normals[i];
    }
    const std::size_t removed = drop.size() - kept;
    samples.points.resize(kept);
    samples.normals.resize(kept);
    return removed;
  }

  const DistanceField& field_;
  float a_;
  const Executor& executor_;
  NearPoints near_;
  std::vector<Vec3f> normals_;        ///< in sorted order
  std::vector<std::uint8_t> moving_;  ///< for each sample; empty = all
  std::vector<Vec3f> changed_;        ///< where samples came or went
};

SurfaceQuality measure(Relaxation& r, const DistanceField& field, const OrientedPoints& cover,
                       double spacing, const Executor& executor) {
  SurfaceQuality q;
  q.spacing = spacing;
  std::vector<Vec3f> feet = r.samples.points;
  executor.for_range(feet.size(), 256, [&](std::size_t b, std::size_t e) {
    field.project(std::span(feet).subspan(b, e - b));
  });
  for (std::size_t i = 0; i < feet.size(); ++i)
    q.farthest = std::max(q.farthest, norm(Vec3d(feet[i]) - Vec3d(r.samples.points[i])));
  double sum = 0, squares = 0;
  for (const float d : r.nearest_distances()) {
    sum += static_cast<double>(d);
    squares += static_cast<double>(d) * static_cast<double>(d);
  }
  const double n = static_cast<double>(std::max<std::size_t>(1, feet.size()));
  q.mean_nearest = sum / n;
  q.nearest_deviation = std::sqrt(std::max(0.0, squares / n - q.mean_nearest * q.mean_nearest));
  for (const float c : r.clearance(cover))
    q.largest_hole = std::max(q.largest_hole, 2 * static_cast<double>(c));
  return q;
}

Status check_spacing(double spacing) {
  if (std::isfinite(spacing) && spacing > 0) return {};
  return request_error("the spacing of surface samples must be above 0 m; it is {}", spacing);
}

}  // namespace

Result<SurfaceSamples> sample_surface(const DistanceField& field, double spacing,
                                      std::uint64_t seed, const Executor& executor,
                                      const RelaxationObserver& observer) {
  if (Status status = check_spacing(spacing); !status) return status.error();
  Result<SurfaceCover> cover = cover_surface(field, spacing, executor);
  if (!cover) return cover.error();
  const OrientedPoints& places = cover->on_surface;
  if (places.size() == 0) return work_error("the field has no surface in its bounds");
  const float a = static_cast<float>(spacing);

  Relaxation relaxation(field, a, executor);
  for (std::uint32_t i : choose_apart(places, disc_radius * a, seed, 0, executor)) {
    relaxation.samples.points.push_back(cover->start[i]);
    relaxation.samples.normals.push_back(places.normals[i]);
  }
  SurfaceSamples result;
  result.area = cover->area;
  if (observer) observer(0, relaxation.samples.points);
  for (int round = 0; round < rounds; ++round) {
    const int count = round == 0 ? first_iterations : later_iterations;
    for (int i = 0; i < count; ++i) {
      relaxation.iterate();
      ++result.iterations;
      if (observer) observer(result.iterations, relaxation.samples.points);
    }
    const std::size_t removed = relaxation.remove_excess();
    const std::size_t inserted =
        relaxation.fill_gaps(places, seed, static_cast<std::uint32_t>(round));
    result.removed += removed;
    result.inserted += inserted;
    if (removed + inserted == 0) break;
    relaxation.settle_changes();
  }
  relaxation.finish();
  // Laying samples onto sharp tips may have opened gaps again; these are filled without a move.
  for (std::uint32_t pass = 0; pass < 3; ++pass) {
    const std::size_t inserted = relaxation.fill_gaps(places, seed, rounds + pass);
    if (inserted == 0) break;
    result.inserted += inserted;
    relaxation.finish();
  }
  result.quality = measure(relaxation, field, places, spacing, executor);
  result.points = std::move(relaxation.samples.points);
  result.normals = std::move(relaxation.samples.normals);
  return result;
}

Result<SurfaceQuality> measure_samples(const DistanceField& field, std::span<const Vec3f> points,
                                       double spacing, const Executor& executor) {
  if (Status status = check_spacing(spacing); !status) return status.error();
  const Result<SurfaceCover> cover = cover_surface(field, spacing, executor);
  if (!cover) return cover.error();
  Relaxation relaxation(field, static_cast<float>(spacing), executor);
  relaxation.samples.points.assign(points.begin(), points.end());
  relaxation.samples.normals.resize(points.size());
  std::vector<Vec3f> moved = relaxation.samples.points;
  attract(field, moved, relaxation.samples.normals, executor);
  return measure(relaxation, field, cover->on_surface, spacing, executor);
}

std::string describe(const SurfaceSamples& s) {
  const SurfaceQuality& q = s.quality;
  return fmt::format(
      "{} samples on {:.4g} m^2 at a spacing of {:.4g} m ({} iterations, {} removed, {} put into "
      "gaps)\n"
      "  distance to the surface  at most {:.2g} spacings\n"
      "  nearest neighbour        {:.3f} spacings, standard deviation {:.1f} % of it\n"
      "  largest hole             {:.2f} spacings wide",
      s.points.size(), s.area, q.spacing, s.iterations, s.removed, s.inserted,
      q.farthest / q.spacing, q.mean_nearest / q.spacing,
      100 * q.nearest_deviation / q.mean_nearest, q.largest_hole / q.spacing);
}

}  // namespace talus
