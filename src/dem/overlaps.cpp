#include "dem/overlaps.h"

#include "geometry/cell_grid.h"

#include <algorithm>
#include <cmath>
#include <span>

namespace talus::dem {

namespace {

constexpr int rounds = 200;
// Parts of a sphere's radius: overlaps below the first are left to the forces, and grains with more
// than the second, after all rounds, have no room.
constexpr float harmless = 0.003f, hopeless_part = 0.1f;

// Part of the largest grain's size that grains may move before those in their way are looked up
// anew.
constexpr double slack_part = 0.1;
constexpr std::size_t block_size = 256;

/// A grain, or an image of one, that may be in the way.
struct Obstacle {
  std::uint32_t grain, image;
};
/// Those in the way of each grain of a block.
struct Block {
  std::vector<std::uint32_t> starts;
  std::vector<Obstacle> obstacles;
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
    awake_.assign(n, 1);
    collect();
    for (int round = 0; round < rounds; ++round) {
      executor_.for_range(n, block_size, [&](std::size_t begin, std::size_t end) {
        for (std::size_t k = begin; k < end; ++k)
          if (awake_[k] != 0) measure(k);
      });
      if (!push_apart(moved)) break;
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
  /// Moves whoever overlaps; false when nobody does. Only they and those around them are asked
  /// again: for all others nothing has changed.
  bool push_apart(std::vector<std::uint8_t>& moved) {
    bool any = false;
    double longest = 0;
    std::fill(awake_.begin(), awake_.end(), std::uint8_t{0});
    for (std::size_t k = 0; k < push_.size(); ++k) {
      if (worst_[k] <= harmless) continue;
      any = true;
      moved[k] = awake_[k] = 1;
      longest = std::max(longest, norm(push_[k]));
      for (int c = 0; c < 3; ++c) grains_.x[static_cast<std::size_t>(c)][first_ + k] += push_[k][c];
      for (const Obstacle& o : in_way_of(k))
        if (o.grain >= first_) awake_[o.grain - first_] = 1;
    }
    travel_ += longest;
    if (travel_ > slack()) {
      collect();
      std::fill(awake_.begin(), awake_.end(), std::uint8_t{1});
    }
    return any;
  }

  double slack() const { return slack_part * double{largest_}; }

  std::span<const Obstacle> in_way_of(std::size_t k) const {
    const Block& block = blocks_[k / block_size];
    const std::size_t local = k % block_size;
    return {block.obstacles.data() + block.starts[local],
            block.obstacles.data() + block.starts[local + 1]};
  }

  /// Looks up who is in whose way, until somebody has moved by the slack.
  void collect() {
    travel_ = 0;
    Box3d box;
    for (std::size_t i = first_; i < grains_.count; ++i) box.include(grains_.position(i));
    const double margin = 1.01 * double{largest_} + 2 * slack();
    std::vector<Obstacle> all;
    std::vector<Vec3f> points;
    for (std::uint32_t i = 0; i < grains_.count; ++i)
      for (std::uint32_t image = 0; image < images_.shift.size(); ++image) {
        const Vec3d p = grains_.position(i) + images_.shift[image];
        if (p.x < box.lower.x - margin || p.y < box.lower.y - margin ||
            p.z < box.lower.z - margin || p.x > box.upper.x + margin ||
            p.y > box.upper.y + margin || p.z > box.upper.z + margin)
          continue;
        all.push_back({i, image});
        points.push_back(Vec3f(p));
      }
    grid_.build(points, static_cast<float>(margin), executor_);
    const std::size_t n = grains_.count - first_;
    blocks_.resize((n + block_size - 1) / block_size);
    executor_.run_chunks(blocks_.size(), [&](std::size_t b) {
      Block& block = blocks_[b];
      block.starts.assign(1, 0);
      block.obstacles.clear();
      for (std::size_t k = b * block_size; k < std::min(n, (b + 1) * block_size); ++k) {
        collect_for(static_cast<std::uint32_t>(first_ + k), all, block.obstacles);
        block.starts.push_back(static_cast<std::uint32_t>(block.obstacles.size()));
      }
    });
  }

  void collect_for(std::uint32_t i, std::span<const Obstacle> all,
                   std::vector<Obstacle>& out) const {
    const Vec3d x = grains_.position(i);
    const Vec3f p(x);
    const float far = 0.5f * (grains_.size[i] + largest_) + static_cast<float>(2.01 * slack());
    const Vec3f reach{far, far, far};
    grid_.for_cells_in(p - reach, p + reach, [&](const CellGrid::Range& range) {
      for (std::uint32_t e = range.begin; e < range.end; ++e) {
        const Obstacle& o = all[grid_.order()[e]];
        const Vec3d d = x - grains_.position(o.grain) - images_.shift[o.image];
        const double bound = 0.5 * double{grains_.size[i] + grains_.size[o.grain]} + 2 * slack();
        if (o.grain != i && squared_norm(d) < bound * bound) out.push_back(o);
      }
    });
  }

  /// Deepest overlap of grain first + k over the radius, and where it should go.
  void measure(std::size_t k) {
    const auto i = static_cast<std::uint32_t>(first_ + k);
    Vec3d push{};
    float worst = 0;
    for (const Obstacle& o : in_way_of(k)) push_from(i, o, push, worst);
    for (const WallFace& face : walls_.faces()) push_from_wall(i, face, push, worst);
    for (const WallFace& face : walls_.smooth_of_rough()) push_from_wall(i, face, push, worst);
    push_[k] = push;
    worst_[k] = worst;
  }

  void push_from(std::uint32_t i, const Obstacle& o, Vec3d& push, float& worst) const {
    const Vec3d d = grains_.position(i) - grains_.position(o.grain) - images_.shift[o.image];
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
    const double size = grains_.size[i];
    const std::uint32_t shape = grains_.shape[i];
    if (shapes_.count(shape) == 1) return visit(Vec3d{}, 0.5 * size);
    const Quatd q = grains_.orientation(i);
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
  std::vector<Block> blocks_;
  double travel_ = 0;  ///< of the fastest, since those in the way were looked up
  std::vector<std::uint8_t> awake_;
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
