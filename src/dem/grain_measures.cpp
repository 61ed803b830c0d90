#include "dem/grain_measures.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <tuple>

namespace talus::dem {

namespace {

// Radius of the ball about a grain in which solid is summed up, over the largest grain's diameter,
// and the points that tell which part of it lies inside bodies.
constexpr double ball_over_size = 2;
constexpr std::size_t ball_points = 200;

Vec3d nearest_image(Vec3d d, const Images& images) {
  for (int c = 0; c < 3; ++c)
    if (images.axis[static_cast<std::size_t>(c)])
      d[c] -= images.length[c] * std::round(d[c] / images.length[c]);
  return d;
}

/// From the centre of grain b to the contact point.
Vec3d other_arm(const ContactRecord& c, const Grains& grains, const Images& images) {
  return nearest_image(grains.position(c.grain_a) + Vec3d(c.arm) - grains.position(c.grain_b),
                       images);
}

/// Volume that two balls share, radii big >= small, centres d apart.
double shared_volume(double big, double small, double d) {
  if (d >= big + small) return 0;
  if (d <= big - small) return 4.0 / 3.0 * std::numbers::pi * small * small * small;
  const double depth = big + small - d, difference = big - small;
  return std::numbers::pi * depth * depth *
         (d * d + 2 * d * (big + small) - 3 * difference * difference) / (12 * d);
}

/// Evenly spread in the unit ball: a spiral on every shell of equal volume.
std::array<Vec3d, ball_points> points_in_ball() {
  std::array<Vec3d, ball_points> points;
  for (std::size_t k = 0; k < ball_points; ++k) {
    const double u = (static_cast<double>(k) + 0.5) / ball_points;
    const double turn = 2 * std::numbers::pi * std::numbers::phi * static_cast<double>(k);
    // A second irrational number decouples height from radius.
    const double z = 2 * std::fmod(static_cast<double>(k) * std::numbers::sqrt2, 1.0) - 1;
    const double ring = std::sqrt(1 - z * z), r = std::cbrt(u);
    points[k] = Vec3d{ring * std::cos(turn), ring * std::sin(turn), z} * r;
  }
  return points;
}

/// Part of a ball that lies outside of all bodies.
double open_part(const WallFaces& walls, const Vec3d& centre, double radius,
                 const std::array<Vec3d, ball_points>& unit) {
  std::array<Vec3d, ball_points> points;
  std::array<WallDistance, ball_points> distance;
  std::array<bool, ball_points> inside{};
  bool any = false;
  for (std::size_t k = 0; k < ball_points; ++k) points[k] = centre + unit[k] * radius;
  const auto cut = [&](const WallFace& face) {
    WallDistance d{};
    walls.distances(face, {&centre, 1}, {&d, 1});
    if (d.distance >= radius && !walls.unsure(face, d, centre, radius)) return;
    walls.distances(face, points, distance);
    for (std::size_t k = 0; k < ball_points; ++k) inside[k] |= distance[k].distance < 0;
    any = true;
  };
  for (const WallFace& face : walls.faces()) cut(face);
  for (const WallFace& face : walls.smooth_of_rough()) cut(face);
  if (!any) return 1;
  return static_cast<double>(std::count(inside.begin(), inside.end(), false)) / ball_points;
}

}  // namespace

void sort_contacts(std::vector<ContactRecord>& contacts, const Grains& grains,
                   const Images& images) {
  for (ContactRecord& c : contacts) {
    if (c.grain_b >= grains.count || grains.id[c.grain_a] < grains.id[c.grain_b]) continue;
    c.arm = Vec3f(other_arm(c, grains, images));
    std::swap(c.grain_a, c.grain_b);
    std::swap(c.sphere_a, c.sphere_b);
    c.normal = -c.normal;
    c.tangential_force = -c.tangential_force;
  }
  const auto key = [&](const ContactRecord& c) {
    const bool body = c.grain_b >= grains.count;
    return std::tuple(grains.id[c.grain_a], body, body ? c.grain_b : grains.id[c.grain_b],
                      c.sphere_a, c.sphere_b);
  };
  std::sort(contacts.begin(), contacts.end(),
            [&](const ContactRecord& a, const ContactRecord& b) { return key(a) < key(b); });
}

void count_partners(std::span<const ContactRecord> sorted, std::size_t grains,
                    std::span<std::uint32_t> coordination) {
  std::fill(coordination.begin(), coordination.end(), 0u);
  for (std::size_t k = 0; k < sorted.size(); ++k) {
    const ContactRecord& c = sorted[k];
    if (k > 0 && sorted[k - 1].grain_a == c.grain_a && sorted[k - 1].grain_b == c.grain_b) continue;
    ++coordination[c.grain_a];
    if (c.grain_b < grains) ++coordination[c.grain_b];
  }
}

void find_stress(std::span<const ContactRecord> contacts, const Grains& grains,
                 const Images& images, std::span<const float> volume, std::span<Sym3f> stress) {
  std::vector<Sym3d> sum(grains.count);
  const auto add = [&](std::uint32_t grain, const Vec3d& f, const Vec3d& l) {
    sum[grain] = sum[grain] + Sym3d{f.x * l.x,
                                    f.y * l.y,
                                    f.z * l.z,
                                    0.5 * (f.x * l.y + f.y * l.x),
                                    0.5 * (f.x * l.z + f.z * l.x),
                                    0.5 * (f.y * l.z + f.z * l.y)};
  };
  for (const ContactRecord& c : contacts) {
    const Vec3d force = Vec3d(c.normal) * double{c.normal_force} + Vec3d(c.tangential_force);
    add(c.grain_a, force, Vec3d(c.arm));
    if (c.grain_b < grains.count) add(c.grain_b, -force, other_arm(c, grains, images));
  }
  for (std::size_t i = 0; i < grains.count; ++i) {
    const Sym3d s = sum[i] * (1 / double{volume[i]});
    stress[i] = {static_cast<float>(s.xx), static_cast<float>(s.yy), static_cast<float>(s.zz),
                 static_cast<float>(s.xy), static_cast<float>(s.xz), static_cast<float>(s.yz)};
  }
}

void find_packing(const Grains& grains, std::span<const float> volume, const Images& images,
                  const WallFaces& walls, const Executor& executor,
                  std::span<float> packing_fraction) {
  const std::size_t n = grains.count;
  if (n == 0) return;
  float largest = 0;
  std::vector<Vec3f> points(n);
  std::vector<double> radius(n);
  for (std::size_t i = 0; i < n; ++i) {
    points[i] = Vec3f(grains.position(i));
    radius[i] = std::cbrt(double{volume[i]} * 0.75 / std::numbers::pi);
    largest = std::max(largest, grains.size[i]);
  }
  const double ball = ball_over_size * double{largest};
  const double whole = 4.0 / 3.0 * std::numbers::pi * ball * ball * ball;
  const auto far = static_cast<float>(ball + 0.5 * double{largest});
  CellGrid grid;
  grid.build(points, far, executor);
  const auto unit = points_in_ball();
  executor.for_range(n, 256, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      double solid = 0;
      for (const Vec3d& shift : images.shift) {
        const Vec3d centre = grains.position(i) + shift;
        const Vec3f p(centre), reach{far, far, far};
        if (images.any() && !images.reaches(p, far)) continue;
        grid.for_cells_in(p - reach, p + reach, [&](const CellGrid::Range& range) {
          for (std::uint32_t k = range.begin; k < range.end; ++k) {
            const std::uint32_t j = grid.order()[k];
            solid += shared_volume(ball, radius[j], norm(grains.position(j) - centre));
          }
        });
      }
      const double open = open_part(walls, grains.position(i), ball, unit);
      packing_fraction[i] = static_cast<float>(open > 0 ? solid / (whole * open) : 0);
    }
  });
}

