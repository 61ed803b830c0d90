// Volume, centre of mass and inertia: closed forms for primitives, exact integrals for meshes.
#pragma once

#include "geometry/mesh.h"
#include "geometry/shape.h"
#include "math/quat.h"

namespace talus {

struct MassProperties {
  double volume = 0;          ///< m^3
  double mass = 0;            ///< kg
  Vec3d centre{};             ///< m, centre of mass in the shape's local frame
  Sym3d inertia{};            ///< kg m^2 about the centre of mass, along the local axes
  Vec3d principal_moments{};  ///< kg m^2, ascending
  Quatd principal_axes{};     ///< rotates the principal frame into the local frame
};

/// density in kg/m^3. Refuses planes, inside-out shapes (their solid has no end) and solids without
/// volume; loads mesh and height-field files.
Result<MassProperties> mass_properties(const Shape& shape, double density);

/// Eigenvalues and eigenvectors of a symmetric tensor, e.g. of an inertia about the centre of mass.
struct PrincipalFrame {
  Vec3d values{};  ///< ascending
  Mat3d axes;      ///< columns are the unit eigenvectors, right-handed: axes^T s axes is diagonal
};
PrincipalFrame principal_frame(const Sym3d& s);

/// For a closed mesh. The volume is negative when the mesh is inside out.
MassProperties mass_properties(const Mesh& mesh, double density);

}  // namespace talus
