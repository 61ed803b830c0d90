#include "detail/tile_step.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace talus::detail {

namespace {

/// Grains stepped between two deliveries: enough work for all cores, little memory.
constexpr std::uint32_t wave_grains = 300'000;

std::uint8_t cell_along(float x, float inverse_cell) {
  const float c = (x * inverse_cell) + 0.5f * tile_cells;
  return static_cast<std::uint8_t>(min(max(c, 0.0f), static_cast<float>(tile_cells) - 0.5f));
}

template <class T>
void copy_run(const T* from, T* to, std::uint32_t n) {
  if (n >= 8) {
    std::memcpy(to, from, n * sizeof(T));
  } else {
    for (std::uint32_t k = 0; k < n; ++k) to[k] = from[k];
  }
}

/// The grains of a tile, sorted by cell, into the scratch. Stable.
void load_sorted(const GrainStore& store, const GrainStore::Tile& tile, TileScratch& s) {
  s.count = tile.count;
  s.cell.resize(tile.count);
  s.grains.resize(tile.count + wide_width);
  s.support.resize(tile.count + wide_width);
  s.layer.resize(tile.count + wide_width);
  const float inverse = static_cast<float>(tile_cells) / store.tile_size();
  std::array<std::uint32_t, cells_in_tile + 1> next{};
  for (std::uint32_t i = 0; i < tile.count; i += page_size) {
    const GrainPage& page = store.page(tile.pages[i / page_size]);
    const std::uint32_t n = std::min(page_size, tile.count - i);
    std::uint8_t* cell = &s.cell[i];
    for (std::uint32_t k = 0; k < n; ++k) {
      const auto x = cell_along(page.field[0][k], inverse);
      const auto y = cell_along(page.field[1][k], inverse);
      const auto z = cell_along(page.field[2][k], inverse);
      cell[k] = static_cast<std::uint8_t>(x + tile_cells * (y + tile_cells * z));
    }
    for (std::uint32_t k = 0; k < n; ++k) ++next[cell[k] + 1u];
  }
  for (int c = 0; c < cells_in_tile; ++c) next[c + 1] += next[c];
  s.begin = next;
  // Grains of the last step's cells still lie together: copy them in runs.
  for (std::uint32_t i = 0; i < tile.count; i += page_size) {
    const GrainPage& page = store.page(tile.pages[i / page_size]);
    const std::uint32_t n = std::min(page_size, tile.count - i);
    for (std::uint32_t k = 0; k < n;) {
      const std::uint8_t cell = s.cell[i + k];
      std::uint32_t end = k + 1;
      while (end < n && s.cell[i + end] == cell) ++end;
      const std::uint32_t to = next[cell];
      next[cell] += end - k;
      for (int f = 0; f < grain_fields; ++f)
        copy_run(&page.field[f][k], &s.grains.field[f][to], end - k);
      copy_run(&page.id[k], &s.grains.id[to], end - k);
      k = end;
    }
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

void send(const TileScratch& s, std::uint32_t i, std::uint32_t to, const Vec3f& shift,
          GrainBlock& out) {
  for (int f = 0; f < 3; ++f) out.field[f][to] = s.grains.field[f][i] - shift[f];
  for (int f = 3; f < grain_fields; ++f) out.field[f][to] = s.grains.field[f][i];
  out.id[to] = s.grains.id[i];
}

void pack(const GrainStore& store, const Vec3d& centre, TileScratch& s, Parcel& out) {
  const float size = store.tile_size(), half = 0.5f * size;
  const auto& g = s.grains.field;
  out.far.clear();
  std::array<std::uint32_t, 28> next{};
  s.cell.resize(s.count);
  constexpr std::uint8_t far_away = 27, here = 13;
  std::uint32_t elsewhere = 0;
  for (std::uint32_t i = 0; i < s.count; ++i) {
    const bool stays =
        (std::abs(g[0][i]) < half) & (std::abs(g[1][i]) < half) & (std::abs(g[2][i]) < half);
    s.cell[i] = stays ? here : 0;
  }
  for (std::uint32_t i = 0; i < s.count; ++i) {
    if (s.cell[i] == here) continue;
    ++elsewhere;
    const int d = direction_of(g[0][i], g[1][i], g[2][i], half);
    s.cell[i] = d < 0 ? far_away : static_cast<std::uint8_t>(d);
    if (d >= 0) ++next[static_cast<std::size_t>(d) + 1];
  }
  next[here + 1] += s.count - elsewhere;
  for (std::size_t d = 0; d < 27; ++d) next[d + 1] += next[d];
  out.begin = next;
  out.grains.resize(next[27]);
  Vec3f shift[27];
  for (int d = 0; d < 27; ++d) shift[d] = Vec3f(direction(d)) * size;
  for (std::uint32_t i = 0; i < s.count; ++i) {
    const std::uint8_t d = s.cell[i];
    if (d == here) {
      std::uint32_t end = i + 1;
      while (end < s.count && s.cell[end] == here) ++end;
      for (int f = 0; f < grain_fields; ++f)
        copy_run(&g[f][i], &out.grains.field[f][next[here]], end - i);
      copy_run(&s.grains.id[i], &out.grains.id[next[here]], end - i);
      next[here] += end - i;
      i = end - 1;
      continue;
    }
    if (d != far_away) {
      send(s, i, next[d]++, shift[d], out.grains);
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
}

void step_tile(const StepInput& in, const GrainStore& store, const GrainStore::Tile& tile,
               TileScratch& s, Parcel& out) {
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
  pack(store, centre, s, out);
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
      step_tile(in, store, store.tiles()[first + k], scratch.workers[worker], scratch.parcels[k]);
    });
    for (std::size_t k = first; k < last; ++k) store.clear_tile(k);
    store.deliver(std::span(scratch.parcels).first(last - first), executor);
    first = last;
  }
  store.end_step();
}

}  // namespace talus::detail
