#include "geometry/mass_properties.h"

#include "geometry/mesh_shapes.h"

#include <cmath>
#include <gtest/gtest.h>
#include <numbers>

namespace talus {
namespace {

using std::numbers::pi;

Shape round_shape(ShapeKind kind, double radius, double top, double height,
                  double thickness = 0.1) {
  Shape s;
  s.kind = kind;
  s.radius = radius;
  s.radius_top = top;
  s.height = height;
  s.thickness = thickness;
  return s;
}

TEST(MassProperties, BoxAndSphereToAMillionth) {
  Shape box;
  box.size = {1, 2, 3};
  const auto b = mass_properties(box, 2.5);
  ASSERT_TRUE(b.ok());
  EXPECT_NEAR(b->mass, 15, 1e-9);
  EXPECT_NEAR(b->inertia.xx, 15 * (4 + 9) / 12.0, 1e-9);
  EXPECT_NEAR(b->inertia.yy, 15 * (1 + 9) / 12.0, 1e-9);
  EXPECT_NEAR(b->inertia.zz, 15 * (1 + 4) / 12.0, 1e-9);
  const auto s = mass_properties(round_shape(ShapeKind::sphere, 0.3, 0, 0), 1000);
  const double mass = 4.0 / 3.0 * pi * 0.027 * 1000;
  EXPECT_NEAR(s->mass / mass, 1, 1e-12);
  for (double i : {s->inertia.xx, s->inertia.yy, s->inertia.zz})
    EXPECT_NEAR(i / (0.4 * mass * 0.09), 1, 1e-12);
}

TEST(MassProperties, KnownClosedForms) {
  const double r = 0.4, h = 1.1;
  const auto cylinder = mass_properties(round_shape(ShapeKind::cylinder, r, 0, h), 1);
  EXPECT_NEAR(cylinder->mass, pi * r * r * h, 1e-12);
  EXPECT_NEAR(cylinder->inertia.xx, cylinder->mass * (3 * r * r + h * h) / 12, 1e-12);
  EXPECT_NEAR(cylinder->inertia.zz, cylinder->mass * r * r / 2, 1e-12);
  const auto cone = mass_properties(round_shape(ShapeKind::cone, r, 0, h), 1);
  EXPECT_NEAR(cone->mass, pi * r * r * h / 3, 1e-12);
  EXPECT_NEAR(cone->centre.z, -h / 4, 1e-12);
  EXPECT_NEAR(cone->inertia.zz, 0.3 * cone->mass * r * r, 1e-12);
  EXPECT_NEAR(cone->inertia.xx, cone->mass * (3.0 / 20 * r * r + 3.0 / 80 * h * h), 1e-12);
}

TEST(MassProperties, PrimitivesAgreeWithTheirTriangles) {
  for (const Shape& shape :
       {round_shape(ShapeKind::sphere, 0.5, 0, 0), round_shape(ShapeKind::cylinder, 0.3, 0, 0.8),
        round_shape(ShapeKind::cone, 0.5, 0.2, 0.7), round_shape(ShapeKind::cone, 0.0, 0.4, 0.7),
        round_shape(ShapeKind::capsule, 0.2, 0, 0.6),
        round_shape(ShapeKind::tube, 0.1, 0.4, 0.6, 0.05)}) {
    const auto exact = mass_properties(shape, 700);
    const auto mesh = tessellate(shape, 512);
    ASSERT_TRUE(exact.ok() && mesh.ok());
    const auto defects = check_mesh(*tessellate(shape, 48));
    EXPECT_TRUE(defects.empty()) << describe(defects.front());
    const MassProperties m = mass_properties(*mesh, 700);
    EXPECT_NEAR(m.mass / exact->mass, 1, 2e-4);
    EXPECT_NEAR(m.centre.z, exact->centre.z, 1e-4);
    EXPECT_NEAR(m.inertia.xx / exact->inertia.xx, 1, 3e-4);
    EXPECT_NEAR(m.inertia.zz / exact->inertia.zz, 1, 3e-4);
  }
}

TEST(MassProperties, MeshIsExactAlsoFarFromTheOrigin) {
  Mesh box = box_mesh({1, 2, 3}, 3);
  for (Vec3f& v : box.vertices) v += Vec3f{64, -32, 16};
  const MassProperties m = mass_properties(box, 2);
  EXPECT_NEAR(m.mass, 12, 1e-5);
  EXPECT_NEAR(norm(m.centre - Vec3d{64, -32, 16}), 0, 1e-5);
  EXPECT_NEAR(m.inertia.xx / 13.0, 1, 1e-6);
  EXPECT_NEAR(m.inertia.yy / 10.0, 1, 1e-6);
  EXPECT_NEAR(m.inertia.zz / 5.0, 1, 1e-6);
}

TEST(MassProperties, PrincipalAxesDiagonaliseATurnedBox) {
  const Quatd turn = normalized(Quatd{0.8, 0.3, -0.4, 0.2});
  Mesh box = box_mesh({1, 2, 3}, 1);
  for (Vec3f& v : box.vertices) v = Vec3f(rotate(turn, Vec3d(v)));
  const MassProperties m = mass_properties(box, 1);
  EXPECT_NEAR(m.principal_moments.x, 6 * 5 / 12.0, 1e-5);
  EXPECT_NEAR(m.principal_moments.y, 6 * 10 / 12.0, 1e-5);
  EXPECT_NEAR(m.principal_moments.z, 6 * 13 / 12.0, 1e-5);
  for (int axis = 0; axis < 3; ++axis) {
    Vec3d e;
    e[axis] = 1;
    const Vec3d v = rotate(m.principal_axes, e);
    EXPECT_NEAR(norm(m.inertia * v - m.principal_moments[axis] * v), 0, 1e-5);
  }
}

TEST(Diagonalise, GivesARightHandedAscendingFrame) {
  const Sym3d tensors[] = {
      {3, 1, 2, 0, 0, 0}, {2, 2, 2, 0, 0, 0}, {4, 3, 5, 1, -2, 0.5}, {1, 1, 1, 1, 1, 1}};
  for (const Sym3d& s : tensors) {
    Vec3d values;
    Quatd rotation;
    diagonalise(s, values, rotation);
    EXPECT_LE(values.x, values.y);
    EXPECT_LE(values.y, values.z);
    for (int k = 0; k < 3; ++k) {
      Vec3d e{};
      e[k] = 1;
      const Vec3d axis = rotate(rotation, e);
      EXPECT_NEAR(norm(s * axis - values[k] * axis), 0, 1e-12) << k;
    }
  }
}

TEST(MassProperties, RefusesWhatHasNoMass) {
  Shape plane;
  plane.kind = ShapeKind::plane;
  EXPECT_FALSE(mass_properties(plane, 1).ok());
  Shape room;
  room.inside_out = true;
  EXPECT_FALSE(mass_properties(room, 1).ok());
  Shape box;
  EXPECT_FALSE(mass_properties(box, 0).ok());
  EXPECT_FALSE(mass_properties(box, std::nan("")).ok());
}

}  // namespace
}  // namespace talus
