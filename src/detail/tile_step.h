// One step of the fine grains, tile by tile: sort the grains of a tile by cell, let them follow the
// guides near their cell (tile_flow.cpp), keep them out of bodies (tile_contact.cpp), send them to
// the tiles they end in. What becomes of a grain depends on itself, the guides and the bodies
// alone, never on the grains beside it.
#pragma once

#include "detail/grain_store.h"
#include "detail/guides.h"
#include "detail/upsampling_laws.h"
#include "geometry/distance.h"
#include "math/quat.h"
#include "scene/scene.h"

#include <span>
#include <vector>

namespace talus::detail {

constexpr int tile_cells = 4;    ///< along an edge of a tile
constexpr float tile_radii = 6;  ///< edge of a tile in radii of a base particle
constexpr int cells_in_tile = tile_cells * tile_cells * tile_cells;

/// A body during one step; poses of its shape.
struct StepBody {
  const DistanceField* field = nullptr;
  Posed from, to;      ///< at the start and at the end of the step
  float friction = 0;  ///< Coulomb coefficient
};

/// All that a step depends on besides the grains.
struct StepInput {
  const GuideSet* base = nullptr;
  const GuideSet* walls = nullptr;
  std::span<const StepBody> bodies;
  DetailMethod method = DetailMethod::blend;
  SparseRule rule = SparseRule::support;
  bool interpolate = true;  ///< split: false in the steps between two interpolations
  bool separation = true;
  Vec3f fall{};            ///< gravity * dt^2, m
  float base_radius = 0;   ///< m, mean
  float grain_radius = 0;  ///< m
  std::uint32_t factor = 1;
  std::uint64_t seed = 0;
  std::span<const std::uint64_t> base_ids;  ///< by number of the base particle in this share
  std::span<const Vec3f> base_moves;        ///< likewise, m over the step; for the method fixed
};

/// One guide as the inner loop reads it, relative to the tile: 1 - d^2/h^2 = b + c.x - s x.x.
struct alignas(16) GuideTerm {
  float b, c[3], s;
  float move[3];  ///< displacement less what the rotation does, less that of the tile
  float turn[3];
  float falling;
  float volume;  ///< share of its volume that a column of unit area gets, m
};

/// Scratch of one thread.
struct TileScratch {
  GrainBlock grains;                ///< sorted by cell; eight more than there are
  ScratchArray<float> support;      ///< sum of w over base particles
  ScratchArray<float> layer;        ///< m above a body that the grain must keep beside its radius
  ScratchArray<std::uint8_t> cell;  ///< of each grain as it lies in the pages
  ScratchArray<std::uint32_t> target;   ///< its place once sorted
  ScratchArray<std::uint32_t> leavers;  ///< ascending
  std::uint32_t count = 0;
  std::array<std::uint32_t, cells_in_tile + 1> begin{};

  // Guides near the tile: base particles first, then walls.
  ScratchArray<float> guide_place[4];  ///< x y z relative to the tile, reach^2
  ScratchArray<GuideTerm> terms;
  std::uint32_t base_terms = 0;
  Vec3f common_move{};  ///< displacement taken out of all terms, so that a translation is exact
  ScratchArray<std::uint32_t> list;  ///< numbers of the terms of one cell
  std::uint32_t base_list = 0;
  bool falls = false;  ///< whether one of them falls freely

  std::vector<Vec3f> points;
  std::vector<DistanceSample> samples;
  std::vector<std::uint32_t> chosen;
};

/// Guides near a tile into the scratch.
void gather_guides(const StepInput& in, const Vec3d& centre, float tile_size, TileScratch& s);
/// The guides that reach into a cell, in the order of the tile's.
void list_guides(const Vec3f& cell_centre, float cell_size, TileScratch& s);
/// New displacements and positions of all grains of a cell.
void follow_guides(const StepInput& in, std::uint32_t begin, std::uint32_t end, TileScratch& s);
/// Height that thin sand on a surface with this normal reaches, for each grain of a cell.
void measure_layer(const StepInput& in, const Vec3f& normal, std::uint32_t begin, std::uint32_t end,
                   TileScratch& s);
/// Keeps the grains of a tile, which have moved, out of the bodies.
void collide_tile(const StepInput& in, const Vec3d& centre, float tile_size, TileScratch& s);

struct StepScratch {
  std::vector<TileScratch> workers;
  std::vector<Parcel> parcels;
};

void step_grains(const StepInput& in, GrainStore& store, StepScratch& scratch,
                 const Executor& executor);

}  // namespace talus::detail
