#include "dem/contact_list.h"

#include "dem/contact_memory.h"

#include <algorithm>
#include <cmath>

namespace talus::dem {

namespace {

void pad_to_eight(ScratchArray<std::uint32_t>& a) {
  while (a.size() % 8 != 0) a.push_back(a.empty() ? 0 : a[a.size() - 1]);
}

void set_blank(ScratchArray<Row>& rows, std::size_t n) {
  rows.resize(n);
  std::fill(rows.begin(), rows.end(), make_row(0, 0, 0, 0));
}

/// Of a grain against a body that moves.
float moving_margin(float skin, const ContactLists::Limits& limits) {
  return skin + body_skins * limits.skin;
}

std::size_t gap_class(float gap, float skin) {
  if (gap < 0) return 0;
  std::size_t c = 1;
  while (c < gap_classes.size() && gap >= gap_classes[c] * skin) ++c;
  return c;
}

}  // namespace

ContactLists::ContactLists() : memory_(std::make_unique<ContactMemory>()) {}
ContactLists::~ContactLists() = default;

Images Images::of(const Scene& scene) {
  Images out;
  out.axis = scene.periodic;
  out.lower = scene.domain_lower;
  out.length = scene.domain_upper - scene.domain_lower;
  const auto span = [&](int axis) { return out.axis[static_cast<std::size_t>(axis)] ? 1 : 0; };
  for (int z = -span(2); z <= span(2); ++z)
    for (int y = -span(1); y <= span(1); ++y)
      for (int x = -span(0); x <= span(0); ++x)
        if (x != 0 || y != 0 || z != 0)
          out.shift.push_back({x * out.length.x, y * out.length.y, z * out.length.z});
  return out;
}

/// Whether somebody within `far` of p can be in the box.
bool Images::reaches(const Vec3f& p, float far) const {
  for (int c = 0; c < 3; ++c) {
    if (!axis[static_cast<std::size_t>(c)]) continue;
    // Grains may have left the box by less than a skin.
    const double at = p[c], slack = 2 * double{far};
    if (at < lower[c] - slack || at > lower[c] + length[c] + slack) return false;
  }
  return true;
}

/// The images are listed symmetrically about the missing middle.
std::size_t Images::opposite(std::size_t image) const {
  return image == 0 ? 0 : shift.size() - image;
}

/// By the number of grains alone, so that results do not depend on the number of threads. Large
/// chunks have fewer pairs that leave them, which are computed twice: about 15 % with 1024 spheres.
std::size_t ContactLists::chunk_size(std::size_t grains) {
  if (grains >= 16 * 1024) return std::clamp<std::size_t>(grains / 32 / 8 * 8, 1024, 4096);
  return std::max<std::size_t>(64, (grains / 16 + 7) / 8 * 8);
}

/// All pairs of spheres of grain a (image-shifted) and grain b that come within the skin.
void ContactLists::pair_spheres(std::uint32_t a, std::uint32_t b, std::size_t image,
                                const Vec3d& shift, const Grains& grains, const Limits& limits,
                                Search& search) const {
  const Vec3f d(grains.position(a) + shift - grains.position(b));
  const std::uint32_t b0 = grains.first_sphere[b], b1 = grains.first_sphere[b + 1];
  const float skin = 0.5f * (grains.skin[a] + grains.skin[b]), margin = skin + limits.reach;
  for (std::uint32_t s = grains.first_sphere[a]; s < grains.first_sphere[a + 1]; ++s) {
    const Vec3f p = d + arms_[s];
    for (std::uint32_t t = b0; t < b1; ++t) {
      const float sum = radii_[s] + radii_[t], d2 = squared_norm(p - arms_[t]);
      if (d2 >= (sum + margin) * (sum + margin)) continue;
      PairClass& out = search.classes[gap_class(std::sqrt(d2) - sum, skin)];
      out.first.push_back(s);
      out.second.push_back(t | static_cast<std::uint32_t>(image) << image_bit);
    }
  }
}

void ContactLists::Around::look(const CellGrid& grid, const Vec3f& p) {
  const Vec3i c = grid.cell_of(p);
  if (c == cell) return;
  cell = c;
  ranges.clear();
  for (int z = -1; z <= 1; ++z)
    for (int y = -1; y <= 1; ++y)
      for (int x = -1; x <= 1; ++x) {
        const CellGrid::Range r = grid.find({c.x + x, c.y + y, c.z + z});
        if (r.begin != r.end) ranges.push_back(r);
      }
}

/// Grains near an image of grain i, at p: later ones, and those of the chunks before.
void ContactLists::find_near(const ChunkList& list, std::uint32_t i, const Vec3f& p, bool image,
                             const Grains& grains, const Limits& limits, Search& search) const {
  Near& out = search.near;
  out.later.clear();
  out.before.clear();
  const float own = 0.5f * (grains.size[i] + grains.skin[i]) + limits.reach +
                    rounding_margin * limits.largest_size;
  const auto consider = [&](std::uint32_t j) {
    if (j <= i && j >= list.begin) return;
    const float limit = own + 0.5f * (grains.size[j] + grains.skin[j]);
    if (squared_norm(points_[j] - p) >= limit * limit) return;
    (j > i ? out.later : out.before).push_back(j);
  };
  const auto consider_all = [&](const WideCells& cells, Around& around) {
    if (cells.grains.empty()) return;
    around.look(cells.grid, p);
    for (const CellGrid::Range& range : around.ranges)
      for (std::uint32_t k = range.begin; k < range.end; ++k)
        consider(cells.grains[cells.grid.order()[k]]);
  };
  const bool anybody_flies = !flyers_.grains.empty();
  if (grains.skin[i] > limits.skin) {
    consider_all(resting_, search.resting[image]);
  } else {
    search.around[image].look(grid_, p);
    for (const CellGrid::Range& range : search.around[image].ranges)
      for (std::uint32_t j = range.begin; j < range.end; ++j)
        if (!anybody_flies || !(grains.skin[j] > limits.skin)) consider(j);
  }
  consider_all(flyers_, search.flyers[image]);
}

/// Pairs of grain i with later grains, and with those of the chunks before.
void ContactLists::list_grain(const ChunkList& list, std::uint32_t i, const Grains& grains,
                              const Images& images, const Limits& limits, Search& search) const {
  // Whoever is that far away is on its own.
  if (!(std::abs(points_[i].x) < limits.farthest && std::abs(points_[i].y) < limits.farthest &&
        std::abs(points_[i].z) < limits.farthest))
    return;
  const float margin = widest_ + limits.reach + rounding_margin * limits.largest_size;
  const float far = 0.5f * (grains.size[i] + limits.largest_size) + margin;
  for (std::size_t image = 0; image < images.shift.size(); ++image) {
    const Vec3f p = points_[i] + Vec3f(images.shift[image]);
    if (image > 0 && !images.reaches(p, far)) continue;
    find_near(list, i, p, image > 0, grains, limits, search);
    for (const std::uint32_t j : search.near.later)
      pair_spheres(i, j, image, images.shift[image], grains, limits, search);
    const std::size_t back = images.opposite(image);
    for (const std::uint32_t j : search.near.before)
      pair_spheres(j, i, back, images.shift[back], grains, limits, search);
  }
}

/// Rough bodies move by themselves: their gaps tell nothing about how long they will last.
void ContactLists::list_rough(std::uint32_t i, const Grains& grains, const WallFaces& walls,
                              const Limits& limits, Search& search) const {
  const float margin =
      moving_margin(grains.skin[i], limits) + limits.reach + rounding_margin * limits.largest_size;
  const float far = 0.5f * grains.size[i] + margin + walls.rough().front().radius;
  const Vec3f p = points_[i], reach{far, far, far};
  const auto spheres = static_cast<std::uint32_t>(grains.spheres());
  wall_grid_.for_cells_in(p - reach, p + reach, [&](const CellGrid::Range& range) {
    for (std::uint32_t k = range.begin; k < range.end; ++k) {
      const std::uint32_t w = wall_grid_.order()[k];
      const RoughSphere& rough = walls.rough()[w];
      const Vec3f d(grains.position(i) - walls.bodies()[rough.body].state.pose.to_world(rough.at));
      for (std::uint32_t s = grains.first_sphere[i]; s < grains.first_sphere[i + 1]; ++s) {
        const float sum = radii_[s] + rough.radius, d2 = squared_norm(d + arms_[s]);
        if (d2 >= (sum + margin) * (sum + margin)) continue;
        PairClass& out = search.classes[d2 < sum * sum ? 0 : 1];
        out.first.push_back(s);
        out.second.push_back(spheres + w);
      }
    }
  });
}

/// Bodies that move get a wider skin, so that they alone do not cause new lists.
void ContactLists::list_walls(ChunkList& list, const Grains& grains, const ShapeTable&,
                              const WallFaces& walls, const Limits& limits) const {
  list.wall_starts.clear();
  list.wall_sphere.clear();
  const std::size_t n = list.end - list.begin;
  std::vector<Vec3d> points(n);
  std::vector<WallDistance> distance(n);
  for (std::size_t k = 0; k < n; ++k)
    points[k] = grains.position(list.begin + static_cast<std::uint32_t>(k));
  for (const WallFace& face : walls.faces()) {
    list.wall_starts.push_back(static_cast<std::uint32_t>(list.wall_sphere.size()));
    walls.distances(face, points, distance);
    for (std::size_t k = 0; k < n; ++k) {
      const std::size_t i = list.begin + k;
      const float skin =
          walls.moves(face.body) ? moving_margin(grains.skin[i], limits) : grains.skin[i];
      const double needed = 0.5 * double{grains.size[i]} + double{skin + limits.reach};
      if (distance[k].distance >= needed && !walls.unsure(face, distance[k], points[k], needed))
        continue;
      for (std::uint32_t s = grains.first_sphere[i]; s < grains.first_sphere[i + 1]; ++s) {
        const bool plane = face.kind == FaceKind::plane;
        const double depth = plane ? double{dot(arms_[s], distance[k].normal)} - double{radii_[s]}
                                   : -0.5 * double{grains.size[i]};
        if (distance[k].distance + depth < double{skin + limits.reach})
          list.wall_sphere.push_back(s);
      }
    }
  }
  list.wall_starts.push_back(static_cast<std::uint32_t>(list.wall_sphere.size()));
  list.wall_active.resize(list.wall_sphere.size());
  std::fill(list.wall_active.begin(), list.wall_active.end(), std::uint8_t{0});
  set_blank(list.wall_slide, limits.stored ? list.wall_sphere.size() : 0);
  set_blank(list.wall_turn, limits.turns ? list.wall_sphere.size() : 0);
}

void ContactLists::join_classes(ChunkList& list, Search& search) {
  list.first.clear();
  list.second.clear();
  for (std::size_t c = 0; c < search.classes.size(); ++c) {
    const PairClass& from = search.classes[c];
    const std::size_t at = list.first.size();
    list.class_starts[c] = static_cast<std::uint32_t>(at);
    list.first.resize(at + from.first.size());
    list.second.resize(at + from.first.size());
    std::copy(from.first.begin(), from.first.end(), list.first.begin() + at);
    std::copy(from.second.begin(), from.second.end(), list.second.begin() + at);
  }
  list.pairs = static_cast<std::uint32_t>(list.first.size());
  list.class_starts.back() = list.pairs;
  pad_to_eight(list.first);
  pad_to_eight(list.second);
}

void ContactLists::list_chunk(ChunkList& list, const Grains& grains, const ShapeTable& shapes,
                              const Images& images, const WallFaces& walls, const Limits& limits,
                              Search& search) const {
  for (PairClass& c : search.classes) {
    c.first.clear();
    c.second.clear();
  }
  for (Around* around : {search.around, search.flyers, search.resting})
    around[0].cell = around[1].cell = {-9, -9, -9};
  for (std::uint32_t i = list.begin; i < list.end; ++i) {
    list_grain(list, i, grains, images, limits, search);
    if (!walls.rough().empty()) list_rough(i, grains, walls, limits, search);
  }
  list.first_sphere = grains.first_sphere[list.begin];
  join_classes(list, search);
  list.note_guests({owner_.data(), owner_.size()}, grains.first_sphere[list.end]);
  list.active.resize(list.first.size() / 8);
  std::fill(list.active.begin(), list.active.end(), std::uint8_t{0});
  set_blank(list.slide, limits.stored ? list.first.size() : 0);
  set_blank(list.turn, limits.turns ? list.first.size() : 0);
  list_walls(list, grains, shapes, walls, limits);
}

void ContactLists::make(Grains& grains, const ShapeTable& shapes, const Images& images,
                        const WallFaces& walls, const Limits& limits, const Executor& executor) {
  const std::size_t n = grains.count, size = chunk_size(n);
  arms_.resize(grains.spheres());
  radii_.resize(grains.spheres());
  owner_.resize(grains.spheres());
  executor.for_range(n, 1024, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const Quatd q = grains.orientation(i);
      const double scale = grains.size[i];
      const ShapeBall* ball = &shapes.balls[shapes.first[grains.shape[i]]];
      for (std::uint32_t s = grains.first_sphere[i]; s < grains.first_sphere[i + 1]; ++s, ++ball) {
        arms_[s] = Vec3f(rotate(q, Vec3d{ball->x, ball->y, ball->z}) * scale);
        radii_[s] = static_cast<float>(ball->radius * scale);
        owner_[s] = static_cast<std::uint32_t>(i);
      }
    }
  });
  if (!walls.rough().empty()) {
    std::vector<Vec3f> at;
    for (const RoughSphere& r : walls.rough())
      at.push_back(Vec3f(walls.bodies()[r.body].state.pose.to_world(r.at)));
    wall_grid_.build(at, limits.largest_size, executor);
  }
  lists_.resize((n + size - 1) / size);
  searches_.resize(static_cast<std::size_t>(executor.threads()));
  executor.run_chunks_with_worker(lists_.size(), [&](std::size_t c, std::size_t worker) {
    ChunkList& list = lists_[c];
    list.begin = static_cast<std::uint32_t>(c * size);
    list.end = static_cast<std::uint32_t>(std::min(n, (c + 1) * size));
    list_chunk(list, grains, shapes, images, walls, limits, searches_[worker]);
    if (!memory_->empty())
      memory_->give(list, grains, {owner_.data(), owner_.size()}, limits.reach > 0);
  });
}

