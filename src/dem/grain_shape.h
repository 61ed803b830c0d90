// Shapes of grains: rigid arrangements of spheres (Alduán 2009, Fig. 3; Bell et al. 2005), with the
// mass, centre and inertia of the union of their overlapping spheres.
#pragma once

#include "core/error.h"
#include "math/quat.h"

#include <span>
#include <string>
#include <vector>

namespace talus {

struct Scene;
struct Material;

struct Ball {
  Vec3d centre{};
  double radius = 0;
};

/// A shape of bounding diameter 1: the sphere around it, about the centre of mass, has radius 1/2.
/// Axes are the principal ones.
struct GrainShape {
  std::string name;
  std::vector<Ball> balls;
  double volume = 0;       ///< of the union
  Vec3d inertia{};         ///< principal, for mass 1 (volume-specific, m^2)
  double arm = 0;          ///< largest distance of a ball's centre from the centre of mass
  double edge = 0;         ///< largest distance between two balls' centres
  double least = 0;        ///< radius of the smallest ball
  bool isotropic = false;  ///< equal principal moments
  int pieces = 1;          ///< groups of balls that do not touch each other
};

struct UnionProperties {
  double volume = 0;
  Vec3d centre{};
  Sym3d inertia{};  ///< about the centre, of density 1
};

/// Volume, centre and inertia of a union of balls. Columns are integrated exactly along z, and
/// summed over a square grid of `columns` x `columns` midpoints or more, for each group of balls
/// that touch: 400 give five digits.
UnionProperties union_of_balls(std::span<const Ball> balls, int columns = 400);

/// Centres, scales and turns an arrangement. Refuses none, and radii that are not positive or too
/// small beside the whole.
Result<GrainShape> make_grain_shape(std::string name, std::vector<Ball> balls);

/// sphere, clump2, clump4, clump6, clump8, clump9, a text file (.txt, .csv, .clump) with lines
/// "x y z radius", blanks or commas between, or a mesh file to which `spheres` balls are fitted.
Result<GrainShape> load_grain_shape(const std::string& name_or_file, int spheres);

/// Balls inside a closed mesh that cover as much of it as `count` can, one after the other.
Result<std::vector<Ball>> fit_balls(const std::string& mesh_file, int count);

/// One for each material of the scene.
Result<std::vector<GrainShape>> grain_shapes(const Scene& scene);

}  // namespace talus
