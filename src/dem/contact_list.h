// Which spheres may touch: lists of sphere pairs within a skin, valid until something has moved by
// half of it. Every grain has a skin of its own, by its speed, and a pair the mean of two: the few
// that fly do not wear out the lists of the many that rest. `travel` is counted in skins therefore.
//
// Grains are sorted along the cells' curve and cut into chunks of consecutive grains. Each chunk
// has a list of its own: pairs inside it once, pairs that leave it in both chunks concerned. A
// chunk can so compute all forces on its grains, each in a fixed order, without waiting for or
// writing to another chunk; pairs that are computed twice give the same bits, because both chunks
// keep the pair in the same order.
//
// A list begins with the pairs that touch when it is made; most of them do so as long as it lasts,
// and their laws are evaluated without asking. The others follow in classes by the gap between
// them, which nobody needs to look at before grains have travelled half of it.
#pragma once

#include "core/array.h"
#include "core/parallel.h"
#include "dem/grains.h"
#include "dem/wall_faces.h"
#include "geometry/cell_grid.h"
#include "scene/scene.h"

#include <array>
#include <cstdint>
#include <memory>
#include <span>
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
/// Skins of bodies that move are wider by this many of the least skin of a grain, so that bodies
/// alone do not wear the lists out; grains use up half of their own skin besides.
constexpr float body_skins = 3;
/// How far a body may move before lists are worn, in least skins: what it has of its own, and the
/// half of the grain's skin that the grain leaves.
constexpr double most_body_travel = double{body_skins} + 0.5;
/// Cells and lists are made from rounded positions; this much of a grain's size makes up for it.
constexpr float rounding_margin = 1e-4f;
constexpr std::uint32_t sphere_mask = (1u << image_bit) - 1;

/// Lower ends of the classes of pairs by their gap, over the skin; before them those that touch.
constexpr std::array<float, 6> gap_classes{0, 1 / 16.0f, 1 / 8.0f, 1 / 4.0f, 1 / 2.0f, 3 / 4.0f};

struct ChunkList {
  std::uint32_t begin = 0, end = 0;    ///< grains
  std::uint32_t first_sphere = 0;      ///< of the first grain
  ScratchArray<std::uint32_t> first;   ///< sphere of the grain that comes first in the order
  ScratchArray<std::uint32_t> second;  ///< sphere of the other, and the image
  ScratchArray<std::uint8_t> active;   ///< one bit per pair: touches or is bridged
  ScratchArray<Row> slide;             ///< per pair: stored displacement and stiffness
  ScratchArray<Row> turn;              ///< per pair: stored rolling and stiffness
  ScratchArray<std::uint32_t> guests;  ///< grains of other chunks in pairs that touch, ascending
  std::uint32_t pairs = 0;             ///< without those that fill the last group of eight
  std::array<std::uint32_t, gap_classes.size() + 2> class_starts{};  ///< touching, then by gap
  ScratchArray<std::uint32_t> wall_starts;                           ///< per face: its first entry
  ScratchArray<std::uint32_t> wall_sphere;                           ///< ascending within a face
  ScratchArray<std::uint8_t> wall_active;                            ///< per entry
  ScratchArray<Row> wall_slide;                                      ///< per entry
  ScratchArray<Row> wall_turn;                                       ///< per entry

  /// Pairs whose first grain is in a chunk before are that chunk's.
  bool owns(std::uint32_t pair) const { return first[pair] >= first_sphere; }
  /// `owner`: the grain of each sphere; `last_sphere`: behind those of the chunk.
  void note_guests(std::span<const std::uint32_t> owner, std::uint32_t last_sphere);
  std::size_t memory_bytes() const;
};
ChunkList copy_of(const ChunkList& list);

class ContactMemory;

class ContactLists {
 public:
  ContactLists();
  ~ContactLists();

  struct Limits {
    float skin = 0;          ///< m, the least of a grain
    float dense_skin = 0;    ///< m, what all grains of a dense flow may have
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
  const std::uint32_t* owners() const { return owner_.data(); }  ///< per sphere: its grain
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
  /// Some of the grains, in cells wide enough for the widest skin.
  struct WideCells {
    std::vector<std::uint32_t> grains;
    ScratchArray<Vec3f> points;
    CellGrid grid;

    void clear();
    void add(std::uint32_t grain, const Vec3f& at);
    std::size_t memory_bytes() const;
  };
  struct PairClass {
    ScratchArray<std::uint32_t> first, second;
  };
  /// Scratch of a worker.
  struct Search {
    Around around[2];   ///< of the grain itself, of its images
    Around flyers[2];   ///< likewise
    Around resting[2];  ///< likewise
    Near near;
    std::array<PairClass, gap_classes.size() + 1> classes;
  };
  void list_chunk(ChunkList& list, const Grains& grains, const ShapeTable& shapes,
                  const Images& images, const WallFaces& walls, const Limits& limits,
                  Search& search) const;
  void list_grain(const ChunkList& list, std::uint32_t i, const Grains& grains,
                  const Images& images, const Limits& limits, Search& search) const;
  void find_near(const ChunkList& list, std::uint32_t i, const Vec3f& p, bool image,
                 const Grains& grains, const Limits& limits, Search& search) const;
  void pair_spheres(std::uint32_t a, std::uint32_t b, std::size_t image, const Vec3d& shift,
                    const Grains& grains, const Limits& limits, Search& search) const;
  void choose_skins(Grains& grains, const Limits& limits, const Executor& executor);
  void find_flyers(const Grains& grains, const Limits& limits, const Executor& executor);
  void list_rough(std::uint32_t i, const Grains& grains, const WallFaces& walls,
                  const Limits& limits, Search& search) const;
  void list_walls(ChunkList& list, const Grains& grains, const ShapeTable& shapes,
                  const WallFaces& walls, const Limits& limits) const;
  static void join_classes(ChunkList& list, Search& search);
  void remember(Grains& grains, const Executor& executor);
  void take_points(const Grains& grains, const Executor& executor);
  void make(Grains& grains, const ShapeTable& shapes, const Images& images, const WallFaces& walls,
            const Limits& limits, const Executor& executor);

  std::vector<ChunkList> lists_;
  std::unique_ptr<ContactMemory> memory_;
  std::vector<Search> searches_;
  CellGrid grid_, wall_grid_;
  WideCells flyers_;           ///< grains with more than the least skin
  WideCells resting_;          ///< the others, while there are flyers
  float widest_ = 0;           ///< m, of all skins
  ScratchArray<float> crowd_;  ///< per grain: how many share its cell
  ScratchArray<Vec3f> points_;
  ScratchArray<Vec3f> arms_;           ///< per sphere, world axes
  ScratchArray<float> radii_;          ///< per sphere
  ScratchArray<std::uint32_t> owner_;  ///< per sphere: its grain
};

}  // namespace talus::dem