void ContactLists::rebuild_sorted(Grains& grains, const ShapeTable& shapes, const Images& images,
                                  const WallFaces& walls, const Limits& limits,
                                  const Executor& executor) {
  memory_->forget();
  take_points(grains, executor);
  const float cell = limits.largest_size * (1 + rounding_margin) + limits.skin + limits.reach;
  grid_.build({points_.data(), grains.count}, cell, executor);
  grains.finish(shapes);
  find_flyers(grains, limits, executor);
  make(grains, shapes, images, walls, limits, executor);
  memory_->note_numbers(grains);
}

void ContactLists::build(Grains& grains, const ShapeTable& shapes, const Images& images,
                         const WallFaces& walls, const Limits& limits, const Executor& executor) {
  take_points(grains, executor);
  const float cell = limits.largest_size * (1 + rounding_margin) + limits.skin + limits.reach;
  grid_.build({points_.data(), grains.count}, cell, executor);
  memory_->forget();
  if (limits.remembers) memory_->take(lists_, {owner_.data(), owner_.size()}, executor);
  grains.reorder(grid_.order(), executor);
  grains.finish(shapes);
  take_points(grains, executor);
  choose_skins(grains, limits, executor);
  find_flyers(grains, limits, executor);
  make(grains, shapes, images, walls, limits, executor);
  remember(grains, executor);
}

