// Which spheres may touch: lists of sphere pairs within a skin, valid until something has moved by
// half of it.
//
// Grains are sorted along the cells' curve and cut into chunks of consecutive grains. Each chunk
// has a list of its own: pairs inside it once, pairs that leave it in both chunks concerned. A
// chunk can so compute all forces on its grains, each in a fixed order, without waiting for or
// writing to another chunk; pairs that are computed twice give the same bits, because both chunks
// keep the pair in the same order.
#pragma once

#include "core/array.h"
#include "core/parallel.h"
#include "dem/grains.h"
#include "dem/wall_faces.h"
#include "geometry/cell_grid.h"
#include "scene/scene.h"

#include <array>
#include <cstdint>
#include <vector>

namespace talus::dem {

/// Displacements of the images in a periodic world; number 0 is none.
struct Images {
  std::array<bool, 3> axis{};
  Vec3d lower{}, length{};
  std::vector<Vec3d> shift{Vec3d{}};

  static Images of(const Scene& scene);
  bool any() const { return shift.size() > 1; }
  std::size_t opposite(std::size_t image) const;
  bool reaches(const Vec3f& p, float far) const;
};

/// Bits of a pair's second sphere that tell which image of the first one is meant.
constexpr unsigned image_bit = 27;
/// Skin of moving bodies over the skin of grains.
constexpr float moving_skin = 4;
constexpr std::uint32_t sphere_mask = (1u << image_bit) - 1;

struct ChunkList {
  std::uint32_t begin = 0, end = 0;         ///< grains
  ScratchArray<std::uint32_t> first;        ///< sphere of the grain that comes first in the order
  ScratchArray<std::uint32_t> second;       ///< sphere of the other, and the image
  ScratchArray<std::uint8_t> active;        ///< one bit per pair: touches or is bridged
  ScratchArray<Row> slide;                  ///< per pair: stored displacement and stiffness
  ScratchArray<Row> turn;                   ///< per pair: stored rolling and stiffness
  ScratchArray<std::uint32_t> starts;       ///< per grain of the chunk: its first pair
  std::uint32_t owned = 0;                  ///< pairs whose first grain is in the chunk
  std::uint32_t pairs = 0;                  ///< those, and the ones shared with chunks before
  ScratchArray<std::uint32_t> wall_starts;  ///< per face: its first entry
  ScratchArray<std::uint32_t> wall_sphere;  ///< ascending within a face
  ScratchArray<std::uint8_t> wall_active;   ///< per entry
  ScratchArray<Row> wall_slide;             ///< per entry
  ScratchArray<Row> wall_turn;              ///< per entry

  std::size_t memory_bytes() const;
};
ChunkList copy_of(const ChunkList& list);

class ContactLists {
 public:
  struct Limits {
    float skin = 0;          ///< m
    float reach = 0;         ///< m, longest bridge
    float largest_size = 0;  ///< m, of grains
    float farthest = 0;      ///< m; grains beyond are left alone
    bool stored = false;     ///< contacts store a displacement
    bool turns = false;      ///< and how far they rolled
    bool remembers = false;  ///< that, or which of them are bridged
  };

  /// Sorts the grains and makes new lists; carries over what contacts remember.
  void build(Grains& grains, const ShapeTable& shapes, const Images& images, const WallFaces& walls,
             const Limits& limits, const Executor& executor);
  /// Makes lists for grains as they are, sorted before, and remembers nothing.
  void rebuild_sorted(Grains& grains, const ShapeTable& shapes, const Images& images,
                      const WallFaces& walls, const Limits& limits, const Executor& executor);

  std::vector<ChunkList>& chunks() { return lists_; }
  const std::vector<ChunkList>& chunks() const { return lists_; }
  std::size_t memory_bytes() const;
  static std::size_t chunk_size(std::size_t grains);

 private:
  /// The occupied cells around one cell.
  struct Around {
    Vec3i cell{};
    std::vector<CellGrid::Range> ranges;
    void look(const CellGrid& grid, const Vec3f& p);
  };
  struct Near {
    std::vector<std::uint32_t> later, before;
  };
  /// Scratch of a worker.
  struct Search {
    Around around[2];  ///< of the grain itself, of its images
    Near near;
    ScratchArray<std::uint32_t> first, second;  ///< pairs shared with chunks before
  };
  void list_chunk(ChunkList& list, const Grains& grains, const ShapeTable& shapes,
                  const Images& images, const WallFaces& walls, const Limits& limits,
                  Search& search) const;
  void list_grain(ChunkList& list, std::uint32_t i, const Grains& grains, const Images& images,
                  const Limits& limits, Search& search) const;
  void find_near(const ChunkList& list, std::uint32_t i, const Vec3f& p, float own,
                 const Grains& grains, const Around& around, Near& out) const;
  void pair_spheres(std::uint32_t a, std::uint32_t b, std::size_t image, const Vec3d& shift,
                    const Grains& grains, const Limits& limits, ScratchArray<std::uint32_t>& first,
                    ScratchArray<std::uint32_t>& second) const;
  void list_rough(ChunkList& list, std::uint32_t i, const Grains& grains, const WallFaces& walls,
                  const Limits& limits) const;
  void list_walls(ChunkList& list, const Grains& grains, const ShapeTable& shapes,
                  const WallFaces& walls, const Limits& limits) const;
  void inherit(ChunkList& list, const Grains& grains) const;
  void inherit_walls(ChunkList& list, const Grains& grains) const;
  const ChunkList* old_chunk(std::uint32_t grain) const;
  struct Memory {
    Row slide{}, turn{};
  };
  bool find_old(std::uint32_t first, std::uint32_t second, Memory& memory) const;
  void remember(Grains& grains, const Executor& executor);
  void take_points(const Grains& grains, const Executor& executor);
  void remember_numbers(const Grains& grains);
  void make(Grains& grains, const ShapeTable& shapes, const Images& images, const WallFaces& walls,
            const Limits& limits, const Executor& executor);

  std::vector<ChunkList> lists_, old_;
  ScratchArray<std::uint32_t> old_first_sphere_;
  std::uint32_t old_spheres_ = 0;
  std::size_t old_chunk_size_ = 1;
  std::vector<Search> searches_;
  CellGrid grid_, wall_grid_;
  ScratchArray<Vec3f> points_;
  ScratchArray<Vec3f> arms_;           ///< per sphere, world axes
  ScratchArray<float> radii_;          ///< per sphere
  ScratchArray<std::uint32_t> owner_;  ///< per sphere: its grain
};

}  // namespace talus::dem
