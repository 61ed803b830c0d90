// What contacts remember while new lists of pairs are made: stored displacements, rolling, bridges.
#pragma once

#include "core/array.h"
#include "core/parallel.h"
#include "dem/contact_list.h"
#include "dem/grains.h"

#include <cstdint>
#include <span>
#include <vector>

namespace talus::dem {

class ContactMemory {
 public:
  bool empty() const { return !holds_; }
  void forget() { holds_ = false; }
  /// Takes the active contacts out of lists that end; `owner`: the grain of each of their spheres.
  void take(std::vector<ChunkList>& lists, std::span<const std::uint32_t> owner,
            const Executor& executor);
  /// The numbers by which the present lists know grains and spheres.
  void note_numbers(const Grains& grains);
  /// Gives a new list what its pairs remember. Without `bridges` only pairs that touch can.
  void give(ChunkList& list, const Grains& grains, std::span<const std::uint32_t> owner,
            bool bridges) const;
  std::size_t memory_bytes() const;

 private:
  /// Of one chunk, by its grains.
  struct Chunk {
    std::uint32_t begin = 0;
    ScratchArray<std::uint32_t> starts;  ///< per grain: its first contact
    ScratchArray<std::uint32_t> first, second;
    ScratchArray<Row> slide, turn;
    ScratchArray<std::uint32_t> wall_starts, wall_sphere;
    ScratchArray<std::uint8_t> wall_active;
    ScratchArray<Row> wall_slide, wall_turn;
  };
  struct Found {
    const Chunk* chunk = nullptr;
    std::uint32_t at = 0;
  };
  static void take_pairs(const ChunkList& list, std::span<const std::uint32_t> owner, Chunk& out);
  Found find(std::uint32_t grain, std::uint32_t first, std::uint32_t second) const;
  void give_walls(ChunkList& list, const Grains& grains,
                  std::span<const std::uint32_t> owner) const;

  bool holds_ = false;
  std::vector<Chunk> chunks_;
  ScratchArray<std::uint32_t> first_sphere_;
  std::uint32_t spheres_ = 0;
  std::size_t chunk_size_ = 1;
};

}  // namespace talus::dem
