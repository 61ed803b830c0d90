// The grains: their exact state, and the records that contacts are made from.
//
// State is double (a step moves a grain by 1e-9 of its size), one array for each component, padded
// to whole groups of four. Records are what a contact reads: sixteen bytes each, gathered by index,
// positions as integers that count steps of `quantum` on a circle of 2^32. A difference of two such
// numbers is exact, wherever in the world the pair is and however small its overlap: 2^-26 of the
// largest sphere's radius. Records exist twice, so that a step reads one set and writes the other.
#pragma once

#include "core/array.h"
#include "core/parallel.h"
#include "dem/grain_shape.h"
#include "math/wide_records.h"

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace talus::dem {

struct Records {
  ScratchArray<Row> centre;      ///< per sphere: x, y, z in quanta (wrapped); radius, m
  ScratchArray<Row> arm;         ///< per sphere: offset from the grain's centre, m; grain's index
  ScratchArray<Row> place;       ///< per grain, instead of arms: its centre in quanta (wrapped)
  ScratchArray<RowPair> motion;  ///< per grain: velocity, m/s, and 1/mass; spin, rad/s, and surface
};

inline float bits_as_float(std::uint32_t bits) {
  float f;
  __builtin_memcpy(&f, &bits, sizeof f);
  return f;
}
inline std::uint32_t float_as_bits(float f) {
  std::uint32_t bits;
  __builtin_memcpy(&bits, &f, sizeof bits);
  return bits;
}

/// Ball of a shape, as the hot loop wants it.
struct ShapeBall {
  double x, y, z, radius;
};
struct ShapeTable {
  std::vector<ShapeBall> balls;         ///< of all shapes, one after the other
  std::vector<std::uint32_t> first;     ///< per shape, and one past the last
  std::vector<std::uint8_t> isotropic;  ///< per shape
  double greatest_arm = 0;              ///< over all shapes, of diameter 1
  bool clumps = false;                  ///< any shape with more than one ball; else all are round
  /// Sphere numbers shifted by this are grain numbers: all shapes have that power of two of balls.
  int grain_shift = -1;
  std::uint32_t count(std::size_t s) const { return first[s + 1] - first[s]; }
};
ShapeTable make_shape_table(std::span<const GrainShape> shapes);

struct Grains {
  static constexpr std::uint32_t none = 0xffffffffu;

  std::size_t count = 0;
  std::array<ScratchArray<double>, 3> x;  ///< m
  std::array<ScratchArray<double>, 3> v;  ///< m/s, half a step before x
  std::array<ScratchArray<double>, 3> l;  ///< kg m^2/s, angular momentum, half a step before x
  std::array<ScratchArray<double>, 4> q;  ///< principal frame to world: w, x, y, z
  /// rad: a single sphere's turns since q was brought up to date. Nothing that it does depends on
  /// how it is turned, and three sums cost less than a product of quaternions in each step.
  std::array<ScratchArray<float>, 3> turned;
  ScratchArray<RowPair> motion;  ///< of this instant, while no records hold it
  std::array<ScratchArray<float>, 3> inverse_inertia;  ///< 1/(kg m^2), principal
  ScratchArray<float> inverse_mass;                    ///< 1/kg
  ScratchArray<float> size;                            ///< m, bounding diameter
  ScratchArray<float> skin;                            ///< m, see contact_list.h
  ScratchArray<std::uint32_t> shape;                   ///< = material
  ScratchArray<std::uint64_t> id;
  ScratchArray<std::uint32_t> listed_index;  ///< place when the lists were made; none for new ones
  ScratchArray<std::uint32_t> first_sphere;  ///< per grain, and one past the last
  std::array<ScratchArray<double>, 7> listed;  ///< x and q when the contact lists were made

  std::size_t padded() const { return (count + 3) / 4 * 4; }
  std::size_t spheres() const { return count == 0 ? 0 : first_sphere[count]; }
  /// New items are uninitialised; padding is made harmless by finish().
  void resize(std::size_t n);
  void finish(const ShapeTable& shapes);
  void reorder(std::span<const std::uint32_t> order, const Executor& executor);
  void compact(std::span<const std::uint8_t> keep);
  std::size_t memory_bytes() const;

  Vec3d position(std::size_t i) const { return {x[0][i], x[1][i], x[2][i]}; }
  Quatd orientation(std::size_t i) const;
  /// Brings q of those of the grains [begin, end) up to date that turned by more than `least`.
  void apply_turns(std::size_t begin, std::size_t end, double least);

  template <class Visit>
  void for_each_array(Visit&& visit) {
    for (auto& a : x) visit(a);
    for (auto& a : v) visit(a);
    for (auto& a : l) visit(a);
    for (auto& a : q) visit(a);
    for (auto& a : turned) visit(a);
    for (auto& a : inverse_inertia) visit(a);
    for (auto& a : listed) visit(a);
    visit(motion);
    visit(inverse_mass);
    visit(size);
    visit(skin);
    visit(shape);
    visit(id);
    visit(listed_index);
  }

 private:
  ScratchArray<std::byte> scratch_;
};

}  // namespace talus::dem
