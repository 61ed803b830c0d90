// The bed of grains that the experiments on forces share (Longmore 2009, section 7.2.1, after
// Silbert, Grest & Landry 2002): its scene, its settled state, its contacts.
#pragma once

#include "lab/settled.h"
#include "scene/scene.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

namespace talus::lab {

struct BedKind {
  double friction = 0.5;  ///< of grains, wall, base and plunger
  bool spheres = false;   ///< instead of tetrahedra: a control
  /// Friction that resists sliding but does not hold (thesis Eq. 3.28); else it is stored.
  bool fading_friction = false;
  std::uint64_t seed = 1;  ///< of the places the grains fall from
  bool walled = true;      ///< in a cylinder; else the sides repeat
};

/// The bed at rest: 7 K grains in a cylinder, 9 K without, or 61 K in one of full size.
Result<std::unique_ptr<Simulation>> settled_bed(const LabContext& context, const BedKind& kind);

/// One place where two grains touch.
struct BedContact {
  std::uint64_t grain_a = 0, grain_b = 0;
  std::uint32_t sphere_a = 0, sphere_b = 0;
  Vec3d point{}, normal{};  ///< from b to a
  Vec3d apart{};            ///< m, from the centre of grain b to that of a
  Vec3d tangential{};       ///< N, on a
  double force = 0;         ///< N, normal
};

/// Where a bed is away from its free surface, base and wall, where packing and forces differ.
struct Bulk {
  double bottom = 0, top = 0;  ///< m
  double radius = std::numeric_limits<double>::infinity();

  bool holds(const Vec3d& p) const {
    return p.z >= bottom && p.z <= top && std::hypot(p.x, p.y) <= radius;
  }
};

struct Bed {
  std::vector<BedContact> contacts;  ///< between grains, in the bulk
  /// The others: spheres and grains in the bulk may have contacts outside it, and a sum that
  /// leaves these out is not in balance.
  std::vector<BedContact> outside;
  Bulk bulk;
  double grain_diameter = 0, sphere_diameter = 0;  ///< m
};

Bed bed_of(Simulation& simulation);

/// Magnitudes over their mean at the same height: deeper contacts bear more weight, which is not
/// what the distribution is about.
std::vector<double> normalised(const Bed& bed, const std::vector<double>& magnitude,
                               const std::vector<double>& height);

/// Normalised normal and tangential forces of single contacts, as Silbert et al. count.
std::vector<double> normal_forces(const Bed& bed);
std::vector<double> tangential_forces(const Bed& bed);

/// A sphere that touches others, and the sum of the sizes of its normal forces.
struct LoadedSphere {
  std::uint64_t grain = 0;
  Vec3d at{};
  double force = 0;  ///< over the mean at its height
};
std::vector<LoadedSphere> loaded_spheres(const Bed& bed);
/// "Particles" of the thesis: the vector sum of the normal forces on each sphere, as its force
/// texture holds it; normalised sizes.
std::vector<double> sphere_forces(const Bed& bed);
/// Two grains that touch ("granules").
struct TouchingGrains {
  Vec3d apart{};     ///< m, of their centres
  double force = 0;  ///< resultant of all their contacts, over the mean at its height
};
std::vector<TouchingGrains> touching_grains(const Bed& bed);
std::vector<double> grain_forces(const Bed& bed);  ///< of touching_grains()

}  // namespace talus::lab
