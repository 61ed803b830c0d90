// Fine grains in memory: sorted into tiles of space, each tile a list of pages. A step reads the
// pages of a tile, puts those of its grains back that stay, and delivers the others to the tiles
// they end in, wave by wave; so the store needs 28 bytes for a grain and a few megabytes, never a
// second copy of everything.
// Positions are relative to the centre of the tile: as precise far from the origin as near it.
#pragma once

#include "core/array.h"
#include "core/parallel.h"
#include "math/vec.h"

#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

namespace talus::detail {

constexpr std::uint32_t page_size = 64;
constexpr int grain_fields = 6;  ///< x y z of the position, x y z of the displacement

struct GrainPage {
  float field[grain_fields][page_size];
  std::uint32_t id[page_size];  ///< number of the base particle in this share * factor + grain
};

/// Grains in arrays of their own, outside the pages.
struct GrainBlock {
  std::array<ScratchArray<float>, grain_fields> field;
  ScratchArray<std::uint32_t> id;

  void resize(std::size_t n) {
    for (auto& f : field) f.resize(n);
    id.resize(n);
  }
  std::size_t size() const { return id.size(); }
  std::size_t memory_bytes() const {
    std::size_t bytes = id.memory_bytes();
    for (const auto& f : field) bytes += f.memory_bytes();
    return bytes;
  }
};

/// n grains from one page or block to another, from place `at` on to place `to_at` on.
template <class From, class To>
void copy_grains(const From& from, std::uint32_t at, To& to, std::uint32_t to_at, std::uint32_t n) {
  const auto copy = [n](const auto* a, auto* b) {
    if (n >= 8) {
      std::memcpy(b, a, n * sizeof *a);
    } else {
      for (std::uint32_t k = 0; k < n; ++k) b[k] = a[k];
    }
  };
  for (int f = 0; f < grain_fields; ++f) copy(&from.field[f][at], &to.field[f][to_at]);
  copy(&from.id[at], &to.id[to_at]);
}

struct FarGrain {
  Vec3i tile;
  std::array<float, grain_fields> field;
  std::uint32_t id;
};

/// The 27 tiles around and including one, numbered 0..26; 13 is itself.
inline Vec3i direction(int d) { return {d % 3 - 1, d / 3 % 3 - 1, d / 9 - 1}; }

/// What a tile sends away after its step.
struct Parcel {
  Vec3i tile;
  GrainBlock grains;  ///< to the neighbours, grouped by direction
  std::array<std::uint32_t, 28> begin{};
  std::vector<FarGrain> far;  ///< beyond them
};

class GrainStore {
 public:
  struct Tile {
    Vec3i place;
    std::vector<std::uint32_t> pages;
    std::uint32_t count = 0;
  };

  explicit GrainStore(float tile_size) : tile_size_(tile_size) {}

  float tile_size() const { return tile_size_; }
  std::uint64_t size() const;
  std::size_t memory_bytes() const;
  /// Ascending by z, y, x between steps.
  std::span<const Tile> tiles() const { return tiles_; }
  const GrainPage& page(std::uint32_t index) const {
    return chunks_[index / chunk_pages][index % chunk_pages];
  }
  GrainPage& page(std::uint32_t index) { return chunks_[index / chunk_pages][index % chunk_pages]; }

  Vec3i tile_of(const Vec3d& p) const;
  Vec3d centre(const Vec3i& tile) const {
    const double s = tile_size_;
    return {(tile.x + 0.5) * s, (tile.y + 0.5) * s, (tile.z + 0.5) * s};
  }

  /// The first `count` of the grains, no more than the tile had, are what is left of it. Different
  /// tiles may be written at the same time.
  void put_back(std::size_t index, const GrainBlock& grains, std::uint32_t count);
  /// Pages that put_back() left empty are free for whoever comes next.
  void free_rest(std::size_t index);
  /// Takes what the parcels hold, in their order. Tiles that do not exist yet are made.
  void deliver(std::span<Parcel> parcels, const Executor& executor);
  /// Grains that deliver() brought belong to the next step: this makes it the present one.
  void end_step(const Executor& executor);
  /// Keeps the grains with keep(id).
  void filter(FunctionRef<bool(std::uint32_t)> keep);
  void clear();

 private:
  struct Range {
    const Parcel* parcel;
    std::uint32_t begin, end;
  };
  struct Incoming {
    std::vector<std::uint32_t> pages;
    std::uint32_t count = 0;
    std::uint32_t expected = 0;
    std::vector<Range> ranges;
  };
  static constexpr std::size_t chunk_pages = 512;

  std::uint32_t find_or_make(const Vec3i& place);
  std::uint32_t take_page();
  void copy_in(Incoming& to, const Range& range);
  void append(Incoming& to, const FarGrain& grain);
  void take_incoming(Tile& tile, const Incoming& incoming);
  void drop_empty_tiles();

  float tile_size_;
  std::vector<Tile> tiles_;
  std::vector<Incoming> incoming_;  ///< beside tiles_
  std::unordered_map<std::uint64_t, std::uint32_t> index_;
  std::vector<std::uint32_t> touched_;
  std::vector<std::unique_ptr<GrainPage[]>> chunks_;
  std::vector<std::uint32_t> free_pages_;
};

}  // namespace talus::detail
