#include "dem/overlaps.h"

#include "geometry/cell_grid.h"

#include <algorithm>
#include <cmath>

namespace talus::dem {

namespace {

constexpr int rounds = 200;
// Parts of a sphere's radius: overlaps below the first are left to the forces, and grains with more
// than the second, after all rounds, have no room.
constexpr float harmless = 0.003f, hopeless_part = 0.1f;

/// A grain, or an image of one, that may be in the way.
struct Obstacle {
  std::uint32_t grain;
  Vec3d shift;
};

class Relaxer {
 public:
  Relaxer(Grains& grains, const ShapeTable& shapes, const Images& images, const WallFaces& walls,
          std::size_t first, const Executor& executor)
      : grains_(grains),
        shapes_(shapes),
        images_(images),
        walls_(walls),
        first_(first),
        executor_(executor) {
    for (std::size_t i = 0; i < grains.count; ++i) largest_ = std::max(largest_, grains.size[i]);
  }

  Relaxation run() {
    Relaxation out;
    out.keep.assign(grains_.count, 1);
    const std::size_t n = grains_.count - first_;
    push_.assign(n, {});
    worst_.assign(n, 0);
    std::vector<std::uint8_t> moved(n, 0);
    for (int round = 0; round < rounds; ++round) {
      collect();
      executor_.for_range(n, 64, [&](std::size_t begin, std::size_t end) {
        for (std::size_t k = begin; k < end; ++k) measure(k);
      });
      bool any = false;
      for (std::size_t k = 0; k < n; ++k) {
        if (worst_[k] <= harmless) continue;
        any = true;
        moved[k] = 1;
        for (int c = 0; c < 3; ++c)
          grains_.x[static_cast<std::size_t>(c)][first_ + k] += push_[k][c];
      }
      if (!any) break;
    }
    for (std::size_t k = 0; k < n; ++k) {
      out.moved += moved[k];
      if (worst_[k] <= hopeless_part) continue;
      out.keep[first_ + k] = 0;
      ++out.hopeless;
    }
    return out;
  }

 private:
  void collect() {
    Box3d box;
    for (std::size_t i = first_; i < grains_.count; ++i) box.include(grains_.position(i));
    const double margin = 1.01 * double{largest_};
    obstacles_.clear();
    points_.clear();
    for (std::uint32_t i = 0; i < grains_.count; ++i)
      for (const Vec3d& shift : images_.shift) {
        const Vec3d p = grains_.position(i) + shift;
        if (p.x < box.lower.x - margin || p.y < box.lower.y - margin ||
            p.z < box.lower.z - margin || p.x > box.upper.x + margin ||
            p.y > box.upper.y + margin || p.z > box.upper.z + margin)
          continue;
        obstacles_.push_back({i, shift});
        points_.push_back(Vec3f(p));
      }
    grid_.build(points_, static_cast<float>(margin), executor_);
  }

  /// Deepest overlap of grain first + k over the radius, and where it should go.
  void measure(std::size_t k) {
    const auto i = static_cast<std::uint32_t>(first_ + k);
    Vec3d push{};
    float worst = 0;
    const Vec3f p(grains_.position(i));
    const float far = 0.5f * (grains_.size[i] + largest_);
    const Vec3f reach{far, far, far};
    grid_.for_cells_in(p - reach, p + reach, [&](const CellGrid::Range& range) {
      for (std::uint32_t e = range.begin; e < range.end; ++e) {
        const Obstacle& o = obstacles_[grid_.order()[e]];
        if (o.grain != i) push_from(i, o, push, worst);
      }
    });
    for (const WallFace& face : walls_.faces()) push_from_wall(i, face, push, worst);
    push_[k] = push;
    worst_[k] = worst;
  }

  void push_from(std::uint32_t i, const Obstacle& o, Vec3d& push, float& worst) const {
    const Vec3d d = grains_.position(i) - grains_.position(o.grain) - o.shift;
    const double bound = 0.5 * double{grains_.size[i] + grains_.size[o.grain]};
    if (squared_norm(d) >= bound * bound) return;
    const double share = o.grain >= first_ ? 0.4 : 0.8;
    for_balls(i, [&](const Vec3d& a, double ra) {
      for_balls(o.grain, [&](const Vec3d& b, double rb) {
        const Vec3d between = d + a - b;
        const double overlap = ra + rb - norm(between);
        if (overlap <= 0) return;
        worst = std::max(worst, static_cast<float>(overlap / std::min(ra, rb)));
        // Centres on top of each other part upwards for one, downwards for the other.
        push += normalized(between, Vec3d{0, 0, i > o.grain ? 1.0 : -1.0}) * (share * overlap);
      });
    });
  }

  void push_from_wall(std::uint32_t i, const WallFace& face, Vec3d& push, float& worst) const {
    const Vec3d x = grains_.position(i);
    for_balls(i, [&](const Vec3d& a, double r) {
      const Vec3d p = x + a;
      WallDistance d{};
      walls_.distances(face, {&p, 1}, {&d, 1});
      const double overlap = r - d.distance;
      if (overlap <= 0) return;
      worst = std::max(worst, static_cast<float>(overlap / r));
      push += Vec3d(d.normal) * (0.8 * std::min(overlap, r));
    });
  }

  template <class Visit>
  void for_balls(std::uint32_t i, Visit&& visit) const {
    const Quatd q = grains_.orientation(i);
    const double size = grains_.size[i];
    const std::uint32_t shape = grains_.shape[i];
    for (std::uint32_t b = shapes_.first[shape]; b < shapes_.first[shape + 1]; ++b) {
      const ShapeBall& ball = shapes_.balls[b];
      visit(rotate(q, Vec3d{ball.x, ball.y, ball.z}) * size, ball.radius * size);
    }
  }

  Grains& grains_;
  const ShapeTable& shapes_;
  const Images& images_;
  const WallFaces& walls_;
  std::size_t first_;
  const Executor& executor_;
  float largest_ = 0;
  std::vector<Obstacle> obstacles_;
  std::vector<Vec3f> points_;
  std::vector<Vec3d> push_;
  std::vector<float> worst_;
  CellGrid grid_;
};

}  // namespace

Relaxation relax_overlaps(Grains& grains, const ShapeTable& shapes, const Images& images,
                          const WallFaces& walls, std::size_t first, const Executor& executor) {
  return Relaxer(grains, shapes, images, walls, first, executor).run();
}

}  // namespace talus::dem
