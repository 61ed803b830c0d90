// What the phases of a step share.
#pragma once

#include "dem/contact_list.h"
#include "dem/contact_record.h"
#include "dem/grains.h"
#include "dem/pair_laws.h"
#include "dem/wall_faces.h"

#include <vector>

namespace talus::dem {

struct StepInput {
  const Grains* grains = nullptr;
  const ShapeTable* shapes = nullptr;
  const PairLaws* laws = nullptr;
  const WallFaces* walls = nullptr;
  const Records* read = nullptr;
  const std::uint32_t* owner = nullptr;                      ///< per sphere of a grain: the grain
  std::span<const std::array<std::int32_t, 3>> image_shift;  ///< quanta
  float quantum = 0;                                         ///< m
  float last_dt = 0;                                         ///< s, that brought the grains here
  bool periodic = false;
  bool plain = false;        ///< see is_plain
  bool stored_arms = false;  ///< of clumps; else they are differences of centres and places
  std::size_t classes = gap_classes.size();  ///< of gaps that can have closed by now
};

/// One dry law for all, no rolling resistance and no rough bodies: worth a loop of its own.
inline bool is_plain(const PairLaws& laws, const WallFaces& walls) {
  return laws.uniform() && !laws.rolls() && !laws.moist() && walls.rough().empty();
}

/// Forces and moments on the grains of a chunk; then a pair of rows for what belongs to other
/// chunks, and one for each body. The fourth item of a body's force is the stiffness of its
/// contacts, N/m.
struct ChunkForces {
  ScratchArray<RowPair> rows;
  ScratchArray<std::uint32_t> touching;  ///< numbers of pairs
  std::size_t grains = 0;
  std::vector<ContactRecord>* record = nullptr;  ///< takes the contacts that the chunk owns

  void clear(std::size_t grain_count, std::size_t bodies) {
    grains = grain_count;
    rows.resize(grain_count + 1 + bodies);
    for (RowPair& r : rows) r = {make_row(0, 0, 0, 0), make_row(0, 0, 0, 0)};
  }
  void add(std::size_t slot, const Row& force, const Row& moment) {
    rows[slot] = {rows[slot].first + force, rows[slot].second + moment};
  }
};

struct ContactTally {
  std::uint64_t contacts = 0;
  float stiffest = 0;  ///< 1/s^2, greatest stiffness over effective mass
};

}  // namespace talus::dem