/// What the next lists need to find the pairs of these.
void ContactLists::remember(Grains& grains, const Executor& executor) {
  executor.for_range(grains.count, 4096, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      grains.listed_index[i] = static_cast<std::uint32_t>(i);
    for (std::size_t c = 0; c < 3; ++c)
      std::copy(&grains.x[c][begin], &grains.x[c][0] + end, &grains.listed[c][begin]);
    for (std::size_t c = 0; c < 4; ++c)
      std::copy(&grains.q[c][begin], &grains.q[c][0] + end, &grains.listed[3 + c][begin]);
  });
  memory_->note_numbers(grains);
}

void ContactLists::take_points(const Grains& grains, const Executor& executor) {
  points_.resize(grains.count);
  executor.for_range(grains.count, 4096, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) points_[i] = Vec3f(grains.position(i));
  });
}

std::size_t ContactLists::memory_bytes() const {
  std::size_t bytes = grid_.memory_bytes() + wall_grid_.memory_bytes() + points_.memory_bytes() +
                      arms_.memory_bytes() + radii_.memory_bytes() + owner_.memory_bytes() +
                      crowd_.memory_bytes() + flyers_.memory_bytes() + resting_.memory_bytes() +
                      memory_->memory_bytes();
  for (const ChunkList& c : lists_) bytes += c.memory_bytes();
  return bytes;
}

}  // namespace talus::dem
