#include "detail/tile_step.h"

#include <algorithm>
#include <cmath>

namespace talus::detail {

namespace {

/// Grains stepped between two deliveries: enough work for all cores, little memory.
constexpr std::uint32_t wave_grains = 300'000;

/// Below this many changes of cell a page is copied run by run, else grain by grain.
constexpr std::uint32_t few_changes = page_size / 10;

WideFloat cell_along(const float* x, WideFloat inverse_cell) {
  const WideFloat c = load_wide(x) * inverse_cell + WideFloat(0.5f * tile_cells);
  const float last = static_cast<float>(tile_cells) - 0.5f;
  std::int32_t whole[wide_width];
  return truncate(min(max(c, WideFloat(0.0f)), WideFloat(last)), whole);
}

/// Cells of all grains of a page; what lies behind the last of them is arbitrary.
void find_cells(const GrainPage& page, float inverse_cell, std::uint8_t* cell) {
  const WideFloat inverse(inverse_cell), edge(static_cast<float>(tile_cells));
  for (std::uint32_t k = 0; k < page_size; k += wide_width) {
    const WideFloat x = cell_along(&page.field[0][k], inverse);
    const WideFloat y = cell_along(&page.field[1][k], inverse);
    const WideFloat z = cell_along(&page.field[2][k], inverse);
    std::int32_t number[wide_width];
    truncate(x + edge * (y + edge * z), number);
    for (int i = 0; i < wide_width; ++i) cell[k + i] = static_cast<std::uint8_t>(number[i]);
  }
}

std::uint32_t changes(const std::uint8_t* cell, std::uint32_t n) {
  std::uint32_t count = 0;
  for (std::uint32_t k = 1; k < n; ++k) count += cell[k] != cell[k - 1] ? 1 : 0;
  return count;
}

/// Neighbours in the pages mostly share a cell, and counting them one after the other waits for
/// memory: the parts of the tile are counted side by side.
constexpr std::uint32_t parts = 4;
using Counts = std::array<std::array<std::uint32_t, cells_in_tile>, parts>;

template <class Visit>
void visit_parts(const TileScratch& s, Counts& counts, const Visit& visit) {
  const std::uint32_t part = s.count / parts;
  for (std::uint32_t k = 0; k < part; ++k)
    for (std::uint32_t p = 0; p < parts; ++p) visit(p * part + k, counts[p]);
  for (std::uint32_t k = parts * part; k < s.count; ++k) visit(k, counts[parts - 1]);
}

/// Where each grain goes when they are sorted by cell. Stable.
void find_targets(TileScratch& s) {
  Counts next{};
  visit_parts(s, next, [&](std::uint32_t k, auto& count) { ++count[s.cell[k]]; });
  std::uint32_t sum = 0;
  for (std::uint32_t c = 0; c < cells_in_tile; ++c) {
    s.begin[c] = sum;
    for (auto& part : next) {
      const std::uint32_t count = part[c];
      part[c] = sum;
      sum += count;
    }
  }
  s.begin[cells_in_tile] = sum;
  visit_parts(s, next, [&](std::uint32_t k, auto& to) { s.target[k] = to[s.cell[k]]++; });
}

void copy_runs(const GrainPage& page, const std::uint8_t* cell, const std::uint32_t* target,
               std::uint32_t n, GrainBlock& out) {
  for (std::uint32_t k = 0; k < n;) {
    std::uint32_t end = k + 1;
    while (end < n && cell[end] == cell[k]) ++end;
    copy_grains(page, k, out, target[k], end - k);
    k = end;
  }
}

void copy_each(const GrainPage& page, const std::uint32_t* target, std::uint32_t n,
               GrainBlock& out) {
  for (int f = 0; f < grain_fields; ++f) {
    const float* from = page.field[f];
    float* to = out.field[f].data();
    for (std::uint32_t k = 0; k < n; ++k) to[target[k]] = from[k];
  }
  for (std::uint32_t k = 0; k < n; ++k) out.id[target[k]] = page.id[k];
}

/// The grains of a tile, sorted by cell, into the scratch's block.
void load_sorted(const GrainStore& store, const GrainStore::Tile& tile, TileScratch& s) {
  s.count = tile.count;
  s.cell.resize(tile.pages.size() * page_size);
  s.target.resize(tile.count);
  s.grains.resize(tile.count + wide_width);
  s.support.resize(tile.count + wide_width);
  s.layer.resize(tile.count + wide_width);
  const float inverse = static_cast<float>(tile_cells) / store.tile_size();
  for (std::uint32_t i = 0; i < tile.count; i += page_size)
    find_cells(store.page(tile.pages[i / page_size]), inverse, &s.cell[i]);
  find_targets(s);
  for (std::uint32_t i = 0; i < tile.count; i += page_size) {
    const GrainPage& page = store.page(tile.pages[i / page_size]);
    const std::uint32_t n = std::min(page_size, tile.count - i);
    if (changes(&s.cell[i], n) < few_changes)
      copy_runs(page, &s.cell[i], &s.target[i], n, s.grains);
    else
      copy_each(page, &s.target[i], n, s.grains);
  }
  for (auto& f : s.grains.field) std::fill(&f[tile.count], &f[tile.count] + wide_width, 0.0f);
}

/// Number of the neighbouring tile that a place relative to the centre lies in; -1 when farther.
int direction_of(float x, float y, float z, float half) {
  const auto along = [half](float p) { return (p >= half ? 1 : 0) - (p < -half ? 1 : 0) + 1; };
  if (max(max(std::abs(x), std::abs(y)), std::abs(z)) < 3 * half)
    return along(x) + 3 * along(y) + 9 * along(z);
  return -1;
}

/// Grains that have left the tile, ascending.
void find_leavers(float half, TileScratch& s) {
  const auto& g = s.grains.field;
  s.leavers.resize(s.count + wide_width);
  std::uint32_t n = 0;
  const WideFloat limit(half);
  for (std::uint32_t i = 0; i < s.count; i += wide_width) {
    const WideMask stays = (abs(load_wide(&g[0][i])) < limit) & (abs(load_wide(&g[1][i])) < limit) &
                           (abs(load_wide(&g[2][i])) < limit);
    const std::uint32_t lanes = std::min<std::uint32_t>(wide_width, s.count - i);
    const unsigned left = ~bits(stays) & ((1u << lanes) - 1);
    if (left != 0) n += static_cast<std::uint32_t>(store_set_lanes(left, i, &s.leavers[n]));
  }
  s.leavers.resize(n);
}

/// Moves the grains that have left the tile into the parcel; those that stay come first, and are as
/// many as it returns.
std::uint32_t pack(const GrainStore& store, const Vec3d& centre, TileScratch& s, Parcel& out) {
  const float size = store.tile_size(), half = 0.5f * size;
  const auto& g = s.grains.field;
  find_leavers(half, s);
  const auto leavers = static_cast<std::uint32_t>(s.leavers.size());
  out.far.clear();
  std::array<std::uint32_t, 28> next{};
  s.cell.resize(leavers);
  constexpr std::uint8_t far_away = 27;
  for (std::uint32_t k = 0; k < leavers; ++k) {
    const std::uint32_t i = s.leavers[k];
    const int d = direction_of(g[0][i], g[1][i], g[2][i], half);
    s.cell[k] = d < 0 ? far_away : static_cast<std::uint8_t>(d);
    if (d >= 0) ++next[static_cast<std::size_t>(d) + 1];
  }
  for (std::size_t d = 0; d < 27; ++d) next[d + 1] += next[d];
  out.begin = next;
  out.grains.resize(next[27]);
  for (std::uint32_t k = 0; k < leavers; ++k) {
    const std::uint32_t i = s.leavers[k];
    if (s.cell[k] != far_away) {
      const std::uint32_t to = next[s.cell[k]]++;
      copy_grains(s.grains, i, out.grains, to, 1);
      const Vec3f shift = Vec3f(direction(s.cell[k])) * size;
      for (int f = 0; f < 3; ++f) out.grains.field[f][to] -= shift[f];
      continue;
    }
    const Vec3d world = centre + Vec3d{g[0][i], g[1][i], g[2][i]};
    FarGrain grain{store.tile_of(world), {}, s.grains.id[i]};
    const Vec3f place(world - store.centre(grain.tile));
    for (int f = 0; f < 3; ++f) {
      grain.field[f] = place[f];
      grain.field[3 + f] = g[3 + f][i];
    }
    out.far.push_back(grain);
  }
  // The last ones take the places of those that left.
  const std::uint32_t staying = s.count - leavers;
  std::uint32_t last = s.count, gone = leavers;
  for (std::uint32_t k = 0; k < leavers && s.leavers[k] < staying; ++k) {
    for (--last; gone > 0 && s.leavers[gone - 1] == last; --last) --gone;
    copy_grains(s.grains, last, s.grains, s.leavers[k], 1);
  }
  return staying;
}

void step_tile(const StepInput& in, std::size_t index, GrainStore& store, TileScratch& s,
               Parcel& out) {
  const GrainStore::Tile& tile = store.tiles()[index];
  const Vec3d centre = store.centre(tile.place);
  const float cell = store.tile_size() / tile_cells;
  out.tile = tile.place;
  load_sorted(store, tile, s);
  gather_guides(in, centre, store.tile_size(), s);
  for (int c = 0; c < cells_in_tile; ++c) {
    if (s.begin[c] == s.begin[c + 1]) continue;
    const auto at = [&](int k) { return (static_cast<float>(k) - 0.5f * (tile_cells - 1)) * cell; };
    list_guides(
        {at(c % tile_cells), at(c / tile_cells % tile_cells), at(c / tile_cells / tile_cells)},
        cell, s);
    follow_guides(in, s.begin[c], s.begin[c + 1], s);
  }
  collide_tile(in, centre, store.tile_size(), s);
  store.put_back(index, s.grains, pack(store, centre, s, out));
}

}  // namespace

void step_grains(const StepInput& in, GrainStore& store, StepScratch& scratch,
                 const Executor& executor) {
  scratch.workers.resize(static_cast<std::size_t>(executor.threads()));
  const std::size_t tiles = store.tiles().size();
  for (std::size_t first = 0; first < tiles;) {
    std::size_t last = first;
    for (std::uint32_t grains = 0; last < tiles && grains < wave_grains; ++last)
      grains += store.tiles()[last].count;
    scratch.parcels.resize(std::max(scratch.parcels.size(), last - first));
    executor.run_chunks_with_worker(last - first, [&](std::size_t k, std::size_t worker) {
      step_tile(in, first + k, store, scratch.workers[worker], scratch.parcels[k]);
    });
    for (std::size_t k = first; k < last; ++k) store.free_rest(k);
    store.deliver(std::span(scratch.parcels).first(last - first), executor);
    first = last;
  }
  store.end_step(executor);
}

}  // namespace talus::detail
