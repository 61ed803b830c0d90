#include "dem/contact_list.h"

#include <algorithm>
#include <cmath>

namespace talus::dem {

namespace {

// Cells and lists are made from rounded positions; this much of a grain's size makes up for it.
constexpr float rounding_margin = 1e-4f;

void pad_to_eight(ScratchArray<std::uint32_t>& a) {
  while (a.size() % 8 != 0) a.push_back(a.empty() ? 0 : a[a.size() - 1]);
}

void set_blank(ScratchArray<Row>& rows, std::size_t n) {
  rows.resize(n);
  std::fill(rows.begin(), rows.end(), make_row(0, 0, 0, 0));
}

}  // namespace

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

std::size_t ChunkList::memory_bytes() const {
  return first.memory_bytes() + second.memory_bytes() + active.memory_bytes() +
         slide.memory_bytes() + turn.memory_bytes() + starts.memory_bytes() +
         wall_starts.memory_bytes() + wall_sphere.memory_bytes() + wall_active.memory_bytes() +
         wall_slide.memory_bytes() + wall_turn.memory_bytes();
}

ChunkList copy_of(const ChunkList& list) {
  ChunkList out;
  const auto copy = [](const auto& from, auto& to) {
    to.resize(from.size());
    std::copy(from.begin(), from.end(), to.begin());
  };
  out.begin = list.begin;
  out.end = list.end;
  out.owned = list.owned;
  out.pairs = list.pairs;
  copy(list.first, out.first);
  copy(list.second, out.second);
  copy(list.active, out.active);
  copy(list.slide, out.slide);
  copy(list.turn, out.turn);
  copy(list.starts, out.starts);
  copy(list.wall_starts, out.wall_starts);
  copy(list.wall_sphere, out.wall_sphere);
  copy(list.wall_active, out.wall_active);
  copy(list.wall_slide, out.wall_slide);
  copy(list.wall_turn, out.wall_turn);
  return out;
}

/// By the number of grains alone, so that results do not depend on the number of threads.
std::size_t ContactLists::chunk_size(std::size_t grains) {
  if (grains >= 16 * 1024) return 1024;
  return std::max<std::size_t>(64, (grains / 16 + 7) / 8 * 8);
}

/// All pairs of spheres of grain a (image-shifted) and grain b that come within the skin.
void ContactLists::pair_spheres(std::uint32_t a, std::uint32_t b, std::size_t image,
                                const Vec3d& shift, const Grains& grains, const Limits& limits,
                                ScratchArray<std::uint32_t>& first,
                                ScratchArray<std::uint32_t>& second) const {
  const Vec3f d(grains.position(a) + shift - grains.position(b));
  const std::uint32_t b0 = grains.first_sphere[b], b1 = grains.first_sphere[b + 1];
  const float margin = limits.skin + limits.reach;
  for (std::uint32_t s = grains.first_sphere[a]; s < grains.first_sphere[a + 1]; ++s) {
    const Vec3f p = d + arms_[s];
    const float r = radii_[s] + margin;
    for (std::uint32_t t = b0; t < b1; ++t) {
      const float limit = r + radii_[t];
      if (squared_norm(p - arms_[t]) >= limit * limit) continue;
      first.push_back(s);
      second.push_back(t | static_cast<std::uint32_t>(image) << image_bit);
    }
  }
}

/// The cells around a point, looked up once for all grains of a cell.
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

/// Grains near an image of grain i: later ones, and those of the chunks before.
void ContactLists::find_near(const ChunkList& list, std::uint32_t i, const Vec3f& p, float own,
                             const Grains& grains, const Around& around, Near& out) const {
  out.later.clear();
  out.before.clear();
  for (const CellGrid::Range& range : around.ranges) {
    for (std::uint32_t j = range.begin; j < range.end; ++j) {
      if (j <= i && j >= list.begin) continue;
      const float limit = own + 0.5f * grains.size[j];
      if (squared_norm(points_[j] - p) >= limit * limit) continue;
      (j > i ? out.later : out.before).push_back(j);
    }
  }
}

/// Pairs of grain i with later grains go to the list, with chunks before to `shared`.
void ContactLists::list_grain(ChunkList& list, std::uint32_t i, const Grains& grains,
                              const Images& images, const Limits& limits, Search& search) const {
  // Whoever is that far away is on its own.
  if (!(std::abs(points_[i].x) < limits.farthest && std::abs(points_[i].y) < limits.farthest &&
        std::abs(points_[i].z) < limits.farthest))
    return;
  const float margin = limits.skin + limits.reach + rounding_margin * limits.largest_size;
  const float own = 0.5f * grains.size[i] + margin;
  const float far = own + 0.5f * limits.largest_size;
  for (std::size_t image = 0; image < images.shift.size(); ++image) {
    const Vec3f p = points_[i] + Vec3f(images.shift[image]);
    if (image > 0 && !images.reaches(p, far)) continue;
    search.around[image > 0].look(grid_, p);
    find_near(list, i, p, own, grains, search.around[image > 0], search.near);
    for (const std::uint32_t j : search.near.later)
      pair_spheres(i, j, image, images.shift[image], grains, limits, list.first, list.second);
    const std::size_t back = images.opposite(image);
    for (const std::uint32_t j : search.near.before)
      pair_spheres(j, i, back, images.shift[back], grains, limits, search.first, search.second);
  }
}

void ContactLists::list_rough(ChunkList& list, std::uint32_t i, const Grains& grains,
                              const WallFaces& walls, const Limits& limits) const {
  const float margin = 2 * limits.skin + limits.reach + rounding_margin * limits.largest_size;
  const float far = 0.5f * grains.size[i] + margin + walls.rough().front().radius;
  const Vec3f p = points_[i], reach{far, far, far};
  const auto spheres = static_cast<std::uint32_t>(grains.spheres());
  wall_grid_.for_cells_in(p - reach, p + reach, [&](const CellGrid::Range& range) {
    for (std::uint32_t k = range.begin; k < range.end; ++k) {
      const std::uint32_t w = wall_grid_.order()[k];
      const RoughSphere& rough = walls.rough()[w];
      const Vec3f d(grains.position(i) - walls.bodies()[rough.body].state.pose.to_world(rough.at));
      for (std::uint32_t s = grains.first_sphere[i]; s < grains.first_sphere[i + 1]; ++s) {
        const float limit = radii_[s] + rough.radius + margin;
        if (squared_norm(d + arms_[s]) >= limit * limit) continue;
        list.first.push_back(s);
        list.second.push_back(spheres + w);
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
    const float skin = walls.moves(face.body) ? moving_skin * limits.skin : limits.skin;
    walls.distances(face, points, distance);
    for (std::size_t k = 0; k < n; ++k) {
      const std::size_t i = list.begin + k;
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

void ContactLists::list_chunk(ChunkList& list, const Grains& grains, const ShapeTable& shapes,
                              const Images& images, const WallFaces& walls, const Limits& limits,
                              Search& search) const {
  list.first.clear();
  list.second.clear();
  list.starts.clear();
  search.first.clear();
  search.second.clear();
  search.around[0].cell = search.around[1].cell = {-9, -9, -9};
  for (std::uint32_t i = list.begin; i < list.end; ++i) {
    list.starts.push_back(static_cast<std::uint32_t>(list.first.size()));
    list_grain(list, i, grains, images, limits, search);
    if (!walls.rough().empty()) list_rough(list, i, grains, walls, limits);
  }
  list.owned = static_cast<std::uint32_t>(list.first.size());
  list.starts.push_back(list.owned);
  for (std::size_t e = 0; e < search.first.size(); ++e) {
    list.first.push_back(search.first[e]);
    list.second.push_back(search.second[e]);
  }
  list.pairs = static_cast<std::uint32_t>(list.first.size());
  pad_to_eight(list.first);
  pad_to_eight(list.second);
  list.active.resize(list.first.size() / 8);
  std::fill(list.active.begin(), list.active.end(), std::uint8_t{0});
  set_blank(list.slide, limits.stored ? list.first.size() : 0);
  set_blank(list.turn, limits.turns ? list.first.size() : 0);
  list_walls(list, grains, shapes, walls, limits);
}

const ChunkList* ContactLists::old_chunk(std::uint32_t grain) const {
  return &old_[grain / old_chunk_size_];
}

/// Looks for a pair of old sphere numbers, first grain before second; false when it was idle. The
/// image does not count: a grain that crossed the border keeps its contacts.
bool ContactLists::find_old(std::uint32_t first, std::uint32_t second, Memory& memory) const {
  const std::uint32_t* end = old_first_sphere_.end();
  const std::uint32_t grain = static_cast<std::uint32_t>(
      std::upper_bound(old_first_sphere_.begin(), end, first) - old_first_sphere_.begin() - 1);
  const ChunkList& list = *old_chunk(grain);
  for (std::uint32_t e = list.starts[grain - list.begin]; e < list.starts[grain - list.begin + 1];
       ++e) {
    if (list.first[e] != first || (list.second[e] & sphere_mask) != second) continue;
    if ((list.active[e / 8] >> (e % 8) & 1) == 0) return false;
    if (!list.slide.empty()) memory.slide = list.slide[e];
    if (!list.turn.empty()) memory.turn = list.turn[e];
    return true;
  }
  return false;
}

void ContactLists::inherit(ChunkList& list, const Grains& grains) const {
  const auto spheres = static_cast<std::uint32_t>(grains.spheres());
  const auto old_number = [&](std::uint32_t sphere) {
    if (sphere >= spheres) return old_spheres_ + (sphere - spheres);
    const std::uint32_t grain = owner_[sphere], before = grains.listed_index[grain];
    if (before == Grains::none) return Grains::none;
    return old_first_sphere_[before] + (sphere - grains.first_sphere[grain]);
  };
  for (std::uint32_t e = 0; e < list.pairs; ++e) {
    const std::uint32_t a = old_number(list.first[e]);
    const std::uint32_t b = old_number(list.second[e] & sphere_mask);
    if (a == Grains::none || b == Grains::none) continue;
    Memory memory;
    bool found = false;
    if (a < b || b >= old_spheres_) {
      found = find_old(a, b, memory);
    } else {
      found = find_old(b, a, memory);
      for (int c = 0; c < 3; ++c) {  // of the one relative to the other
        memory.slide.v[c] = -memory.slide.v[c];
        memory.turn.v[c] = -memory.turn.v[c];
      }
    }
    if (!found) continue;
    list.active[e / 8] = static_cast<std::uint8_t>(list.active[e / 8] | 1u << (e % 8));
    if (!list.slide.empty()) list.slide[e] = memory.slide;
    if (!list.turn.empty()) list.turn[e] = memory.turn;
  }
}

void ContactLists::inherit_walls(ChunkList& list, const Grains& grains) const {
  const std::size_t faces = list.wall_starts.size() - 1;
  for (std::size_t f = 0; f < faces; ++f) {
    for (std::uint32_t e = list.wall_starts[f]; e < list.wall_starts[f + 1]; ++e) {
      const std::uint32_t grain = owner_[list.wall_sphere[e]];
      const std::uint32_t before = grains.listed_index[grain];
      if (before == Grains::none) continue;
      const ChunkList& old = *old_chunk(before);
      if (f + 1 >= old.wall_starts.size()) continue;  // of a body that was added since
      const std::uint32_t wanted =
          old_first_sphere_[before] + (list.wall_sphere[e] - grains.first_sphere[grain]);
      const std::uint32_t* from = old.wall_sphere.data() + old.wall_starts[f];
      const std::uint32_t* to = old.wall_sphere.data() + old.wall_starts[f + 1];
      const std::uint32_t* at = std::lower_bound(from, to, wanted);
      if (at == to || *at != wanted) continue;
      const std::size_t k = static_cast<std::size_t>(at - old.wall_sphere.data());
      list.wall_active[e] = old.wall_active[k];
      if (old.wall_active[k] == 0) continue;
      if (!list.wall_slide.empty() && !old.wall_slide.empty())
        list.wall_slide[e] = old.wall_slide[k];
      if (!list.wall_turn.empty() && !old.wall_turn.empty()) list.wall_turn[e] = old.wall_turn[k];
    }
  }
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
    if (!old_.empty() && limits.remembers) {
      inherit(list, grains);
      inherit_walls(list, grains);
    }
  });
}

void ContactLists::rebuild_sorted(Grains& grains, const ShapeTable& shapes, const Images& images,
                                  const WallFaces& walls, const Limits& limits,
                                  const Executor& executor) {
  old_.clear();
  take_points(grains, executor);
  const float cell = limits.largest_size * (1 + rounding_margin) + limits.skin + limits.reach;
  grid_.build({points_.data(), grains.count}, cell, executor);
  grains.finish(shapes);
  make(grains, shapes, images, walls, limits, executor);
  remember_numbers(grains);
}

void ContactLists::build(Grains& grains, const ShapeTable& shapes, const Images& images,
                         const WallFaces& walls, const Limits& limits, const Executor& executor) {
  take_points(grains, executor);
  const float cell = limits.largest_size * (1 + rounding_margin) + limits.skin + limits.reach;
  grid_.build({points_.data(), grains.count}, cell, executor);
  std::swap(lists_, old_);
  grains.reorder(grid_.order(), executor);
  grains.finish(shapes);
  take_points(grains, executor);
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
  remember_numbers(grains);
}

void ContactLists::take_points(const Grains& grains, const Executor& executor) {
  points_.resize(grains.count);
  executor.for_range(grains.count, 4096, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) points_[i] = Vec3f(grains.position(i));
  });
}

void ContactLists::remember_numbers(const Grains& grains) {
  old_first_sphere_.resize(grains.count + 1);
  std::copy(grains.first_sphere.begin(), grains.first_sphere.end(), old_first_sphere_.begin());
  old_chunk_size_ = chunk_size(grains.count);
  old_spheres_ = static_cast<std::uint32_t>(grains.spheres());
}

std::size_t ContactLists::memory_bytes() const {
  std::size_t bytes = grid_.memory_bytes() + wall_grid_.memory_bytes() + points_.memory_bytes() +
                      arms_.memory_bytes() + radii_.memory_bytes() + owner_.memory_bytes() +
                      old_first_sphere_.memory_bytes();
  for (const ChunkList& c : lists_) bytes += c.memory_bytes();
  for (const ChunkList& c : old_) bytes += c.memory_bytes();
  return bytes;
}

}  // namespace talus::dem
