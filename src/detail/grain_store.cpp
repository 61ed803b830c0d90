#include "detail/grain_store.h"

#include <algorithm>
#include <cmath>

namespace talus::detail {

namespace {

constexpr int axis_bits = 21;
constexpr int axis_limit = 1 << (axis_bits - 1);

/// Ascending keys are ascending by z, y, x.
std::uint64_t key_of(const Vec3i& place) {
  const auto part = [](int v) { return static_cast<std::uint64_t>(v + axis_limit); };
  return part(place.z) << (2 * axis_bits) | part(place.y) << axis_bits | part(place.x);
}

}  // namespace

std::uint64_t GrainStore::size() const {
  std::uint64_t n = 0;
  for (const Tile& tile : tiles_) n += tile.count;
  return n;
}

std::size_t GrainStore::memory_bytes() const {
  std::size_t bytes = chunks_.size() * chunk_pages * sizeof(GrainPage);
  for (const Tile& tile : tiles_)
    bytes += sizeof(Tile) + sizeof(Incoming) + 2 * tile.pages.capacity() * sizeof(std::uint32_t);
  return bytes;
}

Vec3i GrainStore::tile_of(const Vec3d& p) const {
  const auto along = [&](double x) {
    const double t = std::floor(x / static_cast<double>(tile_size_));
    // Whoever flew past the edge of the numbered world stays in its last tile.
    return static_cast<int>(std::clamp(t, -axis_limit + 2.0, axis_limit - 3.0));
  };
  return {along(p.x), along(p.y), along(p.z)};
}

std::uint32_t GrainStore::take_page() {
  if (free_pages_.empty()) {
    const auto first = static_cast<std::uint32_t>(chunks_.size() * chunk_pages);
    chunks_.push_back(std::make_unique_for_overwrite<GrainPage[]>(chunk_pages));
    for (std::size_t k = chunk_pages; k-- > 0;)
      free_pages_.push_back(first + static_cast<std::uint32_t>(k));
  }
  const std::uint32_t page = free_pages_.back();
  free_pages_.pop_back();
  return page;
}

std::uint32_t GrainStore::find_or_make(const Vec3i& place) {
  const auto [it, fresh] =
      index_.try_emplace(key_of(place), static_cast<std::uint32_t>(tiles_.size()));
  if (fresh) {
    tiles_.push_back({place, {}, 0});
    incoming_.emplace_back();
  }
  return it->second;
}

void GrainStore::put_back(std::size_t index, const GrainBlock& grains, std::uint32_t count) {
  Tile& tile = tiles_[index];
  for (std::uint32_t i = 0; i < count; i += page_size) {
    const std::uint32_t n = std::min(page_size, count - i);
    copy_grains(grains, i, page(tile.pages[i / page_size]), 0, n);
  }
  tile.count = count;
}

void GrainStore::free_rest(std::size_t index) {
  Tile& tile = tiles_[index];
  while (tile.pages.size() > (std::size_t{tile.count} + page_size - 1) / page_size) {
    free_pages_.push_back(tile.pages.back());
    tile.pages.pop_back();
  }
}

void GrainStore::copy_in(Incoming& to, const Range& range) {
  for (std::uint32_t from = range.begin; from < range.end;) {
    const std::uint32_t at = to.count % page_size;
    const std::uint32_t n = std::min(page_size - at, range.end - from);
    copy_grains(range.parcel->grains, from, page(to.pages[to.count / page_size]), at, n);
    from += n;
    to.count += n;
  }
}

void GrainStore::append(Incoming& to, const FarGrain& grain) {
  if (to.count == to.pages.size() * page_size) to.pages.push_back(take_page());
  GrainPage& target = page(to.pages[to.count / page_size]);
  const std::uint32_t at = to.count % page_size;
  for (int f = 0; f < grain_fields; ++f) target.field[f][at] = grain.field[f];
  target.id[at] = grain.id;
  ++to.count;
}

void GrainStore::deliver(std::span<Parcel> parcels, const Executor& executor) {
  touched_.clear();
  for (const Parcel& parcel : parcels)
    for (int d = 0; d < 27; ++d) {
      const Range range{&parcel, parcel.begin[d], parcel.begin[d + 1]};
      if (range.begin == range.end) continue;
      const std::uint32_t to = find_or_make(parcel.tile + direction(d));
      Incoming& incoming = incoming_[to];
      if (incoming.ranges.empty()) touched_.push_back(to);
      incoming.ranges.push_back(range);
      incoming.expected += range.end - range.begin;
    }
  for (const std::uint32_t to : touched_) {
    Incoming& incoming = incoming_[to];
    const std::size_t wanted =
        (std::size_t{incoming.count} + incoming.expected + page_size - 1) / page_size;
    while (incoming.pages.size() < wanted) incoming.pages.push_back(take_page());
  }
  executor.run_chunks(touched_.size(), [&](std::size_t k) {
    Incoming& incoming = incoming_[touched_[k]];
    for (const Range& range : incoming.ranges) copy_in(incoming, range);
    incoming.ranges.clear();
    incoming.expected = 0;
  });
  for (const Parcel& parcel : parcels)
    for (const FarGrain& grain : parcel.far) append(incoming_[find_or_make(grain.tile)], grain);
}

/// Behind the grains of the tile, whose pages suffice.
void GrainStore::take_incoming(Tile& tile, const Incoming& incoming) {
  for (std::uint32_t i = 0; i < incoming.count;) {
    const std::uint32_t at = tile.count % page_size, from = i % page_size;
    const std::uint32_t n = std::min({page_size - at, page_size - from, incoming.count - i});
    copy_grains(page(incoming.pages[i / page_size]), from, page(tile.pages[tile.count / page_size]),
                at, n);
    i += n;
    tile.count += n;
  }
}

void GrainStore::end_step(const Executor& executor) {
  touched_.clear();
  for (std::size_t k = 0; k < tiles_.size(); ++k) {
    Tile& tile = tiles_[k];
    Incoming& incoming = incoming_[k];
    if (incoming.count == 0) continue;
    if (tile.count == 0) {
      free_rest(k);
      std::swap(tile.pages, incoming.pages);
      std::swap(tile.count, incoming.count);
      continue;
    }
    touched_.push_back(static_cast<std::uint32_t>(k));
    const std::size_t wanted =
        (std::size_t{tile.count} + incoming.count + page_size - 1) / page_size;
    while (tile.pages.size() < wanted) tile.pages.push_back(take_page());
  }
  executor.run_chunks(touched_.size(), [&](std::size_t k) {
    take_incoming(tiles_[touched_[k]], incoming_[touched_[k]]);
  });
  for (const std::uint32_t k : touched_) {
    Incoming& incoming = incoming_[k];
    free_pages_.insert(free_pages_.end(), incoming.pages.begin(), incoming.pages.end());
    incoming.pages.clear();
    incoming.count = 0;
  }
  drop_empty_tiles();
}

void GrainStore::drop_empty_tiles() {
  bool sorted = true;
  std::size_t kept = 0;
  for (std::size_t k = 0; k < tiles_.size(); ++k) {
    Tile& tile = tiles_[k];
    if (tile.count == 0) {
      free_rest(k);
      continue;
    }
    if (kept > 0 && key_of(tiles_[kept - 1].place) > key_of(tile.place)) sorted = false;
    if (kept != k) std::swap(tiles_[kept], tile);
    ++kept;
  }
  if (kept == tiles_.size() && sorted) return;
  tiles_.resize(kept);
  std::sort(tiles_.begin(), tiles_.end(),
            [](const Tile& a, const Tile& b) { return key_of(a.place) < key_of(b.place); });
  incoming_.assign(kept, {});
  index_.clear();
  for (std::size_t k = 0; k < kept; ++k)
    index_.emplace(key_of(tiles_[k].place), static_cast<std::uint32_t>(k));
}

void GrainStore::filter(FunctionRef<bool(std::uint32_t)> keep) {
  for (std::size_t k = 0; k < tiles_.size(); ++k) {
    Tile& tile = tiles_[k];
    std::uint32_t kept = 0;
    for (std::uint32_t i = 0; i < tile.count; ++i) {
      const GrainPage& from = page(tile.pages[i / page_size]);
      if (!keep(from.id[i % page_size])) continue;
      copy_grains(from, i % page_size, page(tile.pages[kept / page_size]), kept % page_size, 1);
      ++kept;
    }
    tile.count = kept;
    free_rest(k);
  }
  drop_empty_tiles();
}

void GrainStore::clear() {
  for (Tile& tile : tiles_) tile.count = 0;
  drop_empty_tiles();
}

}  // namespace talus::detail