ContactTable::ContactTable() {
  using enum FieldUse;
  grain_a_ = store_.add_field<std::uint64_t>("grain_a", "1", frame, "id of a grain");
  grain_b_ = store_.add_field<std::uint64_t>("grain_b", "1", frame,
                                             "id of the other grain; 2^64 - 1 when it is a body");
  body_ = store_.add_field<std::uint32_t>("body", "1", frame,
                                          "number of the body; 2^32 - 1 when it is a grain");
  sphere_a_ = store_.add_field<std::uint32_t>("sphere_a", "1", frame, "number in its grain");
  sphere_b_ =
      store_.add_field<std::uint32_t>("sphere_b", "1", frame, "number in its grain; 0 for bodies");
  point_ = store_.add_field<Vec3f>("point", "m", frame, "where they touch, beside grain a");
  normal_ = store_.add_field<Vec3f>("normal", "1", frame, "unit, from b to a");
  normal_force_ = store_.add_field<float>("normal_force", "N", frame,
                                          "on a along the normal; negative when a bridge pulls");
  tangential_force_ = store_.add_field<Vec3f>("tangential_force", "N", frame, "on a");
}

void ContactTable::fill(std::span<const ContactRecord> sorted, const Grains& grains) {
  store_.resize(sorted.size());
  const auto local = [&](std::uint32_t sphere, std::uint32_t grain) {
    return sphere - grains.first_sphere[grain];
  };
  for (std::size_t k = 0; k < sorted.size(); ++k) {
    const ContactRecord& c = sorted[k];
    const bool body = c.grain_b >= grains.count;
    store_[grain_a_][k] = grains.id[c.grain_a];
    store_[grain_b_][k] = body ? ~std::uint64_t{0} : grains.id[c.grain_b];
    store_[body_][k] =
        body ? c.grain_b - static_cast<std::uint32_t>(grains.count) : ~std::uint32_t{0};
    store_[sphere_a_][k] = local(c.sphere_a, c.grain_a);
    store_[sphere_b_][k] = body ? 0 : local(c.sphere_b, c.grain_b);
    store_[point_][k] = Vec3f(grains.position(c.grain_a) + Vec3d(c.arm));
    store_[normal_][k] = c.normal;
    store_[normal_force_][k] = c.normal_force;
    store_[tangential_force_][k] = c.tangential_force;
  }
}

}  // namespace talus::dem
